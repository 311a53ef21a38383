//! From what a CLI tells in ACP to words of the channel. Pure.

use serde_json::{Value, json};

/// What was told of a turn and is not whole yet.
#[derive(Debug, Default)]
pub(super) struct Narration {
    thought: String,
    thoughts: u64,
    /// What is known of each call: the protocol tells only what is news.
    calls: Vec<(String, Value)>,
}

impl Narration {
    /// The words for one update.
    pub(super) fn take(&mut self, update: &Value) -> Vec<Value> {
        let text = || {
            let text = update.pointer("/content/text").and_then(Value::as_str);
            text.unwrap_or_default()
        };
        match update.get("sessionUpdate").and_then(Value::as_str) {
            Some("agent_message_chunk") => {
                let mut words = self.flush();
                if !text().is_empty() {
                    words.push(json!({ "say": text() }));
                }
                words
            }
            Some("agent_thought_chunk") => {
                self.thought.push_str(text());
                Vec::new()
            }
            Some("tool_call" | "tool_call_update") => {
                let mut words = self.flush();
                words.extend(self.call(update));
                words
            }
            _ => Vec::new(),
        }
    }

    /// What was thought until now.
    pub(super) fn flush(&mut self) -> Vec<Value> {
        let thought = std::mem::take(&mut self.thought);
        if thought.trim().is_empty() {
            return Vec::new();
        }
        self.thoughts += 1;
        let id = format!("thought-{}", self.thoughts);
        vec![json!({ "step": { "id": id, "kind": "thought", "state": "ok", "text": thought } })]
    }

    fn call(&mut self, update: &Value) -> Option<Value> {
        let id = update.get("toolCallId")?.as_str()?;
        let known = self.calls.iter().position(|(known, _)| known == id);
        let place = known.unwrap_or_else(|| {
            self.calls.push((id.to_owned(), json!({})));
            self.calls.len() - 1
        });
        let (_, call) = self.calls.get_mut(place)?;
        for name in ["title", "kind", "status", "rawInput", "locations"] {
            if let (Some(value), Some(fields)) = (
                update.get(name).filter(|value| !value.is_null()),
                call.as_object_mut(),
            ) {
                fields.insert(name.to_owned(), value.clone());
            }
        }
        let field = |name: &str| call.get(name).and_then(Value::as_str).unwrap_or_default();
        let (kind, tool) = match field("kind") {
            "execute" => ("command", "run"),
            "edit" | "delete" | "move" => ("edit", "edit"),
            "read" => ("read", "read"),
            "search" => ("search", "search"),
            "fetch" => ("fetch", "fetch"),
            _ => ("tool", ""),
        };
        let state = match field("status") {
            "completed" => "ok",
            "failed" => "failed",
            _ => "running",
        };
        let command = call.pointer("/rawInput/command").and_then(Value::as_str);
        let path = call.pointer("/locations/0/path").and_then(Value::as_str);
        let (tool, subject) = match (kind, command, path) {
            ("command", Some(command), _) => (tool, command),
            ("edit" | "read", _, Some(path)) => (tool, path),
            ("tool", ..) => (field("title"), ""),
            _ => (tool, field("title")),
        };
        Some(json!({ "step": {
            "id": id, "kind": kind, "tool": tool, "subject": subject, "state": state,
        } }))
    }
}

/// A question of the CLI.
#[derive(Debug)]
pub(super) struct Question {
    prompt: String,
    /// The id and the name of each option.
    options: Vec<(String, String)>,
}

impl Question {
    /// Reads the params of `session/request_permission`.
    pub(super) fn read(params: &Value) -> Self {
        let title = params.pointer("/toolCall/title").and_then(Value::as_str);
        let options = params.get("options").and_then(Value::as_array);
        let options = options.into_iter().flatten().filter_map(|option| {
            let text = |name: &str| Some(option.get(name)?.as_str()?.to_owned());
            Some((text("optionId")?, text("name")?))
        });
        Self {
            prompt: format!(
                "May it do this? {}",
                title.unwrap_or("(it does not say what)")
            ),
            options: options.collect(),
        }
    }

    /// The question on the channel.
    pub(super) fn word(&self) -> Value {
        let options: Vec<&str> = self.options.iter().map(|(_, name)| name.as_str()).collect();
        json!({ "ask": { "prompt": self.prompt, "type": "permission", "options": options } })
    }

    /// The id of the option that an answer names: by its words, or by its place.
    pub(super) fn option(&self, answer: &str) -> Option<&str> {
        let answer = answer.trim();
        let is_same = |name: &str| name.trim().eq_ignore_ascii_case(answer);
        let named = self.options.iter().find(|(_, name)| is_same(name));
        let place = || {
            self.options
                .get(answer.parse::<usize>().ok()?.checked_sub(1)?)
        };
        named.or_else(place).map(|(id, _)| id.as_str())
    }
}

pub(super) fn one_line(text: &str) -> String {
    let is_shown = |c: &char| !c.is_control() || *c == ' ';
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().filter(is_shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(kind: &str, text: &str) -> Value {
        json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } })
    }

    #[test]
    fn thoughts_are_told_whole_before_what_follows_them() {
        let mut narration = Narration::default();
        assert!(
            narration
                .take(&chunk("agent_thought_chunk", "hm, "))
                .is_empty()
        );
        assert!(
            narration
                .take(&chunk("agent_thought_chunk", "yes"))
                .is_empty()
        );
        let words = narration.take(&chunk("agent_message_chunk", "**Yes**"));
        assert_eq!(words[0]["step"]["text"], "hm, yes");
        assert_eq!(words[1], json!({ "say": "**Yes**" }));
        assert!(narration.flush().is_empty());
    }

    #[test]
    fn news_of_a_call_are_laid_over_what_is_known_of_it() {
        let mut narration = Narration::default();
        let begun = narration.take(&json!({
            "sessionUpdate": "tool_call", "toolCallId": "1", "title": "Shell", "kind": "execute",
            "status": "in_progress", "rawInput": { "command": "ls" },
        }));
        assert_eq!(begun[0]["step"]["subject"], "ls");
        assert_eq!(begun[0]["step"]["state"], "running");
        let ended = narration.take(&json!({
            "sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed", "title": null,
        }));
        assert_eq!(ended[0]["step"]["kind"], "command");
        assert_eq!(ended[0]["step"]["state"], "ok");
    }

    #[test]
    fn an_answer_is_an_option_by_its_words_or_its_place() {
        let question = Question::read(&json!({
            "toolCall": { "title": "touch\na" },
            "options": [{ "optionId": "a", "name": "Allow" }, { "optionId": "b", "name": "2" }],
        }));
        assert_eq!(question.option(" allow "), Some("a"));
        assert_eq!(question.option("2"), Some("b"));
        assert_eq!(question.option("1"), Some("a"));
        assert_eq!(question.option("3"), None);
        assert_eq!(question.word()["ask"]["options"], json!(["Allow", "2"]));
    }
}
