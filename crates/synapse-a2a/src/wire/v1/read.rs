//! What a 1.0 client asks for. Everything required is checked, and every field that is wrong is named.

use serde_json::{Map, Value};

use crate::id::{ContextId, MessageId, TaskId};
use crate::message::{Content, Message, Part, Role};
use crate::task::TaskState;
use crate::wire::fields::{Complaints, Fields, read};
use crate::wire::protocol_error::ProtocolError;
use crate::wire::request::{
    Authentication, History, ListRequest, Patience, PushConfig, PushRequest, SendRequest,
    StateFilter, TaskRequest, Wish,
};
use crate::wire::time;

/// A whole number that `ProtoJSON` can hold.
const ANY_COUNT: std::ops::RangeInclusive<i64> = 0..=i32::MAX as i64;

/// Reads a `SendMessageRequest`.
pub fn send_request(params: &Value) -> Result<SendRequest, ProtocolError> {
    read(params, read_send)
}

/// Reads a request about one task: `GetTask`, `CancelTask` and `SubscribeToTask` are alike.
pub fn task_request(params: &Value) -> Result<TaskRequest, ProtocolError> {
    read_task(params, history)
}

/// Reads a request about one task that says so how much of its conversation to tell.
pub(in crate::wire) fn read_task(
    params: &Value,
    history: impl Fn(&Fields<'_>, &mut Complaints) -> History,
) -> Result<TaskRequest, ProtocolError> {
    read(params, |fields, wrong| {
        let history = history(fields, wrong);
        let task = fields.required_text("id", wrong)?;
        Some(TaskRequest {
            task: TaskId::new(task),
            history,
        })
    })
}

/// Reads what a query adds to a task named by a path.
pub fn task_query(task: &str, query: &Map<String, Value>) -> Result<TaskRequest, ProtocolError> {
    let mut params = query.clone();
    params.insert("id".to_owned(), Value::String(task.to_owned()));
    task_request(&Value::Object(params))
}

/// Reads a `ListTasksRequest`.
pub fn list_request(params: &Value) -> Result<ListRequest, ProtocolError> {
    read(params, |fields, wrong| {
        Some(ListRequest {
            context: fields.text("contextId", wrong).map(ContextId::new),
            state: state_filter(fields, wrong),
            since: since(fields, wrong),
            page_size: fields.number("pageSize", 1..=100, wrong),
            page_token: fields.text("pageToken", wrong),
            history: history(fields, wrong),
            has_artifacts: fields.flag("includeArtifacts", wrong).unwrap_or_default(),
        })
    })
}

/// Reads a list request from a query.
pub fn list_query(query: &Map<String, Value>) -> Result<ListRequest, ProtocolError> {
    // An empty value in a query is a field left away, as an empty text is.
    let said = query.iter().filter(|(_, value)| value.as_str() != Some(""));
    let said = said.map(|(name, value)| (name.clone(), value.clone()));
    list_request(&Value::Object(said.collect()))
}

/// Reads a `TaskPushNotificationConfig`. In a REST request the path names the task.
pub fn push_config(
    params: &Value,
    task: Option<&str>,
) -> Result<(TaskId, PushConfig), ProtocolError> {
    read(params, |fields, wrong| {
        let config = read_push(fields, wrong);
        let task = match task {
            Some(task) => Some(task.to_owned()),
            None => fields.required_text("taskId", wrong),
        };
        Some((TaskId::new(task?), config?))
    })
}

/// Reads which of the notifications of a task is meant.
pub fn push_request(params: &Value) -> Result<PushRequest, ProtocolError> {
    read(params, |fields, wrong| {
        let id = fields.required_text("id", wrong);
        let task = fields.required_text("taskId", wrong);
        Some(PushRequest {
            task: TaskId::new(task?),
            id: Some(id?),
        })
    })
}

/// Reads whose notifications are asked for.
pub fn push_list_request(params: &Value) -> Result<TaskId, ProtocolError> {
    let task = |fields: &Fields<'_>, wrong: &mut Complaints| fields.required_text("taskId", wrong);
    read(params, task).map(TaskId::new)
}

/// How much of the conversation to tell.
pub(in crate::wire) fn history(fields: &Fields<'_>, wrong: &mut Complaints) -> History {
    let most = fields.number("historyLength", ANY_COUNT, wrong);
    most.map_or(History::All, History::Last)
}

/// An address that can be called: `http` or `https`, with a host.
fn url(fields: &Fields<'_>, wrong: &mut Complaints) -> Option<String> {
    let url = fields.required_text("url", wrong)?;
    let behind = ["http://", "https://"].iter().find_map(|scheme| {
        let (begin, rest) = url.split_at_checked(scheme.len())?;
        begin.eq_ignore_ascii_case(scheme).then_some(rest)
    });
    let host = behind.and_then(|rest| rest.split(['/', '?', '#']).next());
    if host.is_none_or(str::is_empty) || url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        wrong.add(fields.path("url"), "must be an http or https URL");
        return None;
    }
    Some(url)
}

