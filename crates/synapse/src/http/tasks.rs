//! Tasks in the native dialect: send, show, follow, answer, cancel.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};
use synapse_a2a::act::Actor;
use synapse_a2a::event::Origin;
use synapse_a2a::id::{ContextId, TaskId};
use utoipa::{IntoParams, ToSchema};

use super::incoming::{Body, Caller, actor, hops, message, sender};
use super::problem::{Problem, ProblemBody};
use super::shapes;
use super::{ServerState, archive, events};
use synapse_client::native::{TaskAnswer, TasksAnswer};
use synapse_session::{Answer, Priority, Submission};

/// What `/tasks/send` takes. Who is not in it: the guard knows.
#[derive(Deserialize, ToSchema)]
pub(super) struct SendBody {
    message: Value,
    #[serde(default)]
    sender: Option<String>,
    #[serde(default, alias = "contextId")]
    context_id: Option<String>,
    #[serde(default)]
    raw: bool,
}

#[derive(Deserialize, IntoParams)]
pub(super) struct PriorityQuery {
    /// A whole number from 1 to 5; 5 interrupts what runs.
    priority: Option<String>,
}

/// Send a task; it is on disk when this answers
#[utoipa::path(post, path = "/tasks/send", tag = "tasks", request_body = SendBody,
    responses((status = 200, description = "done", body = TaskAnswer), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn send(
    State(served): State<ServerState>,
    caller: Caller,
    Body(body): Body<SendBody>,
) -> Result<Json<TaskAnswer>, Problem> {
    let task = submit(&served, caller, body, Priority::NORMAL).await?;
    show_one(&served, &task).await
}

/// Send a task with a priority
#[utoipa::path(post, path = "/tasks/send-priority", tag = "tasks", params(PriorityQuery), request_body = SendBody,
    responses((status = 200, description = "done", body = TaskAnswer), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn send_priority(
    State(served): State<ServerState>,
    Query(query): Query<PriorityQuery>,
    caller: Caller,
    Body(body): Body<SendBody>,
) -> Result<Json<TaskAnswer>, Problem> {
    let task = submit(&served, caller, body, priority(&query)?).await?;
    show_one(&served, &task).await
}

/// Send a task and follow it to its end
#[utoipa::path(post, path = "/tasks/sendSubscribe", tag = "tasks", params(PriorityQuery), request_body = SendBody,
    responses((status = 200, description = "its events", body = String, content_type = "text/event-stream"), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn send_subscribe(
    State(served): State<ServerState>,
    Query(query): Query<PriorityQuery>,
    caller: Caller,
    Body(body): Body<SendBody>,
) -> Result<Response, Problem> {
    let task = submit(&served, caller, body, priority(&query)?).await?;
    events::stream(&served, &task, 0).await
}

/// Follow a task; Last-Event-ID says after which event
#[utoipa::path(get, path = "/tasks/{id}/subscribe", tag = "tasks", params(("id" = String, Path, description = "the task"), ("last-event-id" = Option<u64>, Header, description = "the last event that was seen")),
    responses((status = 200, description = "its events", body = String, content_type = "text/event-stream"), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn subscribe(
    State(served): State<ServerState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let after = match headers.get("last-event-id") {
        None => 0,
        Some(id) => id
            .to_str()
            .ok()
            .and_then(|id| id.trim().parse().ok())
            .ok_or_else(|| Problem::bad("'Last-Event-ID' must be the number of an event"))?,
    };
    events::stream(&served, &TaskId::new(id), after).await
}

/// List the latest tasks, newest first
#[utoipa::path(get, path = "/tasks", tag = "tasks",
    responses((status = 200, description = "done", body = TasksAnswer), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn list(State(served): State<ServerState>) -> Result<Json<TasksAnswer>, Problem> {
    let records = archive::recent(&served).await?;
    let standing = served.session.board.standing();
    let shape = |record| shapes::task(record, standing.as_deref());
    let tasks = records.iter().map(|record| shape(record)).collect();
    Ok(Json(TasksAnswer { tasks }))
}

/// Get a task
#[utoipa::path(get, path = "/tasks/{id}", tag = "tasks", params(("id" = String, Path, description = "the task")),
    responses((status = 200, description = "done", body = TaskAnswer), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn show(
    State(served): State<ServerState>,
    Path(id): Path<String>,
) -> Result<Json<TaskAnswer>, Problem> {
    show_one(&served, &TaskId::new(id)).await
}

#[derive(Deserialize, ToSchema)]
pub(super) struct InputBody {
    input: String,
    fingerprint: Option<String>,
    /// Who answers, for those who read of it later
    by: Option<String>,
}

/// Answer the question of a task
#[utoipa::path(post, path = "/tasks/{id}/input", tag = "tasks", params(("id" = String, Path, description = "the task")), request_body = InputBody,
    responses((status = 200, description = "done", body = Object), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn input(
    State(served): State<ServerState>,
    Path(id): Path<String>,
    caller: Caller,
    Body(body): Body<InputBody>,
) -> Result<Json<Value>, Problem> {
    let task = TaskId::new(id.clone());
    archive::find(&served, &task).await?;
    let InputBody {
        input,
        fingerprint,
        by,
    } = body;
    let answer = Answer {
        task: Some(task),
        value: input,
        fingerprint,
        message: None,
        by: Actor {
            by: actor(by, &caller),
            rule: None,
        },
    };
    served.session.answer(answer).await?;
    Ok(Json(json!({ "status": "input_provided", "task_id": id })))
}

/// Cancel a task; it has ended when this answers
#[utoipa::path(post, path = "/tasks/{id}/cancel", tag = "tasks", params(("id" = String, Path, description = "the task")),
    responses((status = 200, description = "done", body = TaskAnswer), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn cancel(
    State(served): State<ServerState>,
    Path(id): Path<String>,
) -> Result<Json<TaskAnswer>, Problem> {
    let task = TaskId::new(id);
    archive::find(&served, &task).await?;
    let record = served.session.cancel(&task).await?;
    Ok(Json(shapes::task_answer(&record, None)))
}

async fn submit(
    served: &ServerState,
    caller: Caller,
    body: SendBody,
    priority: Priority,
) -> Result<TaskId, Problem> {
    let message = message(&body.message)?;
    let origin = Origin {
        sender: sender(body.sender.as_deref(), &caller)?,
        priority: priority.number(),
        hops: hops(&message),
        via: caller.via(),
    };
    let submission = Submission {
        message,
        context: body.context_id.map(ContextId::new),
        origin,
        is_raw: body.raw,
    };
    Ok(served.session.send(submission).await?)
}

async fn show_one(served: &ServerState, task: &TaskId) -> Result<Json<TaskAnswer>, Problem> {
    let record = archive::find(served, task).await?;
    let standing = served.session.board.standing();
    Ok(Json(shapes::task_answer(&record, standing.as_deref())))
}

fn priority(query: &PriorityQuery) -> Result<Priority, Problem> {
    let Some(text) = &query.priority else {
        return Ok(Priority::NORMAL);
    };
    let number = text.parse().ok().and_then(Priority::new);
    number.ok_or_else(|| {
        Problem::bad(format!(
            "priority '{text}' is not a whole number from 1 to 5"
        ))
    })
}
