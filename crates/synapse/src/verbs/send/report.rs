//! Reports the outcome of a message, for people and for programs.

use std::io::Write;

use anyhow::Result;
use serde_json::{Value, json};
use synapse_a2a::event::Question;
use synapse_a2a::task::TaskState;

use super::super::table::short;
use super::super::{Failure, texts};
use super::wait::{SentTask, WaitResult};

/// What came of a message.
pub(super) struct Report {
    /// The exit code.
    pub(super) code: u8,
    id: Option<String>,
    pub(super) state: Option<TaskState>,
    error: Value,
    seen: Option<Box<SentTask>>,
}

impl Report {
    /// What came of a task that was waited for.
    pub(super) fn of(id: &str, ended: WaitResult) -> Self {
        let (code, seen) = match ended {
            WaitResult::Settled(seen) => (None, Some(seen)),
            WaitResult::TimedOut(seen) => (Some(Failure::TIMED_OUT), Some(seen)),
            WaitResult::Interrupted(seen) => (Some(Failure::INTERRUPTED), seen),
            WaitResult::Lost(why) => {
                let error = json!({ "code": "AGENT_EXITED", "message": why });
                return Self::failed(Some(id.to_owned()), error, 1);
            }
        };
        let state = seen.as_ref().map(|seen| seen.outcome.state);
        let code = code.unwrap_or(match state {
            Some(TaskState::Completed) => 0,
            Some(TaskState::InputRequired) => Failure::ASKING,
            _ => 1,
        });
        let json = seen.as_ref().map(|seen| &seen.json);
        let error = json.and_then(|task| task.pointer("/status/error"));
        Self {
            code,
            id: Some(id.to_owned()),
            state,
            error: error.cloned().unwrap_or_default(),
            seen: seen.map(Box::new),
        }
    }

    /// A message that no agent has accepted.
    pub(super) fn not_sent(error: &anyhow::Error) -> Self {
        let code = Failure::code_of(error);
        let error = json!({ "code": "SUBMIT_FAILED", "message": format!("{error:#}") });
        Self::failed(None, error, code)
    }

    fn failed(id: Option<String>, error: Value, code: u8) -> Self {
        Self {
            code,
            id,
            state: Some(TaskState::Failed),
            error,
            seen: None,
        }
    }

    /// The task, if it goes on although Ctrl-C ended the wait for it.
    pub(super) fn left(&self) -> Option<String> {
        self.id
            .clone()
            .filter(|_| self.code == Failure::INTERRUPTED)
    }

    /// As programs read it.
    pub(super) fn to_json(&self) -> Value {
        let task = self.seen.as_ref().map(|seen| &seen.json);
        let field = |name: &str| task.and_then(|task| task.get(name));
        let state = self.state.map_or("", TaskState::name);
        json!({
            "task_id": self.id, "state": state, "reply": field("reply"), "source": field("source"),
            "truncated": field("truncated"), "error": self.error, "task": task,
        })
    }

    /// The reply, or in a line why there is none.
    pub(super) fn words(&self) -> String {
        let task = self.id.as_deref().unwrap_or("");
        match self.code {
            0 => self.reply().to_owned(),
            Failure::ASKING => self.question().map_or("", |asks| &asks.prompt).to_owned(),
            Failure::TIMED_OUT => texts::no_answer_yet(task, short(task)),
            Failure::INTERRUPTED => texts::stopped_waiting(task, short(task)),
            _ => self.why().unwrap_or("no reason given").to_owned(),
        }
    }

