//! A2A 1.0, as `ProtoJSON` writes it: camelCase, enums by their full names, the name of a member tells what
//! it is. Reading is in `read`.

mod read;

pub use read::{
    list_query, list_request, push_config, push_list_request, push_request, send_request,
    task_query, task_request,
};

pub(super) use read::{history, push as push_from, read_task, role};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::id::{ContextId, TaskId};
use crate::message::{Content, Message, Part, Role};
use crate::task::TaskState;

use super::narrator::Frame;
use super::object::Object;
use super::request::PushConfig;
use super::shown::Snapshot;
use super::spelling::Spelling;

const SPELLING: Spelling = Spelling {
    has_kind: false,
    has_final: false,
    state: state_name,
    role: role_name,
    parts: "parts",
    part,
    has_references: true,
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

/// A frame of a stream.
pub fn frame(frame: &Frame, task: &TaskId, context: &ContextId) -> Value {
    let (name, update) = SPELLING.frame(frame, task, context, false);
    Object::default().with(name, update).done()
}

/// A page of tasks. All four members are always there.
pub fn page(tasks: &[Snapshot], next: Option<&str>, page_size: usize, total: usize) -> Value {
    json!({
        "tasks": tasks.iter().map(task).collect::<Vec<_>>(),
        "nextPageToken": next.unwrap_or_default(),
        "pageSize": page_size,
        "totalSize": total,
    })
}

/// Where notifications go.
pub fn push(config: &PushConfig, task: &TaskId) -> Value {
    let authentication = config.authentication.as_ref().map(|authentication| {
        Object::default()
            .with("scheme", authentication.scheme.as_str())
            .maybe("credentials", authentication.credentials.as_deref())
            .done()
    });
    Object::default()
        .maybe("id", config.id.as_deref())
        .with("taskId", task.as_str())
        .with("url", config.url.as_str())
        .maybe("token", config.token.as_deref())
        .maybe("authentication", authentication)
        .done()
}

/// Everywhere notifications go.
pub fn pushes<'a>(configs: impl IntoIterator<Item = &'a PushConfig>, task: &TaskId) -> Value {
    let configs: Vec<Value> = configs.into_iter().map(|one| push(one, task)).collect();
    json!({ "configs": configs, "nextPageToken": "" })
}

/// The name of a state.
pub(super) fn state_name(state: TaskState) -> &'static str {
    match state {
        TaskState::Submitted => "TASK_STATE_SUBMITTED",
        TaskState::Working => "TASK_STATE_WORKING",
        TaskState::InputRequired => "TASK_STATE_INPUT_REQUIRED",
        TaskState::Completed => "TASK_STATE_COMPLETED",
        TaskState::Failed => "TASK_STATE_FAILED",
        TaskState::Canceled => "TASK_STATE_CANCELED",
        TaskState::Rejected => "TASK_STATE_REJECTED",
    }
}

/// The name of a role.
pub(super) fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "ROLE_USER",
        Role::Agent => "ROLE_AGENT",
    }
}

pub fn part(part: &Part) -> Value {
    let (name, value) = match &part.content {
        Content::Text { text } => ("text", json!(text)),
        Content::Raw { bytes } => ("raw", json!(STANDARD.encode(bytes))),
        Content::Url { url } => ("url", json!(url)),
        Content::Data { data } => ("data", data.clone()),
    };
    Object::default()
        .with(name, value)
        .maybe("mediaType", part.media_type.as_deref())
        .maybe("filename", part.filename.as_deref())
        .note(&part.metadata)
        .done()
}
