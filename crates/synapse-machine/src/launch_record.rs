//! How each agent was started, kept on disk, so that it can be started the same way again: after a reboot, with
//! another version, or with an older conversation.

use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::handle::Handle;
use crate::lock::LockGuard;
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
        let _turn = enter(paths)?;
        self.write(paths)
    }

    /// That of one agent, if it was ever started.
    pub fn of(paths: &Paths, id: &AgentId) -> Option<Self> {
        Self::read(&paths.launch(id)).ok()
    }

    /// How an agent that runs was started. Its id may have been that of another one before.
    pub fn of_running(paths: &Paths, entry: &Entry) -> Option<Self> {
        Self::of(paths, &entry.agent_id).filter(|record| record.is_of(entry))
    }

    /// All that can be read, the oldest first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn all(paths: &Paths) -> io::Result<Vec<Self>> {
        let mut records: Vec<Self> = files(paths)?
            .iter()
            .filter_map(|path| Self::read(path).ok())
            .collect();
        records.sort_by_key(|record| record.started_at);
        Ok(records)
    }

    /// The files of those that cannot be read, and why.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn unreadable(paths: &Paths) -> io::Result<Vec<(PathBuf, io::Error)>> {
        let files = files(paths)?.into_iter();
        Ok(files
            .filter_map(|path| Some((Self::read(&path).err()?, path)))
            .map(|(why, path)| (path, why))
            .collect())
    }

    /// Those of agents that are to be brought back: none has ended for good, and none is among those that run. Another
    /// agent may run under the name of one that waits.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn waiting(paths: &Paths, running: &[Entry]) -> io::Result<Vec<Self>> {
        let all = Self::all(paths)?;
        // One that has just been started is published before it is written down, and what waits under its name is most
        // likely what it was started as before.
        let is_written = |entry: &Entry| all.iter().any(|record| record.is_of(entry));
        let (written, started): (Vec<_>, Vec<_>) = running
            .iter()
            .filter(|entry| !entry.is_adopted)
            .partition(|entry| is_written(entry));
        let waits = |record: &&Self| {
            !record.is_ended
                && !written.iter().any(|entry| record.is_of(entry))
                && !started.iter().any(|entry| entry.handle == record.handle)
        };
        Ok(all.iter().filter(waits).cloned().collect())
    }

    /// Writes down that an agent was started, in place of the record of the same agent: ids go by the order in which
    /// agents are started, and one that is started after a reboot may have another id than before. Another agent,
    /// which waits to be brought back and had this id, is kept under a name that is nobody's id.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn begin(&self, paths: &Paths) -> io::Result<()> {
        let _turn = enter(paths)?;
        for other in Self::all(paths)? {
            if other.is_ended {
                continue;
            }
            let had_this_id = other.agent_id == self.agent_id;
            if !self.replaces(&other) {
                if had_this_id {
                    other.write_elsewhere(paths)?;
                }
            } else if !had_this_id {
                other.write_ended(paths)?;
            }
        }
        self.write(paths)
    }

    /// Notes that this agent is not to be brought back, wherever its record is by now.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn forget(&self, paths: &Paths) -> io::Result<()> {
        let _turn = enter(paths)?;
        let mut all = Self::all(paths)?.into_iter();
        let kept = all.find(|other| other.is_same_run(self));
        kept.map_or(Ok(()), |kept| kept.write_ended(paths))
    }

    /// Notes that this agent is to be brought back, although its host may have written down that it ended. What other
    /// agents wrote down meanwhile stays.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep_waiting(&self, paths: &Paths) -> io::Result<()> {
        let _turn = enter(paths)?;
        let all = Self::all(paths)?;
        if all
            .iter()
            .any(|other| !other.is_ended && other.replaces(self))
        {
            return Ok(());
        }
        if let Some(kept) = all.iter().find(|other| other.is_same_run(self)) {
            let agent_id = kept.agent_id.clone();
            return Self {
                agent_id,
                ..self.clone()
            }
            .write(paths);
        }
        match Self::of(paths, &self.agent_id) {
            // What failed to start has ended, and it is this agent.
            Some(other) if !other.is_ended || other.handle != self.handle => {
                self.write_elsewhere(paths)
            }
            _ => self.write(paths),
        }
    }

    /// Whether an agent that runs was started so.
    pub fn is_of(&self, entry: &Entry) -> bool {
        // One that was adopted has no record, but may have the id of one that waits.
        !entry.is_adopted
            && self.agent_id == entry.agent_id
            && self.handle == entry.handle
            && self.started_at == entry.started_at.unwrap_or_default()
    }

    /// Whether a run of an agent, as its entry calls it ([`Entry::run`]), is the one that was started so.
    pub fn is_of_run(&self, run: &str) -> bool {
        let started = run.rsplit_once('-').map(|(_, started)| started);
        started == Some(&*self.started_at.as_millisecond().to_string())
    }

    /// Whether both are of one run of an agent. Its id is not asked: see [`begin`](Self::begin).
    fn is_same_run(&self, other: &Self) -> bool {
        self.handle == other.handle && self.started_at == other.started_at
    }

    /// Whether this is the same agent, started again: with the same words, or to go on with its conversation.
    fn replaces(&self, other: &Self) -> bool {
        let is_same_start = self.dir == other.dir && self.words == other.words;
        let goes_on = self.conversation.is_some() && self.conversation == other.conversation;
        self.handle == other.handle && (is_same_start || goes_on)
    }

    fn write(&self, paths: &Paths) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(self)?;
        private_file::replace(&paths.launch(&self.agent_id), &text)
    }

    fn write_ended(self, paths: &Paths) -> io::Result<()> {
        let ended = Self {
            is_ended: true,
            ..self
        };
        ended.write(paths)
    }

    /// Keeps it under a name that is nobody's id.
    fn write_elsewhere(&self, paths: &Paths) -> io::Result<()> {
        let mut agent_id = self.agent_id.lost_by(&self.handle);
        while Self::of(paths, &agent_id).is_some_and(|other| !other.is_ended) {
            agent_id = agent_id.lost_by(&self.handle);
        }
        let moved = Self {
            agent_id,
            ..self.clone()
        };
        moved.write(paths)
    }

    fn read(path: &Path) -> io::Result<Self> {
        let text = read_text(path, Trust::Own)?;
        Ok(serde_json::from_str(&text)?)
    }
}

