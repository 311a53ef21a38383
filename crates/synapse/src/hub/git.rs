//! The git command. Words go to it as arguments, never through a shell; a name that a person typed is
//! checked first, so that it can never look like an option.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use axum::http::StatusCode;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::problem::Problem;

mod refs;

pub(super) use refs::{Branch, Revision};

/// How long git may take. A merge of a large repository on a slow disk is done by then.
const PATIENCE: Duration = Duration::from_mins(2);
/// The most that is read of what it prints.
const OUTPUT: u64 = 8 << 20;
/// The most that is read of what it complains about.
const COMPLAINT: u64 = 16 << 10;

/// A list of many worktrees must not start as many processes.
static AT_ONCE: Semaphore = Semaphore::const_new(6);

/// Settings that a repository must not have its way with: nothing here asks a person or runs a
/// program that only the repository knows.
const SETTINGS: [&str; 8] = [
    "-c",
    "core.quotepath=false",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "commit.gpgsign=false",
    "-c",
    "advice.detachedHead=false",
];

/// Variables by which a caller of ours, such as a hook, would send git elsewhere.
const ELSEWHERE: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
];

/// What git said.
#[derive(Debug)]
pub(super) struct Said {
    /// Its exit code.
    pub(super) code: i32,
    /// What it printed.
    pub(super) out: Vec<u8>,
    /// Whether there was more than we read.
    pub(super) is_cut: bool,
    /// What it complained about.
    pub(super) complaint: String,
}

impl Said {
    /// What it printed, as text without the last line break.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).trim_end().to_owned()
    }

    /// What it printed, in pieces that end with NUL.
    pub(super) fn pieces(&self) -> impl Iterator<Item = String> {
        let pieces = self.out.split(|byte| *byte == 0);
        let pieces = pieces.filter(|piece| !piece.is_empty());
        pieces.map(|piece| String::from_utf8_lossy(piece).into_owned())
    }

    /// Only if it went well.
    pub(super) fn ok(self) -> Result<Self, Problem> {
        if self.code == 0 {
            return Ok(self);
        }
        let complaint = self.complaint.trim();
        let error = if complaint.is_empty() {
            format!("git ended with {}", self.code)
        } else {
            complaint.to_owned()
        };
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Err(Problem::new(status, "git_failed", error))
    }
}

/// Runs git in a folder.
pub(super) async fn git<I>(dir: &Path, args: I) -> Result<Said, Problem>
where
    I: IntoIterator,
    I::Item: AsRef<OsStr>,
{
    let mut command = Command::new("git");
    command.args(SETTINGS).args(args).current_dir(dir);
    for name in ELSEWHERE {
        command.env_remove(name);
    }
    command
        .env("LC_ALL", "C.UTF-8")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_EDITOR", "true")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let late = |_| {
        let error = format!("git did not end within {PATIENCE:?} in {}", dir.display());
        Problem::new(StatusCode::GATEWAY_TIMEOUT, "timeout", error)
    };
    let _turn = AT_ONCE.acquire().await.map_err(Problem::internal)?;
    let said = timeout(PATIENCE, run(command)).await.map_err(late)?;
    said.map_err(|error| {
        let error = format!("git cannot be run in {}: {error}", dir.display());
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "git_failed", error)
    })
}

/// Runs git in a folder; what it printed, if it went well.
pub(super) async fn ask<I>(dir: &Path, args: I) -> Result<Said, Problem>
where
    I: IntoIterator,
    I::Item: AsRef<OsStr>,
{
    git(dir, args).await?.ok()
}

async fn run(mut command: Command) -> std::io::Result<Said> {
    let mut child = command.spawn()?;
    let (out, complaint) = (child.stdout.take(), child.stderr.take());
    let (out, complaint) = tokio::join!(read(out, OUTPUT), read(complaint, COMPLAINT));
    let ((out, is_cut), (complaint, _)) = (out?, complaint?);
    if is_cut {
        // It waits for a reader that has had enough.
        child.start_kill()?;
    }
    let code = child.wait().await?.code().unwrap_or(0);
    let complaint = String::from_utf8_lossy(&complaint).into_owned();
    Ok(Said {
        code,
        out,
        is_cut,
        complaint,
    })
}

/// Reads up to a limit. Whether there was more.
async fn read(
    pipe: Option<impl AsyncRead + Unpin>,
    limit: u64,
) -> std::io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    let Some(pipe) = pipe else {
        return Ok((bytes, false));
    };
    pipe.take(limit + 1).read_to_end(&mut bytes).await?;
    let is_cut = bytes.len() as u64 > limit;
    bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok((bytes, is_cut))
}
