//! Where events go: to the disk first, then to the board. What is on the board is on disk, so whoever
//! has seen an event can ask for the rest after a crash. A disk in trouble does not stop the agent:
//! its events still reach the board, but no new task is promised to be durable.

use std::path::PathBuf;
use std::sync::Arc;

use synapse_a2a::event::{Event, Fact, Origin, Status};
use synapse_a2a::id::TaskId;
use synapse_a2a::usage::Usage;

use super::{Board, journal, timestamp};
use synapse_store::{Entry, Owner, Store, StoreError};

/// Why a task ends with its agent.
pub(super) const STOPPED: &str = "the agent was stopped";

/// How a task ends that its agent had not begun when it was stopped.
pub(super) fn stopped() -> Status {
    Status::Canceled {
        reason: STOPPED.to_owned(),
        with_agent: true,
    }
}

/// The one way for events to get on disk and on the board. Cheap to clone.
#[derive(Clone)]
pub struct Ledger {
    /// What everybody reads.
    pub board: Arc<Board>,
    store: Store,
}

impl Ledger {
    /// Opens the ledger of one run of an agent.
    ///
    /// # Errors
    /// If the system gives us no thread to write with.
    pub fn open(path: PathBuf, owner: Owner) -> Result<Self, StoreError> {
        let board = Arc::new(Board::default());
        let seen = Arc::clone(&board);
        let store = Store::start(path, owner, move |entries, error| {
            if let Some(error) = error {
                tracing::warn!(%error, "events are not on disk");
            }
            for Entry {
                task,
                number,
                event,
            } in entries
            {
                if error.is_some_and(is_lost) && is_promise(&event) {
                    continue;
                }
                journal::event(&task, &event);
                if let Err(error) = seen.post(task, number, event) {
                    tracing::error!(%error, "an event was not legal");
                }
            }
        })?;
        Ok(Self { board, store })
    }

    /// Writes an event down; who reads the board sees it once it is on disk.
    pub(super) fn append(&self, task: &TaskId, number: u64, event: Event) {
        let task = task.clone();
        self.store.append(vec![Entry {
            task,
            number,
            event,
        }]);
    }

    /// Writes an event down, and waits until it is on disk and on the board.
    ///
    /// # Errors
    /// If it could not be written: then it has not happened, unless the error is
    /// [`StoreError::Unconfirmed`].
    pub(super) async fn commit(
        &self,
        task: &TaskId,
        number: u64,
        event: Event,
    ) -> Result<(), StoreError> {
        let task = task.clone();
        let entries = vec![Entry {
            task,
            number,
            event,
        }];
        self.store.commit(entries).await
    }

    /// Ends a task that never reaches the actor.
    pub(super) fn withdraw(&self, task: &TaskId, status: Status) {
        let fact = Fact::Moved { status };
        let at = timestamp();
        self.append(task, 2, Event { at, fact });
    }

    /// Writes down what a turn took so far.
    pub(super) fn note_usage(&self, task: &TaskId, usage: Usage) {
        self.store.note_usage(task, usage);
    }

    /// Waits until everything so far is on the board, and on disk if the disk takes it.
    pub(super) async fn flush(&self) {
        // Nothing is written here, so nothing is lost if that fails.
        let _ = self.store.commit(Vec::new()).await;
    }

    /// Why the disk cannot be written, while it cannot.
    pub fn trouble(&self) -> Option<String> {
        self.store.trouble()
    }

    /// Everything is on disk and on the board when this returns.
    pub async fn close(&self) {
        self.store.close().await;
    }
}

/// Whether what failed so is not in the store.
fn is_lost(error: &StoreError) -> bool {
    !matches!(error, StoreError::Unconfirmed { .. })
}

/// Whether this is a task somebody is to be promised: one that is not on disk is not taken in. What was
/// typed at the keyboard has happened in any case.
fn is_promise(event: &Event) -> bool {
    matches!(&event.fact, Fact::Submitted { origin, .. } if origin.sender != Origin::KEYBOARD)
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ledger").finish_non_exhaustive()
    }
}
