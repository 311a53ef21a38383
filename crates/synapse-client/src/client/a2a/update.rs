//! Reads an agent's answers and stream events as updates of a task. Lenient: extra or missing members do
//! not matter where the meaning is clear.

use hyper::StatusCode;
use serde_json::Value;
use synapse_a2a::task::TaskState;
use synapse_a2a::wire::sse::Event;

use super::task::{Piece, RemoteTask, Update};
use super::{A2AError, Dialect, dialect, parts};

impl Dialect {
    /// The news in an answer; nothing if it only says that all is well.
    pub(super) fn read(self, status: StatusCode, body: Value) -> Result<Option<Update>, A2AError> {
        // Errors of JSON-RPC come with a status of success, those of others do not.
        let is_refused = body.get("error").is_some_and(|error| !error.is_null());
        if !status.is_success() || is_refused {
            return Err(dialect::refusal(status, &body));
        }
        let answer = if self.is_rpc() {
            body.get("result").cloned().unwrap_or_default()
        } else {
            body
        };
        Ok(news(&answer))
    }

    /// The news in an event of a stream; nothing if it has none for us.
    pub(super) fn read_event(self, event: &Event) -> Result<Option<Update>, A2AError> {
        let Ok(data) = serde_json::from_str::<Value>(&event.data) else {
            return Ok(None);
        };
        if event.name.as_deref() == Some("error") {
            return Err(dialect::refusal(StatusCode::OK, &data));
        }
        match (self, event.name.as_deref()) {
            (Self::Native, Some("status")) => Ok(native_status(&data)),
            (Self::Native, Some("artifact")) => Ok(piece(&data, data.get("artifactId"))),
            _ => self.read(StatusCode::OK, data),
        }
    }
}

/// News in any spelling: wrapped by name (1.0, native), told by `kind` (0.3), or a bare task.
fn news(value: &Value) -> Option<Update> {
    if let Some(task) = value.get("task") {
        return Some(Update::Snapshot(task_of(task)?));
    }
    if let Some(message) = value.get("message").filter(|_| value.get("id").is_none()) {
        return Some(answer(message));
    }
    if let Some(update) = value.get("statusUpdate") {
        return status(update);
    }
    if let Some(update) = value.get("artifactUpdate") {
        return piece(update, None);
    }
    match value.get("kind").and_then(Value::as_str) {
        Some("message") => Some(answer(value)),
        Some("status-update") => status(value),
        Some("artifact-update") => piece(value, None),
        _ => Some(Update::Snapshot(task_of(value)?)),
    }
}

fn task_of(value: &Value) -> Option<RemoteTask> {
    let status = value.get("status")?;
    let pieces = value.get("artifacts").and_then(Value::as_array);
    let pieces = pieces.into_iter().flatten().enumerate();
    Some(RemoteTask {
        id: text(value, "id")?,
        context: text(value, "contextId").or_else(|| text(value, "context_id")),
        state: state_of(status.get("state")?.as_str()?),
        said: said(status),
        pieces: pieces
            .map(|(at, artifact)| piece_of(artifact, None, at))
            .collect(),
        exact: text(value, "reply"),
    })
}

/// An agent that answers at once makes no task.
fn answer(message: &Value) -> Update {
    Update::Snapshot(RemoteTask {
        state: TaskState::Completed,
        said: Some(words(message)),
        ..RemoteTask::begun(
            text(message, "taskId").unwrap_or_default(),
            text(message, "contextId"),
        )
    })
}

fn status(update: &Value) -> Option<Update> {
    let status = update.get("status")?;
    Some(Update::Status {
        id: text(update, "taskId")?,
        context: text(update, "contextId"),
        state: state_of(status.get("state")?.as_str()?),
        said: said(status),
    })
}

/// In the native dialect an event is the status itself.
fn native_status(data: &Value) -> Option<Update> {
    Some(Update::Status {
        id: text(data, "taskId")?,
        context: None,
        state: state_of(data.get("state")?.as_str()?),
        said: said(data),
    })
}

fn piece(update: &Value, name: Option<&Value>) -> Option<Update> {
    // The last chunk of our own streams holds nothing.
    let none = Value::Null;
    let artifact = update.get("artifact").unwrap_or(&none);
    Some(Update::Piece {
        id: text(update, "taskId")?,
        context: text(update, "contextId"),
        piece: piece_of(artifact, name, 0),
        appends: update.get("append").and_then(Value::as_bool) == Some(true),
    })
}