fn read_send(fields: &Fields<'_>, wrong: &mut Complaints) -> Option<SendRequest> {
    let wish = match fields.object("configuration", wrong) {
        Some(configuration) => read_wish(&configuration, wrong),
        None => Wish::default(),
    };
    let metadata = fields.metadata("metadata", wrong);
    let message = fields.required_object("message", wrong)?;
    let task = message.text("taskId", wrong).map(TaskId::new);
    let context = message.text("contextId", wrong).map(ContextId::new);
    let message = read_message(&message, wrong)?;
    Some(SendRequest {
        message,
        task,
        context,
        wish,
        metadata,
    })
}

fn read_wish(fields: &Fields<'_>, wrong: &mut Complaints) -> Wish {
    let is_hasty = fields.flag("returnImmediately", wrong) == Some(true);
    let push = fields.object("taskPushNotificationConfig", wrong);
    Wish {
        patience: if is_hasty {
            Patience::None
        } else {
            Patience::UntilSettled
        },
        history: history(fields, wrong),
        push: push.and_then(|push| read_push(&push, wrong)),
        output_modes: fields.texts("acceptedOutputModes", wrong),
    }
}

fn read_push(fields: &Fields<'_>, wrong: &mut Complaints) -> Option<PushConfig> {
    let authentication = fields
        .object("authentication", wrong)
        .and_then(|authentication| {
            Some(Authentication {
                credentials: authentication.text("credentials", wrong),
                scheme: authentication.required_text("scheme", wrong)?,
            })
        });
    push(fields, authentication, wrong)
}

/// Where to send what happens. What goes into a header must fit into one.
pub(in crate::wire) fn push(
    fields: &Fields<'_>,
    authentication: Option<Authentication>,
    wrong: &mut Complaints,
) -> Option<PushConfig> {
    let token = fields.text("token", wrong);
    let scheme = authentication.as_ref().map(|one| one.scheme.as_str());
    let credentials = authentication
        .as_ref()
        .and_then(|one| one.credentials.as_deref());
    for (name, value) in [
        ("token", token.as_deref()),
        ("authentication.scheme", scheme),
        ("authentication.credentials", credentials),
    ] {
        let fits = |text: &str| text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if !value.is_none_or(fits) {
            wrong.add(fields.path(name), "must be printable ASCII");
        }
    }
    Some(PushConfig {
        id: fields.text("id", wrong),
        token,
        authentication,
        url: url(fields, wrong)?,
    })
}

