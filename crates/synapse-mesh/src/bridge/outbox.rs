//! Delivers messages that were kept while their machines were away: in order for each agent, until that machine says that
//! it has them in its own store. A message has an id, so one that arrives twice is taken once.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use futures_util::future::join_all;
use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::header::CONTENT_TYPE;
use serde_json::Value;
use synapse_client::mesh::Kept;
use synapse_store::outbox::{self, KeptMessage, OutboxState};
use tokio::time::sleep;

use super::Shared;
use crate::name::MachineName;

/// How long to wait after an agent did not take a message.
const PAUSE: Duration = Duration::from_secs(2);
/// How often is looked whether the time of a message is over.
const LOOK: Duration = Duration::from_mins(1);

/// Delivers whenever there is something to deliver and somebody to take it.
pub(super) async fn deliver(shared: Arc<Shared>) {
    let mut sightings = shared.sightings.clone();
    let mut link = shared.nats.link();
    loop {
        let pause = match round(&shared).await {
            Round::Nothing => LOOK,
            Round::Again => PAUSE,
        };
        // Every beat is news; only what can change the next round ends the pause.
        let here = who_is_here(&shared);
        let news = async {
            loop {
                if sightings.changed().await.is_err() || who_is_here(&shared) != here {
                    return;
                }
            }
        };
        tokio::select! {
            () = news => {}
            () = shared.kept.notified() => {}
            _ = link.changed() => {}
            () = sleep(pause) => {}
        }
    }
}

enum Round {
    Nothing,
    /// Something is left for machines that are there.
    Again,
}

/// The machines that are there, and this run of each.
fn who_is_here(shared: &Shared) -> Vec<(MachineName, String)> {
    let sightings = shared.sightings.borrow();
    let here = sightings.iter().filter(|(_, sighting)| sighting.is_here);
    here.map(|(name, sighting)| (name.clone(), sighting.beat.boot.clone()))
        .collect()
}

/// Notes that a message waits for an agent.
pub(super) fn line_up(shared: &Shared, machine: &str, agent: &str) {
    let mut lined_up = shared
        .lined_up
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    lined_up.insert((machine.to_owned(), agent.to_owned()));
}

/// Whether messages wait for an agent: what is sent to it now must not overtake them.
pub(super) fn is_lined_up(shared: &Shared, machine: &str, agent: &str) -> bool {
    let lined_up = shared
        .lined_up
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    lined_up.contains(&(machine.to_owned(), agent.to_owned()))
}

/// Delivers what can be delivered now.
async fn round(shared: &Shared) -> Round {
    let path = shared.paths.store();
    let waiting = tokio::task::spawn_blocking(move || outbox::waiting(&path)).await;
    let waiting = match waiting {
        Ok(Ok(waiting)) => waiting,
        Ok(Err(error)) => {
            tracing::warn!(%error, "what waits for other machines cannot be read");
            return Round::Nothing;
        }
        Err(_) => return Round::Nothing,
    };
    {
        let mut lined_up = shared
            .lined_up
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *lined_up = waiting
            .iter()
            .map(|kept| (kept.machine.clone(), kept.agent.clone()))
            .collect();
    }
    let here = who_is_here(shared);
    let mut agents: BTreeMap<(String, String), Vec<KeptMessage>> = BTreeMap::new();
    for kept in waiting {
        if here.iter().any(|(name, _)| name.as_str() == kept.machine) {
            let agent = (kept.machine.clone(), kept.agent.clone());
            agents.entry(agent).or_default().push(kept);
        }
    }
    if !shared.nats.is_up() {
        return Round::Nothing;
    }
    let served: Vec<(String, String)> = agents.keys().cloned().collect();
    let done = join_all(
        agents
            .into_values()
            .map(|messages| in_order(shared, messages)),
    )
    .await;
    let mut lined_up = shared
        .lined_up
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    for (agent, is_done) in served.iter().zip(&done) {
        if *is_done {
            lined_up.remove(agent);
        }
    }
    drop(lined_up);
    if done.into_iter().all(|is_done| is_done) {
        Round::Nothing
    } else {
        Round::Again
    }
}

/// Delivers the messages to one agent, as far as it takes them. Whether it took all.
async fn in_order(shared: &Shared, messages: Vec<KeptMessage>) -> bool {
    for kept in messages {
        let (state, task, reason) = match hand_over(shared, &kept).await {
            Ok(task) => (OutboxState::Delivered, task, None),
            Err(Refusal::ForGood(reason)) => (OutboxState::Refused, None, Some(reason)),
            Err(Refusal::ForNow(reason)) => {
                tracing::info!(
                    to = kept.agent,
                    machine = kept.machine,
                    reason,
                    "not delivered yet"
                );
                return false;
            }
        };
        let (path, message) = (shared.paths.store(), kept.message);
        let noted = tokio::task::spawn_blocking(move || {
            outbox::settle(&path, &message, state, task.as_deref(), reason.as_deref())
        });
        if !matches!(noted.await, Ok(Ok(_))) {
            // It will be handed over again, and be known there by its id.
            return false;
        }
    }
    true
}

enum Refusal {
    ForNow(String),
    ForGood(String),
}

/// Hands one message over; the task it became.
async fn hand_over(shared: &Shared, kept: &KeptMessage) -> Result<Option<String>, Refusal> {
    let target = format!("/tasks/send-priority?priority={}", kept.priority);
    let request = Request::post(&target)
        .header(CONTENT_TYPE, "application/json")
        .body(Body::from(kept.body.clone()))
        .map_err(|error| Refusal::ForGood(error.to_string()))?;
    let asked = shared
        .tunnels
        .ask(&kept.machine, &kept.agent, &target, request, None);
    let answer = asked
        .await
        .map_err(|error| Refusal::ForNow(error.to_string()))?;
    let status = answer.status();
    let body = answer.into_body().collect().await;
    let body = body
        .map_err(|error| Refusal::ForNow(error.to_string()))?
        .to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    if status.is_success() {
        let task = body.pointer("/task/id").and_then(Value::as_str);
        return Ok(task.map(str::to_owned));
    }
    let reason = body
        .get("error")
        .and_then(Value::as_str)
        .unwrap_or("no reason given");
    let is_passing = status.is_server_error()
        || matches!(
            status,
            StatusCode::NOT_FOUND | StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT
        );
    Err(if is_passing {
        Refusal::ForNow(reason.to_owned())
    } else {
        Refusal::ForGood(reason.to_owned())
    })
}

/// A message as programs are told of it.
pub(super) fn shape(kept: &KeptMessage) -> Kept {
    let body: Value = serde_json::from_str(&kept.body).unwrap_or_default();
    let text = body
        .pointer("/message/parts/0/text")
        .and_then(Value::as_str);
    let until = i64::try_from(kept.expires_at.0).ok();
    let until = until.and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
    Kept {
        id: kept.message.clone(),
        to: format!("{}@{}", kept.agent, kept.machine),
        text: text.unwrap_or_default().to_owned(),
        until: until.unwrap_or_default(),
        state: kept.state.name().to_owned(),
        task: kept.task.clone(),
        reason: kept.reason.clone(),
    }
}
