//! How each agent was started, kept on disk, so that it can be started the same way again: after a reboot, with
//! another version, or with an older conversation.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::handle::Handle;
use crate::paths::{Paths, create_folder};
use crate::private_file::{self, Trust, read_text};
use crate::registry::{AgentId, Entry};

/// How one agent was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchRecord {
    pub agent_id: AgentId,
    pub handle: Handle,
    /// The folder it works in.
    pub dir: PathBuf,
    /// What follows `synapse start`, without its name, folder and conversation.
    pub words: Vec<String>,
    pub started_at: Timestamp,
    /// It runs in somebody's terminal.
    #[serde(default)]
    pub is_wrapped: bool,
    /// Its conversation, as the program itself calls it.
    #[serde(default)]
    pub conversation: Option<String>,
    /// Somebody has ended it, or its program ended by itself: it is not to be brought back.
    #[serde(default)]
    pub is_ended: bool,
}

/// Whether a word can be the name of a conversation. It becomes an argument of a program, and a tool of that program
/// may have written it, so that nothing but a plain name counts: never an option.
pub fn is_conversation_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=128).contains(&name.len()) && name.chars().all(is_plain) && !name.starts_with(['-', '.'])
}

impl LaunchRecord {
    /// Writes it down.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, paths: &Paths) -> io::Result<()> {
        create_folder(&paths.launches())?;
        let text = serde_json::to_vec_pretty(self)?;
        private_file::replace(&paths.launch(&self.agent_id), &text)
    }

    /// That of one agent, if it was ever started.
    pub fn of(paths: &Paths, id: &AgentId) -> Option<Self> {
        Self::read(&paths.launch(id))
    }

    /// All of them, the oldest first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn all(paths: &Paths) -> io::Result<Vec<Self>> {
        let entries = match std::fs::read_dir(paths.launches()) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut records: Vec<Self> = entries
            .flatten()
            .filter_map(|entry| Self::read(&entry.path()))
            .collect();
        records.sort_by_key(|record| record.started_at);
        Ok(records)
    }

    /// Those of agents that are to be brought back: none has ended for good, and none is among those that run.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn waiting(paths: &Paths, running: &[Entry]) -> io::Result<Vec<Self>> {
        let runs = |record: &Self| {
            let mut entries = running.iter();
            entries.any(|entry| entry.agent_id == record.agent_id || entry.handle == record.handle)
        };
        let mut records = Self::all(paths)?;
        records.retain(|record| !record.is_ended && !runs(record));
        Ok(records)
    }

    /// Writes it down in place of every other record of this handle: ids go by the order in which agents are
    /// started, and one that is started after a reboot may have another id than before. Another agent, which waits to
    /// be brought back and had this id, is kept under a name that is nobody's id.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn begin(&self, paths: &Paths) -> io::Result<()> {
        let others = Self::all(paths)?.into_iter();
        let is_former = |other: &Self| {
            other.handle == self.handle && other.agent_id != self.agent_id && !other.is_ended
        };
        for former in others.filter(is_former) {
            Self::end(paths, &former.agent_id)?;
        }
        if let Some(other) = Self::of(paths, &self.agent_id)
            && other.handle != self.handle
            && !other.is_ended
        {
            let agent_id = other.agent_id.lost_by(&other.handle);
            Self { agent_id, ..other }.save(paths)?;
        }
        self.save(paths)
    }

    /// Notes that an agent is not to be brought back.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn end(paths: &Paths, id: &AgentId) -> io::Result<()> {
        let Some(record) = Self::of(paths, id) else {
            return Ok(());
        };
        let ended = Self {
            is_ended: true,
            ..record
        };
        ended.save(paths)
    }

    /// Whether a run of an agent, as its entry calls it ([`Entry::run`]), is the one that was started so.
    pub fn is_of_run(&self, run: &str) -> bool {
        let started = run.rsplit_once('-').map(|(_, started)| started);
        started == Some(&*self.started_at.as_millisecond().to_string())
    }

    fn read(path: &Path) -> Option<Self> {
        let text = read_text(path, Trust::Own).ok()?;
        serde_json::from_str(&text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_no_name_of_a_conversation() {
        for name in ["5f1c-77aa", "019a_b", "session-2026.11"] {
            assert!(is_conversation_name(name), "{name}");
        }
        for name in [
            "",
            "--yolo",
            "-c",
            "../x",
            "a b",
            "a\n",
            "x=y",
            &"a".repeat(129),
        ] {
            assert!(!is_conversation_name(name), "{name}");
        }
    }

    /// An agent of this name, the `nth` of its kind when it was started.
    fn record(handle: &str, nth: u32) -> LaunchRecord {
        LaunchRecord {
            agent_id: AgentId::derive("box", Path::new("/work"), "codex", nth),
            handle: Handle::unchecked(handle),
            dir: "/work".into(),
            words: vec!["codex".to_owned(), "--".to_owned(), "--model".to_owned()],
            started_at: Timestamp::from_second(1).unwrap(),
            is_wrapped: false,
            conversation: Some("c".to_owned()),
            is_ended: false,
        }
    }

    #[test]
    fn an_agent_whose_id_another_one_gets_is_still_brought_back() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::new(home.path().join("a2a"), home.path().join("synapse"));
        record("codex", 2).begin(&paths).unwrap();
        record("codex-2", 1).begin(&paths).unwrap();
        let handles = || {
            let waiting = LaunchRecord::waiting(&paths, &[]).unwrap();
            let mut handles: Vec<String> = waiting.iter().map(|it| it.handle.to_string()).collect();
            handles.sort();
            handles
        };
        record("codex", 1).begin(&paths).unwrap();
        assert_eq!(handles(), ["codex", "codex-2"]);
        record("codex-2", 3).begin(&paths).unwrap();
        assert_eq!(handles(), ["codex", "codex-2"], "each is there once");
        for record in LaunchRecord::waiting(&paths, &[]).unwrap() {
            LaunchRecord::end(&paths, &record.agent_id).unwrap();
        }
        assert!(handles().is_empty());
    }

    #[test]
    fn what_was_started_is_known_until_it_is_ended() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::new(home.path().join("a2a"), home.path().join("synapse"));
        assert_eq!(LaunchRecord::all(&paths).unwrap(), []);
        let record = record("codex", 1);
        let id = record.agent_id.clone();
        record.save(&paths).unwrap();
        assert_eq!(LaunchRecord::all(&paths).unwrap(), [record]);
        LaunchRecord::end(&paths, &id).unwrap();
        assert!(LaunchRecord::of(&paths, &id).unwrap().is_ended);
        std::fs::write(paths.launches().join("broken.json"), "{").unwrap();
        assert_eq!(LaunchRecord::all(&paths).unwrap().len(), 1);
    }
}
