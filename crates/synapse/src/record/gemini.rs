//! Gemini CLI's session file. The same message may be written again with more in it: the last one
//! counts. No line says that a turn is over: an answer without tool calls does.

use serde_json::Value;

use super::{Recorded, lines, words};

/// The reply to the last message that holds `needle`.
pub(super) fn reply(text: &str, needle: &str) -> Option<Recorded> {
    let mut is_ours = false;
    let mut found = None;
    for line in lines(text) {
        match line.pointer("/$set/messages").and_then(Value::as_array) {
            Some(messages) => {
                // The list replaces what was there. One without our message was made before it.
                let holds_ours = messages.iter().any(|message| asks(message, needle));
                is_ours &= !holds_ours;
                found = None;
                for message in messages.iter().filter(|_| holds_ours) {
                    take(message, needle, &mut is_ours, &mut found);
                }
            }
            None => take(&line, needle, &mut is_ours, &mut found),
        }
    }
    found
}

fn take(message: &Value, needle: &str, is_ours: &mut bool, found: &mut Option<Recorded>) {
    let words = message
        .get("content")
        .map(|content| words(content, ""))
        .unwrap_or_default();
    match message.get("type").and_then(Value::as_str) {
        // What a tool gave is written as the user's.
        Some("user") if is_tool_result(message) => {}
        Some("user") => {
            // A message may be written again while its answer is already there.
            let holds = words.contains(needle);
            if !(holds && *is_ours) {
                *found = None;
            }
            *is_ours = holds;
        }
        Some("gemini") if *is_ours => {
            let calls = message.get("toolCalls").and_then(Value::as_array);
            let is_answer = calls.is_none_or(Vec::is_empty) && !words.trim().is_empty();
            *found = is_answer.then_some(Recorded::Replied(words));
        }
        Some("error") if *is_ours => *found = Some(Recorded::Failed(words)),
        _ => {}
    }
}

fn asks(message: &Value, needle: &str) -> bool {
    message.get("type").and_then(Value::as_str) == Some("user")
        && message
            .get("content")
            .map(|content| words(content, ""))
            .unwrap_or_default()
            .contains(needle)
}

fn is_tool_result(message: &Value) -> bool {
    let parts = message.get("content").and_then(Value::as_array);
    parts.is_some_and(|parts| {
        parts
            .iter()
            .any(|part| part.get("functionResponse").is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_answer_without_tools_is_the_reply() {
        let text = r#"{"sessionId":"x"}
{"id":"1","type":"user","content":[{"text":"[A2A:1] a"}]}
{"id":"2","type":"gemini","content":"looking","toolCalls":[{"name":"shell"}]}
{"id":"3","type":"gemini","content":"| a |\n|---|"}"#;
        assert_eq!(
            reply(text, "[A2A:1]"),
            Some(Recorded::Replied("| a |\n|---|".to_owned()))
        );
        let cut: Vec<&str> = text.lines().take(3).collect();
        assert_eq!(reply(&cut.join("\n"), "[A2A:1]"), None);
        assert_eq!(reply(text, "[A2A:2]"), None);
    }

    #[test]
    fn a_tool_result_is_no_new_message() {
        let text = r#"{"id":"1","type":"user","content":[{"text":"[A2A:1] a"}]}
{"id":"2","type":"gemini","content":"","toolCalls":[{"name":"shell"}]}
{"id":"3","type":"user","content":[{"functionResponse":{"name":"shell"}}]}
{"id":"4","type":"gemini","content":"done"}"#;
        assert_eq!(
            reply(text, "[A2A:1]"),
            Some(Recorded::Replied("done".to_owned()))
        );
    }

    #[test]
    fn a_list_without_our_message_does_not_lose_it() {
        let text = r#"{"id":"1","type":"user","content":[{"text":"[A2A:1] a"}]}
{"$set":{"messages":[{"type":"user","content":[{"text":"earlier"}]}]}}
{"id":"2","type":"error","content":"[API Error: 400]"}"#;
        assert_eq!(
            reply(text, "[A2A:1]"),
            Some(Recorded::Failed("[API Error: 400]".to_owned()))
        );
    }
}
