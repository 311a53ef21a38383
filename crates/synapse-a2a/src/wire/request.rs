//! What a client asks for, whatever it was spelled like.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::event::Timestamp;
use crate::id::{ContextId, TaskId};
use crate::message::Message;
use crate::task::TaskState;

use super::Dialect;

/// A message for the agent: a new task, or more for one that waits for it.
#[derive(Clone, Debug, PartialEq)]
pub struct SendRequest {
    pub message: Message,
    /// The task it belongs to, if it is not a new one.
    pub task: Option<TaskId>,
    /// The conversation it belongs to, if the client knows one.
    pub context: Option<ContextId>,
    /// How to answer.
    pub wish: Wish,
    /// What the client noted about the request.
    pub metadata: Map<String, Value>,
}

/// How a client wants to be answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wish {
    pub patience: Patience,
    /// How much of the conversation to tell.
    pub history: History,
    /// Where to send what happens later.
    pub push: Option<PushConfig>,
    /// The media types it can take.
    pub output_modes: Vec<String>,
}

/// When a client wants its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Patience {
    /// When the task is over or asks something.
    #[default]
    UntilSettled,
    None,
}

/// How many of the last messages are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum History {
    #[default]
    All,
    /// At most so many; none leaves the member out.
    Last(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub struct TaskRequest {
    pub task: TaskId,
    /// How much of the conversation to tell.
    pub history: History,
}

/// A page of tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListRequest {
    /// Only those of this conversation.
    pub context: Option<ContextId>,
    /// Only those that stand so.
    pub state: StateFilter,
    /// Only those that stand where they stand since then, or later.
    pub since: Option<Timestamp>,
    /// How many at most.
    pub page_size: Option<usize>,
    /// Where to go on.
    pub page_token: Option<String>,
    /// How much of each conversation to tell.
    pub history: History,
    /// Whether to tell the artifacts.
    pub has_artifacts: bool,
}

/// Which states are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StateFilter {
    #[default]
    Any,
    Is(TaskState),
    /// One that the protocol knows and no task here is ever in.
    Never,
}

impl StateFilter {
    /// Whether a task in this state is asked for.
    pub fn takes(self, state: TaskState) -> bool {
        match self {
            Self::Any => true,
            Self::Is(wanted) => wanted == state,
            Self::Never => false,
        }
    }
}

/// Where to send what happens to a task.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushConfig {
    /// Its name among those of the task, if the client chose one.
    pub id: Option<String>,
    pub url: String,
    /// What the receiver knows us by.
    pub token: Option<String>,
    /// What its server wants to see.
    pub authentication: Option<Authentication>,
}

/// What goes into the `Authorization` header of a notification.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authentication {
    /// Such as `Bearer`.
    pub scheme: String,
    /// What goes behind it.
    pub credentials: Option<String>,
}

// Addresses, tokens and credentials must not get into a log.
impl fmt::Debug for PushConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("PushConfig");
        debug.field("id", &self.id).finish_non_exhaustive()
    }
}

impl fmt::Debug for Authentication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Authentication");
        debug.field("scheme", &self.scheme).finish_non_exhaustive()
    }
}

/// A place that is told of a task, as it is kept beside the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushTarget {
    pub config: PushConfig,
    /// In which dialect it is told.
    pub dialect: Dialect,
    /// Whether only this machine can reach the agent. Any other agent may call the internet alone.
    pub is_local: bool,
}

/// One of the notifications of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushRequest {
    pub task: TaskId,
    /// Which; in old dialects, the only one by default.
    pub id: Option<String>,
}
