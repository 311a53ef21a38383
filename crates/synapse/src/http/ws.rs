//! `/ws`: everything that happens to an agent and its tasks, over a WebSocket. First a snapshot, then
//! numbered changes; a client that is too slow gets a new snapshot.

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use super::ServerState;
use super::problem::ProblemBody;
use super::shapes;
use synapse_client::native::{TaskEvent, time};
use synapse_session::{News, What};

/// Follow everything that happens to this agent, over a WebSocket
#[utoipa::path(get, path = "/ws", tag = "agent",
    responses((status = 101, description = "`hello` with the status, then each change as it comes; what a slow reader missed is told by another `hello`"),
        (status = "4XX", description = "no WebSocket, or refused, and why", body = ProblemBody))
)]
pub(super) async fn watch(
    State(served): State<ServerState>,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade.on_upgrade(|socket| serve(socket, served))
}

async fn serve(mut socket: WebSocket, served: ServerState) {
    let mut is_resync = false;
    loop {
        let (standing, seq, mut live) = served.session.board.watch();
        let mut hello = json!({
            "type": "hello",
            "seq": seq,
            "agent": &*served.about,
            "status": standing.as_deref().map(shapes::standing),
        });
        if let (true, Some(hello)) = (is_resync, hello.as_object_mut()) {
            hello.insert("resync".to_owned(), Value::Bool(true));
        }
        if !say(&mut socket, &hello).await {
            return;
        }
        is_resync = true;
        loop {
            let news = tokio::select! {
                news = live.recv() => news,
                said = socket.recv() => match said {
                    // Nothing is taken here; a ping is answered by the socket itself.
                    Some(Ok(message)) if !matches!(message, Message::Close(_)) => continue,
                    _ => return,
                },
            };
            match news {
                Ok(news) => {
                    if !say(&mut socket, &told(&news)).await {
                        return;
                    }
                }
                Err(RecvError::Lagged(_)) => break,
                Err(RecvError::Closed) => return,
            }
        }
    }
}

fn told(news: &News) -> Value {
    match &news.what {
        What::Standing(standing) => json!({
            "seq": news.seq, "type": "status", "status": shapes::standing(standing),
            "at": jiff::Timestamp::now().to_string(),
        }),
        What::Task(posted) => {
            let event = TaskEvent::of(&posted.task, &posted.event);
            json!({
                "seq": news.seq, "type": "task", "task_id": posted.task.as_str(),
                "number": posted.number, "event": event.name(), "data": event.data(),
                "at": time(posted.event.at),
            })
        }
    }
}

/// Whether it was taken.
async fn say(socket: &mut WebSocket, what: &Value) -> bool {
    let text = what.to_string();
    socket.send(Message::Text(text.into())).await.is_ok()
}
