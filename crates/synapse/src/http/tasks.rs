//! Tasks: send, show, follow, answer, cancel.

use std::convert::Infallible;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, KeepAliveStream, Sse};
use serde::Deserialize;
use serde_json::{Value, json};
use synapse_a2a::id::{MessageId, TaskId};
use synapse_a2a::message::{Message, Part, Role};
use tokio::sync::{broadcast, mpsc};
use tokio_stream::wrappers::ReceiverStream;

use super::Served;
use super::shapes::{self, Problem};
use crate::session::{Command, Posted, Priority, Record, Submission};

/// Events a stream may hold for a client that is slow to read; then it waits, and nobody else does.
const STREAM: usize = 64;

/// Events as they come, with a comment now and then so that nobody takes silence for the end.
type Stream = Sse<KeepAliveStream<ReceiverStream<Result<Event, Infallible>>>>;

#[derive(Deserialize)]
pub(super) struct SendBody {
    message: Value,
    #[serde(default)]
    sender: Option<String>,
    #[serde(default)]
    raw: bool,
}

#[derive(Deserialize)]
pub(super) struct PriorityQuery {
    priority: Option<String>,
}

pub(super) async fn send(
    State(served): State<Served>,
    Json(body): Json<SendBody>,
) -> Result<Json<Value>, Problem> {
    let task = submit(&served, body, Priority::NORMAL).await?;
    Ok(Json(
        json!({ "task": shapes::task(&record(&served, &task)?) }),
    ))
}

pub(super) async fn send_priority(
    State(served): State<Served>,
    Query(query): Query<PriorityQuery>,
    Json(body): Json<SendBody>,
) -> Result<Json<Value>, Problem> {
    let task = submit(&served, body, priority(&query)?).await?;
    Ok(Json(
        json!({ "task": shapes::task(&record(&served, &task)?) }),
    ))
}

pub(super) async fn send_subscribe(
    State(served): State<Served>,
    Query(query): Query<PriorityQuery>,
    Json(body): Json<SendBody>,
) -> Result<Stream, Problem> {
    let task = submit(&served, body, priority(&query)?).await?;
    follow(&served, &task, 0)
}

pub(super) async fn subscribe(
    State(served): State<Served>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Stream, Problem> {
    let after = headers
        .get("last-event-id")
        .and_then(|id| id.to_str().ok()?.parse().ok());
    follow(&served, &TaskId::new(id), after.unwrap_or(0))
}

pub(super) async fn list(State(served): State<Served>) -> Json<Value> {
    let records = served.session.board.records();
    Json(json!({ "tasks": records.iter().map(shapes::task).collect::<Vec<_>>() }))
}

pub(super) async fn show(
    State(served): State<Served>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    Ok(Json(
        json!({ "task": shapes::task(&record(&served, &TaskId::new(id))?) }),
    ))
}

#[derive(Deserialize)]
pub(super) struct InputBody {
    input: String,
    fingerprint: Option<String>,
}

pub(super) async fn input(
    State(served): State<Served>,
    Path(id): Path<String>,
    Json(body): Json<InputBody>,
) -> Result<Json<Value>, Problem> {
    let task = TaskId::new(id.clone());
    record(&served, &task)?;
    let InputBody { input, fingerprint } = body;
    let command = |done| Command::Answer {
        task: Some(task),
        value: input,
        fingerprint,
        done,
    };
    served.session.ask(command).await??;
    Ok(Json(json!({ "status": "input_provided", "task_id": id })))
}

pub(super) async fn cancel(
    State(served): State<Served>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    let task = TaskId::new(id);
    let cancel = task.clone();
    served
        .session
        .ask(|done| Command::Cancel(cancel, done))
        .await??;
    Ok(Json(
        json!({ "task": shapes::task(&record(&served, &task)?) }),
    ))
}

async fn submit(served: &Served, body: SendBody, priority: Priority) -> Result<TaskId, Problem> {
    let submission = Submission {
        message: message(&body.message)?,
        priority,
        sender: body.sender.unwrap_or_else(|| "user".to_owned()),
        is_raw: body.raw,
    };
    Ok(served
        .session
        .ask(|done| Command::Send(submission, done))
        .await??)
}

fn record(served: &Served, task: &TaskId) -> Result<Record, Problem> {
    let missing = || {
        Problem::new(
            StatusCode::NOT_FOUND,
            format!("there is no task {}", task.as_str()),
        )
    };
    served.session.board.record(task).ok_or_else(missing)
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

/// A message: a string, or parts as in the seeds.
fn message(value: &Value) -> Result<Message, Problem> {
    let id = MessageId::new(uuid::Uuid::new_v4().to_string());
    if let Some(text) = value.as_str() {
        return Ok(Message::text(id, Role::User, text));
    }
    let parts = value.get("parts").and_then(Value::as_array);
    let parts = parts.ok_or_else(|| Problem::bad("'message' must be a string or have 'parts'"))?;
    let part = |part: &Value| match part.get("text").and_then(Value::as_str) {
        Some(text) => Ok(Part::text(text)),
        None => Err(Problem::bad("every part must have a 'text'")),
    };
    let parts = parts.iter().map(part).collect::<Result<Vec<_>, _>>()?;
    if parts.is_empty() {
        return Err(Problem::bad("'message.parts' is empty"));
    }
    Ok(Message::new(id, Role::User, parts))
}

/// The events of a task from a number on, to its end.
fn follow(served: &Served, task: &TaskId, after: usize) -> Result<Stream, Problem> {
    record(served, task)?;
    let (sender, receiver) = mpsc::channel(STREAM);
    let (board, task) = (served.session.board.clone(), task.clone());
    tokio::spawn(async move {
        let mut cursor = after;
        while let Some((past, live)) = board.follow(&task, cursor) {
            if !pass_on(&sender, past, live, &task, &mut cursor).await {
                break;
            }
        }
    });
    Ok(Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::default()))
}

/// Sends what was and what comes. Whether the cursor must be taken up again: the client was too
/// slow for the tail.
async fn pass_on(
    sender: &mpsc::Sender<Result<Event, Infallible>>,
    past: Vec<Posted>,
    mut live: broadcast::Receiver<Posted>,
    task: &TaskId,
    cursor: &mut usize,
) -> bool {
    for posted in past {
        if !pass(sender, &posted, cursor).await {
            return false;
        }
    }
    loop {
        match live.recv().await {
            Ok(posted) if posted.task != *task || posted.number <= *cursor => {}
            Ok(posted) => {
                if !pass(sender, &posted, cursor).await {
                    return false;
                }
            }
            Err(broadcast::error::RecvError::Lagged(_)) => return true,
            Err(broadcast::error::RecvError::Closed) => return false,
        }
    }
}

/// Sends one event. Whether more may come.
async fn pass(
    sender: &mpsc::Sender<Result<Event, Infallible>>,
    posted: &Posted,
    cursor: &mut usize,
) -> bool {
    *cursor = posted.number;
    let (name, data) = shapes::event(posted);
    let event = Event::default()
        .id(posted.number.to_string())
        .event(name)
        .data(data.to_string());
    if sender.send(Ok(event)).await.is_err() {
        return false;
    }
    !shapes::is_last(posted)
}
