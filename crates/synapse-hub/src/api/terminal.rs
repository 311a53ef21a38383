//! `/api/agents/{id}/terminal`: an agent's terminal, passed on. The agent paints anew for a viewer that
//! is too slow; here nothing piles up, because nothing is read that cannot be sent.

use std::pin::pin;
use std::time::Duration;

use axum::Extension;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::response::Response;
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message as AgentMessage;

use super::socket::{GOING_AWAY, NO_SESSION, PATIENCE, close};
use crate::Hub;
use crate::guard::PROTOCOL;
use crate::problem::Problem;
use crate::shapes::Session;
use synapse_client::client::{Client, Terminal};

/// What a person pastes fits in.
const LONGEST: usize = 1 << 20;
/// How long an agent may take to let us in.
const CONNECT: Duration = Duration::from_secs(5);
/// There is no such agent, or it ended.
const NO_AGENT: u16 = 4_404;

/// The viewer's window.
#[derive(Deserialize)]
struct Window {
    resize: (u16, u16),
}

/// Attaches to an agent's terminal over a WebSocket.
#[utoipa::path(get, path = "/api/agents/{id}/terminal", params(("id" = String, Path)),
    responses((status = 101, description = "a WebSocket; see docs/hub-api.md")))]
pub(super) async fn attach(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Extension(session): Extension<Session>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let upgrade = upgrade.protocols([PROTOCOL]).max_message_size(LONGEST);
    let counted = hub.count_socket();
    upgrade.on_upgrade(move |mut socket| async move {
        let _counted = counted;
        let code = match open(&hub, &id).await {
            Ok(terminal) => pass_on(&hub, &session, &mut socket, terminal).await,
            Err(_) => Some(NO_AGENT),
        };
        close(socket, code).await;
    })
}

async fn open(hub: &Hub, id: &str) -> anyhow::Result<Terminal> {
    let missing = |problem: Problem| anyhow::anyhow!("{}", problem.error());
    let entry = hub.agent(id).map_err(missing)?;
    let client = Client::of(&entry)?;
    let mut terminal = timeout(CONNECT, client.terminal()).await??;
    // A viewer that has said something is shown the screen at once.
    terminal.send(AgentMessage::text("{}")).await?;
    Ok(terminal)
}

/// Passes on both ways until one side is gone. Why, if it is we who end it.
async fn pass_on(
    hub: &Hub,
    session: &Session,
    socket: &mut WebSocket,
    mut terminal: Terminal,
) -> Option<u16> {
    let mut stopped = pin!(hub.stopped());
    let mut removals = hub.logins.removals();
    loop {
        tokio::select! {
            painted = terminal.next() => {
                let message = match painted {
                    Some(Ok(AgentMessage::Binary(bytes))) => Message::Binary(bytes),
                    Some(Ok(AgentMessage::Text(text))) => Message::Text(text.as_str().into()),
                    Some(Ok(AgentMessage::Close(_)) | Err(_)) | None => return Some(NO_AGENT),
                    Some(Ok(_)) => continue,
                };
                if !matches!(timeout(PATIENCE, socket.send(message)).await, Ok(Ok(()))) {
                    return None;
                }
            }
            said = socket.recv() => {
                let message = match said {
                    Some(Ok(Message::Binary(keys))) => AgentMessage::Binary(keys),
                    Some(Ok(Message::Text(text))) => match serde_json::from_str(&text) {
                        Ok(Window { resize: (cols, rows) }) if cols > 0 && rows > 0 => {
                            AgentMessage::text(text.as_str())
                        }
                        _ => continue,
                    },
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                    Some(Ok(_)) => continue,
                };
                if session.read_only {
                    continue;
                }
                if terminal.send(message).await.is_err() {
                    return Some(NO_AGENT);
                }
            }
            () = &mut stopped => return Some(GOING_AWAY),
            _ = removals.changed() => {
                if !hub.logins.is_valid(session) {
                    return Some(NO_SESSION);
                }
            }
        }
    }
}
