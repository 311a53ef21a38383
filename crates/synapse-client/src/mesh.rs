//! The agents of other machines, as the bridge of this machine tells of them: one file that it keeps up to date, and one
//! address through which each of them is reached as if it were here.

mod leave;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::client::segment;
pub use leave::{Handed, Kept, WAITS, bridge_entry, hand_over};
use synapse_machine::handle::{AddressError, Candidate, Handle};
use synapse_machine::lock::is_held;
use synapse_machine::paths::Paths;
use synapse_machine::private_file;
use synapse_machine::registry::{AgentId, Entry, Status, Transport};

/// By this header an agent learns from which machine it is asked.
pub const MACHINE_HEADER: &str = "x-synapse-machine";

/// By this one, through which agents, with commas between them.
pub const VIA_HEADER: &str = "x-synapse-via";

/// What is kept up to date.
const FILE: &str = "machines.json";

/// The mesh, as this machine sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeshView {
    /// What this machine is called.
    pub own: String,
    /// The address of the bridge on this machine.
    pub endpoint: String,
    /// Whether there is a connection to the mesh; why not.
    pub trouble: Option<String>,
    pub machines: Vec<Machine>,
}

/// One machine, this one included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    pub name: String,
    pub is_here: bool,
    /// When it last said something; nothing if it never did.
    pub seen: Option<Timestamp>,
    /// What it may do to others.
    pub role: String,
    pub version: String,
    pub agents: Vec<MeshAgent>,
}

/// An agent, as its machine tells of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeshAgent {
    pub id: String,
    pub handle: String,
    pub profile: String,
    pub agent_type: String,
    pub directory: String,
    #[serde(default)]
    pub branch: Option<String>,
    pub status: String,
    pub started_at: Option<Timestamp>,
    #[serde(default)]
    pub version: String,
}

/// An agent of another machine that somebody means.
#[derive(Clone, Debug)]
pub struct Found {
    pub entry: Entry,
    pub machine: String,
    /// Whether its machine is there now.
    pub is_here: bool,
}

/// What a word means in the mesh.
#[derive(Clone, Debug)]
pub enum Meant {
    /// An agent of this machine, by its own name.
    Own(String),
    Away(Box<Found>),
    Nobody,
}

impl MeshAgent {
    /// An agent of which no more is known than what it is called.
    fn unseen(name: &str) -> Self {
        Self {
            id: name.to_owned(),
            handle: name.to_owned(),
            profile: String::new(),
            agent_type: String::new(),
            directory: String::new(),
            branch: None,
            status: String::new(),
            started_at: None,
            version: String::new(),
        }
    }
}

impl MeshView {
    /// What the bridge last told; nothing if none runs.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(paths: &Paths) -> io::Result<Option<Self>> {
        let folder = paths.mesh();
        if !is_held(&folder.join("bridge.lock"))? {
            return Ok(None);
        }
        match private_file::read(&folder.join(FILE)) {
            Ok(text) => Ok(serde_json::from_slice(&text).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Where the bridge writes it.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        // It is told anew after a power cut, so nothing waits for the disk.
        private_file::replace_soon(&folder.join(FILE), &serde_json::to_vec(self)?)
    }

    /// The other machines.
    pub fn others(&self) -> impl Iterator<Item = &Machine> {
        self.machines
            .iter()
            .filter(|machine| machine.name != self.own)
    }

    /// Everybody on machines that are there now, except this one.
    pub fn entries(&self) -> Vec<Entry> {
        let here = self.others().filter(|machine| machine.is_here);
        here.flat_map(|machine| {
            machine
                .agents
                .iter()
                .map(|agent| self.entry(machine, agent))
        })
        .collect()
    }

    /// Everybody on other machines, also on those that are away.
    pub fn all_entries(&self) -> Vec<Entry> {
        let mut all = Vec::new();
        for machine in self.others() {
            all.extend(
                machine
                    .agents
                    .iter()
                    .map(|agent| self.entry(machine, agent)),
            );
        }
        all
    }

    /// An agent of another machine, as if it were published here.
    pub fn entry(&self, machine: &Machine, agent: &MeshAgent) -> Entry {
        let status = serde_json::from_value(Value::from(agent.status.clone()));
        Entry {
            program_dir: None,
            agent_id: AgentId::elsewhere(&agent.id, &machine.name),
            agent_type: agent.agent_type.clone(),
            port: 0,
            status: status.unwrap_or(Status::Other(String::new())),
            pid: 0,
            working_dir: agent.directory.clone().into(),
            endpoint: format!(
                "{}/machines/{}/agents/{}",
                self.endpoint,
                machine.name,
                segment(&agent.handle)
            ),
            handle: Handle::unchecked(&format!("{}@{}", agent.handle, machine.name)),
            profile: agent.profile.clone(),
            started_at: agent.started_at,
            transport: Transport::Other(TRANSPORT.to_owned()),
            token_path: None,
            is_token_replaced: false,
            may_answer_itself: false,
            // The mesh does not tell; whoever asks for its terminal is told then.
            has_no_terminal: false,
            is_adopted: false,
            version: agent.version.clone(),
            other: facts(machine, agent),
        }
    }

    /// Whoever is meant by `name@machine`, or by a name that one machine alone has.
    ///
    /// # Errors
    /// When several machines have an agent of that name, or the machine is unknown.
    pub fn find(&self, word: &str) -> std::result::Result<Meant, AddressError> {
        let word = word.strip_prefix('@').unwrap_or(word);
        if let Some((name, machine)) = word.rsplit_once('@') {
            if machine.eq_ignore_ascii_case(&self.own) {
                return Ok(Meant::Own(name.to_owned()));
            }
            return self
                .at(name, machine)
                .ok_or_else(|| AddressError::NoMachine {
                    wanted: machine.to_owned(),
                    known: self
                        .machines
                        .iter()
                        .map(|known| known.name.clone())
                        .collect(),
                });
        }
        let mut found: Vec<Found> = Vec::new();
        for machine in self.others().filter(|machine| machine.is_here) {
            let meant = machine.agents.iter().filter(|agent| is_meant(agent, word));
            found.extend(meant.map(|agent| self.found(machine, agent)));
        }
        match found.len() {
            0 => Ok(Meant::Nobody),
            1 => Ok(found
                .pop()
                .map_or(Meant::Nobody, |found| Meant::Away(Box::new(found)))),
            _ => Err(AddressError::Several {
                wanted: word.to_owned(),
                candidates: found.iter().map(candidate).collect(),
            }),
        }
    }

    /// An agent of this name on a machine, whether it was ever seen or not: a message to it may wait.
    fn at(&self, name: &str, machine: &str) -> Option<Meant> {
        let machine = self
            .others()
            .find(|known| known.name.eq_ignore_ascii_case(machine))?;
        let known = machine.agents.iter().find(|agent| is_meant(agent, name));
        let agent = known.cloned().unwrap_or_else(|| MeshAgent::unseen(name));
        Some(Meant::Away(Box::new(self.found(machine, &agent))))
    }

    fn found(&self, machine: &Machine, agent: &MeshAgent) -> Found {
        Found {
            entry: self.entry(machine, agent),
            machine: machine.name.clone(),
            is_here: machine.is_here,
        }
    }
}

/// The word for an agent that is reached through the bridge.
const TRANSPORT: &str = "mesh";

/// Whether an agent is on another machine.
pub fn is_elsewhere(entry: &Entry) -> bool {
    matches!(&entry.transport, Transport::Other(word) if word == TRANSPORT)
}

/// What only an agent of another machine has in its entry.
fn facts(machine: &Machine, agent: &MeshAgent) -> BTreeMap<String, Value> {
    let seen = machine.seen.filter(|_| !machine.is_here);
    let facts = [
        ("machine", Some(machine.name.clone())),
        ("branch", agent.branch.clone()),
        ("seen", seen.map(|at| at.to_string())),
    ];
    let known = facts.into_iter();
    known
        .filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?))))
        .collect()
}

