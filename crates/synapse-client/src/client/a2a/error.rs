//! Why an agent elsewhere did not do what it was asked.

use hyper::StatusCode;
use serde_json::Value;

use super::CardError;
use crate::client::{Page, WebError};

/// Why an agent elsewhere did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum A2AError {
    /// It could not be asked.
    #[error(transparent)]
    Web(#[from] WebError),
    #[error("the agent refused: {message}{}", number(*.status, *.code))]
    Refused {
        /// The HTTP status.
        status: StatusCode,
        /// The code of JSON-RPC, where it is spoken.
        code: Option<i64>,
        /// What it said.
        message: String,
    },
    /// It says what no agent says.
    #[error("{host} is not an A2A agent: {reason}")]
    NotAnAgent {
        host: String,
        /// What is odd about it.
        reason: String,
    },
    /// Its card cannot be used.
    #[error(transparent)]
    Card(#[from] CardError),
}

fn number(status: StatusCode, code: Option<i64>) -> String {
    code.map_or_else(
        || format!(" (HTTP {})", status.as_u16()),
        |code| format!(" ({code})"),
    )
}

impl A2AError {
    /// Whether it is only streaming that the agent does not do.
    pub(super) fn is_about_streaming(&self) -> bool {
        let Self::Refused { status, code, .. } = self else {
            return false;
        };
        matches!(code, Some(-32_004 | -32_601)) || matches!(status.as_u16(), 404 | 405 | 501)
    }
}

/// What somebody says who is no agent.
pub(super) fn not_an_agent(host: &str, reason: impl Into<String>) -> A2AError {
    A2AError::NotAnAgent {
        host: host.to_owned(),
        reason: reason.into(),
    }
}

/// A whole answer as JSON.
pub(super) fn json(host: &str, page: &Page) -> Result<Value, A2AError> {
    serde_json::from_slice(&page.body).map_err(|_| {
        let reason = format!("it answers {} and no JSON", page.status.as_u16());
        not_an_agent(host, reason)
    })
}