fn read_message(fields: &Fields<'_>, wrong: &mut Complaints) -> Option<Message> {
    let id = fields.required_text("messageId", wrong);
    let role = role(fields, wrong);
    let parts = fields.list("parts", wrong);
    if parts.is_empty() {
        wrong.add(fields.path("parts"), "must have at least one part");
    }
    let parts = parts.into_iter();
    let parts = parts.filter_map(|(path, value)| read_part(value, path, wrong));
    let parts = parts.collect();
    let references = fields.texts("referenceTaskIds", wrong);
    Some(Message {
        metadata: fields.metadata("metadata", wrong),
        extensions: fields.texts("extensions", wrong),
        references: references.into_iter().map(TaskId::new).collect(),
        ..Message::new(MessageId::new(id?), role?, parts)
    })
}

pub(in crate::wire) fn role(fields: &Fields<'_>, wrong: &mut Complaints) -> Option<Role> {
    let said = fields.get("role");
    // `ProtoJSON` takes the number of an enum for its name.
    let role = match said {
        Some(Value::String(name)) if name == "ROLE_USER" => Some(Role::User),
        Some(Value::String(name)) if name == "ROLE_AGENT" => Some(Role::Agent),
        Some(Value::Number(number)) if number.as_i64() == Some(1) => Some(Role::User),
        Some(Value::Number(number)) if number.as_i64() == Some(2) => Some(Role::Agent),
        _ => None,
    };
    match (said, role) {
        (None, _) => fields.missing("role", wrong),
        (Some(_), None) => wrong.add(fields.path("role"), "must be ROLE_USER or ROLE_AGENT"),
        (Some(_), Some(_)) => {}
    }
    role
}

fn read_part(value: &Value, path: String, wrong: &mut Complaints) -> Option<Part> {
    const KINDS: [&str; 4] = ["text", "raw", "url", "data"];
    let fields = Fields::of(value, path.clone(), wrong)?;
    let given = KINDS.into_iter().filter(|kind| fields.get(kind).is_some());
    let content = match *given.collect::<Vec<_>>() {
        // Of the four, only data may be null and still be there.
        [] if fields.get_with_null("data").is_some() => Content::Data { data: Value::Null },
        ["text"] => {
            let Some(Value::String(text)) = fields.get("text") else {
                wrong.add(fields.path("text"), "must be a string");
                return None;
            };
            Content::Text { text: text.clone() }
        }
        ["raw"] => Content::Raw {
            bytes: fields.bytes("raw", wrong)?,
        },
        ["url"] => Content::Url {
            url: fields.required_text("url", wrong)?,
        },
        ["data"] => Content::Data {
            data: fields.get("data")?.clone(),
        },
        _ => {
            wrong.add(path, "must have exactly one of text, raw, url and data");
            return None;
        }
    };
    Some(Part {
        media_type: fields.text("mediaType", wrong),
        filename: fields.text("filename", wrong),
        metadata: fields.metadata("metadata", wrong),
        content,
    })
}

fn state_filter(fields: &Fields<'_>, wrong: &mut Complaints) -> StateFilter {
    let Some(said) = fields.text("status", wrong) else {
        return StateFilter::Any;
    };
    let states = TaskState::ALL.into_iter();
    match said.as_str() {
        "TASK_STATE_UNSPECIFIED" => StateFilter::Any,
        "TASK_STATE_AUTH_REQUIRED" => StateFilter::Never,
        name => {
            let mut known = states.filter(|state| super::state_name(*state) == name);
            known.next().map_or_else(
                || {
                    let wanted = "must be a state such as TASK_STATE_WORKING";
                    wrong.add(fields.path("status"), wanted);
                    StateFilter::Never
                },
                StateFilter::Is,
            )
        }
    }
}

fn since(fields: &Fields<'_>, wrong: &mut Complaints) -> Option<crate::event::Timestamp> {
    let said = fields.text("statusTimestampAfter", wrong)?;
    let at = time::read(&said);
    if at.is_none() {
        let wanted = "must be a time such as 2026-01-31T09:30:00Z";
        wrong.add(fields.path("statusTimestampAfter"), wanted);
    }
    at
}
