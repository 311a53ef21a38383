//! Talking to an agent: messages, keys, its screen, what was said before.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use hyper::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use synapse_term::keys::Key;
use utoipa::{IntoParams, ToSchema};

use super::{Body, Words};
use crate::agents::ask;
use crate::history::{self, HistoryQuery};
use crate::problem::Problem;
use crate::{Hub, reply_forwarding};
use synapse_client::client::Client;

/// Tasks in one page.
const PAGE: usize = 50;
/// The most that are given at once.
const LARGEST_PAGE: usize = 500;

/// `POST /api/agents/{id}/send`
#[derive(Deserialize, ToSchema)]
pub(super) struct Message {
    text: Option<String>,
    /// Instead of the text, a message of the native dialect.
    parts: Option<Vec<Value>>,
    #[serde(default)]
    mode: Mode,
    /// 1 to 5.
    priority: Option<u8>,
    /// The agent in whose name it is sent.
    from: Option<String>,
    /// The reply is brought to that agent.
    #[serde(default)]
    response: bool,
}

/// When it is the message's turn.
#[derive(Clone, Copy, Default, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// After what runs.
    #[default]
    Queue,
    /// At once; what runs is interrupted.
    Now,
}

/// Sends a message to an agent.
#[utoipa::path(post, path = "/api/agents/{id}/send", params(("id" = String, Path)), request_body = Message,
    responses((status = 200, description = "`{task}`"), (status = 429, description = "queue_full")))]
pub(super) async fn send(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Body(message): Body<Message>,
) -> Result<Json<Value>, Problem> {
    let entry = hub.agent(&id)?;
    let content = match (message.text, message.parts) {
        (Some(text), None) if !text.trim().is_empty() => json!(text),
        (None, Some(parts)) if !parts.is_empty() => json!({ "role": "user", "parts": parts }),
        _ => return Err(Problem::bad("give a 'text' that is not empty, or 'parts'")),
    };
    let priority = match (message.mode, message.priority) {
        (Mode::Now, _) => 5,
        (Mode::Queue, None) => 1,
        (Mode::Queue, Some(priority @ 1..=5)) => priority,
        (Mode::Queue, Some(other)) => {
            let error = format!("priority {other} is not a whole number from 1 to 5");
            return Err(Problem::bad(error));
        }
    };
    let from = message.from.map(|from| hub.agent(&from)).transpose()?;
    let mut body = json!({ "message": content });
    if let (Some(from), Some(fields)) = (&from, body.as_object_mut()) {
        fields.insert("sender".to_owned(), json!(from.handle));
    }
    let path = format!("/tasks/send-priority?priority={priority}");
    let answer = ask(&entry, Method::POST, &path, Some(&body)).await?;
    let task = history::whole(&entry, answer);
    if from.is_none() {
        hub.auto.person_acted(&entry.agent_id);
    }
    if let (true, Some(from), Some(id)) = (message.response, from, task.get("id")) {
        let id = id.as_str().unwrap_or_default().to_owned();
        reply_forwarding::bring_back(&hub, entry, id, from);
    }
    Ok(Json(json!({ "task": task })))
}

/// `POST /api/agents/{id}/keys`
#[derive(Deserialize, ToSchema)]
pub(super) struct Keys {
    /// As tmux spells them.
    keys: Vec<String>,
}

/// Presses keys in an agent's terminal.
#[utoipa::path(post, path = "/api/agents/{id}/keys", params(("id" = String, Path)), request_body = Keys,
    responses((status = 200, description = "`{sent}`"), (status = 400, description = "bad_key")))]
pub(super) async fn keys(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Body(body): Body<Keys>,
) -> Result<Json<Value>, Problem> {
    let entry = hub.agent(&id)?;
    for key in &body.keys {
        if let Err(error) = Key::parse(key) {
            return Err(Problem::new(
                StatusCode::BAD_REQUEST,
                "bad_key",
                error.to_string(),
            ));
        }
    }
    let body = json!({ "keys": body.keys });
    let sent = ask(&entry, Method::POST, "/keys", Some(&body)).await?;
    Ok(Json(sent))
}

