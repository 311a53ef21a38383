//! Claude Code's transcript: one JSON object per line.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{Recorded, lines, words};

/// The reply to the last message that holds `needle`: what was said after the last tool call, once
/// the model said that it was done.
pub(super) fn reply(text: &str, needle: &str) -> Option<Recorded> {
    // Subagents keep their talk in the same file.
    let is_aside = |line: &Value| line.get("isSidechain").and_then(Value::as_bool) == Some(true);
    let lines: Vec<Value> = lines(text).filter(|line| !is_aside(line)).collect();
    let ours = lines
        .iter()
        .rposition(|line| asks(line) && words(content(line), "\n").contains(needle))?;
    // A turn that was interrupted has no reply, only the beginning of one.
    if lines.iter().skip(ours).any(is_interruption) {
        return None;
    }
    let mut said: Vec<&str> = Vec::new();
    let (mut is_over, mut failed) = (false, None);
    for line in answers(&lines, ours) {
        if line.get("isApiErrorMessage").and_then(Value::as_bool) == Some(true) {
            failed = Some(words(content(line), "\n"));
        }
        for part in content(line).as_array().into_iter().flatten() {
            match part.get("type").and_then(Value::as_str) {
                Some("tool_use") => said.clear(),
                Some("text") => said.extend(part.get("text").and_then(Value::as_str)),
                _ => {}
            }
        }
        let reason = line.pointer("/message/stop_reason").and_then(Value::as_str);
        is_over = reason.is_some_and(|reason| reason != "tool_use");
    }
    match failed {
        Some(error) => Some(Recorded::Failed(error)),
        None => is_over.then(|| Recorded::Replied(said.join("\n\n"))),
    }
}

/// What the model said to one message, in order. The lines may be out of order, an answer before
/// its question, so where they name their parents these decide; else the place does.
fn answers(lines: &[Value], ours: usize) -> Vec<&Value> {
    let name = |line: &Value, key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
    let parents: HashMap<String, Option<String>> = lines
        .iter()
        .filter_map(|line| Some((name(line, "uuid")?, name(line, "parentUuid"))))
        .collect();
    let asking: HashSet<String> = lines
        .iter()
        .filter(|line| asks(line))
        .filter_map(|line| name(line, "uuid"))
        .collect();
    let own = lines.get(ours).and_then(|line| name(line, "uuid"));
    let next = lines
        .iter()
        .skip(ours + 1)
        .position(asks)
        .map_or(lines.len(), |at| ours + 1 + at);
    let belongs = |index: usize, line: &Value| {
        let Some(mut at) = name(line, "parentUuid").filter(|_| own.is_some()) else {
            return (ours..next).contains(&index);
        };
        for _ in 0..lines.len() {
            if asking.contains(&at) {
                return Some(&at) == own.as_ref();
            }
            match parents.get(&at) {
                Some(Some(parent)) => at.clone_from(parent),
                _ => return false,
            }
        }
        false
    };
    let is_model = |line: &Value| line.get("type").and_then(Value::as_str) == Some("assistant");
    let mut found: Vec<&Value> = lines
        .iter()
        .enumerate()
        .filter(|(index, line)| is_model(line) && belongs(*index, line))
        .map(|(_, line)| line)
        .collect();
    // Times are written so that their order is that of their letters.
    found.sort_by_key(|line| name(line, "timestamp"));
    found
}

fn content(line: &Value) -> &Value {
    line.pointer("/message/content").unwrap_or(&Value::Null)
}

/// Whether a record says that the user stopped the model.
fn is_interruption(line: &Value) -> bool {
    line.get("type").and_then(Value::as_str) == Some("user")
        && words(content(line), "\n").starts_with("[Request interrupted by user")
}

/// Whether a record is a message of the user's, not the result of a tool.
fn asks(line: &Value) -> bool {
    let is_result = |part: &Value| part.get("type").and_then(Value::as_str) == Some("tool_result");
    line.get("type").and_then(Value::as_str) == Some("user")
        && !is_interruption(line)
        && match content(line) {
            Value::String(_) => true,
            Value::Array(parts) => !parts.iter().any(is_result),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: &str = r#"{"type":"user","message":{"content":"[A2A:1:user] first"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"one"}],"stop_reason":"end_turn"}}
{"type":"user","message":{"content":"[A2A:2:user] second"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"let me look"}],"stop_reason":null}}
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash"}],"stop_reason":"tool_use"}}
{"type":"user","message":{"content":[{"type":"tool_result","content":"x"}]}}
{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"aside"}]}}
{"type":"assistant","message":{"content":[{"type":"text","text":"```rust\nfn two() {}\n```"}],"stop_reason":"end_turn"}}
"#;

    #[test]
    fn the_reply_is_what_was_said_after_the_last_tool() {
        let reply = reply(TURN, "[A2A:2:user] second");
        assert_eq!(
            reply,
            Some(Recorded::Replied("```rust\nfn two() {}\n```".to_owned()))
        );
    }

    #[test]
    fn a_turn_that_is_not_over_has_no_reply() {
        let cut: Vec<&str> = TURN.lines().take(5).collect();
        assert_eq!(reply(&cut.join("\n"), "second"), None);
        assert_eq!(reply(TURN, "third"), None);
        assert_eq!(reply("{\"type\":", "x"), None);
    }

    #[test]
    fn an_interrupted_turn_has_no_reply() {
        let text = r#"{"type":"user","message":{"content":"hi"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"half of"}],"stop_reason":"end_turn"}}
{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}"#;
        assert_eq!(reply(text, "hi"), None);
    }

    #[test]
    fn lines_out_of_order_are_put_right_by_their_parents() {
        let text = r#"{"type":"assistant","uuid":"b","parentUuid":"x","timestamp":"2","message":{"content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn"}}
{"type":"attachment","uuid":"x","parentUuid":"a"}
{"type":"user","uuid":"a","parentUuid":null,"timestamp":"1","message":{"content":"[A2A:1] hi"}}"#;
        assert_eq!(
            reply(text, "[A2A:1]"),
            Some(Recorded::Replied("hello".to_owned()))
        );
    }

    #[test]
    fn an_error_of_the_model_is_a_failure() {
        let text = "{\"type\":\"user\",\"message\":{\"content\":\"hi\"}}\n{\"type\":\"assistant\",\"isApiErrorMessage\":true,\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"API Error: 400\"}],\"stop_reason\":\"stop_sequence\"}}";
        assert_eq!(
            reply(text, "hi"),
            Some(Recorded::Failed("API Error: 400".to_owned()))
        );
    }
}
