//! The changes that the hub's state can undergo.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hub::shapes::{Asked, Status, TaskLine};
use crate::registry::{AgentId, Entry};

#[derive(Debug)]
pub(in crate::hub) enum Change {
    /// An agent is there, or is there anew.
    Appeared(Box<Entry>, Place),
    /// It is not there any more.
    Vanished(AgentId, Gone),
    /// It says what it does.
    Reported(AgentId, Box<Report>),
    Unreachable(AgentId, String),
    /// It works elsewhere, or on another branch.
    Moved(AgentId, Place),
    /// Somebody wants it to stop what it does.
    StopSent(AgentId),
    /// That somebody has been told what came of it.
    StopDone(AgentId),
    /// Its question was answered through this hub.
    Answered(AgentId, Answer),
    /// Tasks as they stand.
    Tasks(Vec<TaskLine>),
    /// Something happened to one of them.
    Task(AgentId, TaskEvent),
    /// There are other worktrees than before.
    Worktrees,
    /// Rules answered something, or are others than before.
    AutoAnswer,
}

/// How an agent went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub(in crate::hub) enum Gone {
    /// It gave its place back.
    Stopped,
    /// Its host died without removing its entry.
    Died,
}

/// Where an agent works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::hub) struct Place {
    /// The id of the worktree or folder.
    pub(in crate::hub) worktree: String,
    /// What is checked out there.
    pub(in crate::hub) branch: Option<String>,
    /// The folder of the repository it belongs to.
    pub(in crate::hub) repository: Option<String>,
}

/// What an agent says of itself: `GET /status`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(in crate::hub) struct Report {
    status: String,
    #[serde(default)]
    pub(in crate::hub) evidence: String,
    #[serde(default)]
    pub(in crate::hub) queue: u32,
    #[serde(default)]
    pub(in crate::hub) held: Option<String>,
    #[serde(default)]
    pub(in crate::hub) prompt: Option<Asked>,
}

impl Report {
    /// What is known of an agent that has not spoken yet.
    pub(in crate::hub) fn nothing_heard() -> Self {
        Self {
            status: String::new(),
            evidence: "not heard of yet".to_owned(),
            queue: 0,
            held: None,
            prompt: None,
        }
    }

    /// In the words of the page.
    pub(in crate::hub) fn status(&self) -> Status {
        Status::from_word(&self.status)
    }
}

/// An answer given through this hub.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(in crate::hub) struct Answer {
    #[serde(skip)]
    pub(in crate::hub) prompt: String,
    /// What was answered; a password is not told.
    pub(in crate::hub) value: String,
    pub(in crate::hub) by: String,
    /// The rule that answered instead of a person.
    pub(in crate::hub) rule: Option<String>,
}

/// An event of a task, as the agent numbers and shapes it.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::hub) struct TaskEvent {
    pub(in crate::hub) task_id: String,
    pub(in crate::hub) number: u64,
    pub(in crate::hub) event: String,
    #[serde(default)]
    pub(in crate::hub) data: Value,
}
