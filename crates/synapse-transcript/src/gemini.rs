//! Gemini CLI's session file. The same message may be written again with more in it: the last one
//! counts. No line says that a turn is over: an answer without tool calls does.

use std::path::Path;

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use synapse_a2a::step::{Edit, StepState};

use super::steps::{Call, Outcome, Steps, time};
use super::tokens::{Took, TurnUsage};
use super::{Asked, Needle, TurnRecord, Verdict, bound, text, words};
use synapse_machine::hex::hex;

/// What was read of a session.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    messages: Vec<Message>,
    name: Option<String>,
    /// The name of the project: a hash of its folder.
    project: Option<String>,
}

#[derive(Debug)]
struct Message {
    id: Option<String>,
    what: What,
}

#[derive(Debug)]
enum What {
    Asked(Asked),
    Said {
        text: String,
        calls: Vec<(Call, Option<Outcome>)>,
        thoughts: Vec<String>,
        took: Option<Took>,
    },
    Failed(String),
    Noted(String),
}

impl Conversation {
    pub(super) fn push(&mut self, line: &Value) {
        if self.name.is_none() {
            self.name = text(line, "/sessionId").map(str::to_owned);
        }
        if let Some(project) = text(line, "/projectHash") {
            self.project = Some(project.to_owned());
        }
        match line.pointer("/$set/messages").and_then(Value::as_array) {
            // The whole list anew; what it lacks was written since it was made.
            Some(messages) => {
                let later = std::mem::take(&mut self.messages);
                for message in messages {
                    self.take(message);
                }
                let is_new = |message: &Message| {
                    message.id.is_none() || self.messages.iter().all(|known| known.id != message.id)
                };
                let later: Vec<Message> = later.into_iter().filter(is_new).collect();
                self.messages.extend(later);
            }
            None => self.take(line),
        }
    }

    /// What the program calls it.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The first message of the user's.
    pub(super) fn first_message(&self) -> Option<&str> {
        self.messages
            .iter()
            .find_map(|message| match &message.what {
                // Each run begins with a message of the program's own.
                What::Asked(asked) if !asked.text.starts_with("<session_context>") => {
                    Some(asked.text.as_str())
                }
                _ => None,
            })
    }

    pub(super) fn is_of(&self, dir: &Path) -> Option<bool> {
        let own = self.project.as_ref()?;
        let hash = Sha256::digest(dir.as_os_str().as_encoded_bytes());
        Some(*own == hex(&hash))
    }

    pub(super) fn turn(&self, needle: &Needle) -> Option<TurnRecord> {
        let asks =
            |message: &Message| matches!(&message.what, What::Asked(asked) if needle.is_in(asked));
        let ours = self.messages.iter().rposition(asks)?;
        let (mut turn, mut steps) = (TurnRecord::default(), Steps::default());
        let mut usage = TurnUsage::default();
        for message in self.messages.iter().skip(ours + 1) {
            match &message.what {
                What::Asked(_) => break,
                What::Said {
                    text,
                    calls,
                    thoughts,
                    took,
                } => {
                    if let Some(took) = took {
                        usage.add(took);
                    }
                    let is_answer = calls.is_empty() && !text.trim().is_empty();
                    turn.said.clone_from(text);
                    turn.has_open_tool = calls.iter().any(|(_, outcome)| outcome.is_none());
                    for thought in thoughts {
                        steps.think(thought);
                    }
                    for (call, outcome) in calls {
                        steps.begin(call);
                        if let Some(outcome) = outcome {
                            steps.end(outcome);
                        }
                    }
                    turn.verdict = is_answer.then(|| Verdict::Replied(text.clone()));
                }
                What::Failed(why) => turn.verdict = Some(Verdict::Failed(why.clone())),
                What::Noted(note) if note.starts_with("Request cancelled") => {
                    turn.verdict = Some(Verdict::Interrupted);
                }
                What::Noted(_) => {}
            }
        }
        turn.steps = steps.into_list();
        turn.usage = usage.known();
        Some(turn)
    }

    fn take(&mut self, message: &Value) {
        let content = message.get("content").unwrap_or(&Value::Null);
        let words = words(content, "");
        let what = match text(message, "/type") {
            // What a tool gave is written as the user's.
            Some("user") if is_tool_result(content) => return,
            Some("user") => What::Asked(Asked::new(words, message)),
            Some("gemini") => {
                let list = |name: &str| message.get(name).and_then(Value::as_array);
                let calls = list("toolCalls").into_iter().flatten();
                let thoughts = list("thoughts").into_iter().flatten();
                What::Said {
                    text: words,
                    calls: calls.map(|call| tool_call(call, message)).collect(),
                    thoughts: thoughts.filter_map(thought).collect(),
                    took: Took::of_gemini(message),
                }
            }
            Some("error") => What::Failed(words),
            Some("info") => What::Noted(words),
            _ => return,
        };
        let id = text(message, "/id").map(str::to_owned);
        let known = self
            .messages
            .iter_mut()
            .rev()
            .find(|known| id.is_some() && known.id == id);
        match known {
            Some(known) => known.what = what,
            None => self.messages.push(Message { id, what }),
        }
        bound(&mut self.messages);
    }
}

