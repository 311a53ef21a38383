//! Delivers messages that were kept while their machines were away: in order for each agent, until that machine says that
//! it has them in its own store. A message has an id, so one that arrives twice is taken once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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

/// Whom messages wait for, machine and agent, and how many were ever lined up for each: a round that has delivered all
/// that it had read must not forget one that came meanwhile.
#[derive(Debug, Default)]
pub(super) struct LinedUp(BTreeMap<(String, String), u64>);

impl LinedUp {
    fn add(&mut self, agent: (String, String)) {
        *self.0.entry(agent).or_default() += 1;
    }

    /// Forgets those for whom nobody was lined up since `before`, except those who still wait.
    fn remove_served(
        &mut self,
        before: &BTreeMap<(String, String), u64>,
        still: &BTreeSet<(String, String)>,
    ) {
        self.0.retain(|agent, count| {
            still.contains(agent) || before.get(agent).is_none_or(|before| before != count)
        });
    }
}

/// Notes that a message will wait for an agent. Comes before it is stored, so that no round can miss it.
pub(super) fn line_up(shared: &Shared, machine: &str, agent: &str) {
    locked(shared).add((machine.to_owned(), agent.to_owned()));
}

/// Whether messages wait for an agent: what is sent to it now must not overtake them.
pub(super) fn is_lined_up(shared: &Shared, machine: &str, agent: &str) -> bool {
    let agent = (machine.to_owned(), agent.to_owned());
    locked(shared).0.contains_key(&agent)
}

fn locked(shared: &Shared) -> MutexGuard<'_, LinedUp> {
    let lined_up = shared.lined_up.lock();
    lined_up.unwrap_or_else(PoisonError::into_inner)
}

/// Messages that somebody does something with: one that is being handed over cannot be canceled, and one that is being
/// canceled is not handed over.
#[derive(Debug, Default)]
pub(super) struct InHand(Mutex<BTreeSet<String>>);

/// Has one message in hand until it is dropped.
pub(super) struct Hand<'a> {
    all: &'a InHand,
    message: String,
}

impl InHand {
    /// Takes a message, unless somebody has it.
    pub(super) fn take(&self, message: &str) -> Option<Hand<'_>> {
        let is_free = self.locked().insert(message.to_owned());
        is_free.then(|| Hand {
            all: self,
            message: message.to_owned(),
        })
    }

    fn locked(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Hand<'_> {
    fn drop(&mut self) {
        self.all.locked().remove(&self.message);
    }
}

