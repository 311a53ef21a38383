//! Forwards the reply of a task to the agent in whose name it was sent. This lasts only as long as the hub
//! runs; the task itself does not depend on it.

use std::sync::Arc;
use std::time::Duration;

use hyper::Method;
use serde_json::json;
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
    let ended = client.settle(task, |_| true).await;
    let ended = ended.map_err(|error| format!("{error:#}"))?;
    let failure = ended.status.error.map(|failure| failure.message);
    let Some(reply) = ended.reply.or(failure).filter(|reply| !reply.is_empty()) else {
        return Ok(());
    };
    let body = json!({ "message": reply, "sender": of.handle });
    let sent = ask(to, Method::POST, "/tasks/send", Some(&body)).await;
    sent.map(drop).map_err(|problem| problem.error().to_owned())
}