/// A call, and how it did once that is known.
fn tool_call(call: &Value, message: &Value) -> (Call, Option<Outcome>) {
    let name = text(call, "/name").unwrap_or_default();
    let id = text(call, "/id").unwrap_or(name);
    let input = call.get("args").unwrap_or(&Value::Null);
    let begun = Call::new(id, name, input, time(message));
    if call.get("result").is_none_or(Value::is_null) {
        return (begun, None);
    }
    let state = match text(call, "/status") {
        Some("error") => StepState::Failed,
        Some("cancelled") => StepState::Refused,
        _ => StepState::Ok,
    };
    let diff = text(call, "/resultDisplay/fileDiff");
    let path = text(call, "/resultDisplay/filePath").unwrap_or_default();
    let edit = diff.map(|diff| Edit::of_diff(path, diff));
    let ended = Outcome::new(id, state, time(call)).with_edit(edit);
    (begun, Some(ended))
}

fn thought(thought: &Value) -> Option<String> {
    let subject = text(thought, "/subject");
    let words = [subject, text(thought, "/description")];
    let words: Vec<&str> = words.into_iter().flatten().collect();
    (!words.is_empty()).then(|| words.join("\n\n"))
}

fn is_tool_result(content: &Value) -> bool {
    let mut parts = content.as_array().into_iter().flatten();
    parts.any(|part| part.get("functionResponse").is_some())
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, turn_of};
    use super::*;

    fn verdict(text: &str, message: &str) -> Option<Verdict> {
        turn_of(Kind::Gemini, text, message)?.verdict
    }

    #[test]
    fn the_last_answer_without_tools_is_the_reply() {
        let text = r#"{"sessionId":"x"}
{"id":"1","type":"user","content":[{"text":"[A2A:1] a"}]}
{"id":"2","type":"gemini","content":"looking","toolCalls":[{"name":"shell"}]}
{"id":"3","type":"gemini","content":"| a |\n|---|"}"#;
        let reply = Verdict::Replied("| a |\n|---|".to_owned());
        assert_eq!(verdict(text, "[A2A:1] a"), Some(reply));
        let cut: Vec<&str> = text.lines().take(3).collect();
        assert_eq!(verdict(&cut.join("\n"), "[A2A:1] a"), None);
        assert_eq!(turn_of(Kind::Gemini, text, "[A2A:2]"), None);
    }

    #[test]
    fn a_tool_result_is_no_new_message() {
        let text = r#"{"id":"1","type":"user","content":[{"text":"[A2A:1] a"}]}
{"id":"2","type":"gemini","content":"","toolCalls":[{"name":"shell"}]}
{"id":"3","type":"user","content":[{"functionResponse":{"name":"shell"}}]}
{"id":"4","type":"gemini","content":"done"}"#;
        assert_eq!(
            verdict(text, "[A2A:1] a"),
            Some(Verdict::Replied("done".to_owned()))
        );
    }

    #[test]
    fn a_list_without_our_message_does_not_lose_it() {
        let text = r#"{"id":"1","type":"user","content":[{"text":"[A2A:1] a"}]}
{"$set":{"messages":[{"id":"0","type":"user","content":[{"text":"earlier"}]}]}}
{"id":"2","type":"error","content":"[API Error: 400]"}"#;
        let why = Verdict::Failed("[API Error: 400]".to_owned());
        assert_eq!(verdict(text, "[A2A:1] a"), Some(why));
    }

    #[test]
    fn a_canceled_request_is_an_interruption() {
        let text = r#"{"id":"1","type":"user","content":[{"text":"a"}]}
{"id":"2","type":"info","content":"Request cancelled."}"#;
        assert_eq!(verdict(text, "a"), Some(Verdict::Interrupted));
    }

    #[test]
    fn each_tool_call_is_a_step_with_what_it_changed() {
        // Written by Gemini CLI 0.61.0 with the scripted model; what does not matter is left out.
        let text = r#"{"id":"1","type":"user","content":[{"text":"a"}]}
{"id":"2","timestamp":"2026-11-16T15:45:47.404Z","type":"gemini","content":"","thoughts":[{"subject":"Plan","description":"Replace it."}]}
{"id":"2","timestamp":"2026-11-16T15:45:47.404Z","type":"gemini","content":"","thoughts":[{"subject":"Plan","description":"Replace it."}],"toolCalls":[{"id":"replace_0","name":"replace","args":{"file_path":"/w/x.txt","old_string":"b","new_string":"B\nBB","instruction":"x"},"result":[{}],"status":"success","timestamp":"2026-11-16T15:45:47.442Z","resultDisplay":{"fileDiff":"Index: x.txt\n--- x.txt\tCurrent\n+++ x.txt\tProposed\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+BB\n c\n","fileName":"x.txt","filePath":"/w/x.txt"}},{"id":"sh_1","name":"run_shell_command","args":{"command":"ls"}}]}"#;
        let turn = turn_of(Kind::Gemini, text, "a").unwrap();
        assert!(turn.has_open_tool);
        let told: Vec<_> = turn
            .steps
            .iter()
            .map(|step| (step.title(), step.state))
            .collect();
        let step = |title: &str, state| (title.to_owned(), state);
        assert_eq!(
            told,
            [
                step("Plan", StepState::Ok),
                step("replace /w/x.txt", StepState::Ok),
                step("run_shell_command `ls`", StepState::Running),
            ]
        );
        let edit = turn.steps[1].edit.as_ref().unwrap();
        assert_eq!((edit.added, edit.removed), (2, 1));
        assert_eq!(turn.steps[1].duration_ms, Some(38));
    }
}
