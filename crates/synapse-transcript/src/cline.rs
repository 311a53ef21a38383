//! The messages of a Cline session: one JSON value that is written anew after each message. The folder is in the file
//! beside it. An interrupted answer is not in it.

use jiff::Timestamp;
use serde_json::Value;

use super::log::Entry;
use super::steps::{Call, Outcome};
use super::{Asked, text};

pub(super) fn entries(session: &Value) -> Vec<Entry> {
    let messages = session.get("messages").and_then(Value::as_array);
    messages.into_iter().flatten().flat_map(message).collect()
}

fn message(message: &Value) -> Vec<Entry> {
    let parts = message.get("content").and_then(Value::as_array);
    let parts = parts.map(Vec::as_slice).unwrap_or_default();
    let texts = |between: &str| -> String {
        let texts: Vec<&str> = parts
            .iter()
            .filter_map(|part| text(part, "/text"))
            .collect();
        texts.join(between)
    };
    let at = message.get("ts").and_then(Value::as_i64);
    let at = at.and_then(|at| Timestamp::from_millisecond(at).ok());
    let results: Vec<Outcome> = parts.iter().filter_map(|part| result(part, at)).collect();
    match text(message, "/role") {
        // What a tool gave is written as the user's.
        Some("user") if !results.is_empty() => results.into_iter().map(Entry::Result).collect(),
        Some("user") => vec![Entry::Asked(Asked {
            text: typed(&texts("\n")).to_owned(),
            at,
        })],
        Some("assistant") if text(message, "/metadata/displayRole") == Some("error") => {
            vec![Entry::Failed(texts("\n"))]
        }
        Some("assistant") => vec![Entry::Said {
            text: texts("\n\n"),
            calls: parts.iter().filter_map(|part| call(part, at)).collect(),
        }],
        _ => Vec::new(),
    }
}

fn call(part: &Value, at: Option<Timestamp>) -> Option<Call> {
    let name = text(part, "/name").unwrap_or_default();
    let input = part.get("input").unwrap_or(&Value::Null);
    Some(Call::new(text(part, "/id")?, name, input, at))
}

/// What a tool gave; each of the things it was called with can have failed.
fn result(part: &Value, at: Option<Timestamp>) -> Option<Outcome> {
    let id = text(part, "/tool_use_id")?;
    let each = part.get("content").and_then(Value::as_array);
    let has_failed = |one: &Value| one.get("success").and_then(Value::as_bool) == Some(false);
    let is_error = part.get("is_error").and_then(Value::as_bool) == Some(true)
        || each.is_some_and(|each| each.iter().any(has_failed));
    Some(Outcome::ok_unless(id, is_error, at))
}

/// What the user typed, without the `<user_input mode="act">` around it.
fn typed(text: &str) -> &str {
    let inner = text
        .strip_prefix("<user_input ")
        .and_then(|text| text.split_once('>'))
        .and_then(|(_, text)| text.strip_suffix("</user_input>"));
    inner.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Verdict, turn_of};

    // Written by Cline 3.0.65 with the scripted model; names, numbers and what does not matter are left out.
    const SESSION: &str = r#"{"version":1,"agent":"lead","messages":[
{"role":"user","content":[{"type":"text","text":"<user_input mode=\"act\">tool:touch foo</user_input>"}],"ts":1794832744125},
{"role":"assistant","content":[{"type":"tool_use","id":"call_fake000001","name":"run_commands","input":{"commands":["touch foo"]}}],"ts":1794832744828},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_fake000001","name":"run_commands","content":[{"query":"touch foo","result":"","success":true}]}],"ts":1794832747649},
{"role":"assistant","content":[{"type":"text","text":"tool done: | b |"}],"ts":1794832747852},
{"role":"user","content":[{"type":"text","text":"<user_input mode=\"act\">slow:20</user_input>"}],"ts":1794832255861},
{"role":"user","content":[{"type":"text","text":"<user_input mode=\"act\">error:400</user_input>"}],"ts":1794832264387},
{"role":"assistant","content":[{"type":"text","text":"Scripted error 400"}],"ts":1794832264542,"metadata":{"displayOnly":true,"displayRole":"error"}}
]}"#;

    #[test]
    fn the_answer_after_the_tool_is_the_reply() {
        let turn = turn_of(Kind::Cline, SESSION, "tool:touch foo").unwrap();
        assert!(!turn.has_open_tool);
        assert_eq!(turn.steps[0].title(), "run_commands `touch foo`");
        assert_eq!(turn.steps[0].duration_ms, Some(2_821));
        let reply = Verdict::Replied("tool done: | b |".to_owned());
        assert_eq!(turn.verdict, Some(reply));
    }

    #[test]
    fn a_tool_without_its_result_is_open() {
        let called =
            SESSION.split_once(",\n{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\"");
        let session = format!("{}]}}", called.unwrap().0);
        let turn = turn_of(Kind::Cline, &session, "tool:touch foo").unwrap();
        assert!(turn.has_open_tool);
        assert_eq!(turn.verdict, None);
    }

    #[test]
    fn an_error_is_no_reply_and_an_interrupted_turn_has_none() {
        let failed = turn_of(Kind::Cline, SESSION, "error:400").unwrap();
        let why = Verdict::Failed("Scripted error 400".to_owned());
        assert_eq!(failed.verdict, Some(why));
        let stopped = turn_of(Kind::Cline, SESSION, "slow:20").unwrap();
        assert_eq!(stopped.verdict, None);
    }
}
