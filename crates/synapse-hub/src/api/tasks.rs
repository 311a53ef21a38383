//! Tasks: list, show, answer, cancel.

use axum::extract::{Path, State};
use axum::{Extension, Json};
use hyper::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::talk::Page;
use super::{Body, Words};
use crate::Hub;
use crate::agents::ask;
use crate::history;
use crate::live;
use crate::problem::Problem;
use crate::shapes::Session;

/// Lists the tasks of all agents.
#[utoipa::path(get, path = "/api/tasks", params(Page),
    responses((status = 200, description = "`{tasks, next}`, the newest first")))]
pub(super) async fn list(
    State(hub): State<Hub>,
    Words(page): Words<Page>,
) -> Result<Json<Value>, Problem> {
    let (tasks, next) = history::page(&hub, page.wanted()).await?;
    Ok(Json(json!({ "tasks": tasks, "next": next })))
}

/// Gets a task.
#[utoipa::path(get, path = "/api/tasks/{id}", params(("id" = String, Path)),
    responses((status = 200, description = "`{task}`"), (status = 404, description = "no_such_task")))]
pub(super) async fn show(
    State(hub): State<Hub>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    let (_, task) = history::find(&hub, &id).await?;
    Ok(Json(json!({ "task": task })))
}

/// `POST /api/tasks/{id}/input`
#[derive(Deserialize, ToSchema)]
pub(super) struct Input {
    input: String,
    /// Which question is meant.
    fingerprint: Option<String>,
}

/// Answers the question of a task.
#[utoipa::path(post, path = "/api/tasks/{id}/input", params(("id" = String, Path)), request_body = Input,
    responses((status = 200, description = "`{answered}`"), (status = 400, description = "nothing_asked"), (status = 409, description = "prompt_changed")))]
pub(super) async fn input(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Extension(session): Extension<Session>,
    Body(input): Body<Input>,
) -> Result<Json<Value>, Problem> {
    let (entry, task) = history::find_running(&hub, &id).await?;
    let state = task.pointer("/status/state").and_then(Value::as_str);
    if let Some(state) = state.filter(|state| live::is_over(state)) {
        let error = format!("the task is {state} already");
        return Err(Problem::conflict("task_over", error));
    }
    let path = format!("/tasks/{id}/input");
    let body =
        json!({ "input": input.input, "fingerprint": input.fingerprint, "by": session.name });
    let answered = ask(&entry, Method::POST, &path, Some(&body)).await;
    answered.map_err(|problem| match problem.status().as_u16() {
        409 => problem.called("prompt_changed"),
        400 if state == Some("input_required") => problem.called("bad_answer"),
        400 => problem.called("nothing_asked"),
        _ => problem,
    })?;
    hub.auto.person_acted(&entry.agent_id);
    Ok(Json(json!({ "answered": true })))
}

/// Cancels a task.
#[utoipa::path(post, path = "/api/tasks/{id}/cancel", params(("id" = String, Path)),
    responses((status = 200, description = "`{task}`"), (status = 409, description = "task_over")))]
pub(super) async fn cancel(
    State(hub): State<Hub>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    let (entry, _) = history::find_running(&hub, &id).await?;
    let path = format!("/tasks/{id}/cancel");
    let answer = ask(&entry, Method::POST, &path, Some(&json!({}))).await?;
    Ok(Json(json!({ "task": history::whole(&entry, answer) })))
}
