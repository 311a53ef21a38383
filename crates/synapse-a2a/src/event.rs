//! What happens to a task, one fact at a time. Events are the durable truth; everything else about a
//! task can be folded from them again.

use serde::{Deserialize, Serialize};

use crate::artifact::Body;
use crate::error::Failure;
use crate::id::{ArtifactId, ContextId, TaskId};
use crate::message::Message;
use crate::task::TaskState;

/// One fact, and when it was so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub fact: Fact,
}

/// Milliseconds since the Unix epoch, read from the caller's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

/// What can happen to a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    /// The task was accepted. Always the first event, and only that.
    Submitted {
        /// Its name.
        task: TaskId,
        /// The conversation it belongs to.
        context: ContextId,
        /// What was asked.
        message: Message,
    },
    /// The task moved to another state.
    Moved {
        /// Where it stands afterwards.
        status: Status,
    },
    /// An artifact began, or one that is still open was replaced (`append: false`).
    ArtifactOpened {
        /// Its name.
        artifact: ArtifactId,
        /// What it holds.
        body: Body,
    },
    /// An open artifact grew (`append: true`).
    ArtifactGrew {
        /// Its name.
        artifact: ArtifactId,
        /// The text to add at its end.
        text: String,
    },
    /// An artifact got its last chunk.
    ArtifactClosed {
        /// Its name.
        artifact: ArtifactId,
    },
}

/// A state with what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Status {
    /// Queued.
    Submitted,
    /// Its turn is running.
    Working,
    /// The agent asks something.
    InputRequired {
        /// What it asks.
        question: Question,
    },
    /// Done; the artifacts are the answer.
    Completed,
    /// Not done, and it will not be.
    Failed {
        /// Why.
        failure: Failure,
    },
    /// Stopped by someone.
    Canceled {
        /// Why, or by whom.
        reason: String,
    },
    /// Refused by the agent.
    Rejected {
        /// Why.
        reason: String,
    },
}

impl Status {
    /// The bare state.
    pub fn state(&self) -> TaskState {
        match self {
            Self::Submitted => TaskState::Submitted,
            Self::Working => TaskState::Working,
            Self::InputRequired { .. } => TaskState::InputRequired,
            Self::Completed => TaskState::Completed,
            Self::Failed { .. } => TaskState::Failed,
            Self::Canceled { .. } => TaskState::Canceled,
            Self::Rejected { .. } => TaskState::Rejected,
        }
    }
}

/// What an agent asks, as a client is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// What sort of answer is wanted: `confirmation`, `selection`, `permission` and so on.
    #[serde(rename = "type")]
    pub kind: String,
    /// The words of the question.
    pub prompt: String,
    /// The labels to choose from; empty where any text will do.
    pub options: Vec<String>,
    /// The label that is taken when nothing is chosen.
    pub default: Option<String>,
    /// What an answer must carry to be sure it answers this question.
    pub fingerprint: String,
}
