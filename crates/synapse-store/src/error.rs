//! Why something is not in the store, for the person who must act.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use synapse_a2a::id::TaskId;
use synapse_a2a::task::IllegalEvent;

/// Why the store did not do what it was asked. It is given to everybody who waits for the same group,
/// so it can be cloned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// More waits to be written than the store takes.
    #[error("the store cannot take more: too many events wait to be written; the disk may be slow")]
    Behind,
    /// The store was closed before.
    #[error("the store is closed")]
    Closed,
    /// The thread that writes could not be started.
    #[error("the thread that writes tasks could not be started: {0}")]
    NoThread(String),
    /// The disk, the quota or the file size limit is used up.
    #[error("there is no room to write {}: {reason}", path.display())]
    NoRoom { path: PathBuf, reason: String },
    /// Another process kept the database to itself for too long.
    #[error("{} has been locked by another process for too long", path.display())]
    Busy { path: PathBuf },
    /// The file is damaged, or no database at all. It is left as it is.
    #[error("{} is damaged ({reason}); move it away to begin a new store", path.display())]
    Corrupt {
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file is a database of something else. It is left as it is.
    #[error("{} is a database of another program; move it away", path.display())]
    Foreign { path: PathBuf },
    /// A later version of this program has changed the file so that this one cannot work with it. It is left as it is.
    #[error("{} was brought to version {found} by a later synapse, this one knows up to {known}; use the later one; an agent that still runs with this one is brought over by: synapse restart AGENT", path.display())]
    Newer {
        path: PathBuf,
        /// The version that is needed for the file.
        found: u32,
        /// The latest that is understood here.
        known: u32,
    },
    /// Anything else the database or the system said.
    #[error("{}: {reason}", path.display())]
    Failed {
        /// The file or folder.
        path: PathBuf,
        reason: String,
    },
    /// It was written, but the disk did not confirm it: a crash of the machine may still undo it.
    #[error("{} was written, but the disk did not confirm it: {reason}", path.display())]
    Unconfirmed { path: PathBuf, reason: String },
    /// Events of a task must come one by one.
    #[error("event {got} of task {task} came, but {expected} was expected")]
    OutOfOrder {
        task: TaskId,
        /// The number that was next.
        expected: u64,
        /// The number that came.
        got: u64,
    },
    /// An event that may not follow those before it.
    #[error("event {number} of task {task} is not allowed: {reason}")]
    Illegal {
        task: TaskId,
        number: u64,
        reason: IllegalEvent,
    },
    /// An event that has no written form.
    #[error("event {number} of task {task} cannot be serialised: {reason}")]
    Unwritable {
        task: TaskId,
        number: u64,
        reason: String,
    },
    /// A second task of the same name, or another writer of the same task.
    #[error("event {number} of task {task} has been written before, by someone else")]
    Taken { task: TaskId, number: u64 },
    /// Earlier events of the task were lost, so later ones cannot be kept without a hole.
    #[error("earlier events of task {task} are missing in the store")]
    Incomplete { task: TaskId },
}

impl StoreError {
    pub(super) fn of_database(path: &Path, error: &rusqlite::Error) -> Self {
        let path = path.to_owned();
        let reason = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::NoRoom { path, reason },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { path },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Corrupt { path, reason }
            }
            _ => Self::Failed { path, reason },
        }
    }

    pub(super) fn of_file(path: &Path, error: &io::Error) -> Self {
        let path = path.to_owned();
        let reason = error.to_string();
        match error.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::NoRoom { path, reason },
            _ => Self::Failed { path, reason },
        }
    }
}

/// Names the database in an error about it.
pub(super) trait AboutStore<T> {
    fn about(self, path: &Path) -> Result<T, StoreError>;
}

impl<T> AboutStore<T> for rusqlite::Result<T> {
    fn about(self, path: &Path) -> Result<T, StoreError> {
        self.map_err(|error| StoreError::of_database(path, &error))
    }
}

impl<T> AboutStore<T> for io::Result<T> {
    fn about(self, path: &Path) -> Result<T, StoreError> {
        self.map_err(|error| StoreError::of_file(path, &error))
    }
}
