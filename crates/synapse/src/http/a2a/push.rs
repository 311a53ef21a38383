//! Push notifications: for each place a client named, a job follows the task with a cursor of its own
//! and posts what happens, in order, tried again for a while where nobody answers. It never delays the
//! task; who was away for too long is told how the task stands instead of everything that was missed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use synapse_a2a::event::Fact;
use synapse_a2a::id::TaskId;
use synapse_a2a::task::Task;
use synapse_a2a::wire::Dialect;
use synapse_a2a::wire::narrator::{Frame, Narrator};
use synapse_a2a::wire::protocol_error::ProtocolError;
use synapse_a2a::wire::request::{PushConfig, PushTarget};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use super::super::ServerState;
use synapse_client::client::{PushSender, WebError};
use synapse_session::{Follow, Record};
use synapse_store::{StoreError, push as kept};

/// How many places may be told of one task.
const MOST: usize = 16;

/// How long an agent that ends waits for the last notifications.
const FAREWELL: Duration = Duration::from_secs(2);

/// What the first notification is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// The task as it stands, as a stream begins.
    Snapshot,
    /// The next thing that happens.
    Now,
}

/// The jobs that send notifications, one for each place.
#[derive(Default)]
pub(super) struct PushJobs {
    underway: Mutex<RunningJobs>,
}

#[derive(Default)]
struct RunningJobs {
    jobs: JoinSet<()>,
    by_place: HashMap<(TaskId, String), AbortHandle>,
}

impl PushJobs {
    /// Starts a job, instead of one for the same place.
    fn start(&self, place: (TaskId, String), job: impl Future<Output = ()> + Send + 'static) {
        let mut underway = self.lock();
        // Those who are done are nobody's business any more.
        while underway.jobs.try_join_next().is_some() {}
        underway.by_place.retain(|_, job| !job.is_finished());
        let handle = underway.jobs.spawn(job);
        if let Some(before) = underway.by_place.insert(place, handle) {
            before.abort();
        }
    }

    fn abort(&self, place: &(TaskId, String)) {
        if let Some(job) = self.lock().by_place.remove(place) {
            job.abort();
        }
    }

    /// Waits a little for those who are on their way.
    pub(super) async fn finish(&self) {
        let mut jobs = std::mem::take(&mut self.lock().jobs);
        let all = async { while jobs.join_next().await.is_some() {} };
        let _ = timeout(FAREWELL, all).await;
    }

    fn lock(&self) -> MutexGuard<'_, RunningJobs> {
        self.underway.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells a place of a task from here on. A place without a name has that of the task, so there is one.
pub(super) async fn set(
    served: &ServerState,
    record: &Arc<Record>,
    config: PushConfig,
    dialect: Dialect,
    from: From,
) -> Result<PushConfig, ProtocolError> {
    let task = record.task.id();
    let id = config.id.unwrap_or_else(|| task.to_string());
    let config = PushConfig {
        id: Some(id.clone()),
        ..config
    };
    let target = PushTarget {
        config: config.clone(),
        dialect,
        is_local: served.access_policy.is_local,
    };
    let odd = |error: WebError| ProtocolError::field("url", error.to_string());
    let sender = PushSender::new(served.web.clone(), &target).map_err(odd)?;
    let cursor = Some(record.events.len() as u64);
    let follow = served.session.board.follow(task, cursor);
    let follow = follow.filter(|_| !record.task.state().is_final() || from == From::Snapshot);
    let is_told = follow.is_some();
    let (owner, wanted) = (task.clone(), target.clone());
    let written = keep(served, move |path| {
        let known = kept::list(path, &owner)?;
        let is_known = known.iter().any(|push| push.config.id == wanted.config.id);
        if !is_known && known.len() >= MOST {
            return Ok(false);
        }
        kept::set(path, &owner, &wanted)?;
        if !is_told {
            kept::settle(path, &owner, &wanted);
        }
        Ok(true)
    });
    if !written.await? {
        let error = format!("a task tells at most {MOST} places; delete one first");
        return Err(ProtocolError::Unsupported(error));
    }
    if let Some(follow) = follow {
        let job = PushJob {
            served: served.clone(),
            follow,
            narrator: Narrator::after(&record.task),
            sender,
            target,
        };
        let first = (from == From::Snapshot).then(|| job.sender.whole(&record.task));
        let place = (task.clone(), id);
        served.a2a.push_jobs.start(place, job.run(first));
    }
    Ok(config)
}

/// One place; without a name, the one that has none.
pub(super) async fn get(
    served: &ServerState,
    task: &Task,
    id: Option<String>,
) -> Result<PushConfig, ProtocolError> {
    let owner = task.id().clone();
    let id = id.unwrap_or_else(|| owner.to_string());
    let wanted = id.clone();
    let found = keep(served, move |path| kept::get(path, &owner, &wanted)).await?;
    let missing = || ProtocolError::NotFound(format!("the task has no push configuration {id}"));
    found.map(|push| push.config).ok_or_else(missing)
}

pub(super) async fn list(
    served: &ServerState,
    task: &Task,
) -> Result<Vec<PushConfig>, ProtocolError> {
    let owner = task.id().clone();
    let found = keep(served, move |path| kept::list(path, &owner)).await?;
    Ok(found.into_iter().map(|push| push.config).collect())
}

/// Tells a place no more; that it was not told before is fine.
pub(super) async fn delete(
    served: &ServerState,
    task: &Task,
    id: Option<String>,
) -> Result<(), ProtocolError> {
    let owner = task.id().clone();
    let id = id.unwrap_or_else(|| owner.to_string());
    served.a2a.push_jobs.abort(&(owner.clone(), id.clone()));
    keep(served, move |path| kept::delete(path, &owner, &id)).await?;
    Ok(())
}

/// Tells one place what happens to one task.
struct PushJob {
    served: ServerState,
    follow: Follow,
    narrator: Narrator,
    sender: PushSender,
    target: PushTarget,
}

impl PushJob {
    /// Tells everything, and then owes nothing more. If the task is not over, its host ends before it:
    /// whoever finds that out tells the end.
    async fn run(mut self, first: Option<Value>) {
        self.tell_all(first).await;
        let task = self.follow.snapshot.task.id().clone();
        let record = self.served.session.board.record(&task);
        if record.is_none_or(|record| record.task.state().is_final()) {
            let (store, target) = (Arc::clone(&self.served.store), self.target);
            let settle = move || kept::settle(&store, &task, &target);
            let _ = tokio::task::spawn_blocking(settle).await;
        }
    }

