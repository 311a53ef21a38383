//! The shapes of the seed dialect, and refusals as JSON.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use synapse_a2a::artifact::seed_part;
use synapse_a2a::event::{Fact, Status, Timestamp};
use synapse_a2a::message::{Message, Role};
use synapse_term::prompt::Prompt;
use synapse_term::reading::State;

use crate::session::{Posted, Record, Refusal};

/// A refusal: what is wrong, and what would be right.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    error: String,
}

impl Problem {
    pub(super) fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self {
            status,
            error: error.into(),
        }
    }

    pub(super) fn bad(error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.error }))).into_response()
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let status = match &refusal {
            Refusal::QueueFull(_) => StatusCode::TOO_MANY_REQUESTS,
            Refusal::NoSuchTask(_) => StatusCode::NOT_FOUND,
            Refusal::NotAsking(_) | Refusal::BadAnswer(_) => StatusCode::BAD_REQUEST,
            Refusal::Changed { .. } | Refusal::Over(_) => StatusCode::CONFLICT,
            Refusal::Stopping => StatusCode::SERVICE_UNAVAILABLE,
        };
        Self::new(status, refusal.to_string())
    }
}

/// A task as the seeds write it.
pub(super) fn task(record: &Record) -> Value {
    let task = &record.task;
    json!({
        "id": task.id().as_str(),
        "context_id": task.context().as_str(),
        "status": status(task.status(), task.updated_at()),
        "message": message(task.message()),
        "artifacts": task.artifacts().iter().map(|a| a.body.to_seed_json()).collect::<Vec<_>>(),
        "created_at": time(task.created_at()),
        "updated_at": time(task.updated_at()),
        "reply": task.reply().map(|said| said.text.as_str()),
        "source": task.reply().map(|said| said.source.name()),
    })
}

fn status(status: &Status, at: Timestamp) -> Value {
    let (mut message, mut error) = (Value::Null, Value::Null);
    match status {
        Status::InputRequired { question } => message = json!(question),
        Status::Failed { failure } => error = json!(failure),
        Status::Canceled { reason } | Status::Rejected { reason } => message = json!(reason),
        Status::Submitted | Status::Working | Status::Completed => {}
    }
    json!({ "state": status.state().name(), "message": message, "error": error, "timestamp": time(at) })
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::User => "user",
        Role::Agent => "agent",
    };
    json!({ "role": role, "parts": message.parts.iter().map(seed_part).collect::<Vec<_>>() })
}

/// An event of the stream: its name and its data.
pub(super) fn event(posted: &Posted) -> (&'static str, Value) {
    let id = posted.task.as_str();
    let timestamp = time(posted.event.at);
    match &posted.event.fact {
        Fact::Submitted { .. } => (
            "status",
            json!({ "taskId": id, "state": "submitted", "timestamp": timestamp }),
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
                    _ => {}
                }
            }
            ("status", data)
        }
        Fact::ArtifactOpened { artifact, body } => (
            "artifact",
            json!({ "taskId": id, "artifactId": artifact.as_str(), "artifact": body.to_seed_json(), "append": false }),
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
                "artifact": { "type": "parts", "name": "output", "parts": parts.iter().map(seed_part).collect::<Vec<_>>() },
            }),
        ),
        Fact::Answered { message: said } | Fact::Spoke { message: said } => (
            "message",
            json!({ "taskId": id, "message": message(said), "timestamp": timestamp }),
        ),
        Fact::Noted { text } => (
            "message",
            json!({ "taskId": id, "note": text, "timestamp": timestamp }),
        ),
        Fact::Replied { said } => (
            "message",
            json!({ "taskId": id, "reply": said.text, "source": said.source, "timestamp": timestamp }),
        ),
        Fact::ArtifactClosed { artifact } => (
            "artifact",
            json!({ "taskId": id, "artifactId": artifact.as_str(), "append": true, "lastChunk": true }),
        ),
    }
}

/// Whether a stream ends with this event.
pub(super) fn is_last(posted: &Posted) -> bool {
    matches!(&posted.event.fact, Fact::Moved { status } if status.state().is_final())
}

/// A question as `/status` tells it.
pub(super) fn prompt(prompt: &Prompt) -> Value {
    let option =
        |option: &synapse_term::prompt::Choice| json!({ "label": option.label, "key": option.key });
    json!({
        "kind": prompt.kind,
        "question": prompt.question,
        "options": prompt.options.iter().map(option).collect::<Vec<_>>(),
        "selected": prompt.selected,
        "default": prompt.default,
        "fingerprint": prompt.fingerprint.to_string(),
    })
}

/// A state as `/status` spells it.
pub(super) fn state(state: State) -> &'static str {
    match state {
        State::Starting => "STARTING",
        State::Idle => "IDLE",
        State::Busy => "BUSY",
        State::Asking => "INPUT_REQUIRED",
        State::Exited => "EXITED",
    }
}

fn time(at: Timestamp) -> String {
    let millis = i64::try_from(at.0).unwrap_or_default();
    jiff::Timestamp::from_millisecond(millis)
        .unwrap_or_default()
        .to_string()
}
