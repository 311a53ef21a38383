//! Qwen Code's session file: one JSON object per line, each with the folder it belongs to. No line says
//! that a turn is over: an answer without tool calls does.

use serde_json::Value;

use super::log::Entry;
use super::{Asked, text};

pub(super) fn entries(line: &Value) -> Vec<Entry> {
    let mut found = Vec::new();
    found.extend(text(line, "/cwd").map(|cwd| Entry::Folder(cwd.to_owned())));
    let parts = line.pointer("/message/parts").and_then(Value::as_array);
    let parts = parts.map(Vec::as_slice).unwrap_or_default();
    match text(line, "/type") {
        // A notice of the program's own is written as the user's, with another origin.
        Some("user") if text(line, "/provenance").is_none_or(|from| from == "real_user") => {
            found.push(Entry::Asked(Asked::new(spoken(parts), line)));
        }
        Some("assistant") => found.push(Entry::Said {
            text: spoken(parts),
            calls: ids(parts, "/functionCall/id"),
        }),
        Some("tool_result") => {
            found.extend(
                ids(parts, "/functionResponse/id")
                    .into_iter()
                    .map(Entry::Result),
            );
            if text(line, "/toolCallResult/status") == Some("cancelled") {
                found.push(Entry::Interrupted);
            }
        }
        _ => {}
    }
    found
}

/// What the parts say; thoughts are not said.
fn spoken(parts: &[Value]) -> String {
    let is_thought = |part: &&Value| part.get("thought").and_then(Value::as_bool) == Some(true);
    let parts = parts.iter().filter(|part| !is_thought(part));
    parts.filter_map(|part| text(part, "/text")).collect()
}

fn ids(parts: &[Value], pointer: &str) -> Vec<String> {
    let ids = parts.iter().filter_map(|part| text(part, pointer));
    ids.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Verdict, turn_of};

    #[test]
    fn the_answer_after_the_last_tool_is_the_reply() {
        let text = r#"{"type":"user","provenance":"real_user","cwd":"/w","message":{"parts":[{"text":"a"}]}}
{"type":"assistant","message":{"parts":[{"text":"thinking","thought":true},{"text":"looking"},{"functionCall":{"id":"1"}}]}}
{"type":"tool_result","message":{"parts":[{"functionResponse":{"id":"1"}}]},"toolCallResult":{"status":"success"}}
{"type":"system","subtype":"ui_telemetry","message":{"parts":[{"text":"no"}]}}
{"type":"assistant","message":{"parts":[{"text":"| a |"}]}}"#;
        let verdict = |lines: usize| {
            let text: Vec<&str> = text.lines().take(lines).collect();
            turn_of(Kind::Qwen, &text.join("\n"), "a").unwrap()
        };
        assert!(verdict(2).has_open_tool);
        assert!(!verdict(3).has_open_tool);
        assert_eq!(verdict(3).verdict, None);
        assert_eq!(
            verdict(5).verdict,
            Some(Verdict::Replied("| a |".to_owned()))
        );
    }
}
