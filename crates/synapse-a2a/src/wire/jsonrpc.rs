//! The envelope of JSON-RPC 2.0. An answer carries the id of its request, of whatever type that was.

use serde_json::{Value, json};

use super::protocol_error::ProtocolError;

#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What the answer must carry; `null` if the client gave none.
    pub id: Value,
    /// What is to be done.
    pub method: String,
    /// To what; an object, empty if the client gave none.
    pub params: Value,
}

/// A body that is no request, with the id its answer must carry.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The id, as far as it could be read.
    pub id: Value,
    pub error: ProtocolError,
}

/// Reads a request.
///
/// # Errors
/// If the body is not JSON, or not one request of JSON-RPC 2.0.
pub fn read(body: &[u8]) -> Result<Call, Refused> {
    let value: Value = serde_json::from_slice(body).map_err(|error| Refused {
        id: Value::Null,
        error: ProtocolError::NotJson(error.to_string()),
    })?;
    let Value::Object(mut request) = value else {
        let said = if value.is_array() {
            "batches are not supported; send one request at a time"
        } else {
            "a request must be an object"
        };
        return Err(invalid(Value::Null, said));
    };
    let id = request.remove("id").unwrap_or_default();
    if !matches!(id, Value::Null | Value::String(_) | Value::Number(_)) {
        return Err(invalid(Value::Null, "'id' must be a string or a number"));
    }
    if request.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid(id, "'jsonrpc' must be \"2.0\""));
    }
    let Some(Value::String(method)) = request.remove("method") else {
        return Err(invalid(id, "'method' must be a string"));
    };
    match request.remove("params").unwrap_or_default() {
        Value::Null => Ok(Call {
            id,
            method,
            params: json!({}),
        }),
        params @ Value::Object(_) => Ok(Call { id, method, params }),
        _ => Err(Refused {
            id,
            error: ProtocolError::field("params", "must be an object"),
        }),
    }
}

pub fn result(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// An answer whose result is written already.
pub fn wrap(id: &Value, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

pub fn error(id: &Value, error: &ProtocolError) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": error.to_jsonrpc() })
}

fn invalid(id: Value, said: &str) -> Refused {
    Refused {
        id,
        error: ProtocolError::InvalidRequest(said.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_echoed_with_its_type() {
        for id in [json!("a"), json!(7), json!(1.5), json!(null)] {
            let body = json!({ "jsonrpc": "2.0", "id": id, "method": "GetTask" });
            let call = read(body.to_string().as_bytes()).unwrap();
            let answer = result(&call.id, &json!([1]));
            assert_eq!(answer["id"], id);
            let wrapped: Value = serde_json::from_str(&wrap(&call.id, "[1]")).unwrap();
            assert_eq!(wrapped, answer);
            assert_eq!(call.params, json!({}));
        }
    }

    #[test]
    fn what_is_no_request_is_refused_with_the_right_code() {
        let ok = r#""jsonrpc":"2.0","id":1,"method":"x""#;
        for (body, code, id) in [
            ("{", -32700, json!(null)),
            ("\u{0}", -32700, json!(null)),
            (&format!("[{{{ok}}}]"), -32600, json!(null)),
            ("[]", -32600, json!(null)),
            ("7", -32600, json!(null)),
            (r#"{"id":1,"method":"x"}"#, -32600, json!(1)),
            (r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, -32600, json!(1)),
            (r#"{"jsonrpc":"2.0","id":1}"#, -32600, json!(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":2}"#, -32600, json!(1)),
            (
                r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#,
                -32600,
                json!(null),
            ),
            (&format!(r#"{{{ok},"params":[1]}}"#), -32602, json!(1)),
            (&format!(r#"{{{ok},"params":"x"}}"#), -32602, json!(1)),
        ] {
            let refused = read(body.as_bytes()).unwrap_err();
            assert_eq!((refused.error.code(), refused.id), (code, id), "{body}");
        }
    }
}
