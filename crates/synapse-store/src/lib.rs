//! Tasks on disk: an accepted task survives whatever happens to its host.
//!
//! All hosts of a user share one database. Each host has one thread that writes in batches; readers use
//! connections of their own and never wait for it. Events are the source of truth; every other table can be
//! rebuilt from them. The store knows no session, socket or screen.
#![forbid(unsafe_code)]

mod agents;
mod column;
mod database;
mod error;
mod filing;
mod flows;
mod group;
mod inbox;
pub mod lives;
mod orphans;
pub mod outbox;
mod page;
mod patience;
pub mod push;
mod read;
pub mod replies;
mod retention;
mod row;
mod schema;
mod search;
mod snippet;
pub mod sweep;
mod task_head;
mod usage;
mod usage_sums;
mod weight;
mod writer;

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Once, PoisonError};
use std::thread;

use signal_hook::consts::SIGXFSZ;
use synapse_a2a::event::{Event, Timestamp};
use synapse_a2a::id::TaskId;
use synapse_a2a::usage::Usage;
use tokio::sync::oneshot;

pub use agents::KeptAgent;
pub use error::StoreError;
pub use flows::{FlowLog, FlowRun};
pub use orphans::fail_orphans;
pub use page::{Cursor, Filter, Page};
pub use read::{Edge, Kept, Reader};
pub use retention::retain;
pub use search::{Field, SearchHit};
pub use usage::KeptUsage;
pub use usage_sums::{UsageSum, sum_usage};

use inbox::{Inbox, Promise};
use writer::{Trouble, Writer};

/// Who writes: one run of one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The run: another each time a host starts.
    pub run: String,
    /// The agent's id: the same again when it is started again in the same place.
    pub agent: String,
    /// The name others address it by.
    pub handle: String,
    /// What kind of program it is.
    pub profile: String,
    pub dir: PathBuf,
    /// The process of the host.
    pub pid: u32,
    /// When the run began.
    pub started_at: Timestamp,
}

/// One event of a task, to be written down.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub task: TaskId,
    /// Which; they count from 1, and none is left out.
    pub number: u64,
    pub event: Event,
}

/// The writing side of the store. Clones are handles of the same one; it ends with [`Store::close`] or
/// with the last of them, and what was handed over is written in either case.
#[derive(Clone)]
pub struct Store {
    handle: Arc<Handle>,
}

struct Handle {
    path: PathBuf,
    inbox: Arc<Inbox>,
    trouble: Trouble,
    /// Ends when the thread does.
    ended: tokio::sync::watch::Receiver<()>,
}

impl Store {
    /// Starts the thread that writes. It opens the database itself, so that the caller does not wait for
    /// the disk, and makes it if there is none.
    ///
    /// `seen` is called on that thread, in order, for everything that is handed over: once it is on the
    /// disk, or with the error that kept it from getting there.
    ///
    /// # Errors
    /// When the system gives us no thread.
    pub fn start(
        path: PathBuf,
        owner: Owner,
        seen: impl FnMut(Vec<Entry>, Option<&StoreError>) + Send + 'static,
    ) -> Result<Self, StoreError> {
        survive_file_size_limit();
        let inbox = Arc::new(Inbox::default());
        let trouble = Trouble::default();
        let (alive, ended) = tokio::sync::watch::channel(());
        let writer = Writer::new(path.clone(), owner, inbox.clone(), trouble.clone(), seen);
        thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || {
                writer.run();
                drop(alive);
            })
            .map_err(|error| StoreError::NoThread(error.to_string()))?;
        let handle = Handle {
            path,
            inbox,
            trouble,
            ended,
        };
        Ok(Self {
            handle: Arc::new(handle),
        })
    }

    /// Hands over what has happened; never waits. If it cannot be written, it is tried again together
    /// with what comes next, from a memory of 8 MiB; beyond that the task is incomplete on disk.
    ///
    /// At most 65,536 entries or 64 MiB may wait: more is [`StoreError::Behind`]. Entries that were handed
    /// over together are refused together if one of them may not follow. After [`Store::close`], this
    /// does nothing.
    pub fn append(&self, entries: Vec<Entry>) {
        // A closed store has no one left to tell.
        let _ = self.handle.inbox.put(entries, Promise::Kept);
    }

    /// Hands over what is to happen, and waits until `seen` has been called for it. If it cannot be
    /// written, it has not happened: nothing of it is kept or tried again, and its numbers are free. Only
    /// after [`StoreError::Unconfirmed`] it is written, for now.
    ///
    /// # Errors
    /// Why it was not written.
    pub async fn commit(&self, entries: Vec<Entry>) -> Result<(), StoreError> {
        let (tell, told) = oneshot::channel();
        if self.handle.inbox.put(entries, Promise::Told(tell)).is_err() {
            return Err(StoreError::Closed);
        }
        told.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Hands over what a turn took so far, in the place of what was known of it; never waits.
    pub fn note_usage(&self, task: &TaskId, usage: Usage) {
        self.handle.inbox.put_usage(task.clone(), usage);
    }

    /// Why the last group could not be written; nothing if it was. Each group is another try.
    pub fn trouble(&self) -> Option<String> {
        let trouble = self.handle.trouble.lock();
        trouble.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The reading side: a connection of its own, for a thread that may wait for the disk.
    ///
    /// # Errors
    /// When there is a file that cannot be read as a store.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        Reader::open(&self.handle.path)
    }

    /// Takes nothing more. When this returns, everything that was handed over is on the disk or has
    /// failed, and the thread is done.
    pub async fn close(&self) {
        self.handle.inbox.close();
        let mut ended = self.handle.ended.clone();
        // Nothing is ever sent: this waits for the other side to be gone.
        while ended.changed().await.is_ok() {}
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Store");
        debug
            .field("path", &self.handle.path)
            .finish_non_exhaustive()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.inbox.close();
    }
}

/// Without a handler, a write past the limit on file sizes would end the process instead of failing.
pub fn survive_file_size_limit() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if let Err(error) = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))) {
            tracing::debug!(%error, "a limit on file sizes may end this process");
        }
    });
}
