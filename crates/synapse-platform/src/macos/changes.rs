//! Reports when files of a folder are created, removed, extended or replaced, and when one file is removed. kqueue
//! tells of a folder which names come and go; what is written into a file it tells of that file alone.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::event::kqueue::VnodeEvents;
use rustix::fs::{CWD, Mode, OFlags, openat};
use tokio::io::unix::AsyncFd;

use super::queue;

/// How many files of a folder are watched: those that were written last. Each takes a descriptor.
const MOST_FILES: usize = 64;

/// What is listened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Content,
    Names,
    Removal,
}

/// What happens in one folder, which need not be there yet, or to one file.
#[derive(Debug)]
pub struct Changes {
    path: PathBuf,
    what: What,
    watch: Option<Watch>,
}

#[derive(Debug)]
struct Watch {
    queue: AsyncFd<OwnedFd>,
    own: OwnedFd,
    files: HashMap<OsString, OwnedFd>,
}

impl Changes {
    /// Listens to a folder, or to nothing until it is there.
    pub fn of(folder: &Path) -> Self {
        Self::begin(folder, What::Content)
    }

    /// Listens to which names come and go in a folder, and to nothing that is written.
    pub fn names_in(folder: &Path) -> Self {
        Self::begin(folder, What::Names)
    }

    /// Listens for the removal of one file that is there.
    pub fn removal_of(file: &Path) -> Self {
        Self::begin(file, What::Removal)
    }

    fn begin(path: &Path, what: What) -> Self {
        let mut changes = Self {
            path: path.to_owned(),
            what,
            watch: None,
        };
        changes.take_up();
        changes
    }

    /// Listens to what has come by now.
    pub fn take_up(&mut self) {
        if self.watch.is_none() {
            self.watch = listen(&self.path, self.what).ok();
        }
    }

    /// Returns when something has happened; several things may come as one. Safe to cancel.
    pub async fn next(&mut self) {
        let Some(watch) = &mut self.watch else {
            return std::future::pending().await;
        };
        let gone = VnodeEvents::DELETE | VnodeEvents::RENAME | VnodeEvents::REVOKE;
        let is_over = match watch.queue.readable().await {
            Err(_) => true,
            Ok(mut ready) => {
                let told = queue::take(watch.queue.get_ref());
                ready.clear_ready();
                let own = watch.own.as_raw_fd();
                told.map_or(true, |events| {
                    let mut of_own = events.iter().filter(|(file, _)| *file == own);
                    of_own.any(|(_, what)| what.intersects(gone))
                })
            }
        };
        if is_over {
            self.watch = None;
        } else if self.what == What::Content {
            watch.follow_files(&self.path);
        }
    }
}

impl Watch {
    /// Watches the files that were written last, and lets go of those that are gone.
    fn follow_files(&mut self, folder: &Path) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<(SystemTime, OsString)> = entries
            .filter_map(|entry| {
                let about = entry.metadata().ok()?;
                let written = about.modified().ok()?;
                about.is_file().then(|| (written, entry.file_name()))
            })
            .collect();
        files.sort_unstable_by(|one, other| other.cmp(one));
        files.truncate(MOST_FILES);
        self.files
            .retain(|name, _| files.iter().any(|(_, kept)| kept == name));
        for (_, name) in files {
            if !self.files.contains_key(&name)
                && let Ok(file) = open(&folder.join(&name))
                && queue::add_file(self.queue.get_ref(), &file, content()).is_ok()
            {
                self.files.insert(name, file);
            }
        }
    }
}

fn listen(path: &Path, what: What) -> io::Result<Watch> {
    let own = open(path)?;
    let queue = queue::open()?;
    let events = match what {
        What::Removal => VnodeEvents::DELETE | VnodeEvents::RENAME | VnodeEvents::LINK,
        What::Content | What::Names => content(),
    };
    queue::add_file(&queue, &own, events)?;
    let mut watch = Watch {
        queue: queue::watch(queue)?,
        own,
        files: HashMap::new(),
    };
    if what == What::Content {
        watch.follow_files(path);
    }
    Ok(watch)
}

fn content() -> VnodeEvents {
    VnodeEvents::WRITE
        | VnodeEvents::EXTEND
        | VnodeEvents::DELETE
        | VnodeEvents::RENAME
        | VnodeEvents::REVOKE
}

/// Opens it for its events alone: it can still be unmounted.
fn open(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::from_bits_retain(libc::O_EVTONLY.cast_unsigned()) | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}