/// How much of the screen.
#[derive(Deserialize, IntoParams)]
pub(super) struct Look {
    /// The last lines only.
    lines: Option<usize>,
    /// With colours, as ANSI; then it is all of it.
    #[serde(default)]
    ansi: bool,
}

/// Gets an agent's screen as text.
#[utoipa::path(get, path = "/api/agents/{id}/screen", params(("id" = String, Path), Look),
    responses((status = 200, description = "`{text}`")))]
pub(super) async fn screen(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Words(look): Words<Look>,
) -> Result<Json<Value>, Problem> {
    let entry = hub.agent(&id)?;
    let unreachable = |error: anyhow::Error| {
        let error = format!("@{} does not answer: {error:#}", entry.handle);
        Problem::new(StatusCode::BAD_GATEWAY, "agent_unreachable", error)
    };
    let client = Client::of(&entry).map_err(unreachable)?;
    let path = if look.ansi {
        "/screen?ansi=true"
    } else {
        "/screen"
    };
    let bytes = client.text(path).await.map_err(unreachable)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = match look.lines {
        Some(lines) if !look.ansi => last_lines(&text, lines),
        _ => &text,
    };
    Ok(Json(json!({ "text": text })))
}

/// Explains how the screen is read: what each row was taken for, and why.
#[utoipa::path(get, path = "/api/agents/{id}/explain", params(("id" = String, Path)),
    responses((status = 200, description = "`{status, evidence, held, witnesses, rows}`")))]
pub(super) async fn explain(
    State(hub): State<Hub>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    let entry = hub.agent(&id)?;
    let answer = async {
        let client = Client::of(&entry)?;
        client.call(Method::GET, "/explain", None).await
    };
    let unreachable = |error: anyhow::Error| {
        let error = format!("@{} does not answer: {error:#}", entry.handle);
        Problem::new(StatusCode::BAD_GATEWAY, "agent_unreachable", error)
    };
    Ok(Json(answer.await.map_err(unreachable)?))
}

#[derive(Default, Deserialize, IntoParams)]
#[serde(default)]
pub(super) struct Page {
    agent: Option<String>,
    state: Option<String>,
    /// Only with this text.
    q: Option<String>,
    /// From `next` of the page before.
    before: Option<String>,
    limit: Option<usize>,
}

impl Page {
    pub(super) fn wanted(self) -> HistoryQuery {
        let given = |word: Option<String>| word.filter(|word| !word.trim().is_empty());
        HistoryQuery {
            agent: given(self.agent),
            state: given(self.state),
            words: given(self.q),
            before: given(self.before),
            keyboard: false,
            limit: self.limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE),
        }
    }
}

/// Gets the conversation with an agent.
#[utoipa::path(get, path = "/api/agents/{id}/messages", params(("id" = String, Path), Page),
    responses((status = 200, description = "`{tasks, next}`, the newest first")))]
pub(super) async fn messages(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Words(page): Words<Page>,
) -> Result<Json<Value>, Problem> {
    let wanted = HistoryQuery {
        agent: Some(id),
        keyboard: true,
        ..page.wanted()
    };
    let (tasks, next) = history::page(&hub, wanted).await?;
    Ok(Json(json!({ "tasks": tasks, "next": next })))
}

fn last_lines(text: &str, lines: usize) -> &str {
    let Some(skip) = lines.checked_sub(1) else {
        return "";
    };
    let begin = text.rmatch_indices('\n').nth(skip);
    begin.map_or(text, |(at, _)| text.get(at + 1..).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::last_lines;

    #[test]
    fn the_last_lines_are_taken() {
        assert_eq!(last_lines("a\nb\nc", 2), "b\nc");
        assert_eq!(last_lines("a\nb", 5), "a\nb");
        assert_eq!(last_lines("a", 0), "");
    }
}
