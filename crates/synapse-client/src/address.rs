//! Resolves a name to an agent: one that runs here, one on another machine, or one that a message may
//! start. Reads the registry and the settings; the rules are those of [`synapse_machine::handle`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::external::{ContactError, Contacts, External};
use synapse_machine::config::AgentSettings;
use synapse_machine::handle::{self, AddressError, Handle, find_anywhere};
use synapse_machine::registry::{Entry, Registry, RegistryError};

/// Who can be addressed.
#[derive(Clone)]
pub struct AddressBook {
    registry: PathBuf,
    contacts: Contacts,
    /// The profiles whose agents a message may start.
    startable: Vec<String>,
}

/// Who gets a message.
#[derive(Clone, Debug)]
pub enum Whom {
    /// An agent of this machine.
    Local(Box<Entry>),
    /// An agent elsewhere.
    External(Box<External>),
    /// A profile whose agent is to be started first.
    Startable(String),
}

/// Why a word leads to nobody.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// Nobody is called that, or several are.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// It cannot be known who runs.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// It cannot be known who is elsewhere.
    #[error(transparent)]
    Contacts(#[from] ContactError),
}

impl AddressBook {
    /// Everybody who runs here, who is known elsewhere, and who may be started.
    pub fn new(
        registry: PathBuf,
        contacts: Contacts,
        agents: &BTreeMap<String, AgentSettings>,
    ) -> Self {
        let startable = agents.iter().filter(|(_, settings)| settings.auto_start);
        Self {
            registry,
            contacts,
            startable: startable.map(|(name, _)| name.clone()).collect(),
        }
    }

    /// The agents that run here.
    pub fn local(&self) -> Result<Vec<Entry>, RegistryError> {
        Registry::new(self.registry.clone()).list()
    }

    /// Whoever somebody who works in `dir` means by `word`.
    ///
    /// # Errors
    /// When nobody or several are meant, or it cannot be known.
    pub fn find(&self, word: &str, dir: &Path) -> Result<Whom, FindError> {
        let entries = self.local()?;
        let mut known = self.contacts.list()?;
        let aliases: Vec<Handle> = known.iter().map(|known| known.alias.clone()).collect();
        match find_anywhere(&entries, &aliases, word, dir) {
            Ok(handle::Whom::Local(entry)) => Ok(Whom::Local(Box::new(entry.clone()))),
            Ok(handle::Whom::External(alias)) => {
                known.retain(|known| known.alias == *alias);
                let found = known.pop().map(|found| Whom::External(Box::new(found)));
                found.ok_or_else(|| nobody(word).into())
            }
            Err(AddressError::Nobody { wanted, nearest }) => {
                let is_meant = |name: &&String| Handle::unchecked(name).is(&wanted);
                let startable = self.startable.iter().find(is_meant);
                startable.map_or_else(
                    || {
                        Err(AddressError::Nobody {
                            wanted: wanted.clone(),
                            nearest,
                        }
                        .into())
                    },
                    |name| Ok(Whom::Startable(name.clone())),
                )
            }
            Err(several) => Err(several.into()),
        }
    }

    /// The names people are offered: who runs, who is elsewhere, who may be started.
    pub fn names(&self) -> Vec<String> {
        let local = self.local().unwrap_or_default();
        let mut names: Vec<String> = local.iter().map(|entry| entry.handle.to_string()).collect();
        if !names.is_empty() {
            names.push(handle::EVERYONE.to_owned());
        }
        let known = self.contacts.list().unwrap_or_default();
        let elsewhere = known.iter().map(|known| known.alias.to_string());
        for name in elsewhere.chain(self.startable.iter().cloned()) {
            if !names.iter().any(|known| Handle::unchecked(known).is(&name)) {
                names.push(name);
            }
        }
        names
    }
}

fn nobody(word: &str) -> AddressError {
    AddressError::Nobody {
        wanted: word.to_owned(),
        nearest: Vec::new(),
    }
}
