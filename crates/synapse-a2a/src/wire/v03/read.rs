//! What a 0.3 client asks for over JSON-RPC. A part may leave its `kind` away where only one can be meant.

use serde_json::{Map, Value};

use super::BARE_DATA;
use crate::id::{ContextId, MessageId, TaskId};
use crate::message::{Content, Message, Part, Role};
use crate::wire::fields::{Complaints, Fields, read};
use crate::wire::protocol_error::ProtocolError;
use crate::wire::request::{
    Authentication, History, Patience, PushConfig, PushRequest, SendRequest, TaskRequest, Wish,
};
use crate::wire::v1;

/// Reads `MessageSendParams`.
pub fn send_request(params: &Value) -> Result<SendRequest, ProtocolError> {
    read(params, read_send)
}

/// Reads `TaskQueryParams` and `TaskIdParams`.
pub fn task_request(params: &Value) -> Result<TaskRequest, ProtocolError> {
    v1::read_task(params, history)
}

/// Reads a `TaskPushNotificationConfig`.
pub fn push_config(params: &Value) -> Result<(TaskId, PushConfig), ProtocolError> {
    push_config_of("taskId", params)
}

/// Reads a configuration and the task it is for, which is named by this member.
pub(in crate::wire) fn push_config_of(
    task: &str,
    params: &Value,
) -> Result<(TaskId, PushConfig), ProtocolError> {
    read(params, |fields, wrong| {
        let task = fields.required_text(task, wrong);
        let config = fields.required_object("pushNotificationConfig", wrong);
        let config = config.and_then(|config| inner_push(&config, wrong));
        Some((TaskId::new(task?), config?))
    })
}

/// Reads which of the notifications of a task is meant; all or the only one if none is named.
pub fn push_request(params: &Value) -> Result<PushRequest, ProtocolError> {
    read(params, |fields, wrong| {
        let id = fields.text("pushNotificationConfigId", wrong);
        let task = fields.required_text("id", wrong)?;
        Some(PushRequest {
            task: TaskId::new(task),
            id,
        })
    })
}

/// How much of the conversation to tell; here 0 is no limit.
pub(in crate::wire) fn history(fields: &Fields<'_>, wrong: &mut Complaints) -> History {
    match v1::history(fields, wrong) {
        History::Last(0) => History::All,
        other => other,
    }
}

/// How to be answered. Who does not say, waits.
pub(in crate::wire) fn wish(fields: &Fields<'_>, push: &str, wrong: &mut Complaints) -> Wish {
    let is_hasty = fields.flag("blocking", wrong) == Some(false);
    let push = fields.object(push, wrong);
    Wish {
        patience: if is_hasty {
            Patience::None
        } else {
            Patience::UntilSettled
        },
        history: history(fields, wrong),
        push: push.and_then(|push| inner_push(&push, wrong)),
        output_modes: fields.texts("acceptedOutputModes", wrong),
    }
}

/// Where notifications go.
pub(in crate::wire) fn inner_push(
    fields: &Fields<'_>,
    wrong: &mut Complaints,
) -> Option<PushConfig> {
    let authentication = fields
        .object("authentication", wrong)
        .and_then(|authentication| {
            let schemes = authentication.texts("schemes", wrong);
            let credentials = authentication.text("credentials", wrong);
            // Of several, the first is the one we can serve without asking back.
            let scheme = schemes.into_iter().next()?;
            Some(Authentication {
                scheme,
                credentials,
            })
        });
    v1::push_from(fields, authentication, wrong)
}

/// The parts of a message, under this name; there must be one.
pub(in crate::wire) fn parts(
    fields: &Fields<'_>,
    name: &str,
    wrong: &mut Complaints,
    read: impl Fn(&Value, String, &mut Complaints) -> Option<Part>,
) -> Vec<Part> {
    let parts = fields.list(name, wrong);
    let is_list = fields.get(name).is_none_or(Value::is_array);
    if parts.is_empty() && is_list {
        wrong.add(fields.path(name), "must have at least one part");
    }
    let parts = parts.into_iter();
    parts
        .filter_map(|(path, value)| read(value, path, wrong))
        .collect()
}

