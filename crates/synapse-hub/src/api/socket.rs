//! `/api/ws`: live updates. A numbered snapshot, then numbered changes; a page that falls behind or asks
//! for it gets a new snapshot.

use std::pin::pin;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::Hub;
use crate::guard::PROTOCOL;
use crate::live::{EncodedChange, Snapshot};
use crate::shapes::Session;

/// How often a page hears of us even if nothing happens: so it knows a dead line from a quiet one.
const BEAT: Duration = Duration::from_secs(15);
/// How long a page may take to take what it is sent.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// Pages have little to say.
const LONGEST: usize = 4_096;
/// The session ended.
pub(super) const NO_SESSION: u16 = 4_401;
/// The hub stops.
pub(super) const GOING_AWAY: u16 = 1_001;

/// What a page says.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum PageMessage {
    Resync,
    Ping,
    #[serde(other)]
    Else,
}

#[derive(Serialize)]
struct Hello<'a> {
    r#type: &'static str,
    #[serde(flatten)]
    snapshot: Snapshot,
    session: &'a Session,
}

/// Follows all changes over a WebSocket.
#[utoipa::path(get, path = "/api/ws", responses((status = 101, description = "a WebSocket; see docs/hub-api.md")))]
pub(super) async fn follow(
    State(hub): State<Hub>,
    Extension(session): Extension<Session>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let upgrade = upgrade.protocols([PROTOCOL]).max_message_size(LONGEST);
    let counted = hub.count_socket();
    upgrade.on_upgrade(move |socket| async move {
        let _counted = counted;
        let mut page = PageSocket {
            hub: &hub,
            session: &session,
            socket,
            seq: 0,
        };
        let code = page.serve().await;
        close(page.socket, code).await;
    })
}

/// One page that follows.
struct PageSocket<'a> {
    hub: &'a Hub,
    session: &'a Session,
    socket: WebSocket,
    /// The last change it was sent.
    seq: u64,
}

impl PageSocket<'_> {
    /// Serves it until one side is gone. Why, if it is we who end it.
    async fn serve(&mut self) -> Option<u16> {
        let mut stopped = pin!(self.hub.stopped());
        let mut removals = self.hub.logins.removals();
        let mut beat = interval(BEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        beat.reset();
        let mut deltas = self.greet().await?;
        loop {
            let is_fine = tokio::select! {
                delta = deltas.recv() => match delta {
                    // It was in the snapshot.
                    Ok(delta) if delta.seq <= self.seq => true,
                    Ok(delta) => {
                        self.seq = delta.seq;
                        self.send(delta.text.as_ref()).await
                    }
                    Err(RecvError::Lagged(_)) => {
                        deltas = self.greet().await?;
                        true
                    }
                    Err(RecvError::Closed) => false,
                },
                said = self.socket.recv() => match said {
                    Some(Ok(Message::Text(text))) => match serde_json::from_str(&text) {
                        Ok(PageMessage::Resync) => {
                            deltas = self.greet().await?;
                            true
                        }
                        Ok(PageMessage::Ping) => self.beat().await,
                        Ok(PageMessage::Else) | Err(_) => true,
                    },
                    Some(Ok(Message::Close(_)) | Err(_)) | None => false,
                    Some(Ok(_)) => true,
                },
                _ = beat.tick() => self.beat().await,
                () = &mut stopped => return Some(GOING_AWAY),
                _ = removals.changed() => {
                    if !self.hub.logins.is_valid(self.session) {
                        return Some(NO_SESSION);
                    }
                    true
                }
            };
            if !is_fine {
                return None;
            }
        }
    }

    /// Sends a snapshot; what follows it.
    async fn greet(&mut self) -> Option<broadcast::Receiver<EncodedChange>> {
        let (snapshot, deltas) = self.hub.live.follow();
        self.seq = snapshot.seq;
        let hello = Hello {
            r#type: "hello",
            snapshot,
            session: self.session,
        };
        let text = serde_json::to_string(&hello).ok()?;
        self.send(&text).await.then_some(deltas)
    }

    async fn beat(&mut self) -> bool {
        let text = format!(r#"{{"type":"beat","seq":{}}}"#, self.seq);
        self.send(&text).await
    }

    /// Whether the page took it.
    async fn send(&mut self, text: &str) -> bool {
        let sent = self.socket.send(Message::Text(text.into()));
        matches!(timeout(PATIENCE, sent).await, Ok(Ok(())))
    }
}

/// Ends a line with a reason, if there is one.
pub(super) async fn close(mut socket: WebSocket, code: Option<u16>) {
    let Some(code) = code else { return };
    let frame = CloseFrame {
        code,
        reason: "".into(),
    };
    // Whoever is gone need not be told.
    let _ = timeout(PATIENCE, socket.send(Message::Close(Some(frame)))).await;
}
