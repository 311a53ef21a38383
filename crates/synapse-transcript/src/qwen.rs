//! Qwen Code's session file: one JSON object per line, each with the folder it belongs to. No line says
//! that a turn is over: an answer without tool calls does.

use serde_json::Value;
use synapse_a2a::step::{Edit, StepState};

use super::log::Entry;
use super::steps::{Call, Outcome, time};
use super::tokens::Took;
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
        Some("assistant") => {
            let thoughts = parts.iter().filter(|part| is_thought(part));
            found.extend(
                thoughts
                    .filter_map(|part| text(part, "/text"))
                    .map(|words| Entry::Thought(words.to_owned())),
            );
            found.extend(Took::of_qwen(line).map(Entry::Took));
            found.push(Entry::Said {
                text: spoken(parts),
                calls: parts.iter().filter_map(|part| call(part, line)).collect(),
            });
        }
        Some("tool_result") => {
            let state = match text(line, "/toolCallResult/status") {
                Some("error") => StepState::Failed,
                Some("cancelled") => StepState::Refused,
                _ => StepState::Ok,
            };
            let diff = text(line, "/toolCallResult/resultDisplay/fileDiff");
            let path = text(line, "/toolCallResult/resultDisplay/fileName").unwrap_or_default();
            let ids = parts
                .iter()
                .filter_map(|part| text(part, "/functionResponse/id"));
            found.extend(ids.map(|id| {
                let edit = diff.map(|diff| Edit::of_diff(path, diff));
                Entry::Result(Outcome::new(id, state, time(line)).with_edit(edit))
            }));
            if text(line, "/toolCallResult/status") == Some("cancelled") {
                found.push(Entry::Interrupted);
            }
        }
        _ => {}
    }
    found
}

fn is_thought(part: &Value) -> bool {
    part.get("thought").and_then(Value::as_bool) == Some(true)
}

/// What the parts say; thoughts are not said.
fn spoken(parts: &[Value]) -> String {
    let parts = parts.iter().filter(|part| !is_thought(part));
    parts.filter_map(|part| text(part, "/text")).collect()
}

fn call(part: &Value, line: &Value) -> Option<Call> {
    let id = text(part, "/functionCall/id")?;
    let name = text(part, "/functionCall/name").unwrap_or_default();
    let input = part.pointer("/functionCall/args").unwrap_or(&Value::Null);
    Some(Call::new(id, name, input, time(line)))
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
