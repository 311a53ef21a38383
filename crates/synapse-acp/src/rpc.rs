//! JSON-RPC 2.0, one message a line: what a line says, and the lines that answer it. Pure.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What the other side said.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// The answer to a request of ours.
    Response {
        id: Value,
        result: Result<Value, RpcError>,
    },
}

/// Why a request was not done, as it goes over the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct RpcError {
    pub code: i64,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl RpcError {
    const PARSE: i64 = -32_700;
    const INVALID_REQUEST: i64 = -32_600;
    const NO_METHOD: i64 = -32_601;
    const INVALID_PARAMS: i64 = -32_602;
    const INTERNAL: i64 = -32_603;
    const NOT_FOUND: i64 = -32_002;

    fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The line is no JSON.
    pub fn unreadable(why: impl std::fmt::Display) -> Self {
        Self::new(Self::PARSE, format!("the line is not JSON: {why}"))
    }

    /// It is JSON, and no message.
    pub fn no_message(why: &str) -> Self {
        Self::new(Self::INVALID_REQUEST, why)
    }

    pub fn no_method(method: &str) -> Self {
        let message = format!("there is no method '{method}' here");
        Self::new(Self::NO_METHOD, message)
    }

    pub fn bad_params(why: impl std::fmt::Display) -> Self {
        Self::new(Self::INVALID_PARAMS, why.to_string())
    }

    /// Something that is named does not exist.
    pub fn not_found(what: impl Into<String>) -> Self {
        Self::new(Self::NOT_FOUND, what)
    }

    /// It was understood, and could not be done.
    pub fn failed(why: impl Into<String>) -> Self {
        Self::new(Self::INTERNAL, why)
    }
}

impl From<anyhow::Error> for RpcError {
    fn from(error: anyhow::Error) -> Self {
        Self::failed(format!("{error:#}"))
    }
}

impl Incoming {
    /// Reads one line.
    ///
    /// # Errors
    /// What to answer where it makes no sense.
    pub fn read(line: &[u8]) -> Result<Self, Misread> {
        let message = serde_json::from_slice(line).map_err(|error| Misread {
            id: Value::Null,
            error: RpcError::unreadable(error),
        })?;
        let Value::Object(mut fields) = message else {
            return Err(Misread::new(None, "a message is one JSON object on a line"));
        };
        let id = fields.remove("id");
        let Some(method) = fields.remove("method") else {
            let why = "a message has a 'method', or the 'id' of what it answers";
            return Ok(Self::Response {
                id: id.ok_or_else(|| Misread::new(None, why))?,
                result: match fields.remove("error") {
                    Some(error) => Err(refusal(&error)),
                    None => Ok(fields.remove("result").unwrap_or(Value::Null)),
                },
            });
        };
        if id.as_ref().is_some_and(|id| !is_id(id)) {
            let why = "'id' must be a string or a whole number of 64 bits";
            return Err(Misread::new(None, why));
        }
        if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return Err(Misread::new(id, "'jsonrpc' must be \"2.0\""));
        }
        let Value::String(method) = method else {
            return Err(Misread::new(id, "'method' must be a string"));
        };
        let params = fields.remove("params").unwrap_or(Value::Null);
        Ok(match id {
            Some(id) => Self::Request { id, method, params },
            None => Self::Notification { method, params },
        })
    }
}

/// What is no message, and what it is answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Misread {
    /// That of the request; null where it is not known.
    pub id: Value,
    pub error: RpcError,
}

impl Misread {
    fn new(id: Option<Value>, why: &str) -> Self {
        Self {
            id: id.unwrap_or_default(),
            error: RpcError::no_message(why),
        }
    }
}

/// Whether an answer can name it as the other side wrote it: a larger number would come back as another one.
fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}

/// An error of the other side, however it spells it.
fn refusal(error: &Value) -> RpcError {
    RpcError::deserialize(error).unwrap_or_else(|_| RpcError::failed(error.to_string()))
}

/// The line of a request.
pub fn request(id: u64, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// The line of a notification.
pub fn notification(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

/// The line that answers a request.
pub fn response(id: &Value, result: &Result<Value, RpcError>) -> String {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
    }
    .to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(line: &str) -> Result<Incoming, Misread> {
        Incoming::read(line.as_bytes())
    }

    #[test]
    fn a_line_is_a_request_a_notification_or_an_answer() {
        assert_eq!(
            read(&request(7, "initialize", &json!({"a": 1}))).unwrap(),
            Incoming::Request {
                id: json!(7),
                method: "initialize".to_owned(),
                params: json!({"a": 1}),
            }
        );
        assert_eq!(
            read(&notification("session/cancel", &Value::Null)).unwrap(),
            Incoming::Notification {
                method: "session/cancel".to_owned(),
                params: Value::Null,
            }
        );
        let refused = Err(RpcError::failed("no"));
        for result in [Ok(json!({"b": 2})), refused] {
            let line = response(&json!("x"), &result);
            let id = json!("x");
            assert_eq!(read(&line).unwrap(), Incoming::Response { id, result });
        }
    }

    #[test]
    fn what_is_no_message_says_what_would_be() {
        assert_eq!(read("{").unwrap_err().error.code, RpcError::PARSE);
        for line in ["[]", "3", "{}", r#"{"method": 3}"#] {
            let misread = read(line).unwrap_err();
            assert_eq!(misread.error.code, RpcError::INVALID_REQUEST, "{line}");
            assert_eq!(misread.id, Value::Null, "{line}");
        }
        let odd = read(r#"{"id": 1, "error": "out of order"}"#).unwrap();
        let Incoming::Response { result, .. } = odd else {
            panic!("{odd:?}")
        };
        assert!(result.unwrap_err().message.contains("out of order"));
    }

    #[test]
    fn what_makes_no_sense_is_answered_with_the_id_it_has() {
        for line in [
            r#"{"jsonrpc": "2.0", "id": 1, "method": 5}"#,
            r#"{"id": 1, "method": "ping"}"#,
            r#"{"jsonrpc": "1.0", "id": 1, "method": "ping"}"#,
        ] {
            assert_eq!(read(line).unwrap_err().id, json!(1), "{line}");
        }
        for id in [
            "null",
            "1.5",
            "true",
            "[1]",
            "{}",
            "123456789012345678901234567890",
        ] {
            let line = format!(r#"{{"jsonrpc": "2.0", "id": {id}, "method": "ping"}}"#);
            let misread = read(&line).unwrap_err();
            assert_eq!(misread.id, Value::Null, "{id}");
            assert!(misread.error.message.contains("'id'"), "{misread:?}");
        }
        for id in [json!(0), json!(-1), json!(u64::MAX), json!("")] {
            let line = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }).to_string();
            assert!(read(&line).is_ok(), "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(line in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Incoming::read(&line);
        }
    }
}
