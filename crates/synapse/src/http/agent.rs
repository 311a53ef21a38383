//! The agent itself: status, screen, keys, interrupts, answers.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde::Deserialize;
use serde_json::{Value, json};
use synapse_a2a::act::Actor;
use synapse_term::frame::Frame;
use synapse_term::keys::Key;
use utoipa::{IntoParams, ToSchema};

use super::ServerState;
use super::incoming::{Body, Caller, actor};
use super::problem::{Problem, ProblemBody};
use super::shapes;
use super::terminal::without_erasing;
use synapse_client::native::{ReceiptShape, StatusAnswer};
use synapse_session::{Answer, Command, Look};

/// How much of the screen `/status` tells.
const CONTEXT: usize = 2_000;

/// Check that the host answers
#[utoipa::path(get, path = "/healthz", tag = "agent",
    responses((status = 200, description = "it does", body = Object), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn health() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

pub(super) async fn nothing_here() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "there is no such resource")
}

/// Get the agent's state and the evidence for it
#[utoipa::path(get, path = "/status", tag = "agent",
    responses((status = 200, description = "done", body = StatusAnswer), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn status(
    State(served): State<ServerState>,
) -> Result<Json<StatusAnswer>, Problem> {
    let board = &served.session.board;
    if let (true, Some(standing)) = (board.is_stopping(), board.standing()) {
        return Ok(Json(StatusAnswer {
            standing: shapes::stopping(&standing),
            witnesses: Vec::new(),
            context: String::new(),
            trouble: served.session.trouble(),
        }));
    }
    let look = look(&served).await?;
    let text = clean(&look.frame);
    let start = text
        .char_indices()
        .rev()
        .nth(CONTEXT - 1)
        .map_or(0, |(at, _)| at);
    Ok(Json(StatusAnswer {
        standing: shapes::standing(&look.standing),
        witnesses: look.why.iter().map(shapes::witness).collect(),
        context: text.get(start..).unwrap_or(&text).to_owned(),
        trouble: served.session.trouble(),
    }))
}

/// What is to be seen: as it was kept, or, if something has changed, as the agent shows it now.
async fn look(served: &ServerState) -> Result<Arc<Look>, Problem> {
    match served.session.board.look() {
        Some(look) => Ok(look),
        None => Ok(served.session.ask(Command::Look).await?),
    }
}

#[derive(Deserialize, IntoParams)]
pub(super) struct ScreenQuery {
    /// With colours, as ANSI.
    #[serde(default)]
    ansi: bool,
}

/// Get the agent's screen
#[utoipa::path(get, path = "/screen", tag = "agent", params(ScreenQuery),
    responses((status = 200, description = "the screen", body = String, content_type = "text/plain"), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn screen(
    State(served): State<ServerState>,
    Query(query): Query<ScreenQuery>,
) -> Result<impl IntoResponse, Problem> {
    served.terminal()?;
    let look = look(&served).await?;
    let body = if query.ansi {
        // It is printed in people's terminals, whose scrollback is not ours.
        without_erasing(&look.snapshot)
    } else {
        clean(&look.frame).into_bytes()
    };
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], body))
}

#[derive(Default, Deserialize, ToSchema)]
pub(super) struct InterruptBody {
    /// The key to press instead of the one that the program reacts to
    key: Option<String>,
    /// Who interrupts, for those who read of it later
    by: Option<String>,
}

/// Interrupt what runs; reports whether it stopped
#[utoipa::path(post, path = "/interrupt", tag = "agent", request_body = Option<InterruptBody>,
    responses((status = 200, description = "done", body = ReceiptShape), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn interrupt(
    State(served): State<ServerState>,
    caller: Caller,
    body: Option<Body<InterruptBody>>,
) -> Result<Json<ReceiptShape>, Problem> {
    let InterruptBody { key, by } = body.map(|Body(body)| body).unwrap_or_default();
    let key = key.as_deref().map(Key::parse).transpose();
    let key = key.map_err(|error| Problem::bad(error.to_string()))?;
    let by = actor(by, &caller);
    let receipt = served
        .session
        .ask(|done| Command::Interrupt(key, Actor { by, rule: None }, done))
        .await??;
    Ok(Json(shapes::receipt(receipt)))
}

#[derive(Deserialize, ToSchema)]
pub(super) struct KeysBody {
    keys: Vec<String>,
}

/// Press keys, by the names tmux gives them
#[utoipa::path(post, path = "/keys", tag = "agent", request_body = KeysBody,
    responses((status = 200, description = "done", body = Object), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn keys(
    State(served): State<ServerState>,
    Body(body): Body<KeysBody>,
) -> Result<Json<Value>, Problem> {
    served.terminal()?;
    let keys: Result<Vec<Key>, _> = body.keys.iter().map(|name| Key::parse(name)).collect();
    let keys = keys.map_err(|error| Problem::bad(error.to_string()))?;
    let sent = keys.len();
    served.session.tell(Command::Press(keys)).await?;
    Ok(Json(json!({ "sent": sent })))
}

#[derive(Deserialize, ToSchema)]
pub(super) struct AnswerBody {
    value: String,
    fingerprint: Option<String>,
    /// Who answers, for those who read of it later
    by: Option<String>,
    /// The rule that answers instead of a person
    rule: Option<String>,
}

/// Answer the open question, whether a task asks it or not.
#[utoipa::path(post, path = "/answer", tag = "agent", request_body = AnswerBody,
    responses((status = 200, description = "done", body = Object), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn answer(
    State(served): State<ServerState>,
    caller: Caller,
    Body(body): Body<AnswerBody>,
) -> Result<Json<Value>, Problem> {
    let answer = Answer {
        task: None,
        value: body.value,
        fingerprint: body.fingerprint,
        message: None,
        by: Actor {
            by: actor(body.by, &caller),
            rule: body.rule,
        },
    };
    served.session.answer(answer).await?;
    Ok(Json(json!({ "status": "answered" })))
}

/// The screen as text, wrapped lines joined.
fn clean(frame: &Frame) -> String {
    let lines: Vec<String> = frame
        .lines()
        .into_iter()
        .map(|(_, line)| line.into_owned())
        .collect();
    lines.join("\n").trim_end().to_owned()
}
