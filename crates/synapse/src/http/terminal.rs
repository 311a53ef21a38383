//! `/terminal`: an agent's terminal over a WebSocket. The screen first, then what is painted on it;
//! binary messages are keys, `{"resize":[cols,rows]}` is the viewer's window; `{"size":[cols,rows]}` tells
//! the window there is.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::response::Response;
use serde::Deserialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;
use utoipa::IntoParams;

use super::ServerState;
use super::problem::{Problem, ProblemBody};
use synapse_pty::Size;
use synapse_serve::Peer;
use synapse_session::{Command, SessionHandle};

/// How long a viewer may take to say its size; one that says nothing is shown the screen as it is.
const FIRST_WORDS: Duration = Duration::from_millis(300);

#[derive(Deserialize)]
struct Window {
    resize: (u16, u16),
}

/// What erases the scrollback of the terminal that shows a snapshot.
const ERASE_SCROLLBACK: &[u8] = b"\x1b[3J";

#[derive(Deserialize, IntoParams)]
pub(super) struct AttachQuery {
    /// The viewer is a person's own terminal, whose scrollback is not ours to erase.
    #[serde(default)]
    keep_scrollback: bool,
}

/// Attach to the agent's terminal over a WebSocket
#[utoipa::path(get, path = "/terminal", tag = "agent", params(AttachQuery),
    responses((status = 101, description = "the screen, then what is painted, as bytes; bytes that come in are keys, text is the size of the window"),
        (status = "4XX", description = "no WebSocket, or refused, and why", body = ProblemBody))
)]
pub(super) async fn attach(
    State(served): State<ServerState>,
    Query(query): Query<AttachQuery>,
    peer: Option<Extension<Peer>>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Problem> {
    served.terminal()?;
    Ok(upgrade.on_upgrade(async move |socket| {
        let user = peer.as_ref().and_then(|Extension(peer)| peer.user());
        let from = peer.map(|Extension(peer)| tracing::field::display(peer.remote()));
        tracing::info!(from, user, "somebody looks at the terminal");
        serve(socket, served.session, query.keep_scrollback).await;
        tracing::info!(from, "somebody has left the terminal");
    }))
}

/// A snapshot that leaves the scrollback of the terminal it is shown in as it is.
pub(super) fn without_erasing(snapshot: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(snapshot.len());
    let mut rest = snapshot;
    while let Some(at) = memchr::memmem::find(rest, ERASE_SCROLLBACK) {
        kept.extend_from_slice(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + ERASE_SCROLLBACK.len()..).unwrap_or_default();
    }
    kept.extend_from_slice(rest);
    kept
}

/// Serves one viewer. One that is too slow for the tail is shown the screen anew.
async fn serve(mut socket: WebSocket, session: SessionHandle, keeps_scrollback: bool) {
    // A viewer that says its size first is shown the screen in that size.
    if let Ok(said) = timeout(FIRST_WORDS, socket.recv()).await {
        let Some(Ok(message)) = said else { return };
        if !take(message, &session).await {
            return;
        }
    }
    let mut size = session.size.clone();
    while let Ok(attached) = session.ask(Command::Attach).await {
        let window = *size.borrow_and_update();
        if socket.send(told(window)).await.is_err() {
            return;
        }
        let snapshot = if keeps_scrollback {
            without_erasing(&attached.snapshot)
        } else {
            attached.snapshot
        };
        if socket.send(Message::Binary(snapshot.into())).await.is_err() {
            return;
        }
        let mut live = attached.live;
        loop {
            let painted: Result<Arc<[u8]>, RecvError> = tokio::select! {
                painted = live.recv() => painted,
                Ok(()) = size.changed() => {
                    let window = *size.borrow_and_update();
                    if socket.send(told(window)).await.is_err() {
                        return;
                    }
                    continue;
                }
                said = socket.recv() => {
                    let Some(Ok(message)) = said else { return };
                    if !take(message, &session).await {
                        return;
                    }
                    continue;
                }
            };
            match painted {
                Ok(bytes) => {
                    if socket
                        .send(Message::Binary(bytes.to_vec().into()))
                        .await
                        .is_err()
                    {
                        return;
                    }
                }
                Err(RecvError::Lagged(_)) => break,
                Err(RecvError::Closed) => return,
            }
        }
    }
}

/// The size of the window, for viewers that do not own it.
fn told(size: Size) -> Message {
    Message::Text(format!("{{\"size\":[{},{}]}}", size.cols, size.rows).into())
}

/// Takes what a viewer says. Whether it is still there.
async fn take(message: Message, session: &SessionHandle) -> bool {
    let command = match message {
        Message::Binary(keys) => Command::Keys(keys.to_vec()),
        Message::Text(text) => match serde_json::from_str::<Window>(&text) {
            Ok(Window {
                resize: (cols, rows),
            }) => Command::Resize(Size::new(cols, rows)),
            Err(_) => return true,
        },
        Message::Ping(_) | Message::Pong(_) => return true,
        Message::Close(_) => return false,
    };
    session.tell(command).await.is_ok()
}
