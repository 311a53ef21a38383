//! The agents that run on this machine, as files that others read.
//!
//! One `<id>.json` for each, and beside it a `<id>.lock` held for the life of its host. Whoever finds
//! the lock free knows that the host is gone and removes what it left. Places are given and taken away
//! under one lock for the whole folder; reading needs none.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::handle::{Handle, HandleError};
use crate::lock::{LockGuard, is_held};
use crate::paths;
use crate::private_file::{self, drafted_name, remove, sweep_drafts};

mod claim;
mod entry;
mod ports;

pub use claim::{Address, Applicant, Claim};
pub use entry::{AgentId, Entry, Status, Transport};
pub use ports::{PortError, PortWish};

use claim::{Holder, files_of};

/// The folder of running agents.
#[derive(Clone, Debug)]
pub struct Registry {
    folder: PathBuf,
}

/// Why the registry cannot do what it is asked.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// A file of it cannot be read or written.
    #[error("registry: {}: {why}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        why: io::Error,
    },
    /// The wanted name cannot be one.
    #[error(transparent)]
    Handle(#[from] HandleError),
    /// The wanted name is taken.
    #[error("@{handle} is taken by the agent with pid {pid} ({id:.12}); choose another --name")]
    NameTaken {
        /// The name, as its holder spells it.
        handle: Handle,
        /// The holder's process.
        pid: u32,
        id: AgentId,
    },
}

/// What was found in the folder.
#[derive(Debug, Default)]
pub struct Survey {
    /// The agents that run, the oldest first.
    pub entries: Vec<Entry>,
    /// The entries of dead hosts, removed just now. Nobody else sees them.
    pub swept: Vec<Entry>,
    /// Files that cannot be understood. They stay, for a person to look at.
    pub unreadable: Vec<Unreadable>,
}

