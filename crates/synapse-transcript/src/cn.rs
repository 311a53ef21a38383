//! The session file of Continue's `cn`: one JSON value that is written anew after each message.

use serde_json::Value;

use super::log::Entry;
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
            let ids = |list: &str, id: &str| -> Vec<(String, bool)> {
                let list = item.pointer(list).and_then(Value::as_array);
                let is_over = |call: &Value| {
                    let status = text(call, "/status").unwrap_or_default();
                    matches!(status, "done" | "errored" | "canceled")
                };
                let calls = list.into_iter().flatten();
                calls
                    .filter_map(|call| Some((text(call, id)?.to_owned(), is_over(call))))
                    .collect()
            };
            let states = ids("/toolCallStates", "/toolCallId");
            let said = Entry::Said {
                text: words(content, "\n\n"),
                calls: ids("/message/toolCalls", "/id")
                    .into_iter()
                    .map(|(id, _)| id)
                    .collect(),
            };
            let over = states.into_iter().filter(|(_, is_over)| *is_over);
            let over = over.map(|(id, _)| Entry::Result(id));
            let states = item.pointer("/toolCallStates").and_then(Value::as_array);
            let is_refused = |call: &Value| text(call, "/status") == Some("canceled");
            let was_refused = states.is_some_and(|states| states.iter().any(is_refused));
            let stop = was_refused.then_some(Entry::Interrupted);
            std::iter::once(said).chain(over).chain(stop).collect()
        }
        _ => Vec::new(),
    }
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
