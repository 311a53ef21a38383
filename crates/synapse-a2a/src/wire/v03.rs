//! A2A 0.3 over JSON-RPC: everything says what it is in a `kind`, states and roles are plain words, an
//! answer is bare. Reading is in `read`.

mod read;

pub use read::{push_config, push_request, send_request, task_request};

pub(super) use read::{
    history, inner_push as push_from, part as part_from, parts, push_config_of, role, unwrapped,
    wish,
};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::id::{ContextId, TaskId};
use crate::message::{Content, Message, Part, Role};
use crate::task::TaskState;

use super::narrator::Frame;
use super::object::Object;
use super::request::PushConfig;
use super::shown::Snapshot;
use super::spelling::Spelling;

const SPELLING: Spelling = Spelling {
    has_kind: true,
    has_final: true,
    state: state_name,
    role: role_name,
    parts: "parts",
    part,
    has_references: true,
};

/// The mark of data that is no object, which 0.3 cannot hold bare. The reference servers use it too.
pub(super) const BARE_DATA: &str = "data_part_compat";

/// A task: what a message is answered with, and the first frame of a stream.
pub fn task(shown: &Snapshot) -> Value {
    SPELLING.task(shown)
}

/// What a message is answered with: another message. There is no task to go on with.
pub fn sent_message(said: &Message, context: &ContextId) -> Value {
    SPELLING.message(said, None, context)
}

/// A frame of a stream; `is_final` if the stream ends behind it.
pub fn frame(frame: &Frame, task: &TaskId, context: &ContextId, is_final: bool) -> Value {
    SPELLING.frame(frame, task, context, is_final).1
}

/// Where notifications go.
pub fn push(config: &PushConfig, task: &TaskId) -> Value {
    json!({ "taskId": task, "pushNotificationConfig": inner_push(config) })
}

/// Everywhere notifications go.
pub fn pushes<'a>(configs: impl IntoIterator<Item = &'a PushConfig>, task: &TaskId) -> Value {
    configs.into_iter().map(|one| push(one, task)).collect()
}

/// Where notifications go, without the task.
pub(super) fn inner_push(config: &PushConfig) -> Value {
    let authentication = config.authentication.as_ref().map(|authentication| {
        Object::default()
            .with("schemes", vec![json!(authentication.scheme)])
            .maybe("credentials", authentication.credentials.as_deref())
            .done()
    });
    Object::default()
        .maybe("id", config.id.as_deref())
        .with("url", config.url.as_str())
        .maybe("token", config.token.as_deref())
        .maybe("authentication", authentication)
        .done()
}

/// The name of a state.
pub(super) fn state_name(state: TaskState) -> &'static str {
    match state {
        TaskState::InputRequired => "input-required",
        other => other.name(),
    }
}

/// The name of a role.
pub(super) fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Agent => "agent",
    }
}

pub fn part(part: &Part) -> Value {
    typed_part(part, "kind")
}

/// A part, which says what it is in `kind`, or in `type` before 0.2.
pub(super) fn typed_part(part: &Part, kind: &str) -> Value {
    let mut metadata = part.metadata.clone();
    let (name, value) = match &part.content {
        Content::Text { text } => {
            // Text has no place of its own for this.
            if let Some(media) = &part.media_type {
                metadata.insert("mimeType".to_owned(), json!(media));
            }
            ("text", json!(text))
        }
        Content::Raw { bytes } => ("file", file(part, "bytes", &STANDARD.encode(bytes))),
        Content::Url { url } => ("file", file(part, "uri", url)),
        Content::Data { data } => ("data", object_of(data, &mut metadata)),
    };
    Object::default()
        .with(kind, name)
        .with(name, value)
        .note(&metadata)
        .done()
}

/// Data as an object: 0.3 has no other.
pub(super) fn object_of(data: &Value, metadata: &mut Map<String, Value>) -> Value {
    if data.is_object() {
        return data.clone();
    }
    metadata.insert(BARE_DATA.to_owned(), json!(true));
    json!({ "value": data })
}

/// A file, with its content under this name.
pub(super) fn file(part: &Part, content: &str, value: &str) -> Value {
    Object::default()
        .with(content, value)
        .maybe("name", part.filename.as_deref())
        .maybe("mimeType", part.media_type.as_deref())
        .done()
}
