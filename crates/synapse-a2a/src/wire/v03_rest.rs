//! A2A 0.3 over HTTP+JSON, which is not 0.3 over JSON-RPC: its bodies are `ProtoJSON` of the 0.3 proto, with
//! `content` for parts, `TASK_STATE_CANCELLED` with two L, resource names for push configurations. Its
//! clients read strictly, so nothing may be added.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::id::{ContextId, MessageId, TaskId};
use crate::message::{Content, Message, Part, Role};
use crate::task::TaskState;

use super::fields::{Complaints, Fields, read};
use super::narrator::Frame;
use super::object::Object;
use super::protocol_error::ProtocolError;
use super::request::{Patience, PushConfig, SendRequest, TaskRequest, Wish};
use super::shown::Snapshot;
use super::spelling::Spelling;
use super::{v1, v03};

const SPELLING: Spelling = Spelling {
    has_kind: false,
    has_final: true,
    state: state_name,
    role: v1::role_name,
    parts: "content",
    part,
    has_references: false,
};

pub fn task(shown: &Snapshot) -> Value {
    SPELLING.task(shown)
}

/// What a message is answered with, and the first frame of a stream: the task.
pub fn sent_task(shown: &Snapshot) -> Value {
    json!({ "task": task(shown) })
}

/// What a message is answered with: another message. There is no task to go on with.
pub fn sent_message(said: &Message, context: &ContextId) -> Value {
    json!({ "message": SPELLING.message(said, None, context) })
}

/// A frame of a stream; `is_final` if the stream ends behind it.
pub fn frame(frame: &Frame, task: &TaskId, context: &ContextId, is_final: bool) -> Value {
    let (name, update) = SPELLING.frame(frame, task, context, is_final);
    Object::default().with(name, update).done()
}

/// Where notifications go.
pub fn push(config: &PushConfig, task: &TaskId) -> Value {
    let id = config.id.as_deref().unwrap_or_default();
    json!({
        "name": format!("tasks/{task}/pushNotificationConfigs/{id}"),
        "pushNotificationConfig": v03::inner_push(config),
    })
}

/// Everywhere notifications go.
pub fn pushes<'a>(configs: impl IntoIterator<Item = &'a PushConfig>, task: &TaskId) -> Value {
    let configs: Vec<Value> = configs.into_iter().map(|one| push(one, task)).collect();
    json!({ "configs": configs })
}

/// Reads a `SendMessageRequest` of the 0.3 proto.
pub fn send_request(body: &Value) -> Result<SendRequest, ProtocolError> {
    read(body, read_send)
}

/// Reads what a query adds to a task named by a path.
pub fn task_query(task: &str, query: &Map<String, Value>) -> Result<TaskRequest, ProtocolError> {
    let mut params = query.clone();
    params.insert("id".to_owned(), Value::String(task.to_owned()));
    v03::task_request(&Value::Object(params))
}

/// Reads a configuration for a task named by the path. Clients send the request of the proto, its `config`
/// member or what is inside that; all three are understood.
pub fn push_config(body: &Value) -> Result<PushConfig, ProtocolError> {
    read(body, |fields, wrong| {
        let mut fields = fields.clone();
        let mut name = fields.text("configId", wrong);
        for wrapping in ["config", "pushNotificationConfig"] {
            fields = fields.object(wrapping, wrong).unwrap_or(fields);
        }
        let mut config = v03::push_from(&fields, wrong)?;
        config.id = config.id.or_else(|| name.take());
        Some(config)
    })
}

fn state_name(state: TaskState) -> &'static str {
    match state {
        TaskState::Canceled => "TASK_STATE_CANCELLED",
        other => v1::state_name(other),
    }
}

fn part(part: &Part) -> Value {
    let mut metadata = part.metadata.clone();
    let (name, value) = match &part.content {
        Content::Text { text } => {
            if let Some(media) = &part.media_type {
                metadata.insert("mimeType".to_owned(), json!(media));
            }
            ("text", json!(text))
        }
        Content::Raw { bytes } => {
            let bytes = STANDARD.encode(bytes);
            ("file", v03::file(part, "fileWithBytes", &bytes))
        }
        Content::Url { url } => ("file", v03::file(part, "fileWithUri", url)),
        Content::Data { data } => {
            let data = v03::object_of(data, &mut metadata);
            ("data", json!({ "data": data }))
        }
    };
    Object::default().with(name, value).note(&metadata).done()
}

fn read_send(fields: &Fields<'_>, wrong: &mut Complaints) -> Option<SendRequest> {
    let wish = match fields.object("configuration", wrong) {
        Some(configuration) => wish(&configuration, wrong),
        None => Wish::default(),
    };
    let metadata = fields.metadata("metadata", wrong);
    // The proto calls it `request`, its JSON name is `message`; parsers take both.
    let name = if fields.get("message").is_none() && fields.get("request").is_some() {
        "request"
    } else {
        "message"
    };
    let said = fields.required_object(name, wrong)?;
    let id = said.required_text("messageId", wrong);
    let role: Option<Role> = v1::role(&said, wrong);
    let parts = v03::parts(&said, "content", wrong, read_part);
    let message = Message {
        metadata: said.metadata("metadata", wrong),
        extensions: said.texts("extensions", wrong),
        ..Message::new(MessageId::new(id?), role?, parts)
    };
    Some(SendRequest {
        message,
        task: said.text("taskId", wrong).map(TaskId::new),
        context: said.text("contextId", wrong).map(ContextId::new),
        wish,
        metadata,
    })
}

/// How to be answered. Clients write the proto, which leaves `false` away: who says how to be answered, and
/// not to wait, does not want to wait.
fn wish(fields: &Fields<'_>, wrong: &mut Complaints) -> Wish {
    let is_hasty = fields.get("blocking").is_none();
    let wish = v03::wish(fields, "pushNotification", wrong);
    Wish {
        patience: if is_hasty {
            Patience::None
        } else {
            wish.patience
        },
        ..wish
    }
}

fn read_part(value: &Value, path: String, wrong: &mut Complaints) -> Option<Part> {
    let fields = Fields::of(value, path.clone(), wrong)?;
    let mut metadata = fields.metadata("metadata", wrong);
    let content = match (fields.get("text"), fields.get("file"), fields.get("data")) {
        (Some(Value::String(text)), None, None) => Part::text(text),
        (None, Some(_), None) => read_file(&fields.object("file", wrong)?, wrong)?,
        (None, None, Some(_)) => {
            let wrapped = fields.object("data", wrong)?;
            let Some(data) = wrapped.get("data") else {
                wrapped.missing("data", wrong);
                return None;
            };
            Part::data(v03::unwrapped(data, &mut metadata))
        }
        _ => {
            wrong.add(path, "must have exactly one of text, file and data");
            return None;
        }
    };
    Some(Part {
        metadata,
        ..content
    })
}

fn read_file(fields: &Fields<'_>, wrong: &mut Complaints) -> Option<Part> {
    let content = if fields.get("fileWithBytes").is_some() {
        let bytes = fields.bytes("fileWithBytes", wrong)?;
        Content::Raw { bytes }
    } else {
        let url = fields.required_text("fileWithUri", wrong)?;
        Content::Url { url }
    };
    Some(Part {
        media_type: fields.text("mimeType", wrong),
        filename: fields.text("name", wrong),
        ..Part::new(content)
    })
}
