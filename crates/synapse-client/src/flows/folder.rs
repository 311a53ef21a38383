//! The folder of a run: the lock of whoever runs it, and what others ask of it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use synapse_machine::paths::{Paths, create_folder};
use synapse_machine::private_file::{self, Trust, read_text};
use synapse_platform::Changes;

/// What requests are called.
const REQUEST: &str = "request-";

/// Where a run keeps what is no event.
#[derive(Clone, Debug)]
pub struct RunFolder(PathBuf);

/// What is asked of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Answers what it asks, by the id of the question.
    Answer {
        id: String,
        answer: String,
        by: String,
    },
    Stop {
        by: String,
    },
}

impl RunFolder {
    pub fn of(paths: &Paths, id: &str) -> Self {
        Self(paths.flow_runs().join(id))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Takes the run, if nobody has it; it is free again when what is given is dropped or its process dies.
    ///
    /// # Errors
    /// When the folder cannot be used.
    pub fn hold(&self) -> io::Result<Option<File>> {
        create_folder(&self.0)?;
        let file = private_file::open(&self.0.join("lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Whether a process runs it.
    pub fn is_held(&self) -> bool {
        let Ok(file) = File::open(self.0.join("lock")) else {
            return false;
        };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// Asks something of whoever runs it, now or later.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn ask(&self, request: &Request) -> io::Result<()> {
        create_folder(&self.0)?;
        let name = format!("{REQUEST}{}.json", uuid::Uuid::now_v7());
        private_file::replace(&self.0.join(name), &serde_json::to_vec(request)?)
    }

    /// What is asked, the oldest first. It is gone when the caller has removed the file.
    pub fn requests(&self) -> Vec<(PathBuf, Option<Request>)> {
        let entries = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries
            .filter(|entry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                name.starts_with(REQUEST) && name.ends_with(".json")
            })
            .map(|entry| entry.path())
            .collect();
        files.sort();
        let read = |file: PathBuf| {
            let text = read_text(&file, Trust::Own).ok();
            let request = text.and_then(|text| serde_json::from_str(&text).ok());
            (file, request)
        };
        files.into_iter().map(read).collect()
    }
}

/// Tells everybody who watches that something has happened to a run.
pub fn tell_of_change(paths: &Paths, id: &str) {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let file = options.open(paths.flow_runs().join("changed"));
    // Who misses it sees it with the next one.
    let _ = file.and_then(|mut file| file.write_all(id.as_bytes()));
}

/// Hears of every change of any run.
pub fn changes(paths: &Paths) -> Changes {
    let folder = paths.flow_runs();
    let _ = create_folder(&folder);
    Changes::of(&folder)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_run_is_held_by_one_and_asked_by_many() {
        let place = tempfile::tempdir().unwrap();
        let paths = Paths::new(place.path().join("a"), place.path().join("s"));
        let folder = RunFolder::of(&paths, "r");
        assert!(!folder.is_held());
        let held = folder.hold().unwrap().unwrap();
        assert!(folder.hold().unwrap().is_none() && folder.is_held());
        let stop = Request::Stop {
            by: "me".to_owned(),
        };
        folder.ask(&stop).unwrap();
        assert_eq!(folder.requests().len(), 1);
        assert_eq!(folder.requests()[0].1, Some(stop));
        drop(held);
        assert!(!folder.is_held());
    }

    #[test]
    fn what_tells_of_changes_is_for_us_alone() {
        let place = tempfile::tempdir().unwrap();
        let paths = Paths::new(place.path().join("a"), place.path().join("s"));
        create_folder(&paths.flow_runs()).unwrap();
        for id in ["first", "2"] {
            tell_of_change(&paths, id);
            let file = paths.flow_runs().join("changed");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), id);
            let mode = file.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{mode:o}");
        }
    }
}
