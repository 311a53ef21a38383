//! The agent itself: status, screen, keys, interrupts, answers.

use axum::Json;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde::Deserialize;
use serde_json::{Value, json};
use synapse_term::frame::Frame;
use synapse_term::keys::{Key, KeyboardMode, encode};

use super::Served;
use super::shapes::{self, Problem};
use crate::session::Command;

/// How much of the screen `/status` tells.
const CONTEXT: usize = 2_000;

pub(super) async fn health() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

pub(super) async fn card(State(served): State<Served>) -> Json<Value> {
    Json((*served.card).clone())
}

pub(super) async fn nothing_here() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "there is no such resource")
}

pub(super) async fn status(State(served): State<Served>) -> Result<Json<Value>, Problem> {
    let look = served.session.ask(Command::Look).await?;
    let text = clean(&look.frame);
    let start = text
        .char_indices()
        .rev()
        .nth(CONTEXT - 1)
        .map_or(0, |(at, _)| at);
    Ok(Json(json!({
        "status": shapes::state(look.state),
        "context": text.get(start..).unwrap_or(&text),
        "evidence": look.evidence,
        "queue": look.queue,
        "prompt": look.prompt.as_ref().map(shapes::prompt),
    })))
}

#[derive(Deserialize)]
pub(super) struct ScreenQuery {
    #[serde(default)]
    ansi: bool,
}

pub(super) async fn screen(
    State(served): State<Served>,
    Query(query): Query<ScreenQuery>,
) -> Result<impl IntoResponse, Problem> {
    let look = served.session.ask(Command::Look).await?;
    let body = if query.ansi {
        look.snapshot
    } else {
        clean(&look.frame).into_bytes()
    };
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], body))
}

#[derive(Deserialize)]
pub(super) struct InterruptBody {
    key: Option<String>,
}

pub(super) async fn interrupt(
    State(served): State<Served>,
    Json(body): Json<InterruptBody>,
) -> Result<Json<Value>, Problem> {
    let key = body.key.as_deref().map(Key::parse).transpose();
    let key = key.map_err(|error| Problem::bad(error.to_string()))?;
    let receipt = served
        .session
        .ask(|done| Command::Interrupt(key, done))
        .await?;
    Ok(Json(json!({
        "sent": receipt.sent,
        "was": shapes::state(receipt.was),
        "now": shapes::state(receipt.now),
    })))
}

#[derive(Deserialize)]
pub(super) struct KeysBody {
    keys: Vec<String>,
}

pub(super) async fn keys(
    State(served): State<Served>,
    Json(body): Json<KeysBody>,
) -> Result<Json<Value>, Problem> {
    let keys: Result<Vec<Key>, _> = body.keys.iter().map(|name| Key::parse(name)).collect();
    let keys = keys.map_err(|error| Problem::bad(error.to_string()))?;
    let look = served.session.ask(Command::Look).await?;
    let mode: KeyboardMode = look.frame.modes.keyboard();
    for key in &keys {
        served
            .session
            .tell(Command::Keys(encode(key, &mode)))
            .await?;
    }
    Ok(Json(json!({ "sent": keys.len() })))
}

#[derive(Deserialize)]
pub(super) struct AnswerBody {
    value: String,
    fingerprint: Option<String>,
}

/// Answers whatever is asked, by whichever task or by none.
pub(super) async fn answer(
    State(served): State<Served>,
    Json(body): Json<AnswerBody>,
) -> Result<Json<Value>, Problem> {
    let AnswerBody { value, fingerprint } = body;
    let command = |done| Command::Answer {
        task: None,
        value,
        fingerprint,
        done,
    };
    served.session.ask(command).await??;
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
