//! `/reply`: lets the wrapped program submit the reply to its current task itself.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::ServerState;
use super::incoming::Body;
use super::problem::{Problem, ProblemBody};
use synapse_session::Command;

/// What `/reply` takes.
#[derive(Deserialize, ToSchema)]
pub(super) struct ReplyBody {
    text: String,
}

/// Submit the reply to the current task
#[utoipa::path(post, path = "/reply", tag = "agent", request_body = ReplyBody,
    responses(
        (status = 200, description = "the reply is the task's", body = Object),
        (status = "4XX", description = "refused, and why", body = ProblemBody)
    )
)]
pub(super) async fn reply(
    State(served): State<ServerState>,
    Body(body): Body<ReplyBody>,
) -> Result<Json<Value>, Problem> {
    if body.text.trim().is_empty() {
        return Err(Problem::bad("'text' is empty"));
    }
    let task = served
        .session
        .ask(|done| Command::Reply(body.text, done))
        .await??;
    Ok(Json(
        json!({ "status": "replied", "task_id": task.as_str() }),
    ))
}
