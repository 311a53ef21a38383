//! The journal of a Mistral Vibe session: one JSON object per line, a file for each turn. A line may carry what
//! happened to the conversation and where the turn stands. The folder is in a file above it.

use jiff::Timestamp;
use serde_json::Value;

use super::log::Entry;
use super::steps::{Call, Outcome};
use super::{Asked, text, words};

pub(super) fn entries(line: &Value) -> Vec<Entry> {
    let changes = line.pointer("/payload/delta").and_then(Value::as_array);
    changes.into_iter().flatten().flat_map(change).collect()
}

fn change(change: &Value) -> Vec<Entry> {
    let content = change.pointer("/entry/content").unwrap_or(&Value::Null);
    let id = text(change, "/entry/id").unwrap_or_default();
    let kind = (text(change, "/entry/type"), text(change, "/entry/role"));
    let entry = match kind {
        (Some("message"), Some("user")) => {
            let at = change.pointer("/entry/createdAt").and_then(Value::as_i64);
            Entry::Asked(Asked {
                text: words(content, "\n"),
                at: at.and_then(|at| Timestamp::from_millisecond(at).ok()),
            })
        }
        (Some("message"), Some("assistant")) => Entry::Said {
            text: words(content, "\n\n"),
            calls: Vec::new(),
        },
        // What a tool does, and the same once more when it is done.
        (Some("effect"), _) if text(change, "/entry/generationStatus") == Some("in_progress") => {
            Entry::Said {
                text: String::new(),
                calls: vec![call(id, change)],
            }
        }
        (Some("effect"), _) => {
            let is_error = text(change, "/entry/generationStatus") == Some("failed");
            Entry::Result(Outcome::ok_unless(id, is_error, None))
        }
        _ => match text(change, "/state/latestTurn/status") {
            Some("completed") => Entry::Closed,
            Some("interrupted") => Entry::Interrupted,
            Some("failed") => {
                let why = text(change, "/state/session/status/message");
                Entry::Failed(why.unwrap_or("the model failed").to_owned())
            }
            _ => return Vec::new(),
        },
    };
    vec![entry]
}

fn call(id: &str, change: &Value) -> Call {
    let detail = change.pointer("/entry/detail").unwrap_or(&Value::Null);
    let name = ["/toolName", "/name", "/tool/name", "/kind"]
        .into_iter()
        .find_map(|pointer| text(detail, pointer));
    let input = ["/input", "/arguments", "/args"]
        .into_iter()
        .find_map(|pointer| detail.pointer(pointer));
    Call::new(
        id,
        name.unwrap_or_default(),
        input.unwrap_or(&Value::Null),
        None,
    )
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, TurnRecord, Verdict, turn_of};

    /// A turn as Vibe 3.0.2 wrote it with the scripted model, without what does not matter here.
    fn turn(lines: &[&str]) -> TurnRecord {
        let asked = r#"{"payload":{"delta":[{"entry":{"content":[{"text":"a","type":"text"}],"createdAt":1794832370519,"id":"rs-1","role":"user","source":"turn_start","type":"message"},"op":"append_entry"},{"op":"set_envelope","state":{"latestTurn":{"status":"in_progress"}}}]},"sequence":3,"type":"projection_delta"}"#;
        let lines = [&[asked], lines].concat();
        turn_of(Kind::Vibe, &lines.join("\n"), "a").unwrap()
    }

    const TOOL: &str = r#"{"payload":{"delta":[{"entry":{"id":"effect-58","generationStatus":"in_progress","detail":{"kind":"tool"},"type":"effect"},"op":"append_entry"},{"op":"set_envelope","state":{"latestTurn":{"status":"in_progress"}}}]}}"#;
    const DONE: &str = r#"{"payload":{"delta":[{"entry":{"id":"effect-58","generationStatus":"completed","detail":{"kind":"tool"},"type":"effect"},"op":"replace_entry"},{"op":"set_envelope","state":{"latestTurn":{"status":"in_progress"}}}]}}"#;

    fn said(text: &str, status: &str) -> String {
        format!(
            r#"{{"payload":{{"delta":[{{"entry":{{"content":[{{"text":"{text}","type":"text"}}],"id":"assistant-9e","role":"assistant","type":"message"}},"op":"append_entry"}},{{"op":"set_envelope","state":{{"latestTurn":{{"status":"{status}"}}}}}}]}}}}"#
        )
    }

    #[test]
    fn the_answer_after_the_tool_ends_the_turn() {
        assert!(turn(&[TOOL]).has_open_tool);
        assert_eq!(turn(&[TOOL, DONE]).verdict, None);
        let done = turn(&[TOOL, DONE, &said("b", "completed")]);
        assert!(done.is_closed && !done.has_open_tool);
        assert_eq!(done.verdict, Some(Verdict::Replied("b".to_owned())));
    }

    #[test]
    fn an_interrupted_turn_keeps_what_was_said() {
        let stopped = turn(&[&said("alpha bravo", "interrupted")]);
        assert_eq!(stopped.verdict, Some(Verdict::Interrupted));
        assert_eq!(stopped.said, "alpha bravo");
    }

    #[test]
    fn a_failed_turn_says_why() {
        let failed = r#"{"payload":{"delta":[{"op":"set_envelope","state":{"latestTurn":{"status":"failed"},"session":{"status":{"message":"Client error '400 Bad Request'","type":"failed"}}}}]}}"#;
        let why = Verdict::Failed("Client error '400 Bad Request'".to_owned());
        assert_eq!(turn(&[failed]).verdict, Some(why));
    }
}
