//! Codex's rollout file: one event per line, in order.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;
use synapse_a2a::step::StepState;
use synapse_a2a::usage::{Tokens, Usage};

use super::steps::{Call, Outcome, Steps, time};
use super::tokens;
use super::{Asked, Needle, TurnRecord, Verdict, bound, text, words};

/// What was read of a session.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    turns: Vec<Turn>,
    name: Option<String>,
    dir: Option<String>,
    model: Option<String>,
    /// What the conversation had taken by then.
    total: Tokens,
}

#[derive(Debug, Default)]
struct Turn {
    asked: Asked,
    said: Vec<String>,
    open: HashSet<String>,
    steps: Steps,
    /// What went wrong, said before the end.
    error: Option<String>,
    verdict: Option<Verdict>,
    /// What the conversation had taken before it.
    before: Tokens,
    usage: Usage,
    /// Older versions do not write why a turn without a reply ended.
    is_closed: bool,
}

impl Conversation {
    pub(super) fn push(&mut self, line: &Value) {
        let payload = line.get("payload").unwrap_or(&Value::Null);
        match text(line, "/type") {
            Some("turn_context") => self.model = text(payload, "/model").map(str::to_owned),
            Some("session_meta") => {
                self.dir = text(payload, "/cwd").map(str::to_owned);
                // A conversation that was forked has that of the older one behind its own.
                if self.name.is_none() {
                    self.name = text(payload, "/id").map(str::to_owned);
                }
            }
            Some("event_msg") => self.push_event(line, payload),
            Some("response_item") => self.push_item(line, payload),
            _ => {}
        }
    }

    /// What the program calls it.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The first message of the user's.
    pub(super) fn first_message(&self) -> Option<&str> {
        self.turns.first().map(|turn| turn.asked.text.as_str())
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
            steps: turn.steps.clone().into_list(),
            usage: Some(turn.usage.clone()).filter(Usage::is_known),
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
            (Some("token_count"), _) => self.count(payload),
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

    fn push_item(&mut self, line: &Value, payload: &Value) {
        let Some(turn) = self.turns.last_mut() else {
            return;
        };
        let id = text(payload, "/call_id").unwrap_or_default();
        match text(payload, "/type") {
            Some("function_call" | "custom_tool_call" | "local_shell_call") => {
                turn.said.clear();
                turn.open.insert(id.to_owned());
                let name = text(payload, "/name").unwrap_or("shell");
                let input = text(payload, "/arguments").or_else(|| text(payload, "/input"));
                turn.steps.begin(&match (input, payload.get("action")) {
                    (Some(input), _) => Call::of_text(id, name, input, time(line)),
                    (None, action) => {
                        Call::new(id, name, action.unwrap_or(&Value::Null), time(line))
                    }
                });
            }
            Some("function_call_output" | "custom_tool_call_output") => {
                turn.open.remove(id);
                let output = payload.get("output").unwrap_or(&Value::Null);
                let state = state_of(output);
                turn.steps.end(&Outcome::new(id, state, time(line)));
            }
            Some("reasoning") => {
                let summary = payload.get("summary").unwrap_or(&Value::Null);
                turn.steps.think(&words(summary, "\n\n"));
            }
            _ => {}
        }
    }

    /// A message that steers a running turn is one more of that turn; the last one counts.
    fn begin(&mut self, asked: Asked) {
        self.turns.push(Turn {
            asked,
            before: self.total,
            ..Turn::default()
        });
        bound(&mut self.turns);
    }

    /// Codex counts the whole conversation, and tells it more than once.
    fn count(&mut self, payload: &Value) {
        let Some(total) = tokens::of_codex(payload, "/info/total_token_usage") else {
            return;
        };
        self.total = total;
        let Some(turn) = self.turns.last_mut() else {
            return;
        };
        let number = |pointer: &str| payload.pointer(pointer).and_then(Value::as_u64);
        let mut usage = Usage {
            context: number("/info/last_token_usage/total_tokens"),
            window: number("/info/model_context_window"),
            ..Usage::default()
        };
        usage.add(self.model.as_deref(), total.minus(turn.before), None);
        turn.usage = usage;
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

/// How a tool did, by what it gave: an exit code where a command ran, else what Codex says in its place.
fn state_of(output: &Value) -> StepState {
    let words = words(output, "\n");
    let parsed: Option<Value> = serde_json::from_str(&words).ok();
    let exit = parsed.as_ref().and_then(|parsed| {
        let code = parsed.pointer("/metadata/exit_code")?;
        code.as_i64()
    });
    let written = || {
        let (_, rest) = words
            .split_once("exited with code ")
            .or_else(|| words.split_once("Exit code: "))?;
        let digits: String = rest
            .chars()
            .take_while(|c| *c == '-' || c.is_ascii_digit())
            .collect();
        digits.parse::<i64>().ok()
    };
    let is_refused = ["rejected by user", "reject command", "denied by the user"];
    let is_failed = [
        "unsupported call",
        "failed",
        "apply_patch verification failed",
        "execution error",
    ];
    match exit.or_else(written) {
        Some(0) => StepState::Ok,
        Some(_) => StepState::Failed,
        None if is_refused.iter().any(|refusal| words.contains(refusal)) => StepState::Refused,
        None if is_failed.iter().any(|failure| words.starts_with(failure)) => StepState::Failed,
        None => StepState::Ok,
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

    #[test]
    fn each_tool_call_is_a_step() {
        // Written by Codex 0.166.0 with the scripted model; what does not matter is left out.
        let text = r#"{"type":"event_msg","payload":{"type":"user_message","message":"c"}}
{"timestamp":"2026-11-16T15:45:28.873Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\": \"touch a.txt\", \"sandbox_permissions\": \"require_escalated\"}","call_id":"call_1"}}
{"timestamp":"2026-11-16T15:45:28.878Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"approval policy is Never; reject command"}}
{"timestamp":"2026-11-16T15:45:29.873Z","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Update File: x.txt\n@@\n-b\n+B\n*** End Patch\n","call_id":"call_2"}}
{"timestamp":"2026-11-16T15:45:29.973Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"call_2","output":"{\"output\":\"Success\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}"}}
{"timestamp":"2026-11-16T15:45:30.873Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"false\"]}","call_id":"call_3"}}
{"timestamp":"2026-11-16T15:45:30.973Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_3","output":"Chunk ID: a\nProcess exited with code 1\nOutput:\n"}}"#;
        let steps = turn_of(Kind::Codex, text, "c").unwrap().steps;
        let told: Vec<_> = steps
            .iter()
            .map(|step| (step.title(), step.state))
            .collect();
        let step = |title: &str, state| (title.to_owned(), state);
        assert_eq!(
            told,
            [
                step("exec_command `touch a.txt`", StepState::Refused),
                step("apply_patch x.txt", StepState::Ok),
                step("shell `bash -lc false`", StepState::Failed),
            ]
        );
        assert_eq!(steps[1].duration_ms, Some(100));
        assert_eq!(steps[1].edit.as_ref().unwrap().added, 1);
    }
}
