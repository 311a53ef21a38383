//! `/message` and `/response`: the plainest way to ask an agent for something.

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};
use synapse_a2a::event::Origin;
use synapse_a2a::id::{MessageId, TaskId};
use synapse_a2a::message::{Message, Role};
use utoipa::ToSchema;

use super::incoming::{self, Body, Caller};
use super::problem::{Problem, ProblemBody};
use super::{ServerState, archive, callback};
use synapse_client::native::ResponseShape;
use synapse_session::{Priority, Submission};

/// What `/message` takes.
#[derive(Deserialize, ToSchema)]
pub(super) struct MessageBody {
    content: String,
    /// A whole number from 1 to 5.
    #[serde(default = "normal")]
    #[schema(value_type = u8)]
    priority: Value,
    /// Where the answer is shown. It is always kept for `/response` as well.
    #[serde(default)]
    response_mode: Option<ResponseMode>,
    #[serde(default)]
    callback_url: Option<String>,
    #[serde(default)]
    sender: Option<String>,
}

/// Where an answer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ResponseMode {
    /// To the agent's own screen.
    Display,
    /// Back to who asked.
    Return,
}

/// Send a message
#[utoipa::path(post, path = "/message", tag = "message", request_body = MessageBody,
    responses(
        (status = 200, description = "done", body = Object),
        (status = "4XX", description = "refused, and why", body = ProblemBody)
    )
)]
pub(super) async fn send(
    State(served): State<ServerState>,
    caller: Caller,
    Body(body): Body<MessageBody>,
) -> Result<Json<Value>, Problem> {
    let priority = body.priority.as_u64().and_then(Priority::new);
    let priority = priority.ok_or_else(|| {
        Problem::bad(format!(
            "priority '{}' is not a whole number from 1 to 5",
            body.priority
        ))
    })?;
    let callback = body.callback_url.as_deref();
    let callback = callback.map(callback::check).transpose()?;
    if body.response_mode == Some(ResponseMode::Display) && callback.is_some() {
        return Err(Problem::bad(
            "a 'callback_url' is for answers that are returned; 'response_mode' must be \"return\"",
        ));
    }
    let id = MessageId::new(uuid::Uuid::new_v4().to_string());
    let origin = Origin {
        sender: incoming::sender(body.sender.as_deref(), &caller)?,
        priority: priority.number(),
        hops: 0,
        via: caller.via(),
    };
    let submission = Submission {
        message: Message::text(id, Role::User, body.content),
        context: None,
        origin,
        is_raw: false,
    };
    let task = served.session.send(submission).await?;
    if let Some(url) = callback {
        callback::when_over(&served, &task, url);
    }
    Ok(Json(json!({
        "status": "sent",
        "priority": priority.number(),
        "task_id": task.as_str(),
    })))
}

/// Get the reply to a message
#[utoipa::path(get, path = "/response/{id}", tag = "message", params(("id" = String, Path, description = "the task")),
    responses(
        (status = 200, description = "done", body = ResponseShape),
        (status = "4XX", description = "refused, and why", body = ProblemBody)
    )
)]
pub(super) async fn response(
    State(served): State<ServerState>,
    Path(id): Path<String>,
) -> Result<Json<ResponseShape>, Problem> {
    let record = archive::find(&served, &TaskId::new(id)).await?;
    Ok(Json(ResponseShape::of(&record.task)))
}

fn normal() -> Value {
    json!(1)
}