    /// Prints the reply behind what was `written` of it already, or says on standard error why
    /// there is none. `answer` is how a question is answered.
    pub(super) fn print(&self, out: &mut impl Write, written: &str, answer: &str) -> Result<()> {
        if self.code == 0 {
            let reply = format!("{}\n", self.reply());
            let rest = reply.strip_prefix(written).unwrap_or_else(|| {
                note!("{}", texts::reply_rewritten());
                &reply
            });
            out.write_all(rest.as_bytes())?;
            let json = self.seen.as_ref().map(|seen| &seen.json);
            if json.and_then(|task| task.get("truncated")) == Some(&Value::Bool(true)) {
                note!("{}", texts::reply_truncated());
            }
            return Ok(());
        }
        let words = self.words();
        match self.code {
            Failure::ASKING => {
                note!("{}", texts::agent_asks(&words));
                if let Some(question) = self.question() {
                    note_options(question);
                }
                note!("{}", texts::answer_with(answer));
            }
            Failure::TIMED_OUT | Failure::INTERRUPTED => {
                let seen = self.seen.as_ref();
                let held = seen.and_then(|seen| seen.json.get("held")?.as_str());
                if let Some(held) = held {
                    note!("{}", texts::held(held));
                }
                note!("{words}");
            }
            _ => {
                let seen = self.seen.as_ref();
                let state = seen.map_or(TaskState::Failed, |seen| seen.outcome.state);
                note!("{}", texts::task_is(texts::task_state(state), &words));
            }
        }
        Ok(())
    }

    fn why(&self) -> Option<&str> {
        let error = self.error.get("message").and_then(Value::as_str);
        error.or_else(|| self.seen.as_ref()?.outcome.reason.as_deref())
    }

    fn reply(&self) -> &str {
        let seen = self.seen.as_ref();
        seen.and_then(|seen| seen.outcome.reply.as_deref())
            .unwrap_or("")
    }

    fn question(&self) -> Option<&Question> {
        self.seen.as_ref()?.outcome.question.as_ref()
    }
}

/// Says what an agent of ours can be answered, and how.
pub(in super::super) fn note_choices(handle: &str, question: &Question) {
    note_options(question);
    let answer = answer_command(handle);
    note!("{}", texts::answer_with(answer));
}

fn note_options(question: &Question) {
    for option in &question.options {
        note!("  {option}");
    }
}

/// How the question of an agent of ours is answered.
pub(super) fn answer_command(handle: &str) -> String {
    format!("synapse answer {handle} <option>")
}

#[cfg(test)]
mod tests {
    use synapse_client::delivery::Outcome;

    use super::*;

    fn task(state: TaskState) -> SentTask {
        SentTask {
            outcome: Outcome {
                task: "7".to_owned(),
                state,
                reply: Some("a\nb".to_owned()),
                question: None,
                reason: Some("because".to_owned()),
            },
            json: json!({ "id": "7", "reply": "a\nb", "source": "record" }),
        }
    }

    #[test]
    fn the_exit_code_says_what_came_of_it() {
        let code = |ended| Report::of("7", ended).code;
        assert_eq!(code(WaitResult::Settled(task(TaskState::Completed))), 0);
        assert_eq!(code(WaitResult::Settled(task(TaskState::Canceled))), 1);
        assert_eq!(code(WaitResult::Settled(task(TaskState::InputRequired))), 4);
        assert_eq!(code(WaitResult::TimedOut(task(TaskState::Working))), 5);
        assert_eq!(
            code(WaitResult::Interrupted(Some(task(TaskState::Working)))),
            130
        );
        assert_eq!(code(WaitResult::Lost("gone".to_owned())), 1);
    }

    #[test]
    fn an_object_is_given_for_every_end() {
        let lost = Report::of("7", WaitResult::Lost("gone".to_owned())).to_json();
        assert_eq!(
            (&lost["task_id"], &lost["error"]["code"]),
            (&json!("7"), &json!("AGENT_EXITED"))
        );
        let refused = Report::not_sent(&Failure::new(3, "nobody").into());
        assert_eq!(refused.code, 3);
        assert_eq!(refused.to_json()["error"]["message"], "nobody");
        assert_eq!(refused.to_json()["task_id"], Value::Null);
    }

    #[test]
    fn what_was_written_is_not_written_again() {
        let report = Report::of("7", WaitResult::Settled(task(TaskState::Completed)));
        for (written, rest) in [
            ("", "a\nb\n"),
            ("a\n", "b\n"),
            ("a\nb\n", ""),
            ("x\n", "a\nb\n"),
        ] {
            let mut out = Vec::new();
            report.print(&mut out, written, "x").unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), rest);
        }
        let canceled = Report::of("7", WaitResult::Settled(task(TaskState::Canceled)));
        assert_eq!(canceled.words(), "because");
    }
}