/// A part that says what it is in `kind` or `type`.
pub(in crate::wire) fn part(value: &Value, path: String, wrong: &mut Complaints) -> Option<Part> {
    let fields = Fields::of(value, path.clone(), wrong)?;
    let said = fields
        .text("kind", wrong)
        .or_else(|| fields.text("type", wrong));
    let has = |name: &str| fields.get(name).is_some();
    let kind = said.as_deref().or_else(|| {
        let mut names = ["text", "file", "data"].into_iter();
        names.find(|name| has(name))
    });
    match kind {
        Some("text") => {
            let Some(Value::String(text)) = fields.get("text") else {
                wrong.add(fields.path("text"), "must be a string");
                return None;
            };
            let mut part = Part::text(text);
            part.metadata = fields.metadata("metadata", wrong);
            Some(part)
        }
        Some("file") => {
            if !has("file") {
                fields.missing("file", wrong);
            }
            let mut part = file(&fields.object("file", wrong)?, wrong)?;
            part.metadata = fields.metadata("metadata", wrong);
            Some(part)
        }
        Some("data") => {
            let Some(data) = fields.get("data") else {
                fields.missing("data", wrong);
                return None;
            };
            let mut metadata = fields.metadata("metadata", wrong);
            let data = unwrapped(data, &mut metadata);
            Some(Part {
                metadata,
                ..Part::data(data)
            })
        }
        _ => {
            wrong.add(path, "must have the kind text, file or data");
            None
        }
    }
}

/// Data as it was before it was wrapped, because it is no object, and marked in the metadata of its part.
pub(in crate::wire) fn unwrapped(data: &Value, metadata: &mut Map<String, Value>) -> Value {
    let mark = metadata.remove(BARE_DATA);
    match (mark, data.get("value")) {
        (Some(Value::Bool(true)), Some(value)) => value.clone(),
        _ => data.clone(),
    }
}

fn file(fields: &Fields<'_>, wrong: &mut Complaints) -> Option<Part> {
    let content = if fields.get("bytes").is_some() {
        let bytes = fields.bytes("bytes", wrong)?;
        Content::Raw { bytes }
    } else {
        // Some clients of the time wrote `url`.
        let url = fields
            .text("uri", wrong)
            .or_else(|| fields.text("url", wrong));
        let Some(url) = url else {
            wrong.add(fields.path("uri"), "must be there where 'bytes' is not");
            return None;
        };
        Content::Url { url }
    };
    Some(Part {
        media_type: fields.text("mimeType", wrong),
        filename: fields.text("name", wrong),
        ..Part::new(content)
    })
}

fn read_send(fields: &Fields<'_>, wrong: &mut Complaints) -> Option<SendRequest> {
    let wish = match fields.object("configuration", wrong) {
        Some(configuration) => wish(&configuration, "pushNotificationConfig", wrong),
        None => Wish::default(),
    };
    let metadata = fields.metadata("metadata", wrong);
    let said = fields.required_object("message", wrong)?;
    let id = said.required_text("messageId", wrong);
    let role = role(&said, wrong);
    let parts = parts(&said, "parts", wrong, part);
    let references = said.texts("referenceTaskIds", wrong);
    let message = Message {
        metadata: said.metadata("metadata", wrong),
        extensions: said.texts("extensions", wrong),
        references: references.into_iter().map(TaskId::new).collect(),
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

pub(in crate::wire) fn role(fields: &Fields<'_>, wrong: &mut Complaints) -> Option<Role> {
    let role = match fields.get("role") {
        None => {
            fields.missing("role", wrong);
            return None;
        }
        Some(said) => match said.as_str() {
            Some("user") => Some(Role::User),
            Some("agent") => Some(Role::Agent),
            _ => None,
        },
    };
    if role.is_none() {
        wrong.add(fields.path("role"), "must be user or agent");
    }
    role
}
