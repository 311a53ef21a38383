//! Which agent an editor talks to: one that is named, or any of this machine and those known elsewhere.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use synapse_client::address::{AddressBook, Whom};
use synapse_client::auto_start;
use synapse_client::client::{Callable, Client, Web};
use synapse_client::current_agent;
use synapse_client::external::{Contacts, External};
use synapse_machine::config::Config;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Entry;
use tokio::time::{Instant, interval};

use crate::wire::Mode;

/// How long an agent that is ending may take until it is gone. Its host gives its callers and its last messages some
/// seconds.
const LEAVE_PATIENCE: Duration = Duration::from_secs(10);

/// How often it is looked for meanwhile.
const LEAVE_PACE: Duration = Duration::from_millis(50);

/// Everybody who can be talked to, and whether just one is meant.
pub struct Reach {
    pub(crate) paths: Paths,
    book: AddressBook,
    pub(crate) contacts: Contacts,
    /// Whether a word names a profile, which can be started.
    is_profile: fn(&str) -> bool,
    /// The one agent that the editor was set up for.
    only: Option<String>,
}

/// An agent that was found.
pub(crate) enum Target {
    Local(Box<Entry>),
    External(Box<External>),
}

impl Target {
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Local(entry) => entry.handle.to_string(),
            Self::External(external) => external.alias.to_string(),
        }
    }
}

impl Reach {
    /// # Errors
    /// When the settings cannot be read.
    pub fn new(paths: Paths, only: Option<String>, is_profile: fn(&str) -> bool) -> Result<Self> {
        let config = Config::load(&paths.config())?.config;
        // Only those that a person has added are called.
        let contacts = Contacts::new(&paths, Web::new(Callable::Any, config.ca_file));
        let book = AddressBook::new(&paths, contacts.clone(), &config.agents);
        let only = only.map(|word| word.trim_start_matches('@').to_owned());
        Ok(Self {
            paths,
            book,
            contacts,
            is_profile,
            only,
        })
    }

    /// The agent that the editor was set up for, if it was.
    pub(crate) fn only(&self) -> Option<&str> {
        self.only.as_deref()
    }

    /// The agent that a word means to somebody who works in `dir`. The name of a profile means its agent that works
    /// there, and one is started if none does: an editor's project is where the work is wanted. An agent that is just
    /// ending is waited for and not meant: nothing that is sent to it would be answered.
    ///
    /// # Errors
    /// When nobody is meant, several are, or the agent cannot be started.
    pub(crate) async fn find(&self, word: &str, dir: &Path) -> Result<Target> {
        let found = self.find_listed(word, dir).await?;
        match &found {
            Target::Local(entry) if !is_open(entry).await && self.has_left(entry).await => {
                self.find_listed(word, dir).await
            }
            _ => Ok(found),
        }
    }

    /// Waits until an agent that cannot be reached is gone; whether it is.
    async fn has_left(&self, entry: &Entry) -> bool {
        let deadline = Instant::now() + LEAVE_PATIENCE;
        let mut pace = interval(LEAVE_PACE);
        while Instant::now() < deadline {
            pace.tick().await;
            let Ok(listed) = self.book.local() else {
                return false;
            };
            if !listed.iter().any(|other| other.run() == entry.run()) {
                return true;
            }
        }
        false
    }

    async fn find_listed(&self, word: &str, dir: &Path) -> Result<Target> {
        let word = word.trim_start_matches('@');
        let entries = self.book.local()?;
        let near = nearest(&entries, word, dir);
        if let Some(entry) = near.filter(|entry| !current_agent::is_around(entry)) {
            return Ok(Target::Local(Box::new(entry.clone())));
        }
        if (self.is_profile)(word) {
            return self.started(word, dir).await;
        }
        match self.book.find(word, dir)? {
            Whom::Local(entry) if current_agent::is_around(&entry) => {
                bail!("{} is the agent that this runs in", entry.handle)
            }
            Whom::Local(entry) => Ok(Target::Local(entry)),
            Whom::Mesh(found) if !found.is_here => bail!("{} is away", found.machine),
            Whom::Mesh(found) => Ok(Target::Local(Box::new(found.entry))),
            Whom::External(external) => Ok(Target::External(external)),
            Whom::Startable(name) => self.started(&name, dir).await,
        }
    }

    async fn started(&self, profile: &str, dir: &Path) -> Result<Target> {
        let handle = auto_start::start(profile, dir).await;
        let handle = handle.with_context(|| format!("{profile} cannot be started"))?;
        let entries = self.book.local()?;
        let entry = entries.into_iter().find(|entry| entry.handle.is(&handle));
        let entry = entry.with_context(|| format!("{handle} was started but has already ended"))?;
        Ok(Target::Local(Box::new(entry)))
    }

