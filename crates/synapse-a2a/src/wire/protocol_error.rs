//! Why a request was refused, in the words of the protocol: a JSON-RPC code, an HTTP status, a reason a
//! program can tell apart, and the field that was wrong. One table for all dialects.

use std::fmt;

use serde_json::{Map, Value, json};

/// Who says so, in every machine-readable reason.
const DOMAIN: &str = "a2a-protocol.org";

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// The body is not JSON.
    #[error("the body is not JSON: {0}")]
    NotJson(String),
    /// It is JSON, but no request.
    #[error("{0}")]
    InvalidRequest(String),
    /// There is no such method or resource.
    #[error("{0}")]
    NoMethod(String),
    /// There is such a resource, but it is asked for in another way.
    #[error("this takes {allowed}, not {method}")]
    NotAllowed {
        /// How it was asked for.
        method: String,
        /// How it can be asked for, as the header `Allow` says it.
        allowed: String,
    },
    /// Something asked for is missing or not as it should be.
    #[error("{}", first_violation(.0))]
    InvalidParams(Vec<Violation>),
    /// There is no such task, or none this caller may see.
    #[error("there is no task {0}")]
    TaskNotFound(String),
    /// A part of a task is not there, such as the configuration of its notifications.
    #[error("{0}")]
    NotFound(String),
    /// The task is over.
    #[error("the task is {0} already and cannot be canceled")]
    TaskNotCancelable(String),
    /// Push notifications are not offered.
    #[error("this agent sends no push notifications")]
    PushNotSupported,
    /// This cannot be done, by this agent or now.
    #[error("{0}")]
    Unsupported(String),
    /// A kind of content this agent does not take.
    #[error("{0}")]
    ContentType(String),
    /// A body of another kind than JSON.
    #[error("the body must have the Content-Type application/json or application/a2a+json")]
    BodyType,
    /// The agent has no extended card although it offers one.
    #[error("no extended agent card is configured")]
    ExtendedCardNotConfigured,
    /// The client did not name an extension it must use.
    #[error("this agent can only be used with the extension {0}; name it in A2A-Extensions")]
    ExtensionRequired(String),
    /// A version of the protocol that is not spoken here.
    #[error("{0}")]
    VersionNotSupported(String),
    /// Not now: too many tasks wait.
    #[error("{0}")]
    Busy(String),
    /// Not any more: the agent is going away.
    #[error("{0}")]
    Unavailable(String),
    /// What must be kept cannot be kept.
    #[error("{0}")]
    NoSpace(String),
    /// Nobody can say whether it was kept.
    #[error("{said}")]
    Unknown {
        /// The task to ask for.
        task: String,
        said: String,
    },
    /// A fault of our own.
    #[error("{0}")]
    Internal(String),
}

/// A field that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which, as a path: `message.parts[0].text`.
    pub field: String,
    /// What is wrong with it, and what would be right.
    pub description: String,
}

impl Violation {
    /// A complaint about a field.
    pub fn new(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            description: description.into(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() {
            return f.write_str(&self.description);
        }
        write!(f, "'{}' {}", self.field, self.description)
    }
}

/// The numbers and names of an error in the bindings of the protocol.
struct ErrorCodes {
    code: i32,
    http: u16,
    status: &'static str,
    reason: &'static str,
}

impl ProtocolError {
    /// A complaint about one field.
    pub fn field(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self::InvalidParams(vec![Violation::new(field, description)])
    }

    /// The code in JSON-RPC.
    pub fn code(&self) -> i32 {
        self.row().code
    }

    /// The status in HTTP+JSON.
    pub fn http_status(&self) -> u16 {
        self.row().http
    }

    /// The name by which programs tell errors apart.
    pub fn reason(&self) -> &'static str {
        self.row().reason
    }