/// A file that cannot be understood.
#[derive(Debug)]
pub struct Unreadable {
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

impl Unreadable {
    fn new(path: &Path, reason: &impl ToString) -> Self {
        Self {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}

impl Registry {
    /// The registry in a folder, which is made when the first agent comes.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// The agents that run, the oldest first. What dead ones left is removed.
    pub fn list(&self) -> Result<Vec<Entry>, RegistryError> {
        let survey = self.survey()?;
        for Unreadable { path, reason } in &survey.unreadable {
            tracing::warn!(path = %path.display(), reason, "an entry of the registry is broken");
        }
        Ok(survey.entries)
    }

    /// What [`list`](Self::list) finds, with all that is wrong.
    pub fn survey(&self) -> Result<Survey, RegistryError> {
        let mut survey = Survey::default();
        let mut stale = Vec::new();
        for id in self.ids()? {
            let [entry_path, lock_path] = files_of(&self.folder, &id);
            let is_alive = match is_held(&lock_path) {
                Ok(is_alive) => is_alive,
                Err(error) => {
                    survey.unreadable.push(Unreadable::new(&lock_path, &error));
                    continue;
                }
            };
            match read(&entry_path) {
                Ok(Some(entry)) if is_alive && entry.agent_id != id => {
                    let reason = "it names another agent than its file does";
                    survey
                        .unreadable
                        .push(Unreadable::new(&entry_path, &reason));
                }
                Ok(Some(entry)) if is_alive => survey.entries.push(entry),
                // Claimed, and not published yet.
                Ok(None) if is_alive => {}
                Ok(_) => stale.push(id),
                Err(unreadable) => survey.unreadable.push(unreadable),
            }
        }
        if !stale.is_empty() {
            match self.sweep(&stale) {
                Ok(swept) => survey.swept = swept,
                // Whoever only looks may not be allowed to clean up.
                Err(error) => tracing::debug!(%error, "stale entries stay for now"),
            }
        }
        survey.entries.sort_by_key(|entry| entry.started_at);
        Ok(survey)
    }

    /// Takes a place: an id and a handle that no other live agent has.
    ///
    /// # Errors
    /// When the wanted name is taken or cannot be one, or the files cannot be written.
    pub fn claim(&self, applicant: &Applicant<'_>) -> Result<Claim, RegistryError> {
        let wanted = Handle::parse(applicant.name.unwrap_or(applicant.profile))?;
        paths::create_folder(&self.folder).map_err(at(&self.folder))?;
        let _turn = self.enter()?;
        let holders = self.holders()?;
        let holder_of = |handle: &Handle| {
            let mut all = holders.iter();
            all.find(|(_, holder)| holder.handle.is(handle.as_str()))
        };
        if applicant.name.is_some()
            && let Some((id, holder)) = holder_of(&wanted)
        {
            return Err(RegistryError::NameTaken {
                handle: holder.handle.clone(),
                pid: holder.pid,
                id: id.clone(),
            });
        }
        let mut nth = 1;
        while holder_of(&wanted.nth(nth)).is_some() {
            nth += 1;
        }
        let handle = wanted.nth(nth);

        let id_of = |nth| AgentId::derive(applicant.host, applicant.dir, applicant.agent_type, nth);
        let mut nth = 1;
        while holders.iter().any(|(id, _)| *id == id_of(nth)) {
            nth += 1;
        }
        let id = id_of(nth);
        self.remove_files(&id)?;
        Claim::take(&self.folder, applicant, id, handle).map_err(at(&self.folder))
    }

    /// Waits until nobody else gives or takes away places.
    fn enter(&self) -> Result<LockGuard, RegistryError> {
        let path = self.folder.join(".lock");
        LockGuard::wait_for(&path).map_err(at(&path))
    }

    /// Everybody who holds a place, published or not.
    fn holders(&self) -> Result<Vec<(AgentId, Holder)>, RegistryError> {
        let mut holders = Vec::new();
        for id in self.ids()? {
            let [_, lock_path] = files_of(&self.folder, &id);
            if !is_held(&lock_path).map_err(at(&lock_path))? {
                continue;
            }
            match private_file::read(&lock_path) {
                Ok(text) => {
                    let holder = serde_json::from_slice(&text).map_err(io::Error::from);
                    holders.push((id, holder.map_err(at(&lock_path))?));
                }
                // Giving a place back needs nobody's leave.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(at(&lock_path)(error)),
            }
        }
        Ok(holders)
    }

    /// Removes what dead hosts left, after a second look, and says what their entries were.
    fn sweep(&self, stale: &[AgentId]) -> Result<Vec<Entry>, RegistryError> {
        let _turn = self.enter()?;
        let mut swept = Vec::new();
        for id in stale {
            let [entry_path, lock_path] = files_of(&self.folder, id);
            if is_held(&lock_path).map_err(at(&lock_path))? {
                continue;
            }
            if let Ok(entry) = read(&entry_path) {
                self.remove_files(id)?;
                swept.extend(entry);
            }
        }
        Ok(swept)
    }

    /// Removes all files of an agent, those it did not finish writing too.
    fn remove_files(&self, id: &AgentId) -> Result<(), RegistryError> {
        for path in files_of(&self.folder, id) {
            sweep_drafts(&path).map_err(at(&path))?;
            remove(&path).map_err(at(&path))?;
        }
        Ok(())
    }

    /// The agents that have any file here. What somebody else has put here does not count, nor does an agent of
    /// which any file is theirs.
    fn ids(&self) -> Result<BTreeSet<AgentId>, RegistryError> {
        let (mut ids, mut strangers) = (BTreeSet::new(), BTreeSet::new());
        let own = rustix::process::geteuid().as_raw();
        let listing = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ids),
            listing => listing.map_err(at(&self.folder))?,
        };
        for file in listing {
            let file = file.map_err(at(&self.folder))?;
            let Some(id) = file.file_name().to_str().and_then(id_of_file) else {
                continue;
            };
            // Neither a link nor a pipe; one that is gone meanwhile was nobody's.
            let Ok(kind) = file.metadata() else {
                continue;
            };
            if kind.is_file() && kind.uid() == own {
                ids.insert(id);
            } else {
                strangers.insert(id);
            }
        }
        Ok(&ids - &strangers)
    }
}

/// `<id>.json`, `<id>.lock` or the draft of one.
fn id_of_file(name: &str) -> Option<AgentId> {
    let name = if name.starts_with('.') {
        drafted_name(name)?
    } else {
        name
    };
    let stem = name.strip_suffix(".json").or(name.strip_suffix(".lock"))?;
    (!stem.is_empty()).then(|| AgentId::of_file(stem))
}

fn read(path: &Path) -> Result<Option<Entry>, Unreadable> {
    match private_file::read(path) {
        Ok(text) => match Entry::parse(&text) {
            Ok(entry) => Ok(Some(entry)),
            Err(error) => Err(Unreadable::new(path, &error)),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Unreadable::new(path, &error)),
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> RegistryError {
    let path = path.to_owned();
    move |why| RegistryError::File { path, why }
}
