//! Gemini CLI's session file. The same message may be written again with more in it: the last one
//! counts. No line says that a turn is over: an answer without tool calls does.

use serde_json::Value;

use super::{Recorded, lines};

/// The reply to the last message that holds `needle`.
pub(super) fn reply(text: &str, needle: &str) -> Option<Recorded> {
    let mut is_ours = false;
    let mut found = None;
    for line in lines(text) {
        match line.pointer("/$set/messages").and_then(Value::as_array) {
            Some(messages) => {
                (is_ours, found) = (false, None);
                for message in messages {
                    take(message, needle, &mut is_ours, &mut found);
                }
            }
            None => take(&line, needle, &mut is_ours, &mut found),
        }
    }
    found
}

fn take(message: &Value, needle: &str, is_ours: &mut bool, found: &mut Option<Recorded>) {
    let words = message.get("content").map(words).unwrap_or_default();
    match message.get("type").and_then(Value::as_str) {
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

fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter_map(|part| part.get("text")?.as_str())
                .collect();
            texts.join("")
        }
        _ => String::new(),
    }
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
}
