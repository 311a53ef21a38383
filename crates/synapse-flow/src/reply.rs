//! What a program can use of what an agent or a command said: the JSON in a reply, the lines that were looked for.

use regex::Regex;
use serde_json::Value;

/// A reply with more beginnings than these holds no JSON that anybody meant.
const TRIES: usize = 2_000;

/// The last JSON object or list in a text, whatever stands around it.
pub fn json(text: &str) -> Option<Value> {
    let mut found = None;
    let mut at = 0;
    for _ in 0..TRIES {
        let Some(begin) = text.get(at..).and_then(|rest| rest.find(['{', '['])) else {
            break;
        };
        at += begin;
        let rest = text.get(at..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                found = Some(value);
                at += values.byte_offset();
            }
            _ => at += 1,
        }
    }
    found
}

/// What a pattern finds in the lines of a text: its first group, or else all of it; each once.
pub fn find(pattern: &Regex, text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        let Some(captures) = pattern.captures(line) else {
            continue;
        };
        let group = captures.get(1).or_else(|| captures.get(0));
        let word = group.map_or("", |group| group.as_str().trim());
        if !word.is_empty() && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_json_of_a_reply_counts() {
        let text = "I looked at [1] and {x}.\n```json\n{\"ok\": false,\n \"issues\": [\"a\"]}\n```";
        assert_eq!(json(text), Some(json!({"ok": false, "issues": ["a"]})));
        assert_eq!(
            json("first {\"a\":1} then {\"a\":2}."),
            Some(json!({"a": 2}))
        );
        assert_eq!(json("no {json} here"), None);
        assert_eq!(json("日本 {\"ok\":true} 語"), Some(json!({"ok": true})));
    }

    #[test]
    fn lines_are_found_once() {
        let pattern = Regex::new(r"^test (\S+) \.\.\. FAILED").unwrap();
        let text = "test a ... FAILED\ntest b ... ok\ntest c ... FAILED\ntest a ... FAILED\n";
        assert_eq!(find(&pattern, text), ["a", "c"]);
    }

    proptest! {
        #[test]
        fn no_reply_panics(text in "[\\[\\]{}\",:a1 \\\\é]{0,200}") {
            let _ = json(&text);
        }
    }
}
