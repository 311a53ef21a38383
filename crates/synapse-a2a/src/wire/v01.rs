//! The first published A2A, over JSON-RPC: the client names the task and there are no message ids, so the
//! name it chose is kept as the id of its message, and the task is found by it. Parts and artifacts say
//! their place and type inside.

use serde_json::{Value, json};

use crate::id::{ContextId, MessageId, TaskId};
use crate::message::{Message, Part};
use crate::task::Task;

use super::fields::{Complaints, Fields, read};
use super::narrator::{Frame, Growth};
use super::object::Object;
use super::protocol_error::ProtocolError;
use super::request::{PushConfig, SendRequest, Wish};
use super::shown::{Piece, Snapshot, Standing};
use super::{time, v03};

/// A task, under the name its client gave it.
pub fn task(shown: &Snapshot, name: &str) -> Value {
    let pieces = shown.pieces.iter().flatten().enumerate();
    Object::default()
        .with("id", name)
        .with("sessionId", shown.context.as_str())
        .with("status", status(&shown.standing))
        .list(
            "artifacts",
            pieces
                .map(|(index, piece)| artifact(piece, index).done())
                .collect(),
        )
        .list("history", shown.history.iter().map(message).collect())
        .note(&shown.metadata)
        .done()
}

/// A frame of a stream; `is_final` if the stream ends behind it. An artifact is told by its place.
pub fn frame(frame: &Frame, task: &Task, name: &str, is_final: bool) -> Value {
    match frame {
        Frame::Standing { standing, metadata } => Object::default()
            .with("id", name)
            .with("status", status(standing))
            .with("final", is_final)
            .note(metadata)
            .done(),
        Frame::Piece {
            piece,
            growth,
            is_last,
        } => {
            let mut known = task.artifacts().iter();
            let index = known.position(|one| one.id == piece.id).unwrap_or_default();
            let artifact = artifact(piece, index)
                .with("append", *growth == Growth::More)
                .with("lastChunk", *is_last);
            json!({ "id": name, "artifact": artifact.done() })
        }
    }
}

/// Where notifications go. There is one place for each task, and it has no name.
pub fn push(config: &PushConfig, name: &str) -> Value {
    let nameless = PushConfig {
        id: None,
        ..config.clone()
    };
    json!({ "id": name, "pushNotificationConfig": v03::inner_push(&nameless) })
}

/// Reads `TaskSendParams`. The task is not looked up here: a name may be new or that of a task that waits.
pub fn send_request(params: &Value) -> Result<SendRequest, ProtocolError> {
    read(params, read_send)
}

/// Reads `TaskPushNotificationConfig`: the task, by the name its client gave it, and where to.
pub fn push_config(params: &Value) -> Result<(TaskId, PushConfig), ProtocolError> {
    v03::push_config_of("id", params)
}

fn read_send(fields: &Fields<'_>, wrong: &mut Complaints) -> Option<SendRequest> {
    let name = fields.required_text("id", wrong);
    let push = fields.object("pushNotification", wrong);
    let wish = Wish {
        history: v03::history(fields, wrong),
        push: push.and_then(|push| v03::push_from(&push, wrong)),
        output_modes: fields.texts("acceptedOutputModes", wrong),
        ..Wish::default()
    };
    let metadata = fields.metadata("metadata", wrong);
    let said = fields.required_object("message", wrong)?;
    let role = v03::role(&said, wrong);
    let parts = v03::parts(&said, "parts", wrong, v03::part_from);
    let message = Message {
        metadata: said.metadata("metadata", wrong),
        ..Message::new(MessageId::new(name?), role?, parts)
    };
    Some(SendRequest {
        message,
        task: None,
        context: fields.text("sessionId", wrong).map(ContextId::new),
        wish,
        metadata,
    })
}

fn status(standing: &Standing) -> Value {
    Object::default()
        .with("state", v03::state_name(standing.state))
        .with("timestamp", time::write(standing.at))
        .maybe("message", standing.message.as_ref().map(message))
        .done()
}

fn message(said: &Message) -> Value {
    Object::default()
        .with("role", v03::role_name(said.role))
        .with("parts", parts(&said.parts))
        .note(&said.metadata)
        .done()
}

fn artifact(piece: &Piece, index: usize) -> Object {
    Object::default()
        .with("index", index)
        .maybe("name", piece.name.as_deref())
        .maybe("description", piece.description.as_deref())
        .with("parts", parts(&piece.parts))
        .note(&piece.metadata)
}

fn parts(parts: &[Part]) -> Vec<Value> {
    parts
        .iter()
        .map(|one| v03::typed_part(one, "type"))
        .collect()
}
