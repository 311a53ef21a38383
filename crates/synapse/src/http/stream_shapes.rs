//! The events of a task in the native dialect.

use serde_json::{Value, json};
use synapse_a2a::artifact::native_part;
use synapse_a2a::event::{Fact, Status};

use synapse_client::native::{MessageShape, time};
use synapse_session::Posted;

/// An event of the stream: its name and its data.
pub(super) fn event(posted: &Posted) -> (&'static str, Value) {
    let id = posted.task.as_str();
    let timestamp = time(posted.event.at);
    match &posted.event.fact {
        Fact::Submitted {
            context,
            message: said,
            origin,
            ..
        } => (
            "status",
            json!({
                "taskId": id, "contextId": context.as_str(), "state": "submitted",
                "message": MessageShape::of(said), "sender": origin.sender, "priority": origin.priority,
                "timestamp": timestamp,
            }),
        ),
        Fact::Moved { status } => {
            let mut data =
                json!({ "taskId": id, "state": status.state().name(), "timestamp": timestamp });
            if let Some(data) = data.as_object_mut() {
                match status {
                    Status::InputRequired { question } => {
                        data.insert("message".to_owned(), json!(question));
                    }
                    Status::Failed { failure } => {
                        data.insert("error".to_owned(), json!(failure));
                    }
                    Status::Canceled { reason } | Status::Rejected { reason } => {
                        data.insert("message".to_owned(), json!(reason));
                    }
                    Status::Submitted | Status::Working | Status::Completed => {}
                }
            }
            ("status", data)
        }
        Fact::ArtifactOpened { artifact, body } => (
            "artifact",
            json!({ "taskId": id, "artifactId": artifact.as_str(), "artifact": body.to_native_json(), "append": false }),
        ),
        Fact::ArtifactGrew { artifact, text } => (
            "artifact",
            json!({
                "taskId": id, "artifactId": artifact.as_str(), "append": true,
                "artifact": { "type": "text", "name": "output", "parts": [{ "type": "text", "text": text }] },
            }),
        ),
        Fact::ArtifactExtended { artifact, parts } => (
            "artifact",
            json!({
                "taskId": id, "artifactId": artifact.as_str(), "append": true,
                "artifact": { "type": "parts", "name": "output", "parts": parts.iter().map(native_part).collect::<Vec<_>>() },
            }),
        ),
        Fact::Answered { message: said } | Fact::Spoke { message: said } => (
            "message",
            json!({ "taskId": id, "message": MessageShape::of(said), "timestamp": timestamp }),
        ),
        Fact::Noted { text } => (
            "message",
            json!({ "taskId": id, "note": text, "timestamp": timestamp }),
        ),
        Fact::Replied { said } => (
            "message",
            json!({ "taskId": id, "reply": said.text, "source": said.source, "truncated": said.is_truncated, "timestamp": timestamp }),
        ),
        Fact::ArtifactClosed { artifact } => (
            "artifact",
            json!({ "taskId": id, "artifactId": artifact.as_str(), "append": true, "lastChunk": true }),
        ),
    }
}
