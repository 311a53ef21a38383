//! Resolves a name to an agent: one that runs here, one on another machine, or one that a message may
//! start. Reads the registry and the settings; the rules are those of [`synapse_machine::handle`].

use std::collections::BTreeMap;
use std::path::Path;

use crate::external::{ContactError, Contacts, External};
use crate::mesh::{Found, Meant, MeshView};
use synapse_machine::config::AgentSettings;
use synapse_machine::handle::{self, AddressError, Handle, find_anywhere};
use synapse_machine::paths::Paths;
use synapse_machine::registry::{Entry, Registry, RegistryError};

/// Who can be addressed.
#[derive(Clone)]
pub struct AddressBook {
    paths: Paths,
    contacts: Contacts,
    /// The profiles whose agents a message may start.
    startable: Vec<String>,
}

/// Who gets a message.
#[derive(Clone, Debug)]
pub enum Whom {
    /// An agent of this machine.
    Local(Box<Entry>),
    /// An agent of another machine of the mesh.
    Mesh(Box<Found>),
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
    /// A machine is named, and there is no mesh.
    #[error("'{0}' names a machine, and the mesh is not up here: synapse mesh status")]
    NoMesh(String),
    #[error("who is in the mesh cannot be read: {0}")]
    Mesh(std::io::Error),
}

impl AddressBook {
    /// Everybody who runs here, who is known elsewhere, and who may be started.
    pub fn new(
        paths: &Paths,
        contacts: Contacts,
        agents: &BTreeMap<String, AgentSettings>,
    ) -> Self {
        let startable = agents.iter().filter(|(_, settings)| settings.auto_start);
        Self {
            paths: paths.clone(),
            contacts,
            startable: startable.map(|(name, _)| name.clone()).collect(),
        }
    }

    /// The agents that run here.
    pub fn local(&self) -> Result<Vec<Entry>, RegistryError> {
        Registry::new(self.paths.registry()).list()
    }

    /// Whoever somebody who works in `dir` means by `word`.
    ///
    /// # Errors
    /// When nobody or several are meant, or it cannot be known.
    pub fn find(&self, word: &str, dir: &Path) -> Result<Whom, FindError> {
        self.find_among(word, dir, |_| true)
    }

    /// The same, where not every agent of this machine can be meant.
    ///
    /// # Errors
    /// When nobody or several are meant, or it cannot be known.
    pub fn find_among(
        &self,
        word: &str,
        dir: &Path,
        can_be: impl Fn(&Entry) -> bool,
    ) -> Result<Whom, FindError> {
        let name = word.strip_prefix('@').unwrap_or(word);
        let is_address = name.contains('@');
        if !is_address {
            let found = self.find_here(name, dir, can_be);
            let Err(FindError::Address(AddressError::Nobody { .. })) = &found else {
                return found;
            };
            let Some(view) = self.mesh()? else {
                return found;
            };
            return match view.find(name)? {
                Meant::Away(elsewhere) => Ok(Whom::Mesh(elsewhere)),
                Meant::Own(_) | Meant::Nobody => found,
            };
        }
        let view = self.mesh()?;
        let view = view.ok_or_else(|| FindError::NoMesh(name.to_owned()))?;
        match view.find(name)? {
            Meant::Own(name) => self.find_here(&name, dir, can_be),
            Meant::Away(found) => Ok(Whom::Mesh(found)),
            Meant::Nobody => Err(nobody(name).into()),
        }
    }

    /// The mesh, if this machine is in one.
    fn mesh(&self) -> Result<Option<MeshView>, FindError> {
        MeshView::read(&self.paths).map_err(FindError::Mesh)
    }

    fn find_here(
        &self,
        word: &str,
        dir: &Path,
        can_be: impl Fn(&Entry) -> bool,
    ) -> Result<Whom, FindError> {
        let mut entries = self.local()?;
        entries.retain(can_be);
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
        let view = self.mesh().ok().flatten();
        let elsewhere = view.map(|view| view.entries()).unwrap_or_default();
        names.extend(elsewhere.iter().map(|entry| entry.handle.to_string()));
        names
    }
}

fn nobody(word: &str) -> AddressError {
    AddressError::Nobody {
        wanted: word.to_owned(),
        nearest: Vec::new(),
    }
}
