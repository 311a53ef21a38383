//! The hub's connection to one agent: follows the agent's `/ws`.

use std::time::Duration;

use futures_util::StreamExt as _;
use serde::Deserialize;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::live::{Change, Report, TaskEvent};
use super::shapes::Status;
use super::worktrees::place_of;
use super::{Hub, auto_answer, elsewhere, history};
use synapse_client::client::{Client, Terminal};
use synapse_client::mesh::is_elsewhere;
use synapse_machine::registry::Entry;

/// How long to wait before trying again, at first and at last.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(5)];
/// How long an agent may take to let us in.
const PATIENCE: Duration = Duration::from_secs(5);
/// Tasks that are looked up when a line is opened.
const MISSED: usize = 100;

/// What an agent tells.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum AgentNews {
    Hello {
        /// Nothing while it has none.
        status: Option<Report>,
    },
    Status {
        status: Report,
    },
    Task(TaskEvent),
    #[serde(other)]
    Else,
}

/// Follows an agent until it is ended: by whoever finds it gone from the registry.
pub(super) async fn follow(hub: Hub, entry: Entry) {
    if let Some(why) = elsewhere::absence(&entry) {
        // The bridge says when its machine is back.
        list_tasks(&hub, &entry).await;
        hub.live
            .apply(Change::Unreachable(entry.agent_id.clone(), why));
        return;
    }
    let [mut pause, longest] = PAUSES;
    loop {
        match open(&entry).await {
            Ok(socket) => {
                pause = PAUSES[0];
                listen(&hub, &entry, socket).await;
            }
            Err(error) => {
                let why = if is_unknown(&error) {
                    "it runs an earlier version of Synapse; stop it and start it again".to_owned()
                } else {
                    format!("its host does not answer: {error:#}")
                };
                hub.live
                    .apply(Change::Unreachable(entry.agent_id.clone(), why));
            }
        }
        // A host that died without removing its entry is found by looking.
        hub.rescan.notify_one();
        sleep(pause).await;
        pause = longest.min(pause * 2);
    }
}

async fn open(entry: &Entry) -> anyhow::Result<Terminal> {
    let client = Client::of(entry)?;
    timeout(PATIENCE, client.socket("/ws")).await?
}

/// An agent of an earlier version has no `/ws`.
fn is_unknown(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::Http(response)) if response.status() == 404)
}

/// Takes note of all that is told, until the line is cut.
async fn listen(hub: &Hub, entry: &Entry, mut socket: Terminal) {
    while let Some(Ok(message)) = socket.next().await {
        let Message::Text(text) = message else {
            continue;
        };
        let id = entry.agent_id.clone();
        match serde_json::from_str(&text) {
            Ok(AgentNews::Hello { status }) => {
                if let Some(status) = status {
                    let status = status.price(&hub.prices.prices());
                    hub.live.apply(Change::Reported(id, Box::new(status)));
                    consider(hub, entry);
                }
                list_tasks(hub, entry).await;
            }
            Ok(AgentNews::Status { status }) => {
                let status = status.price(&hub.prices.prices());
                let is_done = status.status() == Status::Idle;
                hub.live.apply(Change::Reported(id, Box::new(status)));
                consider(hub, entry);
                if is_done && !is_elsewhere(entry) {
                    look_at_place(hub, entry).await;
                }
            }
            Ok(AgentNews::Task(event)) => hub.live.apply(Change::Task(id, event)),
            Ok(AgentNews::Else) => {}
            Err(error) => tracing::debug!(%error, "an agent said something odd"),
        }
    }
}

/// Rules answer for agents of this machine: others have rules of their own.
fn consider(hub: &Hub, entry: &Entry) {
    if !is_elsewhere(entry) {
        auto_answer::consider(hub, entry);
    }
}

/// What was missed while the line was cut is in the store.
async fn list_tasks(hub: &Hub, entry: &Entry) {
    if let Ok(lines) = history::latest(hub, Some(entry), MISSED).await {
        hub.live.apply(Change::Tasks(lines));
    }
}

/// A program that worked may have checked out something else.
async fn look_at_place(hub: &Hub, entry: &Entry) {
    let place = place_of(entry.place()).await;
    hub.live.apply(Change::Moved(entry.agent_id.clone(), place));
}
