//! What the hub knows of all agents, and the numbered changes of it that every page follows.
//!
//! One lock, held for moments: a page takes the snapshot and its place in the stream at once, so it
//! misses nothing and sees nothing twice. Who falls behind takes a new snapshot.

use std::sync::{Arc, PoisonError, RwLock};

use jiff::Timestamp;
use tokio::sync::broadcast;

mod change;
mod delta;
mod known;
mod state;
mod tasks;

pub(super) use change::{Answer, Change, Gone, Place, Report, TaskEvent};
pub(super) use delta::Delta;
pub(super) use known::KnownAgent;
pub(super) use state::{Snapshot, State};
pub(super) use tasks::{LINES, PERSON, is_over, line_text, name_of};

/// Changes a slow page may be behind before it takes a new snapshot.
const TAIL: usize = 1_024;

/// A change, ready to be sent: encoded once for all pages.
#[derive(Clone, Debug)]
pub(super) struct EncodedChange {
    pub(super) seq: u64,
    pub(super) text: Arc<str>,
}

/// What everybody in the hub reads, and writes by changes.
#[derive(Debug)]
pub(super) struct Live {
    state: RwLock<State>,
    deltas: broadcast::Sender<EncodedChange>,
    /// What may call somebody.
    news: broadcast::Sender<Arc<Delta>>,
}

impl Live {
    /// Knows of nobody yet. `boot` tells this run of the hub from others.
    pub(super) fn new(boot: String) -> Self {
        let (deltas, _) = broadcast::channel(TAIL);
        let (news, _) = broadcast::channel(TAIL);
        Self {
            state: RwLock::new(State::new(boot)),
            deltas,
            news,
        }
    }

    /// Takes note of a change and tells the pages what follows from it.
    pub(super) fn apply(&self, change: Change) {
        let at = Timestamp::now();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        for (seq, delta) in state.apply(change, at) {
            let text = delta.encode(seq, at).into();
            if delta.may_call() {
                let _ = self.news.send(Arc::new(delta));
            }
            // Nobody may be listening.
            let _ = self.deltas.send(EncodedChange { seq, text });
        }
    }

    /// Everything, and what changes from then on.
    pub(super) fn follow(&self) -> (Snapshot, broadcast::Receiver<EncodedChange>) {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        (state.snapshot(), self.deltas.subscribe())
    }

    /// What happens from now on that somebody may be called for.
    pub(super) fn news(&self) -> broadcast::Receiver<Arc<Delta>> {
        self.news.subscribe()
    }

    /// What is known now.
    pub(super) fn read<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }
}
