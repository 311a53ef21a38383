//! What somebody did to the agent while it was at a task: answered its question, or stopped it.

use serde::{Deserialize, Serialize};

use crate::event::Timestamp;

/// Acts that a task keeps.
pub(crate) const MOST_ACTS: usize = 200;

/// One act, and whose it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Act {
    pub what: ActKind,
    /// What was answered, in the words of the option; a password is not told.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    #[serde(flatten)]
    pub by: Actor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActKind {
    Answered,
    Stopped,
}

impl ActKind {
    /// As it is spelled outside.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Stopped => "stopped",
        }
    }
}

/// Who acted, as far as they said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// The device of a person at the page, or an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The rule that answered instead of a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// An act with its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acted {
    pub at: Timestamp,
    #[serde(flatten)]
    pub act: Act,
}
