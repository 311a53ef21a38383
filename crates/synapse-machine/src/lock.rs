//! Locks that the kernel releases when their holder dies, however it dies.
//!
//! A lock file appears under its name only when it is already held, so whoever finds one free knows that
//! its holder is gone. Checking takes the lock shared and so never blocks a holder.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::private_file::{Trust, draft, is_at, open, open_regular};

/// How long somebody else may keep a lock that is meant for moments.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long those before us may take to check out worktrees of a large repository.
const CHECKOUT_PATIENCE: Duration = Duration::from_mins(10);
/// How long those before us may take to start their agents.
const STARTS_PATIENCE: Duration = Duration::from_mins(10);
/// How often we ask for it. The kernel cannot be told how long to wait for a lock.
const PAUSE: Duration = Duration::from_millis(2);

/// A lock in our hands.
#[derive(Debug)]
pub struct LockGuard(File);

impl LockGuard {
    /// Waits for a lock that everybody holds for moments only.
    pub fn wait_for(path: &Path) -> io::Result<Self> {
        Self::wait_at_most(path, PATIENCE)
    }

    /// Waits while nobody adds or removes a worktree of a repository, whose common git folder this is. Git itself does
    /// not: one `git worktree add` fails when it reads what another has written in part.
    pub fn wait_for_worktrees(git_dir: &Path) -> io::Result<Self> {
        Self::wait_at_most(&git_dir.join("synapse-worktrees.lock"), CHECKOUT_PATIENCE)
    }

    /// Waits while no other command starts agents again.
    pub fn wait_for_starts(path: &Path) -> io::Result<Self> {
        Self::wait_at_most(path, STARTS_PATIENCE)
    }

    fn wait_at_most(path: &Path, patience: Duration) -> io::Result<Self> {
        let file = open(path)?;
        let deadline = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        format!("another process holds it for more than {patience:?}"),
                    ));
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// Puts a lock file in place, held and filled. Whatever has that name is replaced: the caller
    /// knows that nobody holds it.
    pub fn create(path: &Path, text: &[u8]) -> io::Result<Self> {
        let (draft, mut file) = draft(path)?;
        file.write_all(text)?;
        fs::rename(&draft, path)?;
        Ok(Self(file))
    }
}

impl LockGuard {
    /// Whether the lock we hold is the file of this name, and not one that was removed.
    pub fn is_at(&self, path: &Path) -> bool {
        is_at(&self.0, path)
    }
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        // Closing alone would leave it to a child that another thread is just about to start.
        let _ = self.0.unlock();
    }
}

/// Whether somebody holds the lock now.
pub fn is_held(path: &Path) -> io::Result<bool> {
    let file = match open_regular(path, Trust::Own) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => {
            let _ = file.unlock();
            Ok(false)
        }
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_link_that_somebody_plants_for_a_draft_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let precious = folder.path().join("precious");
        fs::write(&precious, "mine").unwrap();
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut number = 0;
                while !is_over.load(Ordering::Relaxed) {
                    number = (number + 1) % 1_000;
                    let _ = symlink(&precious, folder.path().join(".a.lock.draft"));
                    let numbered = format!(".a.lock.{}-{number}.draft", std::process::id());
                    let _ = symlink(&precious, folder.path().join(numbered));
                }
            });
            for _ in 0..40 {
                // It may be refused, but it is never written elsewhere.
                let _ = LockGuard::create(&folder.path().join("a.lock"), b"held");
            }
            is_over.store(true, Ordering::Relaxed);
        });
        assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    }

    #[test]
    fn a_lock_behind_a_link_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let [lock, elsewhere] = ["lock", "elsewhere"].map(|name| folder.path().join(name));
        symlink(&elsewhere, &lock).unwrap();
        LockGuard::wait_for(&lock).unwrap_err();
        assert!(!elsewhere.exists());
    }
}