/// The machine of an agent that is elsewhere.
pub fn machine_of(entry: &Entry) -> Option<&str> {
    fact(entry, "machine")
}

/// When the machine of an agent was last seen, if it is away.
pub fn seen_of(entry: &Entry) -> Option<&str> {
    fact(entry, "seen")
}

/// The branch that an agent elsewhere works on, as its machine says.
pub fn branch_of(entry: &Entry) -> Option<&str> {
    fact(entry, "branch")
}

fn fact<'a>(entry: &'a Entry, name: &str) -> Option<&'a str> {
    entry
        .other
        .get(name)
        .filter(|_| is_elsewhere(entry))?
        .as_str()
}

fn is_meant(agent: &MeshAgent, word: &str) -> bool {
    Handle::unchecked(&agent.handle).is(word)
}

fn candidate(found: &Found) -> Candidate {
    Candidate {
        handle: found.entry.handle.clone(),
        id: found.entry.agent_id.clone(),
        working_dir: found.entry.working_dir.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> MeshView {
        let agent = |handle: &str| MeshAgent {
            id: handle.to_owned(),
            handle: handle.to_owned(),
            profile: "codex".to_owned(),
            agent_type: "codex".to_owned(),
            directory: "/w".to_owned(),
            branch: None,
            status: "IDLE".to_owned(),
            started_at: None,
            version: String::new(),
        };
        let machine = |name: &str, is_here, handles: &[&str]| Machine {
            name: name.to_owned(),
            is_here,
            seen: None,
            role: "send".to_owned(),
            version: String::new(),
            agents: handles.iter().map(|handle| agent(handle)).collect(),
        };
        MeshView {
            own: "desk".to_owned(),
            endpoint: "http://127.0.0.1:9".to_owned(),
            trouble: None,
            machines: vec![
                machine("desk", true, &["codex"]),
                machine("laptop", true, &["codex", "claude"]),
                machine("server", true, &["codex"]),
                machine("away", false, &["gemini"]),
            ],
        }
    }

    fn handle(meant: Meant) -> String {
        match meant {
            Meant::Own(name) => format!("own {name}"),
            Meant::Away(found) => format!("{} {}", found.entry.handle, found.is_here),
            Meant::Nobody => "nobody".to_owned(),
        }
    }

    #[test]
    fn a_name_is_looked_for_on_the_machine_that_is_named() {
        let found = |word: &str| handle(view().find(word).unwrap());
        assert_eq!(found("@codex@laptop"), "codex@laptop true");
        assert_eq!(found("Codex@LAPTOP"), "codex@laptop true");
        assert_eq!(found("codex@desk"), "own codex");
        assert_eq!(found("gemini@away"), "gemini@away false");
        assert_eq!(found("new@away"), "new@away false");
        assert_eq!(found("claude"), "claude@laptop true");
        assert_eq!(found("gemini"), "nobody");
    }

    #[test]
    fn a_name_that_several_machines_have_is_not_guessed() {
        let error = view().find("codex").unwrap_err().to_string();
        assert!(
            error.contains("@codex@laptop") && error.contains("@codex@server"),
            "{error}"
        );
        let error = view().find("codex@moon").unwrap_err().to_string();
        assert!(
            error.contains("moon") && error.contains("laptop"),
            "{error}"
        );
    }
}
