//! Names that the wrapped program itself knows: Claude Code names its own sessions and takes `@name` for
//! one of them. It reads files, so the actor must not call it.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use synapse_machine::private_file::{Trust, read_text};

/// How many sessions are looked at.
const MOST_SESSIONS: usize = 256;

/// What Claude Code writes down about a session that runs.
#[derive(Deserialize)]
struct ClaudeSession {
    pid: u32,
    #[serde(default)]
    name: String,
}

/// Where Claude Code writes down its sessions, given the folder of its transcripts.
pub(super) fn sessions_beside(transcripts: &Path) -> Option<PathBuf> {
    Some(transcripts.parent()?.join("sessions"))
}

/// Whether a session that runs has this name.
pub(super) fn is_session(sessions: &Path, name: &str) -> bool {
    let files = std::fs::read_dir(sessions).into_iter().flatten().flatten();
    let read = |file: std::fs::DirEntry| {
        let text = read_text(&file.path(), Trust::Chosen).ok()?;
        serde_json::from_str::<ClaudeSession>(&text).ok()
    };
    let runs = |pid: u32| synapse_platform::process::get(pid.cast_signed()).is_some();
    let mut found = files.take(MOST_SESSIONS).filter_map(read);
    found.any(|session| session.name.eq_ignore_ascii_case(name) && runs(session.pid))
}
