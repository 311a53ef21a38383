//! Why a task failed, in the words the wire uses. The parser never makes one of these: a failure is
//! told by evidence (the CLI's own error line, its transcript, its exit), not by a word in a reply.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A failure as it is shown to whoever asked for the task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of failure it is.
    pub code: FailureCode,
    /// What happened, for the person who must act.
    pub message: String,
}

/// The kinds of failure a client can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FailureCode {
    /// The CLI itself reported an error.
    AgentError,
    /// The model's provider refused for now.
    RateLimited,
    /// The CLI wants credentials.
    AuthRequired,
    /// The CLI ended while the task was open.
    AgentExited,
    /// The message could not be submitted to the CLI.
    SubmitFailed,
    /// The task took longer than it was given.
    Timeout,
    /// Someone interrupted the turn.
    Interrupted,
    /// The host died while the task was open.
    HostCrashed,
    /// A fault of our own.
    InternalError,
}

impl FailureCode {
    /// The code as it goes over the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::AgentError => "AGENT_ERROR",
            Self::RateLimited => "RATE_LIMITED",
            Self::AuthRequired => "AUTH_REQUIRED",
            Self::AgentExited => "AGENT_EXITED",
            Self::SubmitFailed => "SUBMIT_FAILED",
            Self::Timeout => "TIMEOUT",
            Self::Interrupted => "INTERRUPTED",
            Self::HostCrashed => "HOST_CRASHED",
            Self::InternalError => "INTERNAL_ERROR",
        }
    }
}

impl fmt::Display for FailureCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_one_spelling() {
        for code in [
            FailureCode::AgentError,
            FailureCode::RateLimited,
            FailureCode::AuthRequired,
            FailureCode::AgentExited,
            FailureCode::SubmitFailed,
            FailureCode::Timeout,
            FailureCode::Interrupted,
            FailureCode::HostCrashed,
            FailureCode::InternalError,
        ] {
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
        }
    }
}