/// Where records are.
fn files(paths: &Paths) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(paths.launches()) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    // What is being written has a name that begins with a dot.
    let is_whole = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        !name.as_bytes().starts_with(b".")
    };
    let paths = entries.flatten().map(|entry| entry.path());
    Ok(paths.filter(is_whole).collect())
}

/// Waits until nobody else changes the records, which are read and written by many processes.
fn enter(paths: &Paths) -> io::Result<LockGuard> {
    create_folder(&paths.launches())?;
    LockGuard::wait_for(&paths.launches().join(".lock"))
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

    fn paths(home: &tempfile::TempDir) -> Paths {
        Paths::new(home.path().join("a2a"), home.path().join("synapse"))
    }

    /// The names of those that wait.
    fn waiting(paths: &Paths) -> Vec<String> {
        let waiting = LaunchRecord::waiting(paths, &[]).unwrap();
        let mut handles: Vec<String> = waiting.iter().map(|it| it.handle.to_string()).collect();
        handles.sort();
        handles
    }

    #[test]
    fn what_somebody_else_has_written_down_is_no_record() {
        // Only root can give files away.
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let paths = paths(&home);
        let own = record("codex", 1);
        own.begin(&paths).unwrap();
        let theirs = record("evil", 2);
        theirs.begin(&paths).unwrap();
        assert_eq!(waiting(&paths), ["codex", "evil"]);
        let file = paths.launch(&theirs.agent_id);
        std::os::unix::fs::chown(file, Some(65_534), None).unwrap();
        assert_eq!(waiting(&paths), ["codex"]);
        assert_eq!(LaunchRecord::of(&paths, &theirs.agent_id), None);
    }

    #[test]
    fn an_agent_whose_id_another_one_gets_is_still_brought_back() {
        let home = tempfile::tempdir().unwrap();
        let paths = paths(&home);
        record("codex", 2).begin(&paths).unwrap();
        record("codex-2", 1).begin(&paths).unwrap();
        record("codex", 1).begin(&paths).unwrap();
        assert_eq!(waiting(&paths), ["codex", "codex-2"]);
        record("codex-2", 3).begin(&paths).unwrap();
        assert_eq!(waiting(&paths), ["codex", "codex-2"], "each is there once");
        for record in LaunchRecord::waiting(&paths, &[]).unwrap() {
            record.forget(&paths).unwrap();
        }
        assert!(waiting(&paths).is_empty());
    }

    #[test]
    fn what_could_not_be_started_takes_no_place_of_another_agent() {
        let home = tempfile::tempdir().unwrap();
        let paths = paths(&home);
        let first = record("codex", 1);
        first.begin(&paths).unwrap();
        // It is brought back in vain under another id, while another agent gets its own.
        let other = LaunchRecord {
            conversation: None,
            ..record("other", 1)
        };
        other.begin(&paths).unwrap();
        let started = |nth, second| LaunchRecord {
            started_at: Timestamp::from_second(second).unwrap(),
            ..record("codex", nth)
        };
        let again = started(2, 2);
        again.begin(&paths).unwrap();
        again.forget(&paths).unwrap();
        for _ in 0..2 {
            first.keep_waiting(&paths).unwrap();
            assert_eq!(waiting(&paths), ["codex", "other"]);
        }
        assert_eq!(LaunchRecord::of(&paths, &other.agent_id), Some(other));
        // Whoever has started it by hand meanwhile need not have it brought back.
        started(3, 3).begin(&paths).unwrap();
        first.keep_waiting(&paths).unwrap();
        assert_eq!(waiting(&paths), ["codex", "other"]);
    }

    #[test]
    fn an_agent_of_the_same_name_replaces_only_itself() {
        let home = tempfile::tempdir().unwrap();
        let paths = paths(&home);
        let first = record("codex", 1);
        first.begin(&paths).unwrap();
        let started = |nth, second, words: &str, conversation: Option<&str>| LaunchRecord {
            words: vec![words.to_owned()],
            started_at: Timestamp::from_second(second).unwrap(),
            conversation: conversation.map(str::to_owned),
            ..record("codex", nth)
        };
        started(1, 2, "codex --mcp", Some("d"))
            .begin(&paths)
            .unwrap();
        assert_eq!(waiting(&paths), ["codex", "codex"], "one had its id");
        started(2, 3, "codex --acp", None).begin(&paths).unwrap();
        assert_eq!(waiting(&paths).len(), 3, "one had only its name");
        started(1, 4, "codex --acp", None).begin(&paths).unwrap();
        assert_eq!(waiting(&paths).len(), 3, "it is started as before");
        started(1, 5, "codex", Some("c")).begin(&paths).unwrap();
        assert_eq!(waiting(&paths).len(), 3, "it goes on with the first one");
    }

    #[test]
    fn what_was_started_is_known_until_it_is_ended() {
        let home = tempfile::tempdir().unwrap();
        let paths = paths(&home);
        assert_eq!(LaunchRecord::all(&paths).unwrap(), []);
        let record = record("codex", 1);
        let id = record.agent_id.clone();
        record.save(&paths).unwrap();
        assert_eq!(LaunchRecord::all(&paths).unwrap(), [record]);
        LaunchRecord::of(&paths, &id)
            .unwrap()
            .forget(&paths)
            .unwrap();
        assert!(LaunchRecord::of(&paths, &id).unwrap().is_ended);
        std::fs::write(paths.launches().join("broken.json"), "{").unwrap();
        assert_eq!(LaunchRecord::all(&paths).unwrap().len(), 1);
    }
}
