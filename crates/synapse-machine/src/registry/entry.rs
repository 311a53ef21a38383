//! The registry entry of one agent: the file by which others find it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::handle::Handle;

/// One running agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a field of the file, and they are independent"
)]
pub struct Entry {
    /// Who it is.
    pub agent_id: AgentId,
    /// What kind of program it wraps.
    pub agent_type: String,
    pub port: u16,
    /// What it was doing when it last said so.
    pub status: Status,
    /// The host process.
    pub pid: u32,
    /// The folder it was started in: it is known by it.
    pub working_dir: PathBuf,
    /// Where the program works, if its profile names another folder (`cwd`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_dir: Option<PathBuf>,
    /// The address of its HTTP.
    pub endpoint: String,
    /// The name others call it by.
    #[serde(default)]
    pub handle: Handle,
    /// The profile it was started with.
    #[serde(default)]
    pub profile: String,
    /// When it was started.
    #[serde(default)]
    pub started_at: Option<Timestamp>,
    /// How to talk to `endpoint`.
    #[serde(default)]
    pub transport: Transport,
    /// The file with the token that lets its owner in.
    #[serde(default)]
    pub token_path: Option<PathBuf>,
    /// Whether the token is another one than before, because the previous run did not end cleanly.
    #[serde(
        default,
        skip_serializing_if = "std::ops::Not::not",
        rename = "token_replaced"
    )]
    pub is_token_replaced: bool,
    /// Whether what the agent has started may answer its questions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_answer_itself: bool,
    /// Whether its program has no terminal to be looked at, because it is reached by a protocol.
    #[serde(
        default,
        skip_serializing_if = "std::ops::Not::not",
        rename = "no_terminal"
    )]
    pub has_no_terminal: bool,
    /// Whether its program ran before it was an agent, and goes on when it is none any more.
    #[serde(
        default,
        skip_serializing_if = "std::ops::Not::not",
        rename = "adopted"
    )]
    pub is_adopted: bool,
    /// The version of Synapse that wrote this.
    #[serde(default)]
    pub version: String,
    /// Fields of versions that know more than this one.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

impl Entry {
    /// Reads the text of an entry.
    ///
    /// # Errors
    /// When it is not JSON, or a required field is missing or wrong.
    pub fn parse(text: &[u8]) -> serde_json::Result<Self> {
        let mut entry: Self = serde_json::from_slice(text)?;
        // An entry with the required fields alone is called by its profile.
        if entry.profile.is_empty() {
            entry.profile.clone_from(&entry.agent_type);
        }
        if entry.handle.is_empty() {
            entry.handle = Handle::unchecked(&entry.agent_type);
        }
        Ok(entry)
    }

    /// Where the program works.
    pub fn place(&self) -> &Path {
        self.program_dir.as_deref().unwrap_or(&self.working_dir)
    }

    /// This run of the agent, apart from every other one: the store knows by it whose tasks are whose.
    pub fn run(&self) -> String {
        let started = self.started_at.map_or(0, Timestamp::as_millisecond);
        format!("{}-{started}", self.pid)
    }
}

/// Who an agent is: the sha256 of its machine, folder and type, in hex.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentId(String);

impl AgentId {
    /// The id of the `nth` live agent of this type in this folder, counted from 1.
    pub fn derive(host: &str, dir: &Path, agent_type: &str, nth: u32) -> Self {
        let mut hash = Sha256::new();
        hash.update(host);
        hash.update("|");
        hash.update(OsStr::as_bytes(dir.as_os_str()));
        hash.update("|");
        hash.update(agent_type);
        if nth > 1 {
            hash.update(format!("|{nth}"));
        }
        let digits = hash.finalize();
        let digits = digits.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        Self(
            digits
                .filter_map(|digit| char::from_digit(digit.into(), 16))
                .collect(),
        )
    }

    /// The id of an agent of another machine, apart from every one of this machine.
    pub fn elsewhere(id: &str, machine: &str) -> Self {
        Self(format!("{id}@{machine}"))
    }

    /// A name for what is kept of an agent whose id another one has now; the id of nobody.
    #[must_use]
    pub fn lost_by(&self, handle: &Handle) -> Self {
        Self(format!("{self}-{handle}"))
    }

    /// The id a file of the registry is named after.
    pub(super) fn of_file(stem: &str) -> Self {
        Self(stem.to_owned())
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// What an agent is doing, in the words of the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// The program has not shown its prompt yet.
    Starting,
    Busy,
    /// It waits for something to do.
    Idle,
    /// It asks something.
    InputRequired,
    /// The host is on its way out.
    Stopping,
    /// The program has ended.
    Exited,
    /// A word of another version.
    #[serde(untagged)]
    Other(String),
}

/// How to talk to an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// HTTP, in the clear.
    #[default]
    Http,
    /// HTTP over TLS.
    Https,
    /// A way of another version.
    #[serde(untagged)]
    Other(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUIRED: &str = r#"{"agent_id":"abc123","agent_type":"claude","port":8100,"status":"BUSY",
        "pid":12345,"working_dir":"/path/to/project","endpoint":"http://localhost:8100"}"#;

    #[test]
    fn the_required_fields_of_an_entry_are_enough() {
        let entry = Entry::parse(REQUIRED.as_bytes()).unwrap();
        assert_eq!(entry.status, Status::Busy);
        assert_eq!(entry.handle.as_str(), "claude");
        assert_eq!(entry.profile, "claude");
        assert_eq!(entry.transport, Transport::Http);
    }

    #[test]
    fn what_a_later_version_says_is_kept() {
        let text = REQUIRED.replace(
            "\"BUSY\"",
            r#""DREAMING","transport":"nats","moon":{"phase":1}"#,
        );
        let entry = Entry::parse(text.as_bytes()).unwrap();
        assert_eq!(entry.status, Status::Other("DREAMING".to_owned()));
        let written: Value = serde_json::to_value(&entry).unwrap();
        assert_eq!(written["status"], "DREAMING");
        assert_eq!(written["transport"], "nats");
        assert_eq!(written["moon"]["phase"], 1);
    }

    #[test]
    fn a_status_is_written_as_on_the_wire() {
        let text = serde_json::to_string(&Status::InputRequired).unwrap();
        assert_eq!(text, r#""INPUT_REQUIRED""#);
    }

    #[test]
    fn an_id_is_the_hash_of_machine_folder_and_type() {
        let id = |nth| AgentId::derive("box", Path::new("/work"), "codex", nth).to_string();
        assert_eq!(
            id(1),
            "ea0b7948cccbf5623a9cf24de0a7c900820d1c92143723caf96eea81758989ff",
            "as `printf 'box|/work|codex' | sha256sum` has it"
        );
        assert_eq!(
            id(2),
            "2ff47d7dd5b95a5e7f4d58851e182f05cb1b0ecf9067aad63c1a424799708fb3",
            "as `printf 'box|/work|codex|2' | sha256sum` has it"
        );
    }
}
