//! Codex's rollout file: one event per line, in order.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

use super::{Asked, Needle, TurnRecord, Verdict, bound, text, words};

/// What was read of a session.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    turns: Vec<Turn>,
    dir: Option<String>,
}

#[derive(Debug, Default)]
struct Turn {
    asked: Asked,
    said: Vec<String>,
    open: HashSet<String>,
    /// What went wrong, said before the end.
    error: Option<String>,
    verdict: Option<Verdict>,
    /// Older versions do not write why a turn without a reply ended.
    is_closed: bool,
}

impl Conversation {
    pub(super) fn push(&mut self, line: &Value) {
        let payload = line.get("payload").unwrap_or(&Value::Null);
        match text(line, "/type") {
            Some("session_meta") => self.dir = text(payload, "/cwd").map(str::to_owned),
            Some("event_msg") => self.push_event(line, payload),
            Some("response_item") => self.push_item(payload),
            _ => {}
        }
    }

    pub(super) fn is_of(&self, dir: &Path) -> Option<bool> {
        self.dir.as_deref().map(|own| Path::new(own) == dir)
    }

    pub(super) fn turn(&self, needle: &Needle) -> Option<TurnRecord> {
        let turn = self.turns.iter().rfind(|turn| needle.is_in(&turn.asked))?;
        Some(TurnRecord {
            said: turn.said.join("\n\n"),
            has_open_tool: !turn.open.is_empty(),
            is_closed: turn.is_closed,
            verdict: turn.verdict.clone(),
        })
    }

    fn push_event(&mut self, line: &Value, payload: &Value) {
        let item = payload.get("item").unwrap_or(&Value::Null);
        let content = || words(item.get("content").unwrap_or(&Value::Null), "\n");
        match (text(payload, "/type"), text(item, "/type")) {
            (Some("item_completed"), Some("UserMessage")) => {
                self.begin(Asked::new(content(), line));
            }
            (Some("item_completed"), Some("AgentMessage")) => self.say(content()),
            (Some("user_message"), _) => {
                let message = text(payload, "/message").unwrap_or_default();
                self.begin(Asked::new(message.to_owned(), line));
            }
            (Some("agent_message"), _) => {
                self.say(text(payload, "/message").unwrap_or_default().to_owned());
            }
            (Some("error"), _) => {
                if let Some(turn) = self.turns.last_mut() {
                    turn.error = text(payload, "/message").map(str::to_owned);
                }
            }
            (Some("task_complete"), _) => {
                let error = self.turns.last_mut().and_then(|turn| turn.error.take());
                self.end(outcome(payload).or(error.map(Verdict::Failed)));
            }
            (Some("turn_aborted"), _) => self.end(Some(Verdict::Interrupted)),
            _ => {}
        }
    }

    fn push_item(&mut self, payload: &Value) {
        let Some(turn) = self.turns.last_mut() else {
            return;
        };
        let id = text(payload, "/call_id").unwrap_or_default();
        match text(payload, "/type") {
            Some("function_call" | "custom_tool_call" | "local_shell_call") => {
                turn.said.clear();
                turn.open.insert(id.to_owned());
            }
            Some("function_call_output" | "custom_tool_call_output") => {
                turn.open.remove(id);
            }
            _ => {}
        }
    }

    /// A message that steers a running turn is one more of that turn; the last one counts.
    fn begin(&mut self, asked: Asked) {
        self.turns.push(Turn {
            asked,
            ..Turn::default()
        });
        bound(&mut self.turns);
    }

    fn say(&mut self, words: String) {
        if let Some(turn) = self.turns.last_mut() {
            turn.said.push(words);
        }
    }

    fn end(&mut self, verdict: Option<Verdict>) {
        if let Some(turn) = self.turns.last_mut() {
            turn.verdict = turn.verdict.take().or(verdict);
            turn.open.clear();
            turn.is_closed = true;
        }
    }
}

fn outcome(payload: &Value) -> Option<Verdict> {
    if let Some(reply) = text(payload, "/last_agent_message") {
        return Some(Verdict::Replied(reply.to_owned()));
    }
    let error = payload.get("error").filter(|error| !error.is_null())?;
    let message = text(error, "/message").map(str::to_owned);
    Some(Verdict::Failed(
        message.unwrap_or_else(|| error.to_string()),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, turn_of};
    use super::*;

    const TEXT: &str = r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"text":"[A2A:1] a"}]}}}
{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":"one"}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"text":"[A2A:2] b"}]}}}
{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":null,"error":{"message":"no"}}}
{"type":"event_msg","payload":{"type":"user_message","message":"c"}}
{"type":"response_item","payload":{"type":"function_call","call_id":"x"}}
{"type":"event_msg","payload":{"type":"agent_message","message":"half"}}
{"type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}"#;

    #[test]
    fn the_reply_belongs_to_its_message() {
        let turn = |message: &str| turn_of(Kind::Codex, TEXT, message);
        let verdict = |message: &str| turn(message).unwrap().verdict.unwrap();
        assert_eq!(verdict("[A2A:1] a"), Verdict::Replied("one".to_owned()));
        assert_eq!(verdict("[A2A:2] b"), Verdict::Failed("no".to_owned()));
        assert_eq!(verdict("c"), Verdict::Interrupted);
        assert_eq!(turn("c").unwrap().said, "half");
        assert_eq!(turn("[A2A:3]"), None);
    }

    #[test]
    fn a_turn_can_end_without_a_word() {
        let text = r#"{"type":"event_msg","payload":{"type":"user_message","message":"c"}}
{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":null}}"#;
        let turn = turn_of(Kind::Codex, text, "c").unwrap();
        assert!(turn.is_closed && turn.verdict.is_none());
    }

    #[test]
    fn a_tool_is_open_until_it_answers() {
        let begun: Vec<&str> = TEXT.lines().take(6).collect();
        let open = turn_of(Kind::Codex, &begun.join("\n"), "c").unwrap();
        assert!(open.has_open_tool && open.verdict.is_none());
        let answer =
            r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"x"}}"#;
        let closed = turn_of(Kind::Codex, &format!("{}\n{answer}", begun.join("\n")), "c");
        assert!(!closed.unwrap().has_open_tool);
    }
}
