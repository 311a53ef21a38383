//! Answers to questions. Answering is a race: an answer names the question it is for, and one that
//! has changed is not answered.

use axum::extract::{Path, State};
use axum::{Extension, Json};
use hyper::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::Body;
use crate::hub::Hub;
use crate::hub::agents::ask;
use crate::hub::live::{Answer, Change};
use crate::hub::problem::Problem;
use crate::hub::shapes::{Prompt, Session};

/// `POST /api/agents/{id}/prompt/{pid}/answer`
#[derive(Deserialize, ToSchema)]
pub(super) struct Given {
    /// yes, no, a label, its number or key; at a line any text.
    value: String,
    fingerprint: String,
}

/// Answers a question.
#[utoipa::path(post, path = "/api/agents/{id}/prompt/{pid}/answer",
    params(("id" = String, Path), ("pid" = String, Path)), request_body = Given,
    responses((status = 200, description = "`{answered}`"), (status = 409, description = "prompt_changed, with the `prompt` there is now")))]
pub(super) async fn answer(
    State(hub): State<Hub>,
    Path((id, pid)): Path<(String, String)>,
    Extension(session): Extension<Session>,
    Body(given): Body<Given>,
) -> Result<Json<Value>, Problem> {
    let entry = hub.agent(&id)?;
    let prompt = hub.prompt(&entry);
    let is_it =
        |prompt: &&Prompt| prompt.id == pid && prompt.asked.fingerprint == given.fingerprint;
    let Some(prompt) = prompt.as_ref().filter(is_it) else {
        return Err(changed(prompt));
    };
    let answer = Answer {
        prompt: prompt.id.clone(),
        value: match prompt.asked.kind.as_str() {
            "password" => String::new(),
            _ => given.value.clone(),
        },
        by: session.name,
    };
    // Noted before: the question may be closed by the time the agent has answered us.
    hub.live
        .apply(Change::Answered(entry.agent_id.clone(), answer));
    let body = json!({ "value": given.value, "fingerprint": given.fingerprint });
    let Err(problem) = ask(&entry, Method::POST, "/answer", Some(&body)).await else {
        return Ok(Json(json!({ "answered": true })));
    };
    if !problem.is_client_error() {
        return Err(problem);
    }
    // Refused: either the question is another one, or the answer does not fit it.
    hub.refresh(&entry).await?;
    match hub.prompt(&entry) {
        Some(now) if now.asked.fingerprint == given.fingerprint => {
            Err(problem.called("bad_answer"))
        }
        now => Err(changed(now)),
    }
}

fn changed(now: Option<Prompt>) -> Problem {
    let error = match &now {
        Some(now) => format!(
            "this question has changed: it is now «{}»",
            now.asked.question
        ),
        None => "this question is not asked any more".to_owned(),
    };
    Problem::conflict("prompt_changed", error).with("prompt", now)
}