    /// Everybody who can be talked to, those that work in `dir` first.
    ///
    /// # Errors
    /// When it cannot be known who runs.
    pub(crate) fn modes(&self, dir: &Path) -> Result<Vec<Mode>> {
        let mut local = self.book.local()?;
        local.retain(|entry| !current_agent::is_around(entry));
        local.sort_by_key(|entry| distance(&entry.working_dir, dir));
        let local = local.iter().map(|entry| Mode {
            id: entry.handle.to_string(),
            name: entry.handle.to_string(),
            description: format!("{} in {}", entry.profile, entry.working_dir.display()),
        });
        let mut modes: Vec<Mode> = local.collect();
        for external in self.contacts.list()? {
            modes.push(Mode {
                id: external.alias.to_string(),
                name: external.alias.to_string(),
                description: format!("{} at {}", external.name, external.url),
            });
        }
        for name in self.book.names() {
            let is_everyone = name == synapse_machine::handle::EVERYONE;
            if !is_everyone && !modes.iter().any(|mode| mode.id.eq_ignore_ascii_case(&name)) {
                modes.push(Mode {
                    description: format!("is started by the first message: {name}"),
                    id: name.clone(),
                    name,
                });
            }
        }
        Ok(modes)
    }

    /// The agent of this machine that has a handle.
    pub(crate) fn running(&self, handle: &str) -> Option<Entry> {
        let mut local = self.book.local().ok()?.into_iter();
        local.find(|entry| entry.handle.is(handle))
    }

    /// The agent around this process, if there is one.
    pub(crate) fn own(&self) -> Option<Entry> {
        let mut local = self.book.local().ok()?.into_iter();
        local.find(current_agent::is_around)
    }
}

/// Whether an agent answers, and its program has not ended.
async fn is_open(entry: &Entry) -> bool {
    let Ok(client) = Client::of(entry) else {
        return false;
    };
    let standing = client.status().await;
    standing.is_ok_and(|standing| !matches!(standing.status.as_str(), "EXITED" | "STOPPING"))
}

/// The agent of a name or a profile that works where somebody works; the one that works the nearest.
fn nearest<'a>(entries: &'a [Entry], word: &str, dir: &Path) -> Option<&'a Entry> {
    let is_named = |entry: &&Entry| {
        let is_same = |name: &str| name.eq_ignore_ascii_case(word);
        entry.handle.is(word) || is_same(&entry.profile) || is_same(&entry.agent_type)
    };
    let near = entries.iter().filter(is_named);
    let near = near.filter(|entry| distance(&entry.working_dir, dir) < Distance::Elsewhere);
    near.min_by_key(|entry| (!entry.handle.is(word), distance(&entry.working_dir, dir)))
}

/// How near an agent works to a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    Same,
    /// One of the two is inside the other.
    Around,
    Elsewhere,
}

fn distance(agent: &Path, dir: &Path) -> Distance {
    let is_root = |path: &Path| path.parent().is_none();
    if agent == dir {
        Distance::Same
    } else if !is_root(agent) && !is_root(dir) && (dir.starts_with(agent) || agent.starts_with(dir))
    {
        Distance::Around
    } else {
        Distance::Elsewhere
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(handle: &str, profile: &str, dir: &str) -> Entry {
        let text = json!({
            "agent_id": handle, "agent_type": profile, "port": 1, "status": "IDLE", "pid": 1,
            "working_dir": dir, "endpoint": "http://127.0.0.1:1", "handle": handle, "profile": profile,
        });
        Entry::parse(text.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn a_profile_means_its_agent_that_works_here_and_none_that_works_elsewhere() {
        let entries = [
            entry("codex", "codex", "/other"),
            entry("codex-2", "codex", "/w"),
            entry("deep", "codex", "/w/sub"),
        ];
        let found = |word: &str, dir: &str| {
            nearest(&entries, word, Path::new(dir)).map(|entry| entry.handle.to_string())
        };
        assert_eq!(found("codex", "/w").as_deref(), Some("codex-2"));
        assert_eq!(found("codex", "/w/sub/x").as_deref(), Some("codex-2"));
        assert_eq!(found("codex", "/else"), None);
        assert_eq!(found("codex", "/"), None);
        assert_eq!(found("DEEP", "/w").as_deref(), Some("deep"));
        assert_eq!(found("claude", "/w"), None);
    }
}
