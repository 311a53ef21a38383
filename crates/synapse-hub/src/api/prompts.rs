//! Answers of people to questions.

use axum::extract::{Path, State};
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::Body;
use crate::Hub;
use crate::answering::{By, changed, give};
use crate::problem::Problem;
use crate::shapes::{Prompt, Session};

/// `POST /api/agents/{id}/prompt/{pid}/answer`
#[derive(Deserialize, ToSchema)]
pub(super) struct AnswerBody {
    /// yes, no, a label, its number or key; at a line any text.
    value: String,
    fingerprint: String,
}

/// Answers an agent's question.
#[utoipa::path(post, path = "/api/agents/{id}/prompt/{pid}/answer",
    params(("id" = String, Path), ("pid" = String, Path)), request_body = AnswerBody,
    responses((status = 200, description = "`{answered}`"), (status = 409, description = "prompt_changed, with the `prompt` there is now")))]
pub(super) async fn answer(
    State(hub): State<Hub>,
    Path((id, pid)): Path<(String, String)>,
    Extension(session): Extension<Session>,
    Body(given): Body<AnswerBody>,
) -> Result<Json<Value>, Problem> {
    let entry = hub.agent(&id)?;
    let prompt = hub.prompt(&entry);
    let is_it =
        |prompt: &&Prompt| prompt.id == pid && prompt.asked.fingerprint == given.fingerprint;
    let Some(prompt) = prompt.as_ref().filter(is_it) else {
        return Err(changed(prompt));
    };
    give(&hub, &entry, prompt, &given.value, By::Person(session.name)).await?;
    hub.auto.person_acted(&entry.agent_id);
    Ok(Json(json!({ "answered": true })))
}
