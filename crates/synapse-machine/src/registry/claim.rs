//! A place in the registry, held from before the port is bound until the host is gone.
//!
//! The lock file says who holds it and under which name, so a name is taken from the moment it is
//! claimed; the entry that others read appears when there is somebody to talk to.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AgentId, Entry, Registry, RegistryError, Status, Transport};
use crate::handle::Handle;
use crate::lock::{LockGuard, is_held};
use crate::paths::create_folder;
use crate::private_file::{remove, replace};

/// How often a folder that is being removed is made anew.
const ATTEMPTS: u32 = 8;

/// Who wants a place.
#[derive(Clone, Copy, Debug)]
pub struct Applicant<'a> {
    pub host: &'a str,
    /// Where the program will work; absolute.
    pub dir: &'a Path,
    /// What kind of program it is.
    pub agent_type: &'a str,
    /// The profile it is started with.
    pub profile: &'a str,
    /// The name a person chose; without one it is called after its profile.
    pub name: Option<&'a str>,
}

/// Where an agent can be reached.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a field of the entry, and they are independent"
)]
pub struct Address {
    /// The port it listens on.
    pub port: u16,
    /// The address of its HTTP.
    pub endpoint: String,
    /// How to talk to it.
    pub transport: Transport,
    /// The file with the token that lets its owner in.
    pub token_path: Option<PathBuf>,
    /// Where the program works, if that is not where it was started.
    pub program_dir: Option<PathBuf>,
    /// Whether what the agent has started may answer its questions.
    pub may_answer_itself: bool,
    /// Whether its program has no terminal to be looked at.
    pub has_no_terminal: bool,
    /// Whether its program ran before it was an agent, and goes on when it is none any more.
    pub is_adopted: bool,
    /// Whether that token replaces one that others may have seen.
    pub is_token_replaced: bool,
}

/// A place in the registry. Dropping it gives it back.
#[derive(Debug)]
pub struct Claim {
    entry: Entry,
    is_published: bool,
    entry_path: PathBuf,
    lock_path: PathBuf,
    lock: LockGuard,
}

impl Claim {
    /// Takes a place that the caller knows to be free.
    pub(super) fn take(
        folder: &Path,
        applicant: &Applicant<'_>,
        agent_id: AgentId,
        handle: Handle,
    ) -> io::Result<Self> {
        let [entry_path, lock_path] = files_of(folder, &agent_id);
        let pid = std::process::id();
        let lock = LockGuard::create(&lock_path, &holder_text(&handle, pid)?)?;
        Ok(Self {
            entry: Entry {
                agent_id,
                agent_type: applicant.agent_type.to_owned(),
                port: 0,
                status: Status::Starting,
                pid,
                // JSON has no words for a path that is not UTF-8.
                working_dir: applicant.dir.to_string_lossy().as_ref().into(),
                program_dir: None,
                endpoint: String::new(),
                handle,
                profile: applicant.profile.to_owned(),
                started_at: Some(Timestamp::now()),
                transport: Transport::default(),
                token_path: None,
                is_token_replaced: false,
                may_answer_itself: false,
                has_no_terminal: false,
                is_adopted: false,
                version: env!("CARGO_PKG_VERSION").to_owned(),
                other: std::collections::BTreeMap::new(),
            },
            is_published: false,
            entry_path,
            lock_path,
            lock,
        })
    }

    /// Who this agent is.
    pub fn id(&self) -> &AgentId {
        &self.entry.agent_id
    }

    pub fn handle(&self) -> &Handle {
        &self.entry.handle
    }

    /// What others read of it, once it is published.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Lets others find it. The port is bound by then.
    ///
    /// # Errors
    /// When the entry cannot be written.
    pub fn publish(&mut self, address: Address) -> Result<(), RegistryError> {
        self.entry.port = address.port;
        self.entry.endpoint = address.endpoint;
        self.entry.transport = address.transport;
        self.entry.token_path = address.token_path;
        self.entry.program_dir = address.program_dir;
        self.entry.may_answer_itself = address.may_answer_itself;
        self.entry.has_no_terminal = address.has_no_terminal;
        self.entry.is_adopted = address.is_adopted;
        self.entry.is_token_replaced = address.is_token_replaced;
        self.is_published = true;
        self.write()
    }

    /// Says what it is doing now. Writes to the disk, and only if that is news.
    ///
    /// # Errors
    /// When the entry cannot be written; it is tried again with the next status.
    pub fn update(&mut self, status: Status) -> Result<(), RegistryError> {
        if self.entry.status == status {
            return Ok(());
        }
        self.restore()?;
        let before = std::mem::replace(&mut self.entry.status, status);
        if !self.is_published {
            return Ok(());
        }
        self.write().inspect_err(|_| self.entry.status = before)
    }

    /// The file whose removal means that somebody took the place away.
    pub fn lock_path(&self) -> &Path {
        &self.lock_path
    }

    /// Takes the place again where somebody has removed its files, with the folder or without. Whether that was so.
    ///
    /// # Errors
    /// When the files cannot be written, or another agent has taken the place.
    pub fn restore(&mut self) -> Result<bool, RegistryError> {
        if self.lock.is_at(&self.lock_path) {
            return Ok(false);
        }
        let mut attempt = 1;
        while let Err(error) = self.take_again() {
            // Whoever removes the folder may not be through with it.
            let is_passing = matches!(&error, RegistryError::File { why, .. }
                if why.kind() == io::ErrorKind::NotFound);
            if !is_passing || attempt == ATTEMPTS {
                return Err(error);
            }
            attempt += 1;
        }
        Ok(true)
    }

    fn take_again(&mut self) -> Result<(), RegistryError> {
        let failed = |why| RegistryError::File {
            path: self.lock_path.clone(),
            why,
        };
        let folder = self.lock_path.parent().unwrap_or(Path::new("."));
        create_folder(folder).map_err(failed)?;
        let _turn = Registry::new(folder).enter()?;
        if is_held(&self.lock_path).map_err(failed)? {
            return Err(failed(io::Error::other("another agent has this place")));
        }
        let text = holder_text(&self.entry.handle, self.entry.pid).map_err(failed)?;
        self.lock = LockGuard::create(&self.lock_path, &text).map_err(failed)?;
        if self.is_published {
            self.write()?;
        }
        Ok(())
    }

    fn write(&self) -> Result<(), RegistryError> {
        let text = serde_json::to_vec_pretty(&self.entry).map_err(io::Error::from);
        text.and_then(|text| replace(&self.entry_path, &text))
            .map_err(|why| RegistryError::File {
                path: self.entry_path.clone(),
                why,
            })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // What has our name and is not our lock is another agent's.
        if !self.lock.is_at(&self.lock_path) {
            return;
        }
        // The lock goes last: an entry without one would look like that of a crashed host.
        for path in [&self.entry_path, &self.lock_path] {
            if let Err(error) = remove(path) {
                tracing::warn!(path = %path.display(), %error, "a file of the registry stays behind");
            }
        }
    }
}

/// What a lock file says of its holder.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Holder {
    pub(super) handle: Handle,
    pub(super) pid: u32,
}

fn holder_text(handle: &Handle, pid: u32) -> io::Result<Vec<u8>> {
    let handle = handle.clone();
    Ok(serde_json::to_vec(&Holder { handle, pid })?)
}

/// The entry and the lock of an agent.
pub(super) fn files_of(folder: &Path, id: &AgentId) -> [PathBuf; 2] {
    ["json", "lock"].map(|kind| folder.join(format!("{id}.{kind}")))
}
