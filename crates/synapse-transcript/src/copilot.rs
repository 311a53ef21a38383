//! The events of a GitHub Copilot CLI session: one JSON object per line, the first with the folder. An answer without
//! tool requests is the reply.

use serde_json::Value;

use super::log::Entry;
use super::steps::{Call, Outcome, time};
use super::{Asked, text};

pub(super) fn entries(line: &Value) -> Vec<Entry> {
    let owned = |pointer: &str| text(line, pointer).unwrap_or_default().to_owned();
    match text(line, "/type") {
        Some("session.start") => vec![Entry::Folder(owned("/data/context/cwd"))],
        Some("user.message") => vec![Entry::Asked(Asked::new(owned("/data/content"), line))],
        Some("assistant.message") => {
            let calls = line.pointer("/data/toolRequests").and_then(Value::as_array);
            let calls = calls.into_iter().flatten();
            vec![Entry::Said {
                text: owned("/data/content"),
                calls: calls
                    .filter_map(|call| {
                        let name = text(call, "/name").unwrap_or_default();
                        let input = call.get("arguments").unwrap_or(&Value::Null);
                        Some(Call::new(
                            text(call, "/toolCallId")?,
                            name,
                            input,
                            time(line),
                        ))
                    })
                    .collect(),
            }]
        }
        Some("tool.execution_complete") => {
            let is_error = line.pointer("/data/success").and_then(Value::as_bool) == Some(false);
            let id = text(line, "/data/toolCallId").unwrap_or_default();
            vec![Entry::Result(Outcome::ok_unless(id, is_error, time(line)))]
        }
        Some("abort") => vec![Entry::Interrupted],
        Some("session.error") => vec![Entry::Failed(owned("/data/message"))],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Verdict, turn_of};

    #[test]
    fn the_answer_without_tool_requests_is_the_reply() {
        let text = r#"{"type":"session.start","data":{"context":{"cwd":"/w"}}}
{"type":"user.message","data":{"content":"a"},"timestamp":"2026-11-16T10:22:48.803Z"}
{"type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":"1"}]}}
{"type":"tool.execution_complete","data":{"toolCallId":"1"}}
{"type":"assistant.message","data":{"content":"b","toolRequests":[]}}"#;
        let turn = |lines: usize| {
            let text: Vec<&str> = text.lines().take(lines).collect();
            turn_of(Kind::Copilot, &text.join("\n"), "a").unwrap()
        };
        assert!(turn(3).has_open_tool);
        assert_eq!(turn(4).verdict, None);
        assert_eq!(turn(5).verdict, Some(Verdict::Replied("b".to_owned())));
    }
}
