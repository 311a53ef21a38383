//! Reports when files of a folder are created, removed, extended or replaced, and when one file is removed.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use tokio::net::unix::pipe::Receiver;

/// The fixed part of what the kernel tells: watch, mask, cookie, length of the name that follows.
const HEAD: usize = 16;

/// What happens in one folder, which need not be there yet, or to one file.
#[derive(Debug)]
pub struct Changes {
    path: PathBuf,
    flags: WatchFlags,
    /// No pipe, but tokio treats all that can be read alike.
    watch: Option<Receiver>,
}

impl Changes {
    /// Listens to a folder, or to nothing until it is there.
    pub fn of(folder: &Path) -> Self {
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::ONLYDIR;
        Self::begin(folder, flags)
    }

    /// Listens to which names come and go in a folder, and to nothing that is written: whoever looks at the files in
    /// answer would wake itself.
    pub fn names_in(folder: &Path) -> Self {
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::ONLYDIR;
        Self::begin(folder, flags)
    }

    /// Listens for the removal of one file that is there. As long as somebody has it open, its links change and it
    /// is not gone.
    pub fn removal_of(file: &Path) -> Self {
        let flags = WatchFlags::ATTRIB | WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
        Self::begin(file, flags)
    }

    fn begin(path: &Path, flags: WatchFlags) -> Self {
        let mut changes = Self {
            path: path.to_owned(),
            flags,
            watch: None,
        };
        changes.take_up();
        changes
    }

    /// Listens to what has come by now.
    pub fn take_up(&mut self) {
        if self.watch.is_none() {
            self.watch = listen(&self.path, self.flags).ok();
        }
    }

    /// Returns when something has happened; several things may come as one. Safe to cancel.
    pub async fn next(&mut self) {
        let Some(watch) = &self.watch else {
            return std::future::pending().await;
        };
        let mut told = [0; 4_096];
        loop {
            let is_over = match watch.try_read(&mut told) {
                Ok(length) => has_ended(told.get(..length).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if watch.readable().await.is_ok() {
                        continue;
                    }
                    true
                }
                Err(_) => true,
            };
            if is_over {
                self.watch = None;
            }
            return;
        }
    }
}

fn listen(path: &Path, flags: WatchFlags) -> io::Result<Receiver> {
    let watch = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
    inotify::add_watch(&watch, path, flags)?;
    Receiver::from_owned_fd_unchecked(watch)
}

/// Whether the kernel says that there will be no more: the folder is gone.
fn has_ended(mut told: &[u8]) -> bool {
    let number = |bytes: &[u8], at: usize| {
        let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_ne_bytes(bytes))
    };
    while let (Some(mask), Some(length)) = (number(told, 4), number(told, 12)) {
        if ReadFlags::from_bits_retain(mask).contains(ReadFlags::IGNORED) {
            return true;
        }
        told = told.get(HEAD + length as usize..).unwrap_or_default();
    }
    false
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    /// Far longer than it takes, so that only what never comes is missed.
    const PATIENCE: Duration = Duration::from_secs(10);

    #[tokio::test]
    async fn hears_of_files_and_of_the_folder_itself() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("registry");
        let mut changes = Changes::of(&folder);
        std::fs::create_dir(&folder).unwrap();
        changes.take_up();
        std::fs::write(folder.join("a"), "x").unwrap();
        timeout(PATIENCE, changes.next()).await.unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        while changes.watch.is_some() {
            timeout(PATIENCE, changes.next()).await.unwrap();
        }
        std::fs::create_dir(&folder).unwrap();
        changes.take_up();
        std::fs::write(folder.join("b"), "x").unwrap();
        timeout(PATIENCE, changes.next()).await.unwrap();
    }
}
