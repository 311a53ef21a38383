//! The program's own record of a conversation: where it is, and what it says was replied. It is
//! only ever read. The screen is lossy by design (fences, tables and stars are rendered away), so
//! an exact reply can come from nowhere else.

mod claude;
mod codex;
mod gemini;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A record longer than this is read from its end.
const LONGEST: u64 = 32 << 20;

/// How deep below its root a program puts its records.
const DEPTH: usize = 5;

/// The programs whose records we can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Claude Code's transcript.
    Claude,
    /// Codex's rollout file.
    Codex,
    /// Gemini CLI's session file.
    Gemini,
}

/// What a record says of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// The reply, word for word.
    Replied(String),
    /// The program's own word for what went wrong.
    Failed(String),
}

/// Where one program keeps its records.
#[derive(Clone, Debug)]
pub struct Record {
    kind: Kind,
    root: PathBuf,
    since: SystemTime,
}

impl Record {
    /// The record of a profile, if it names one we know.
    pub fn of(name: &str, home: &Path) -> Option<Self> {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let (kind, root) = match name {
            "claude" => {
                let base = variable("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.join(".claude"));
                (Kind::Claude, base.join("projects"))
            }
            "codex" => {
                let base = variable("CODEX_HOME").unwrap_or_else(|| home.join(".codex"));
                (Kind::Codex, base.join("sessions"))
            }
            "gemini" => (Kind::Gemini, home.join(".gemini/tmp")),
            _ => return None,
        };
        Some(Self {
            kind,
            root,
            since: SystemTime::now(),
        })
    }

    /// What is recorded of the turn that began with this message. None if it is not there, or not
    /// there yet.
    pub fn of_turn(&self, typed: &str) -> Option<Recorded> {
        let needle = typed.lines().find(|line| !line.trim().is_empty())?.trim();
        let mut files = Vec::new();
        collect(&self.root, self.since, DEPTH, &mut files);
        // The newest first: it is most likely the one.
        files.sort_by(|a, b| b.cmp(a));
        files
            .iter()
            .find_map(|(_, path)| self.read(&tail(path)?, needle))
    }

    /// Where the records are.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The record that was written to last, if any was since then.
    pub fn newest(&self, since: SystemTime) -> Option<PathBuf> {
        let mut files = Vec::new();
        collect(&self.root, since, DEPTH, &mut files);
        files.into_iter().max().map(|(_, path)| path)
    }

    fn read(&self, text: &str, needle: &str) -> Option<Recorded> {
        match self.kind {
            Kind::Claude => claude::reply(text, needle),
            Kind::Codex => codex::reply(text, needle),
            Kind::Gemini => gemini::reply(text, needle),
        }
    }
}

/// The JSONL files below a folder that changed since then.
fn collect(folder: &Path, since: SystemTime, depth: usize, files: &mut Vec<(SystemTime, PathBuf)>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let (path, Ok(meta)) = (entry.path(), entry.metadata()) else {
            continue;
        };
        if meta.is_dir() && depth > 0 {
            collect(&path, since, depth - 1, files);
        } else if path.extension().is_some_and(|e| e == "jsonl")
            && let Ok(changed) = meta.modified()
            && changed >= since
        {
            files.push((changed, path));
        }
    }
}

/// The end of a file, which may begin inside a line.
fn tail(path: &Path) -> Option<String> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    let mut file = std::fs::File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LONGEST)))
        .ok()?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The lines of a record that are JSON; a line that is still being written is not.
fn lines(text: &str) -> impl Iterator<Item = serde_json::Value> + '_ {
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
}

/// The text of a message: a string, or the texts of its parts.
fn words(content: &serde_json::Value, between: &str) -> String {
    match content {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(parts) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter_map(|part| part.get("text")?.as_str())
                .collect();
            texts.join(between)
        }
        _ => String::new(),
    }
}
