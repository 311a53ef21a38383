//! What a program is doing, and how we know.

use std::fmt;

use serde::Serialize;

use crate::prompt::Prompt;

/// What a program is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It has not been ready yet.
    Starting,
    /// It waits for a message.
    Idle,
    Busy,
    /// It waits for the answer to a question.
    Asking(Box<Prompt>),
    Exited,
}

/// The name of a reading, without what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// See [`Reading::Starting`].
    Starting,
    /// See [`Reading::Idle`].
    Idle,
    /// See [`Reading::Busy`].
    Busy,
    /// See [`Reading::Asking`].
    Asking,
    /// See [`Reading::Exited`].
    Exited,
}

impl Reading {
    pub fn state(&self) -> State {
        match self {
            Self::Starting => State::Starting,
            Self::Idle => State::Idle,
            Self::Busy => State::Busy,
            Self::Asking(_) => State::Asking,
            Self::Exited => State::Exited,
        }
    }

    /// Whether two readings are the same but for where the cursor of a question is.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Asking(one), Self::Asking(two)) => one.fingerprint == two.fingerprint,
            _ => self.state() == other.state(),
        }
    }
}

impl State {
    /// The word that lists, messages and the page have for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Idle => "idle",
            Self::Busy => "working",
            Self::Asking => "waiting",
            Self::Exited => "stopped",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Starting => "starting",
            Self::Idle => "idle",
            Self::Busy => "busy",
            Self::Asking => "asking",
            Self::Exited => "exited",
        })
    }
}

/// What made a reading: the rule, and the line or signal it was seen in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Which rule spoke.
    pub rule: &'static str,
    /// What it saw.
    pub sign: String,
}

impl Evidence {
    /// Evidence of a rule.
    pub(crate) fn new(rule: &'static str, sign: impl Into<String>) -> Self {
        Self {
            rule,
            sign: sign.into(),
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sign.is_empty() {
            return f.write_str(self.rule);
        }
        write!(f, "{}: {}", self.rule, self.sign)
    }
}
