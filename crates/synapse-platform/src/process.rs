//! The process table, and hold of one process, so that a number that went to another process is never signalled.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal};

use crate::system::process as system;

/// Longer chains of parents are no chains.
const GENERATIONS: usize = 1_024;

/// One line of the process table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: Pid,
    pub parent: i32,
    pub session: i32,
    pub is_dead: bool,
    /// In units of the system: with the number, it names a process for good.
    pub started: u64,
}

/// The process table, as far as we may see it.
pub fn all() -> Vec<Process> {
    system::all()
}

/// One process, if it is there and we may see it.
pub fn get(pid: i32) -> Option<Process> {
    system::get(pid)
}

/// What a process is called; long names may be cut.
pub fn name(pid: i32) -> Option<String> {
    system::name(pid)
}

/// The processes that a process has started and that still run.
pub fn children(pid: i32) -> Vec<i32> {
    system::children(pid)
}

/// The files that a process has open; none where the system does not say.
pub fn open_files(pid: i32) -> Vec<PathBuf> {
    system::open_files(pid)
}

/// The parent of a process.
pub fn parent(pid: i32) -> Option<i32> {
    get(pid).map(|process| process.parent)
}

/// Whether a process descends from another.
pub fn is_below(pid: i32, above: i32) -> bool {
    let mut at = pid;
    for _ in 0..GENERATIONS {
        match parent(at) {
            Some(parent) if parent == above => return true,
            Some(parent) if parent > 1 => at = parent,
            _ => return false,
        }
    }
    false
}

/// Hold of one process.
#[derive(Debug)]
pub struct Held(system::Held);

impl Held {
    /// Takes hold of whatever process has this number now.
    ///
    /// # Errors
    /// `SRCH` if there is none.
    pub fn of(pid: Pid) -> io::Result<Self> {
        system::Held::of(pid).map(Self)
    }

    /// Takes hold of a process that was seen, unless its number has gone to another one.
    pub fn of_seen(seen: Process) -> Option<Self> {
        let held = Self::of(seen.pid).ok()?;
        let now = get(seen.pid.as_raw_pid())?;
        (now.started == seen.started).then_some(held)
    }

    /// Signals it.
    ///
    /// # Errors
    /// If it is gone, or another user's.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        self.0.signal(signal)
    }

    /// Whether it ends within a time; blocks meanwhile.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn ends_within(&self, patience: Duration) -> io::Result<bool> {
        let patience = Timespec::try_from(patience).map_err(io::Error::other)?;
        let mut fds = [PollFd::new(self, PollFlags::IN)];
        Ok(retry_on_intr(|| poll(&mut fds, Some(&patience)))? > 0)
    }

    /// Waits for its end. Safe to cancel.
    ///
    /// # Errors
    /// If the system does not say.
    pub async fn ended(&self) -> io::Result<()> {
        self.0.ended().await
    }
}

/// Readable when the process has ended; nothing is to be read from it.
impl AsFd for Held {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_itself() {
        let own = get(rustix::process::getpid().as_raw_pid()).unwrap();
        assert_eq!(own.parent, Pid::as_raw(rustix::process::getppid()));
        assert!(!own.is_dead && own.started > 0);
        assert!(Held::of_seen(own).is_some());
        let other = Process { started: 1, ..own };
        assert!(Held::of_seen(other).is_none());
    }

    #[test]
    fn a_child_is_below_us_and_we_are_not_below_it() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        let (below, own) = (pid.as_raw_pid(), std::process::id().cast_signed());
        assert!(is_below(below, own));
        assert!(!is_below(own, below));
        assert!(children(own).contains(&below));
        let held = Held::of(pid).unwrap();
        assert!(!held.ends_within(Duration::ZERO).unwrap());
        held.signal(Signal::KILL).unwrap();
        assert!(held.ends_within(Duration::from_mins(1)).unwrap());
        child.wait().unwrap();
    }

    #[test]
    fn a_file_that_is_open_is_found() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let open = open_files(std::process::id().cast_signed());
        assert!(open.contains(&file.path().canonicalize().unwrap()));
    }
}
