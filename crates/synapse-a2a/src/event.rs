//! What happens to a task, one fact at a time. Events are the durable truth; everything else about a
//! task can be folded from them again.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::act::Act;
use crate::artifact::Body;
use crate::error::Failure;
use crate::id::{ArtifactId, ContextId, MessageId, TaskId};
use crate::message::{Message, Part, Role};
use crate::step::Step;
use crate::task::TaskState;

/// One fact, and when it was so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub at: Timestamp,
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
        task: TaskId,
        /// The conversation it belongs to.
        context: ContextId,
        message: Message,
        /// Who asked, and how.
        #[serde(default)]
        origin: Origin,
    },
    /// The task moved to another state.
    Moved { status: Status },
    /// An artifact began, or one that is still open was replaced (`append: false`).
    ArtifactOpened { artifact: ArtifactId, body: Body },
    /// An open artifact grew (`append: true`).
    ArtifactGrew {
        artifact: ArtifactId,
        /// The text to add at its end.
        text: String,
    },
    /// An open artifact of parts got more of them (`append: true`).
    ArtifactExtended {
        artifact: ArtifactId,
        /// What comes at its end.
        parts: Vec<Part>,
    },
    /// An artifact got its last chunk.
    ArtifactClosed { artifact: ArtifactId },
    /// Whoever asked said something more: the answer to a question.
    Answered { message: Message },
    /// The agent told how far it is, or what it did on the way.
    Noted {
        /// In its words.
        text: String,
    },
    /// The agent used a tool or thought, or more is known of when it did: the same step replaces the one of that name.
    Stepped { step: Box<Step> },
    /// Somebody answered the agent's question, or stopped it.
    Acted { act: Act },
    /// The agent answered with a message instead of artifacts.
    Spoke { message: Message },
    /// The reply is known, whole.
    Replied {
        /// What the agent said, and how we know.
        said: Said,
    },
}

/// Who asked for a task, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The handle of the agent that asked, or who else.
    pub sender: String,
    /// How urgent it is, 1 to 5.
    pub priority: u8,
    /// How many agents the question has passed through.
    #[serde(default)]
    pub hops: u8,
    /// The agents that the sender worked for, `name@machine`, as the bridges of the mesh know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
}

impl Origin {
    /// Who asks when nobody says.
    pub const SOMEBODY: &str = "user";

    /// Through how many agents a question may pass: agents that ask each other would never stop.
    pub const MOST_HOPS: u8 = 4;

    /// A person at the agent's own keyboard; such a turn was not asked for over the network.
    pub const KEYBOARD: &str = "keyboard";

    /// An A2A client that does not say who it is. It may be anywhere, and is never taken for a person.
    pub const CLIENT: &str = "a2a-client";

    /// Whether a person of this machine asks.
    pub fn is_person(&self) -> bool {
        [Self::SOMEBODY, Self::KEYBOARD].contains(&self.sender.as_str())
    }
}

impl Default for Origin {
    fn default() -> Self {
        Self {
            sender: Self::SOMEBODY.to_owned(),
            priority: 1,
            hops: 0,
            via: Vec::new(),
        }
    }
}

/// What an agent said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub text: String,
    pub source: Source,
    /// Some of it had left the screen before it could be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_truncated: bool,
}

/// How a reply is known, in order of trust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The program said it through its hooks.
    Hook,
    /// The program said it through the Agent Client Protocol.
    Acp,
    /// From the program's own record.
    Record,
    /// The program said it through the channel made for that.
    Channel,
    /// Read off the screen.
    Screen,
    /// Read off the screen up to the marker that ends a reply.
    Marker,
    /// Whatever was on the screen when the time was up.
    Timeout,
}

impl Source {
    /// The source as it goes over the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Acp => "acp",
            Self::Record => "record",
            Self::Channel => "channel",
            Self::Screen => "screen",
            Self::Marker => "marker",
            Self::Timeout => "timeout",
        }
    }
}

/// A state with what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Status {
    Submitted,
    /// Its turn is running.
    Working,
    /// The agent asks something.
    InputRequired {
        question: Question,
    },
    /// Done; the artifacts are the answer.
    Completed,
    /// Not done, and it will not be.
    Failed {
        failure: Failure,
    },
    /// Stopped by someone.
    Canceled {
        /// Why, or by whom.
        reason: String,
        /// It ended because its agent was stopped: nobody has given up the task itself.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        with_agent: bool,
    },
    /// Refused by the agent.
    Rejected {
        reason: String,
    },
}

impl Status {
    /// Stopped by someone who no longer wants the task.
    pub fn canceled(reason: impl Into<String>) -> Self {
        Self::Canceled {
            reason: reason.into(),
            with_agent: false,
        }
    }

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

impl Question {
    /// The question as a message of the agent: its words, then the options, one a line.
    pub fn to_message(&self, task: &TaskId) -> Message {
        let mut text = self.prompt.clone();
        for (index, option) in self.options.iter().enumerate() {
            let _ = write!(text, "\n{}. {option}", index + 1);
        }
        let id = MessageId::new(format!("{task}-{}", self.fingerprint));
        Message::text(id, Role::Agent, text)
    }
}
