//! Forwards the reply of a task to the agent in whose name it was sent. This lasts only as long as the hub
//! runs; the task itself does not depend on it.

use std::sync::Arc;
use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::Hub;
use super::agents::ask;
use synapse_client::client::Client;
use synapse_machine::registry::Entry;

/// Replies that are waited for at one time.
pub(super) const CARRIED: usize = 64;
/// How long a reply may take.
const PATIENCE: Duration = Duration::from_hours(6);

/// Waits for the reply beside everything else.
pub(super) fn bring_back(hub: &Hub, of: Entry, task: String, to: Entry) {
    let Ok(permit) = Arc::<Semaphore>::clone(&hub.carried).try_acquire_owned() else {
        tracing::warn!(
            task,
            "too many replies are waited for; this one is not brought back"
        );
        return;
    };
    let stopped = hub.stopped();
    tokio::spawn(async move {
        let _permit = permit;
        tokio::select! {
            done = timeout(PATIENCE, carry(&of, &task, &to)) => if let Ok(Err(error)) = done {
                tracing::warn!(task, error, "a reply was not brought back");
            },
            () = stopped => {}
        }
    });
}

async fn carry(of: &Entry, task: &str, to: &Entry) -> Result<(), String> {
    let client = Client::of(of).map_err(|error| error.to_string())?;
    let path = format!("/tasks/{task}/subscribe");
    let followed = client.follow(&path, |_, _| true).await;
    followed.map_err(|error| error.to_string())?;
    let path = format!("/tasks/{task}");
    let body = ask(of, Method::GET, &path, None).await;
    let body = body.map_err(|problem| problem.error().to_owned())?;
    let text = |path: &str| body.pointer(path).and_then(Value::as_str);
    let reply = text("/task/reply").or(text("/task/status/error/message"));
    let Some(reply) = reply.filter(|reply| !reply.is_empty()) else {
        return Ok(());
    };
    let body = json!({ "message": reply, "sender": of.handle });
    let sent = ask(to, Method::POST, "/tasks/send", Some(&body)).await;
    sent.map(drop).map_err(|problem| problem.error().to_owned())
}
