//! The files of the mesh below `~/.synapse/mesh`: the key of this machine, the mesh it is in, and what the bridge tells.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use synapse_machine::lock::is_held;
use synapse_machine::paths::{Paths, create_folder};
use synapse_machine::private_file::{read, read_string, remove, replace};

use crate::key::{MachineKey, PublicNkey};
use crate::name::MachineName;
use crate::nats::Server;
use crate::role::Role;
use crate::roster::{PURPOSE, Roster};
use crate::signed::Signed;

/// The files of the mesh.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// The mesh that this machine is in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Membership {
    /// The name of the mesh, with which its subjects and buckets begin.
    pub mesh: String,
    /// What this machine is called.
    pub name: MachineName,
    /// The addresses of the servers, as given.
    pub servers: Vec<String>,
    /// The key of the machine that invites, whose roster is believed.
    pub admin: PublicNkey,
    /// A credentials file for servers that somebody else runs.
    #[serde(default)]
    pub creds: Option<PathBuf>,
    /// The server that runs on this machine, if it does.
    #[serde(default)]
    pub engine: Option<EngineSettings>,
}

impl Membership {
    /// The addresses of the servers, without what is secret in them.
    pub fn shown_servers(&self) -> Vec<String> {
        let shown = |server: &String| {
            let read = server.parse::<Server>();
            read.map_or_else(|_| "?".to_owned(), |server| server.to_string())
        };
        self.servers.iter().map(shown).collect()
    }
}

/// The server of this mesh on this machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EngineSettings {
    pub listen: std::net::IpAddr,
    pub port: u16,
}

/// An invitation that nobody has used yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Invitation {
    /// The public half of its secret.
    pub key: PublicNkey,
    /// The only name it is good for, if it names one.
    pub name: Option<MachineName>,
    pub role: Role,
    pub expires: jiff::Timestamp,
}

impl Folder {
    pub fn new(paths: &Paths) -> Self {
        Self { path: paths.mesh() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The folder of the server.
    pub fn engine(&self) -> PathBuf {
        self.path.join("nats")
    }

    /// The authority of a server that this mesh set up.
    pub fn authority(&self) -> PathBuf {
        self.path.join("ca.pem")
    }

    /// Held and filled in by the bridge that runs.
    pub fn bridge(&self) -> PathBuf {
        self.path.join("bridge.lock")
    }

    pub fn is_bridge_running(&self) -> io::Result<bool> {
        is_held(&self.bridge())
    }

    /// The mesh this machine is in.
    ///
    /// # Errors
    /// When it is in none, or the file cannot be read.
    pub fn membership(&self) -> Result<Membership> {
        match self.read("mesh.json")? {
            Some(membership) => Ok(membership),
            None => bail!(
                "this machine is in no mesh; `synapse mesh up` begins one, `synapse mesh join …` joins one"
            ),
        }
    }

    pub fn has_membership(&self) -> bool {
        self.file("mesh.json").exists()
    }

    /// # Errors
    /// When the file cannot be written.
    pub fn write_membership(&self, membership: &Membership) -> Result<()> {
        self.write("mesh.json", membership)
    }

    /// The key of this machine; one is made the first time.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn key(&self) -> Result<MachineKey> {
        let path = self.file("key");
        match read_string(&path) {
            Ok(text) => {
                MachineKey::parse(&text).with_context(|| format!("{}: line 1", path.display()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let key = MachineKey::generate()?;
                create_folder(&self.path)?;
                replace(&path, key.seed().as_bytes())
                    .with_context(|| format!("cannot write {}", path.display()))?;
                Ok(key)
            }
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// The latest roster, if it is signed by the machine that may.
    ///
    /// # Errors
    /// When the file cannot be read, or somebody else signed it.
    pub fn roster(&self, admin: PublicNkey) -> Result<Option<Roster>> {
        let Some(signed) = self.read::<Signed>("roster.json")? else {
            return Ok(None);
        };
        let roster = signed.open(admin, PURPOSE);
        let roster = roster.with_context(|| format!("{}", self.file("roster.json").display()))?;
        Ok(Some(roster))
    }

    /// # Errors
    /// When the file cannot be written.
    pub fn write_roster(&self, roster: &Signed) -> Result<()> {
        self.write("roster.json", roster)
    }

    /// # Errors
    /// When there is none, or the file cannot be read.
    pub fn signed_roster(&self) -> Result<Signed> {
        self.read("roster.json")?.context("there is no roster yet")
    }

    /// The invitations that are open.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn invitations(&self) -> Result<Vec<Invitation>> {
        let mut open: Vec<Invitation> = self.read("invitations.json")?.unwrap_or_default();
        let now = jiff::Timestamp::now();
        open.retain(|invitation| invitation.expires > now);
        Ok(open)
    }

    /// # Errors
    /// When the file cannot be written.
    pub fn write_invitations(&self, open: &[Invitation]) -> Result<()> {
        self.write("invitations.json", &open)
    }

    /// Forgets the mesh, but not the key nor what was kept for machines that are away.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn forget(&self) -> Result<()> {
        let files = [
            "mesh.json",
            "roster.json",
            "invitations.json",
            "ca.pem",
            "machines.json",
        ];
        for path in files.map(|name| self.file(name)) {
            remove(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        // With the server goes what was kept of the conversations of others.
        for folder in [self.engine(), self.file("replica")] {
            if let Err(error) = fs::remove_dir_all(&folder)
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(error).with_context(|| format!("cannot remove {}", folder.display()));
            }
        }
        Ok(())
    }

    /// # Errors
    /// When the file cannot be read or has another shape.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let path = self.file(name);
        let text = match read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.with_context(|| format!("cannot read {}", path.display()))?,
        };
        let read = serde_json::from_slice(&text);
        Ok(Some(read.with_context(|| format!("{}", path.display()))?))
    }

    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, name: &str, what: &impl Serialize) -> Result<()> {
        create_folder(&self.path)?;
        let path = self.file(name);
        let text = serde_json::to_vec_pretty(what)?;
        replace(&path, &text).with_context(|| format!("cannot write {}", path.display()))
    }
}
