//! What is said to an agent and by it: parts in order, with the sender's role.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::MessageId;

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its name, chosen by the sender.
    pub id: MessageId,
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
}

impl Message {
    /// A message of one text part.
    pub fn text(id: MessageId, role: Role, text: impl Into<String>) -> Self {
        Self {
            id,
            role,
            parts: vec![Part::Text { text: text.into() }],
        }
    }
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Whoever asks: a person, a program, another agent.
    User,
    /// The wrapped agent.
    Agent,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// Any JSON value.
    Data {
        /// The value.
        data: Value,
    },
}
