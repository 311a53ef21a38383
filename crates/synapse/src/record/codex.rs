//! Codex's rollout file: one event per line.

use serde_json::Value;

use super::{Recorded, lines, words};

/// The reply to the last message that holds `needle`, as the program says when the task is over.
pub(super) fn reply(text: &str, needle: &str) -> Option<Recorded> {
    let mut is_ours = false;
    let mut found = None;
    for line in lines(text) {
        if line.get("type").and_then(Value::as_str) != Some("event_msg") {
            continue;
        }
        let payload = line.get("payload").unwrap_or(&Value::Null);
        match payload.get("type").and_then(Value::as_str) {
            Some("item_completed")
                if payload.pointer("/item/type").and_then(Value::as_str) == Some("UserMessage") =>
            {
                is_ours = payload
                    .pointer("/item/content")
                    .is_some_and(|content| words(content, "\n").contains(needle));
                found = None;
            }
            Some("user_message") => {
                is_ours = payload
                    .get("message")
                    .and_then(Value::as_str)
                    .is_some_and(|m| m.contains(needle));
                found = None;
            }
            Some("task_complete") if is_ours => found = outcome(payload),
            _ => {}
        }
    }
    found
}

fn outcome(payload: &Value) -> Option<Recorded> {
    if let Some(reply) = payload.get("last_agent_message").and_then(Value::as_str) {
        return Some(Recorded::Replied(reply.to_owned()));
    }
    let error = payload.get("error").filter(|error| !error.is_null())?;
    let message = error
        .get("message")
        .and_then(Value::as_str)
        .map(str::to_owned);
    Some(Recorded::Failed(
        message.unwrap_or_else(|| error.to_string()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reply_belongs_to_its_message() {
        let text = r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"text":"[A2A:1] a"}]}}}
{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":"one"}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"text":"[A2A:2] b"}]}}}
{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":null,"error":{"message":"no"}}}"#;
        assert_eq!(
            reply(text, "[A2A:2] b"),
            Some(Recorded::Failed("no".to_owned()))
        );
        let first: Vec<&str> = text.lines().take(2).collect();
        assert_eq!(
            reply(&first.join("\n"), "[A2A:1]"),
            Some(Recorded::Replied("one".to_owned()))
        );
        assert_eq!(reply(text, "[A2A:3]"), None);
    }
}