/// Delivers what can be delivered now.
async fn round(shared: &Shared) -> Round {
    let mut before = locked(shared).0.clone();
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
    let waiting = refuse_revoked(shared, waiting).await;
    let here = who_is_here(shared);
    let mut still = BTreeSet::new();
    let mut agents: BTreeMap<(String, String), Vec<KeptMessage>> = BTreeMap::new();
    for kept in waiting {
        let agent = (kept.machine.clone(), kept.agent.clone());
        // What an earlier bridge has kept is not lined up yet.
        let count = *locked(shared).0.entry(agent.clone()).or_default();
        before.entry(agent.clone()).or_insert(count);
        still.insert(agent.clone());
        if here.iter().any(|(name, _)| name.as_str() == kept.machine) {
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
    for (agent, is_done) in served.iter().zip(&done) {
        if *is_done {
            still.remove(agent);
        }
    }
    locked(shared).remove_served(&before, &still);
    if done.into_iter().all(|is_done| is_done) {
        Round::Nothing
    } else {
        Round::Again
    }
}

/// Ends the waiting of messages to machines that are in the mesh no more: another one of that name is not who was meant.
async fn refuse_revoked(shared: &Shared, waiting: Vec<KeptMessage>) -> Vec<KeptMessage> {
    let roster = Arc::clone(&shared.roster.borrow());
    let (meant, revoked): (Vec<_>, Vec<_>) = waiting
        .into_iter()
        .partition(|kept| roster.member(&kept.machine).is_some());
    for kept in revoked {
        let reason = format!("{} is no more in the mesh", kept.machine);
        let path = shared.paths.store();
        let settled = tokio::task::spawn_blocking(move || {
            let refused = OutboxState::Refused;
            outbox::settle(&path, &kept.message, refused, None, Some(&reason))
        });
        let _ = settled.await;
    }
    meant
}

/// Delivers the messages to one agent, as far as it takes them. Whether it took all.
async fn in_order(shared: &Shared, messages: Vec<KeptMessage>) -> bool {
    for kept in messages {
        let Some(_hand) = shared.in_hand.take(&kept.message) else {
            return false;
        };
        // It may have been canceled, or its time may be over, since the list was read.
        let (path, message) = (shared.paths.store(), kept.message.clone());
        let waits = tokio::task::spawn_blocking(move || outbox::is_waiting(&path, &message)).await;
        match waits {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) => continue,
            _ => return false,
        }
        let (state, task, reason) = match hand_over(shared, &kept).await {
            Ok(task) => (OutboxState::Delivered, task, None),
            Err(Refusal::ForGood(reason)) => (OutboxState::Refused, None, Some(reason)),
            Err(Refusal::ForNow(reason)) => {
                tracing::debug!(
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
    let (body, via) = without_via(&kept.body);
    let request = Request::post(&target)
        .header(CONTENT_TYPE, "application/json")
        .body(Body::from(body))
        .map_err(|error| Refusal::ForGood(error.to_string()))?;
    let asked = shared
        .tunnels
        .ask(&kept.machine, &kept.agent, &target, request, via);
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
    Err(if is_passing(status) {
        Refusal::ForNow(reason.to_owned())
    } else {
        Refusal::ForGood(reason.to_owned())
    })
}

/// Whether a refusal may be over the next time.
fn is_passing(status: StatusCode) -> bool {
    status.is_server_error()
        || matches!(
            status,
            StatusCode::NOT_FOUND
                | StatusCode::TOO_MANY_REQUESTS
                | StatusCode::REQUEST_TIMEOUT
                | StatusCode::TOO_EARLY
        )
}

/// Where the body of a kept message has the agents on whose behalf it was sent.
const VIA: &str = "synapse/via";

/// The body of a message as it is kept.
pub(super) fn with_via(mut body: Value, via: Vec<String>) -> String {
    if let Some(fields) = body.as_object_mut() {
        fields.remove(VIA);
        if !via.is_empty() {
            fields.insert(VIA.to_owned(), via.into());
        }
    }
    body.to_string()
}

/// The body of a kept message as it is sent, and on whose behalf.
fn without_via(body: &str) -> (String, Vec<String>) {
    let mut read: Value = serde_json::from_str(body).unwrap_or_default();
    let via = read.as_object_mut().and_then(|fields| fields.remove(VIA));
    match via.map(serde_json::from_value) {
        Some(Ok(via)) => (read.to_string(), via),
        _ => (body.to_owned(), Vec::new()),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_waits_for_an_agent_that_is_not_there_and_for_clocks_that_are_wrong() {
        for (status, is_it) in [
            (404, true),
            (425, true),
            (503, true),
            (400, false),
            (403, false),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(is_passing(status), is_it, "{status}");
        }
    }

    #[test]
    fn a_kept_message_knows_on_whose_behalf_it_was_sent() {
        let body = serde_json::json!({ "message": "m", VIA: ["somebody else"] });
        let kept = with_via(body.clone(), vec!["codex@desk".to_owned()]);
        let (sent, via) = without_via(&kept);
        assert_eq!(
            (sent.as_str(), via),
            (r#"{"message":"m"}"#, vec!["codex@desk".to_owned()])
        );
        assert_eq!(
            without_via(&with_via(body, Vec::new())).1,
            Vec::<String>::new()
        );
    }
}