fn piece_of(artifact: &Value, name: Option<&Value>, at: usize) -> Piece {
    let name = name.and_then(Value::as_str).map(str::to_owned);
    let mut parts = parts::read_all(artifact.get("parts"));
    // The native dialect notes the language beside the parts, the protocol in them.
    let metadata = artifact.get("metadata").and_then(Value::as_object);
    if let (Some(metadata), Some(part)) = (metadata, parts.first_mut())
        && part.metadata.is_empty()
    {
        part.metadata.clone_from(metadata);
    }
    Piece {
        id: name
            .or_else(|| text(artifact, "artifactId"))
            .unwrap_or_else(|| at.to_string()),
        name: text(artifact, "name"),
        parts,
    }
}

/// What is said about a state: a message, a question of the native dialect, an error, or just words.
fn said(status: &Value) -> Option<String> {
    if let Some(error) = text(status.get("error").unwrap_or(&Value::Null), "message") {
        return Some(error);
    }
    let message = status.get("message").filter(|message| !message.is_null())?;
    if let Some(words) = message.as_str() {
        return Some(words.to_owned());
    }
    if let Some(prompt) = text(message, "prompt") {
        let options = message.get("options").and_then(Value::as_array);
        let options = options.into_iter().flatten().filter_map(Value::as_str);
        let lines: Vec<String> = std::iter::once(prompt)
            .chain(options.map(|option| format!("  {option}")))
            .collect();
        return Some(lines.join("\n"));
    }
    Some(words(message))
}

fn words(message: &Value) -> String {
    let parts = parts::read_all(message.get("parts"));
    let words: Vec<&str> = parts.iter().filter_map(|part| part.as_text()).collect();
    words.join("\n")
}

/// A state in any spelling. One that wants credentials waits for us like one that asks; one nobody knows is still
/// on its way.
fn state_of(word: &str) -> TaskState {
    let word = word.strip_prefix("TASK_STATE_").unwrap_or(word);
    match word.to_lowercase().replace('-', "_").as_str() {
        "submitted" => TaskState::Submitted,
        "input_required" | "auth_required" => TaskState::InputRequired,
        "completed" => TaskState::Completed,
        "failed" => TaskState::Failed,
        "canceled" | "cancelled" => TaskState::Canceled,
        "rejected" => TaskState::Rejected,
        _ => TaskState::Working,
    }
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(dialect: Dialect, body: Value) -> RemoteTask {
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
            let task = read(dialect, body);
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
            let task = read(dialect, body);
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
    fn a_question_and_a_failure_say_what_they_say() {
        let asked = json!({ "status": { "state": "input_required", "message":
            { "type": "selection", "prompt": "Which?", "options": ["a", "b"] } }, "id": "t" });
        assert_eq!(task_of(&asked).unwrap().said.unwrap(), "Which?\n  a\n  b");
        let failed = json!({ "status": { "state": "failed", "error": { "code": "X", "message": "no" } }, "id": "t" });
        assert_eq!(task_of(&failed).unwrap().said.unwrap(), "no");
        let asked = json!({ "status": { "state": "auth-required", "message":
            { "parts": [{ "kind": "text", "text": "log in" }] } }, "id": "t" });
        let task = task_of(&asked).unwrap();
        assert_eq!(
            (task.state, task.said.as_deref()),
            (TaskState::InputRequired, Some("log in"))
        );
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
            }) = dialect.read(status, body)
            else {
                panic!("{message} is a refusal");
            };
            assert_eq!((said.as_str(), number), (message, code));
        }
    }

    #[test]
    fn nonsense_is_no_news() {
        for odd in [
            json!(null),
            json!(7),
            json!([]),
            json!({}),
            json!({ "task": {} }),
            json!({ "statusUpdate": 1 }),
        ] {
            assert_eq!(Dialect::RestV1.read(StatusCode::OK, odd).unwrap(), None);
        }
        let event = Event::new("not json");
        assert_eq!(Dialect::RpcV1.read_event(&event).unwrap(), None);
    }
}
