//! The dialects that other agents speak, and how each of them spells an error.

use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use synapse_a2a::artifact::native_part;
use synapse_a2a::message::Part;
use synapse_a2a::wire::remote_task::Update;
use synapse_a2a::wire::sse::Event;
use synapse_a2a::wire::{self, answer, v1, v03};

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

    /// The spelling of what is said in it.
    fn spelling(self) -> wire::Dialect {
        match self {
            Self::RpcV03 => wire::Dialect::V03,
            Self::RpcV1 | Self::RestV1 | Self::Native => wire::Dialect::V1,
        }
    }

    pub(super) fn part(self, part: &Part) -> Value {
        match self {
            Self::RpcV1 | Self::RestV1 => v1::part(part),
            Self::RpcV03 => v03::part(part),
            Self::Native => native_part(part),
        }
    }

    /// The news in an answer; nothing if it only says that all is well.
    pub(super) fn read(self, status: StatusCode, body: &Value) -> Result<Option<Update>, A2AError> {
        // Errors of JSON-RPC come with a status of success, those of others do not.
        let is_refused = body.get("error").is_some_and(|error| !error.is_null());
        if !status.is_success() || is_refused {
            return Err(refusal(status, body));
        }
        let answer = if self.is_rpc() {
            body.get("result").unwrap_or(&Value::Null)
        } else {
            body
        };
        Ok(answer::read(self.spelling(), answer))
    }

    /// The news in an event of a stream; nothing if it has none for us.
    pub(super) fn read_event(self, event: &Event) -> Result<Option<Update>, A2AError> {
        let Ok(data) = serde_json::from_str::<Value>(&event.data) else {
            return Ok(None);
        };
        match (self, event.name.as_deref()) {
            (_, Some("error")) => Err(refusal(StatusCode::OK, &data)),
            (Self::Native, name @ Some("status" | "artifact")) => {
                Ok(answer::read_native(name, &data))
            }
            _ => self.read(StatusCode::OK, &data),
        }
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

#[cfg(test)]
mod tests {
    use serde_json::json;
    use synapse_a2a::message::Content;
    use synapse_a2a::task::TaskState;
    use synapse_a2a::wire::remote_task::RemoteTask;

    use super::*;

    fn read(dialect: Dialect, body: &Value) -> RemoteTask {
        let mut task = None;
        let update = dialect.read(StatusCode::OK, body).unwrap().unwrap();
        RemoteTask::fold(&mut task, update).clone()
    }

    #[test]
    fn a_task_is_read_in_every_dialect() {
        let v1 = json!({ "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_COMPLETED" },
            "artifacts": [{ "artifactId": "a", "parts": [{ "text": "hi" }] }] });
        let v03 = json!({ "kind": "task", "id": "t", "contextId": "c", "status": { "state": "completed" },
            "artifacts": [{ "artifactId": "a", "parts": [{ "kind": "text", "text": "hi" }] }] });
        let native = json!({ "task": { "id": "t", "context_id": "c", "status": { "state": "completed", "message": null, "error": null },
            "artifacts": [{ "type": "text", "name": "output", "parts": [{ "type": "text", "text": "hi" }] }] } });
        for (dialect, body) in [
            (
                Dialect::RpcV1,
                json!({ "jsonrpc": "2.0", "id": 1, "result": { "task": v1 } }),
            ),
            (
                Dialect::RpcV1,
                json!({ "jsonrpc": "2.0", "id": 1, "result": v1 }),
            ),
            (Dialect::RestV1, json!({ "task": v1 })),
            (Dialect::RestV1, v1.clone()),
            (
                Dialect::RpcV03,
                json!({ "jsonrpc": "2.0", "id": 1, "result": v03 }),
            ),
            (Dialect::Native, native),
        ] {
            let task = read(dialect, &body);
            assert_eq!(
                (task.id.as_str(), task.context.as_deref()),
                ("t", Some("c"))
            );
            assert_eq!(
                (task.state, task.reply().as_str()),
                (TaskState::Completed, "hi")
            );
        }
    }

    #[test]
    fn a_message_is_an_answer_without_a_task() {
        let message =
            json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "hi" }] });
        let mut old = message.clone();
        old["kind"] = json!("message");
        for (dialect, body) in [
            (Dialect::RpcV1, json!({ "result": { "message": message } })),
            (Dialect::RestV1, json!({ "message": message })),
            (Dialect::RpcV03, json!({ "result": old })),
        ] {
            let task = read(dialect, &body);
            assert_eq!((task.id.as_str(), task.reply().as_str()), ("", "hi"));
            assert!(task.is_settled());
        }
    }

    #[test]
    fn a_stream_is_read_in_every_dialect() {
        let v1 = [
            json!({ "task": { "id": "t", "status": { "state": "TASK_STATE_SUBMITTED" } } }),
            json!({ "statusUpdate": { "taskId": "t", "status": { "state": "TASK_STATE_WORKING" } } }),
            json!({ "artifactUpdate": { "taskId": "t", "artifact": { "artifactId": "a", "parts": [{ "text": "he" }] } } }),
            json!({ "artifactUpdate": { "taskId": "t", "append": true, "artifact": { "artifactId": "a", "parts": [{ "text": "y" }] } } }),
            json!({ "statusUpdate": { "taskId": "t", "status": { "state": "TASK_STATE_COMPLETED" } } }),
        ];
        let v03 = [
            json!({ "kind": "task", "id": "t", "status": { "state": "submitted" } }),
            json!({ "kind": "status-update", "taskId": "t", "status": { "state": "working" } }),
            json!({ "kind": "artifact-update", "taskId": "t", "artifact": { "artifactId": "a", "parts": [{ "kind": "text", "text": "he" }] } }),
            json!({ "kind": "artifact-update", "taskId": "t", "append": true, "artifact": { "artifactId": "a", "parts": [{ "kind": "text", "text": "y" }] } }),
            json!({ "kind": "status-update", "taskId": "t", "final": true, "status": { "state": "completed" } }),
        ];
        let native = [
            ("status", json!({ "taskId": "t", "state": "working" })),
            (
                "artifact",
                json!({ "taskId": "t", "artifactId": "a", "append": false,
                "artifact": { "type": "text", "parts": [{ "type": "text", "text": "he" }] } }),
            ),
            (
                "artifact",
                json!({ "taskId": "t", "artifactId": "a", "append": true,
                "artifact": { "type": "text", "parts": [{ "type": "text", "text": "y" }] } }),
            ),
            (
                "artifact",
                json!({ "taskId": "t", "artifactId": "a", "append": true, "lastChunk": true }),
            ),
            ("status", json!({ "taskId": "t", "state": "completed" })),
        ];
        let bare = |data: &Value| Event::new(data.to_string());
        let rpc = |data: &Value| {
            Event::new(json!({ "jsonrpc": "2.0", "id": 1, "result": data }).to_string())
        };
        let named = |(name, data): &(&str, Value)| Event {
            name: Some((*name).to_owned()),
            ..bare(data)
        };
        for (dialect, events) in [
            (Dialect::RestV1, v1.iter().map(bare).collect::<Vec<_>>()),
            (Dialect::RpcV1, v1.iter().map(rpc).collect()),
            (Dialect::RpcV03, v03.iter().map(rpc).collect()),
            (Dialect::Native, native.iter().map(named).collect()),
        ] {
            let mut task = None;
            for event in events {
                let update = dialect.read_event(&event).unwrap().unwrap();
                RemoteTask::fold(&mut task, update);
            }
            let task = task.unwrap();
            assert_eq!(
                (task.state, task.reply().as_str()),
                (TaskState::Completed, "hey"),
                "{dialect:?}"
            );
        }
    }

    #[test]
    fn a_native_part_is_read_as_it_was_written() {
        let file = Part {
            media_type: Some("image/png".to_owned()),
            filename: Some("a.png".to_owned()),
            ..Part::new(Content::Raw {
                bytes: vec![0, 255, 7],
            })
        };
        let url = Part::new(Content::Url {
            url: "https://example.com/a".to_owned(),
        });
        for part in [
            Part::text("hi"),
            Part::data(json!({ "a": 1 })),
            file,
            url,
            Part::data(json!([7])),
        ] {
            let written = json!({ "parts": [Dialect::Native.part(&part)] });
            assert_eq!(answer::parts(&written).first(), Some(&part), "{written}");
        }
    }

    #[test]
    fn a_refusal_keeps_its_words() {
        for (dialect, status, body, message, code) in [
            (
                Dialect::RpcV1,
                200,
                json!({ "error": { "code": -32001, "message": "no such task" } }),
                "no such task",
                Some(-32_001),
            ),
            (
                Dialect::RestV1,
                404,
                json!({ "error": { "code": 404, "message": "no such task" } }),
                "no such task",
                None,
            ),
            (
                Dialect::Native,
                404,
                json!({ "error": "no such task" }),
                "no such task",
                None,
            ),
            (
                Dialect::Native,
                404,
                json!({ "detail": "Not Found" }),
                "Not Found",
                None,
            ),
            (
                Dialect::Native,
                500,
                json!({}),
                "Internal Server Error",
                None,
            ),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            let Err(A2AError::Refused {
                message: said,
                code: number,
                ..
            }) = dialect.read(status, &body)
            else {
                panic!("{message} is a refusal");
            };
            assert_eq!((said.as_str(), number), (message, code));
        }
    }
}