    async fn tell_all(&mut self, mut owed: Option<Value>) {
        let mut is_behind = false;
        loop {
            if let Some(body) = owed.take() {
                is_behind = !self.sender.post(&body).await;
                if is_behind && !self.catch_up() {
                    // The end itself did not arrive: one more try for how it ended, and that is all.
                    let end = self.sender.whole(&self.follow.snapshot.task);
                    self.sender.post(&end).await;
                    return;
                }
            }
            let Some(posted) = self.follow.next().await else {
                return;
            };
            // Where a task stands is pushed, and what came of it. The way there is in the task.
            if matches!(posted.event.fact, Fact::Stepped { .. }) {
                continue;
            }
            let board = &self.served.session.board;
            let Some(record) = board.record(&posted.task) else {
                return;
            };
            let frame = self.narrator.tell(&record.task, &posted.event);
            owed = frame.and_then(|frame| {
                if is_behind {
                    return Some(self.sender.whole(&record.task));
                }
                self.told(&frame, &record.task)
            });
        }
    }

    /// Leaves out what was missed. Whether more will happen.
    fn catch_up(&mut self) -> bool {
        let task = self.follow.snapshot.task.id().clone();
        let Some(follow) = self.served.session.board.follow(&task, None) else {
            return false;
        };
        self.narrator = Narrator::after(&follow.snapshot.task);
        self.follow = follow;
        !self.follow.snapshot.task.state().is_final()
    }

    /// What the receiver is told of a frame. Before 1.0 it is the whole task, each time it stands elsewhere.
    fn told(&self, frame: &Frame, task: &Task) -> Option<Value> {
        match (self.target.dialect, frame) {
            (Dialect::V1, _) => Some(Dialect::V1.frame(frame, task, false)),
            (_, Frame::Standing { .. }) => Some(self.sender.whole(task)),
            (_, Frame::Piece { .. }) => None,
        }
    }
}

/// Reads or writes the store beside the server's own threads.
async fn keep<T: Send + 'static>(
    served: &ServerState,
    ask: impl FnOnce(&std::path::Path) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, ProtocolError> {
    let path = Arc::clone(&served.store);
    let asked = tokio::task::spawn_blocking(move || ask(&path)).await;
    let failed = |why: String| ProtocolError::NoSpace(format!("the store is in trouble: {why}"));
    asked
        .map_err(|error| failed(error.to_string()))?
        .map_err(|error| failed(error.to_string()))
}
