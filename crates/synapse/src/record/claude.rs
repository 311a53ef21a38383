//! Claude Code's transcript: one JSON object per line.

use serde_json::Value;

use super::{Recorded, lines};

/// The reply to the last message that holds `needle`: what was said after the last tool call, once
/// the model said that it was done.
pub(super) fn reply(text: &str, needle: &str) -> Option<Recorded> {
    let (mut is_ours, mut is_over) = (false, false);
    let mut said: Vec<String> = Vec::new();
    let mut failed = None;
    for line in lines(text) {
        // Subagents keep their talk in the same file.
        if line.get("isSidechain").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        let content = line.pointer("/message/content");
        match line.get("type").and_then(Value::as_str) {
            Some("user") if asks(content) => {
                is_ours = content.is_some_and(|content| words(content).contains(needle));
                is_over = false;
                failed = None;
                said.clear();
            }
            Some("assistant") if is_ours => {
                if line.get("isApiErrorMessage").and_then(Value::as_bool) == Some(true) {
                    failed = content.map(words);
                }
                for part in content.and_then(Value::as_array).into_iter().flatten() {
                    match part.get("type").and_then(Value::as_str) {
                        Some("tool_use") => said.clear(),
                        Some("text") => {
                            said.extend(
                                part.get("text").and_then(Value::as_str).map(str::to_owned),
                            );
                        }
                        _ => {}
                    }
                }
                let reason = line.pointer("/message/stop_reason").and_then(Value::as_str);
                is_over = reason.is_some_and(|reason| reason != "tool_use");
            }
            _ => {}
        }
    }
    match failed {
        Some(error) if is_ours => Some(Recorded::Failed(error)),
        _ => (is_ours && is_over).then(|| Recorded::Replied(said.join("\n\n"))),
    }
}

/// Whether a user record is a message, not the result of a tool.
fn asks(content: Option<&Value>) -> bool {
    let is_result = |part: &Value| part.get("type").and_then(Value::as_str) == Some("tool_result");
    match content {
        Some(Value::String(_)) => true,
        Some(Value::Array(parts)) => !parts.iter().any(is_result),
        _ => false,
    }
}

/// The text of a message.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter_map(|part| part.get("text")?.as_str())
                .collect();
            texts.join("\n")
        }
        _ => String::new(),
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
    fn an_error_of_the_model_is_a_failure() {
        let text = "{\"type\":\"user\",\"message\":{\"content\":\"hi\"}}\n{\"type\":\"assistant\",\"isApiErrorMessage\":true,\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"API Error: 400\"}],\"stop_reason\":\"stop_sequence\"}}";
        assert_eq!(
            reply(text, "hi"),
            Some(Recorded::Failed("API Error: 400".to_owned()))
        );
    }
}
