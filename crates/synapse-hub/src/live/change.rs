//! The changes that the hub's state can undergo.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::deaths::Death;
use crate::shapes::{Asked, Status, TaskLine};
use crate::usage::TurnUsage;
use synapse_client::native::UsageShape;
use synapse_machine::prices::Prices;
use synapse_machine::registry::{AgentId, Entry};

#[derive(Debug)]
pub(crate) enum Change {
    /// An agent is there, or is there anew.
    Appeared(Box<Entry>, Place),
    /// It is not there any more; of what it died, if it did.
    Vanished(AgentId, Gone, Option<String>),
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
    /// These died, and nobody has looked at them since.
    Deaths(Vec<Death>),
    /// Rules answered something, or are others than before.
    AutoAnswer,
}

/// How an agent went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Gone {
    /// It gave its place back.
    Stopped,
    /// Its host or its program died.
    Died,
}

/// Where an agent works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The id of the worktree or folder.
    pub(crate) worktree: String,
    /// What is checked out there.
    pub(crate) branch: Option<String>,
    /// The folder of the repository it belongs to.
    pub(crate) repository: Option<String>,
}

/// What an agent says of itself: `GET /status`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Report {
    status: String,
    /// Since when; agents of older versions do not tell.
    #[serde(default)]
    pub(crate) since: Option<String>,
    #[serde(default)]
    pub(crate) evidence: String,
    #[serde(default)]
    pub(crate) queue: u32,
    #[serde(default)]
    pub(crate) held: Option<String>,
    #[serde(default)]
    pub(crate) steps_from: Option<String>,
    #[serde(default)]
    pub(crate) prompt: Option<Asked>,
    #[serde(default)]
    usage: Option<UsageShape>,
    /// The same with its price.
    #[serde(skip)]
    pub(crate) priced: Option<TurnUsage>,
}

impl Report {
    /// With what the last turn cost.
    pub(crate) fn price(mut self, prices: &Prices) -> Self {
        let usage = self.usage.as_ref();
        self.priced = usage.map(|told| TurnUsage::of(told.task.clone(), &told.usage, prices));
        self
    }

    /// What is known of an agent that has not spoken yet.
    pub(crate) fn nothing_heard() -> Self {
        Self {
            status: String::new(),
            since: None,
            evidence: "not heard of yet".to_owned(),
            queue: 0,
            held: None,
            steps_from: None,
            prompt: None,
            usage: None,
            priced: None,
        }
    }

    /// In the words of the page.
    pub(crate) fn status(&self) -> Status {
        Status::from_word(&self.status)
    }
}

/// An answer given through this hub.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Answer {
    #[serde(skip)]
    pub(crate) prompt: String,
    /// What was answered; a password is not told.
    pub(crate) value: String,
    pub(crate) by: String,
    /// The rule that answered instead of a person.
    pub(crate) rule: Option<String>,
}

/// An event of a task, as the agent numbers and shapes it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct TaskEvent {
    pub(crate) task_id: String,
    pub(crate) number: u64,
    pub(crate) event: String,
    #[serde(default)]
    pub(crate) data: Value,
}