    /// The name of its status in gRPC and HTTP+JSON.
    pub(super) fn status(&self) -> &'static str {
        self.row().status
    }

    /// The `error` member of a JSON-RPC answer.
    pub fn to_jsonrpc(&self) -> Value {
        json!({ "code": self.code(), "message": self.to_string(), "data": self.details() })
    }

    /// The body of an HTTP+JSON answer in 1.0.
    pub fn to_rest(&self) -> Value {
        let ErrorCodes { http, status, .. } = self.row();
        json!({ "error": {
            "code": http,
            "status": status,
            "message": self.to_string(),
            "details": self.details(),
        } })
    }

    /// The body of an HTTP+JSON answer in 0.3.
    pub fn to_v03_rest(&self) -> Value {
        self.to_jsonrpc()
    }

    /// The machine-readable part: the reason first, then the fields.
    pub(super) fn details(&self) -> Vec<Value> {
        let mut metadata = Map::new();
        if let Self::TaskNotFound(task) | Self::Unknown { task, .. } = self {
            metadata.insert("taskId".to_owned(), json!(task));
        }
        let mut details = vec![json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": self.reason(),
            "domain": DOMAIN,
            "metadata": metadata,
        })];
        if let Self::InvalidParams(violations) = self {
            let violation =
                |v: &Violation| json!({ "field": v.field, "description": v.description });
            details.push(json!({
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": violations.iter().map(violation).collect::<Vec<_>>(),
            }));
        }
        details
    }

    fn row(&self) -> ErrorCodes {
        const PRECONDITION: &str = "FAILED_PRECONDITION";
        const ARGUMENT: &str = "INVALID_ARGUMENT";
        let (code, http, status, reason) = match self {
            Self::NotJson(_) => (-32700, 400, ARGUMENT, "PARSE_ERROR"),
            Self::InvalidRequest(_) => (-32600, 400, ARGUMENT, "INVALID_REQUEST"),
            Self::NoMethod(_) => (-32601, 404, "NOT_FOUND", "METHOD_NOT_FOUND"),
            Self::NotAllowed { .. } => (-32601, 405, "UNIMPLEMENTED", "METHOD_NOT_FOUND"),
            Self::InvalidParams(_) => (-32602, 400, ARGUMENT, "INVALID_PARAMS"),
            Self::TaskNotFound(_) | Self::NotFound(_) => {
                (-32001, 404, "NOT_FOUND", "TASK_NOT_FOUND")
            }
            Self::TaskNotCancelable(_) => (-32002, 400, PRECONDITION, "TASK_NOT_CANCELABLE"),
            Self::PushNotSupported => {
                (-32003, 400, PRECONDITION, "PUSH_NOTIFICATION_NOT_SUPPORTED")
            }
            Self::Unsupported(_) => (-32004, 400, PRECONDITION, "UNSUPPORTED_OPERATION"),
            Self::ContentType(_) => (-32005, 400, ARGUMENT, "CONTENT_TYPE_NOT_SUPPORTED"),
            Self::BodyType => (-32005, 415, ARGUMENT, "CONTENT_TYPE_NOT_SUPPORTED"),
            Self::ExtendedCardNotConfigured => (
                -32007,
                400,
                PRECONDITION,
                "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
            ),
            Self::ExtensionRequired(_) => (-32008, 400, PRECONDITION, "EXTENSION_SUPPORT_REQUIRED"),
            Self::VersionNotSupported(_) => (-32009, 400, PRECONDITION, "VERSION_NOT_SUPPORTED"),
            // The protocol has no words for these four; -32000 is the one server error it leaves free.
            Self::Busy(_) => (-32000, 429, "RESOURCE_EXHAUSTED", "QUEUE_FULL"),
            Self::Unavailable(_) => (-32000, 503, "UNAVAILABLE", "AGENT_STOPPING"),
            Self::NoSpace(_) => (-32000, 507, "RESOURCE_EXHAUSTED", "STORE_UNAVAILABLE"),
            Self::Unknown { .. } => (-32000, 500, "UNKNOWN", "TASK_UNKNOWN"),
            Self::Internal(_) => (-32603, 500, "INTERNAL", "INTERNAL_ERROR"),
        };
        ErrorCodes {
            code,
            http,
            status,
            reason,
        }
    }
}

/// The first complaint, and how many more there are.
fn first_violation(violations: &[Violation]) -> String {
    match violations {
        [] => "the parameters are not valid".to_owned(),
        [one] => one.to_string(),
        [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_its_reason_in_both_bindings() {
        let error = ProtocolError::TaskNotFound("t-1".into());
        let info = json!([{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "TASK_NOT_FOUND",
            "domain": "a2a-protocol.org",
            "metadata": { "taskId": "t-1" },
        }]);
        assert_eq!(
            error.to_jsonrpc(),
            json!({ "code": -32001, "message": "there is no task t-1", "data": info })
        );
        assert_eq!(
            error.to_rest(),
            json!({ "error": {
                "code": 404,
                "status": "NOT_FOUND",
                "message": "there is no task t-1",
                "details": info,
            } })
        );
    }

    #[test]
    fn every_wrong_field_is_named_and_the_message_tells_the_first() {
        let error = ProtocolError::InvalidParams(vec![
            Violation::new("message.role", "is missing"),
            Violation::new("message.parts", "is empty"),
        ]);
        assert_eq!(error.to_string(), "'message.role' is missing (and 1 more)");
        assert_eq!(
            error.to_jsonrpc()["data"][1]["fieldViolations"][1],
            json!({ "field": "message.parts", "description": "is empty" })
        );
    }

    #[test]
    fn the_code_is_the_one_the_protocol_gives() {
        for (error, code, status) in [
            (ProtocolError::TaskNotCancelable("x".into()), -32002, 400),
            (ProtocolError::PushNotSupported, -32003, 400),
            (ProtocolError::Unsupported("x".into()), -32004, 400),
            (ProtocolError::ContentType("x".into()), -32005, 400),
            (ProtocolError::BodyType, -32005, 415),
            (ProtocolError::ExtendedCardNotConfigured, -32007, 400),
            (ProtocolError::ExtensionRequired("x".into()), -32008, 400),
            (ProtocolError::VersionNotSupported("x".into()), -32009, 400),
            (ProtocolError::NotJson("x".into()), -32700, 400),
            (ProtocolError::InvalidRequest("x".into()), -32600, 400),
            (ProtocolError::NoMethod("x".into()), -32601, 404),
            (ProtocolError::field("x", "y"), -32602, 400),
            (ProtocolError::Internal("x".into()), -32603, 500),
            (ProtocolError::Busy("x".into()), -32000, 429),
        ] {
            assert_eq!(
                (error.code(), error.http_status()),
                (code, status),
                "{error}"
            );
        }
    }
}
