//! A message to everyone but the sender: one row for each agent, in the order in which they
//! answer. Nobody waits for anybody else.

use std::io::Write;

use anyhow::Result;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::{Value, json};
use synapse_a2a::task::TaskState;
use synapse_client::client::Client;
use synapse_client::message::OutgoingMessage;
use synapse_machine::registry::Entry;
use synapse_term::frame::width;

use super::super::spinner::Spinner;
use super::super::{Failure, lookup, texts};
use super::Manner;
use super::report::Report;
use super::wait::{self, Until};
use crate::verbs::print;

/// How wide the word of a state is at most.
const WIDEST_STATE: usize = 14;

/// Sends it to all.
pub(super) fn run(
    message: &OutgoingMessage,
    sender: Option<&Entry>,
    manner: Manner,
    left: &mut Vec<String>,
) -> Result<u8> {
    if manner.streams {
        let error = "--stream follows one agent; leave it out, or name the agent";
        return Err(Failure::new(2, error).into());
    }
    let mut entries = lookup::agents()?;
    entries.retain(|entry| sender.is_none_or(|sender| sender.agent_id != entry.agent_id));
    if entries.is_empty() {
        return Err(Failure::new(Failure::NO_SUCH_AGENT, texts::no_other_agent()).into());
    }
    let names = entries.iter().map(|entry| width(entry.handle.as_str()));
    let widest = names.max().unwrap_or(0);
    lookup::block_on(async {
        let count = entries.len();
        let spinner = Spinner::begin(texts::have_answered(0, count));
        let rows = entries.iter().map(async |entry| {
            let row = one(entry, message, manner).await;
            (
                entry,
                row.unwrap_or_else(|error| AgentResult::Ended(Report::not_sent(&error))),
            )
        });
        let mut rows: FuturesUnordered<_> = rows.collect();
        let mut codes = Vec::new();
        while let Some((entry, row)) = rows.next().await {
            codes.push(row.code());
            left.extend(row.left());
            spinner.say(texts::have_answered(codes.len(), count));
            let handle = entry.handle.as_str();
            let text = if manner.is_json {
                format!("{}\n", row.to_json(handle))
            } else {
                row.to_text(handle, widest)
            };
            spinner.aside(|| print::out().write_all(text.as_bytes()))?;
        }
        Ok(worst(&codes))
    })
}

async fn one(entry: &Entry, message: &OutgoingMessage, manner: Manner) -> Result<AgentResult> {
    let client = Client::of(entry)?;
    let task = lookup::deliver(&client, message).await?;
    let Some(patience) = manner.patience else {
        return Ok(AgentResult::Sent(task.id.clone(), json!(task)));
    };
    let ended = wait::until_settled(&client, &task.id, Until::Settled, patience, |_| {}).await;
    Ok(AgentResult::Ended(Report::of(&task.id, ended)))
}

/// What came of it at one agent.
enum AgentResult {
    /// It was accepted, and is not waited for.
    Sent(String, Value),
    Ended(Report),
}

impl AgentResult {
    fn code(&self) -> u8 {
        match self {
            Self::Sent(..) => 0,
            Self::Ended(report) => report.code,
        }
    }

    fn left(&self) -> Option<String> {
        match self {
            Self::Sent(..) => None,
            Self::Ended(report) => report.left(),
        }
    }

    fn to_json(&self, handle: &str) -> Value {
        let mut row = match self {
            Self::Sent(id, body) => json!({ "task_id": id, "task": body }),
            Self::Ended(report) => report.to_json(),
        };
        if let Some(fields) = row.as_object_mut() {
            fields.insert("agent".to_owned(), json!(handle));
        }
        row
    }

    /// The handle, the state and what was said; further lines below the first.
    fn to_text(&self, handle: &str, widest: usize) -> String {
        let (state, words) = match self {
            Self::Sent(id, _) => (Some(TaskState::Submitted), id.clone()),
            Self::Ended(report) => (report.state, report.words()),
        };
        let state = state.map(texts::task_state).unwrap_or_default();
        let fill = |text: &str, to: usize| " ".repeat(to.saturating_sub(width(text)) + 2);
        let (first, second) = (fill(handle, widest), fill(&state, WIDEST_STATE));
        let head = format!("{handle}{first}{state}{second}");
        let indent = format!("\n{:1$}", "", width(&head));
        format!("{head}{}\n", words.replace('\n', &indent))
    }
}

/// What to exit with: a failure counts most, then a question, then an answer still to come.
fn worst(codes: &[u8]) -> u8 {
    let rank = |code: &&u8| match **code {
        0 => 0,
        Failure::TIMED_OUT => 1,
        Failure::ASKING => 2,
        Failure::INTERRUPTED => 4,
        _ => 3,
    };
    match codes.iter().max_by_key(rank).copied().unwrap_or(0) {
        code @ (0 | Failure::TIMED_OUT | Failure::ASKING | Failure::INTERRUPTED) => code,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_is_enough_to_fail() {
        assert_eq!(worst(&[0, 0]), 0);
        assert_eq!(worst(&[0, 5, 4]), 4);
        assert_eq!(worst(&[4, 3, 0]), 1);
        assert_eq!(worst(&[1, 130]), 130);
    }

    #[test]
    fn a_row_has_all_that_was_said() {
        let row = AgentResult::Sent("a\nb".to_owned(), Value::Null);
        let text = row.to_text("codex", 6);
        assert_eq!(
            text,
            "codex   submitted       a\n                        b\n"
        );
        assert_eq!(row.to_json("codex")["agent"], "codex");
    }
}
