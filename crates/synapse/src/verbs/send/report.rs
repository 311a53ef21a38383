//! Reports the outcome of a message, for people and for programs.

use std::io::Write;

use anyhow::Result;
use serde_json::{Value, json};

use super::super::Failure;
use super::wait::Ended;

/// What came of a message.
pub(super) struct Report {
    /// The exit code.
    pub(super) code: u8,
    id: Option<String>,
    pub(super) state: String,
    error: Value,
    task: Value,
}

impl Report {
    /// What came of a task that was waited for.
    pub(super) fn of(id: &str, ended: Ended) -> Self {
        let (code, task) = match ended {
            Ended::Settled(task) => (None, task),
            Ended::TimedOut(task) => (Some(Failure::TIMED_OUT), task),
            Ended::Interrupted(task) => (Some(Failure::INTERRUPTED), task),
            Ended::Lost(why) => {
                let error = json!({ "code": "AGENT_EXITED", "message": why });
                return Self::failed(Some(id.to_owned()), error, 1);
            }
        };
        let text = |path: &str| task.pointer(path).and_then(Value::as_str);
        let state = text("/status/state").unwrap_or("").to_owned();
        let code = code.unwrap_or(match state.as_str() {
            "completed" => 0,
            "input_required" => Failure::ASKING,
            _ => 1,
        });
        Self {
            code,
            id: Some(id.to_owned()),
            state,
            error: task.pointer("/status/error").cloned().unwrap_or_default(),
            task,
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
            state: "failed".to_owned(),
            error,
            task: Value::Null,
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
        json!({
            "task_id": self.id, "state": self.state, "reply": self.task.get("reply"),
            "source": self.task.get("source"), "truncated": self.task.get("truncated"), "error": self.error, "task": self.task,
        })
    }

    /// The reply, or in a line why there is none.
    pub(super) fn words(&self) -> String {
        let task = self.id.as_deref().unwrap_or("");
        match self.code {
            0 => self.text("/reply").unwrap_or("").to_owned(),
            Failure::ASKING => self.text("/status/message/prompt").unwrap_or("").to_owned(),
            Failure::TIMED_OUT => format!("no answer yet; the task {task} goes on"),
            Failure::INTERRUPTED => format!("stopped waiting; the task {task} goes on"),
            _ => self.why().unwrap_or("no reason given").to_owned(),
        }
    }

    /// Prints the reply behind what was `written` of it already, or says on standard error why
    /// there is none. `answer` is how a question is answered.
    pub(super) fn print(&self, out: &mut impl Write, written: &str, answer: &str) -> Result<()> {
        if self.code == 0 {
            let reply = self.text("/reply").unwrap_or("");
            let rest = reply.strip_prefix(written).unwrap_or_else(|| {
                note!("synapse: the agent has rewritten its reply; here it is whole");
                reply
            });
            writeln!(out, "{rest}")?;
            if self.task.get("truncated") == Some(&Value::Bool(true)) {
                note!(
                    "synapse: the reply is longer than what could be kept of it: its beginning is missing"
                );
            }
            return Ok(());
        }
        let words = self.words();
        match self.code {
            Failure::ASKING => {
                note!("the agent asks: {words}");
                let options = self.task.pointer("/status/message/options");
                for option in options.and_then(Value::as_array).into_iter().flatten() {
                    note!("  {}", option.as_str().unwrap_or(""));
                }
                note!("answer it with: {answer}");
            }
            Failure::TIMED_OUT | Failure::INTERRUPTED => note!("{words}"),
            _ => note!("the task is {}: {words}", self.state),
        }
        Ok(())
    }

    fn why(&self) -> Option<&str> {
        let error = self.error.get("message").and_then(Value::as_str);
        error.or_else(|| self.text("/status/message"))
    }

    fn text(&self, path: &str) -> Option<&str> {
        self.task.pointer(path).and_then(Value::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(state: &str) -> Value {
        json!({ "id": "7", "status": { "state": state, "message": "because" }, "reply": "a\nb", "source": "record" })
    }

    #[test]
    fn the_exit_code_says_what_came_of_it() {
        let code = |ended| Report::of("7", ended).code;
        assert_eq!(code(Ended::Settled(task("completed"))), 0);
        assert_eq!(code(Ended::Settled(task("canceled"))), 1);
        assert_eq!(code(Ended::Settled(task("input_required"))), 4);
        assert_eq!(code(Ended::TimedOut(task("working"))), 5);
        assert_eq!(code(Ended::Interrupted(task("working"))), 130);
        assert_eq!(code(Ended::Lost("gone".to_owned())), 1);
    }

    #[test]
    fn an_object_is_given_for_every_end() {
        let lost = Report::of("7", Ended::Lost("gone".to_owned())).to_json();
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
        let report = Report::of("7", Ended::Settled(task("completed")));
        for (written, rest) in [("", "a\nb\n"), ("a\n", "b\n"), ("x\n", "a\nb\n")] {
            let mut out = Vec::new();
            report.print(&mut out, written, "x").unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), rest);
        }
        let canceled = Report::of("7", Ended::Settled(task("canceled")));
        assert_eq!(canceled.words(), "because");
    }
}
