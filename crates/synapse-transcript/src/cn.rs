//! The session file of Continue's `cn`: one JSON value that is written anew after each message.

use serde_json::Value;
use synapse_a2a::step::StepState;

use super::log::Entry;
use super::steps::{Call, Outcome};
use super::{Asked, text, words};

pub(super) fn entries(session: &Value) -> Vec<Entry> {
    let folder = text(session, "/workspaceDirectory").map(|dir| Entry::Folder(dir.to_owned()));
    let history = session.get("history").and_then(Value::as_array);
    let messages = history.into_iter().flatten().flat_map(message);
    folder.into_iter().chain(messages).collect()
}

fn message(item: &Value) -> Vec<Entry> {
    let content = item.pointer("/message/content").unwrap_or(&Value::Null);
    match text(item, "/message/role") {
        Some("user") => vec![Entry::Asked(Asked {
            text: words(content, "\n"),
            at: None,
        })],
        Some("assistant") => {
            let list = |name: &str| item.pointer(name).and_then(Value::as_array);
            let calls = list("/message/toolCalls").into_iter().flatten();
            let said = Entry::Said {
                text: words(content, "\n\n"),
                calls: calls.filter_map(call).collect(),
            };
            let states = list("/toolCallStates").into_iter().flatten();
            let over: Vec<Outcome> = states.filter_map(outcome).collect();
            let was_refused = over.iter().any(|over| over.state == StepState::Refused);
            let stop = was_refused.then_some(Entry::Interrupted);
            let over = over.into_iter().map(Entry::Result);
            std::iter::once(said).chain(over).chain(stop).collect()
        }
        _ => Vec::new(),
    }
}

fn call(call: &Value) -> Option<Call> {
    let id = text(call, "/id")?;
    let name = text(call, "/function/name").unwrap_or_default();
    let input = text(call, "/function/arguments").unwrap_or_default();
    Some(Call::of_text(id, name, input, None))
}

/// How a call did, once it is over.
fn outcome(call: &Value) -> Option<Outcome> {
    let state = match text(call, "/status")? {
        "done" => StepState::Ok,
        "errored" => StepState::Failed,
        "canceled" => StepState::Refused,
        _ => return None,
    };
    Some(Outcome::new(text(call, "/toolCallId")?, state, None))
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Verdict, turn_of};

    #[test]
    fn the_last_answer_without_tools_is_the_reply() {
        let text = r#"{"workspaceDirectory":"/w","history":[
{"message":{"role":"user","content":"a"}},
{"message":{"role":"assistant","content":"","toolCalls":[{"id":"1"}]},"toolCallStates":[{"toolCallId":"1","status":"done"}]},
{"message":{"role":"assistant","content":"| b |"}}]}"#;
        let turn = turn_of(Kind::Cn, text, "a").unwrap();
        assert!(!turn.has_open_tool);
        assert_eq!(turn.verdict, Some(Verdict::Replied("| b |".to_owned())));
    }

    #[test]
    fn a_refused_tool_ends_the_turn_unless_the_model_goes_on() {
        // Written by cn 1.5.47 with the scripted model.
        let refused = r#"{"workspaceDirectory":"/w","history":[
{"message":{"role":"user","content":"a"}},
{"message":{"role":"assistant","content":"","toolCalls":[{"id":"1"}]},"toolCallStates":[{"toolCallId":"1","status":"canceled"}]}]}"#;
        let turn = turn_of(Kind::Cn, refused, "a").unwrap();
        assert_eq!(turn.verdict, Some(Verdict::Interrupted));
        let more = r#","status":"canceled"}]},{"message":{"role":"assistant","content":"b"}}]}"#;
        let went_on = refused.replace(r#","status":"canceled"}]}]}"#, more);
        let turn = turn_of(Kind::Cn, &went_on, "a").unwrap();
        assert_eq!(turn.verdict, Some(Verdict::Replied("b".to_owned())));
    }
}
