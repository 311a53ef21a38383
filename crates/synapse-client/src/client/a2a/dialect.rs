//! The dialects that other agents speak, and how each of them spells an error.

use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::A2AError;

/// What an agent speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dialect {
    /// A2A 1.0 over JSON-RPC.
    #[serde(rename = "jsonrpc-1.0")]
    RpcV1,
    /// A2A 1.0 over HTTP with JSON.
    #[serde(rename = "rest-1.0")]
    RestV1,
    /// A2A 0.3 over JSON-RPC.
    #[serde(rename = "jsonrpc-0.3")]
    RpcV03,
    /// Our own, which our agents speak at the root of their HTTP.
    #[serde(rename = "native", alias = "seed")]
    Native,
}

impl Dialect {
    /// The version a request says it speaks.
    pub(super) fn version(self) -> Option<&'static str> {
        match self {
            Self::RpcV1 | Self::RestV1 => Some("1.0"),
            Self::RpcV03 => Some("0.3"),
            Self::Native => None,
        }
    }

    /// Whether requests and answers are wrapped in JSON-RPC.
    pub(super) fn is_rpc(self) -> bool {
        matches!(self, Self::RpcV1 | Self::RpcV03)
    }
}

/// What an agent refused, in its words.
pub(super) fn refusal(status: StatusCode, body: &Value) -> A2AError {
    let error = body.get("error").unwrap_or(body);
    let said = error
        .get("message")
        .or_else(|| error.get("detail"))
        .unwrap_or(error);
    let message = match said.as_str() {
        Some(said) => said.to_owned(),
        None => status
            .canonical_reason()
            .unwrap_or("no reason given")
            .to_owned(),
    };
    A2AError::Refused {
        status,
        // Over REST the same member repeats the status.
        code: error
            .get("code")
            .and_then(Value::as_i64)
            .filter(|code| *code < 0),
        message,
    }
}
