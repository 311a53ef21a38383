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
use synapse_machine::child;

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

/// Commands that only look. They run no program that only the repository names; the others do what a person asked
/// for, with the hooks of that person's repository.
const LOOKS: [&str; 12] = [
    "status",
    "diff",
    "log",
    "show",
    "rev-parse",
    "rev-list",
    "for-each-ref",
    "ls-files",
    "ls-tree",
    "cat-file",
    "merge-base",
    "merge-tree",
];

/// Those that compare files with what is kept of them, for which git runs filters.
const FILTERING: [&str; 2] = ["status", "diff"];

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
    pub(super) code: i32,
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
    let args: Vec<_> = args
        .into_iter()
        .map(|arg| arg.as_ref().to_owned())
        .collect();
    let is_one_of = |names: &[&str]| {
        let first = args.first();
        first.is_some_and(|first| names.iter().any(|name| first == name))
    };
    let mut overrides = Vec::new();
    if is_one_of(&LOOKS) {
        overrides.push(("core.hooksPath".to_owned(), "/dev/null"));
    }
    if is_one_of(&FILTERING) {
        overrides.extend(own_filters(dir).await?);
    }
    let mut command = prepared(dir, &overrides);
    if is_one_of(&LOOKS) {
        // What is missing would be fetched from where the repository says, by the program it says.
        command.env("GIT_NO_LAZY_FETCH", "1");
        command.env("GIT_ALLOW_PROTOCOL", "none");
    }
    let (first, rest) = args.split_at(1.min(args.len()));
    command.args(first);
    if is_one_of(&FILTERING) {
        // A submodule has settings of its own, which these do not reach.
        command.arg("--ignore-submodules=dirty");
    }
    command.args(rest);
    finished(dir, command).await
}

/// What switches off the filters that the repository itself names. Those of the user stay: they may be needed to
/// tell what has changed, and no repository can choose what they run.
async fn own_filters(dir: &Path) -> Result<Vec<(String, &'static str)>, Problem> {
    let mut command = prepared(dir, &[]);
    command.args([
        "config",
        "--show-scope",
        "--name-only",
        "-z",
        "--get-regexp",
        r"^filter\.",
    ]);
    let said = finished(dir, command).await?;
    let pieces: Vec<String> = said.pieces().collect();
    let scoped = pieces.chunks_exact(2).filter_map(|pair| match pair {
        [scope, name] if scope == "local" || scope == "worktree" => Some(name),
        _ => None,
    });
    let mut overrides = Vec::new();
    for name in scoped {
        let Some((filter, _)) = name.rsplit_once('.') else {
            continue;
        };
        for (key, value) in [
            ("clean", ""),
            ("smudge", ""),
            ("process", ""),
            ("required", "false"),
        ] {
            overrides.push((format!("{filter}.{key}"), value));
        }
    }
    Ok(overrides)
}

/// A git that is about to be told what to do, with these settings above all others.
fn prepared(dir: &Path, overrides: &[(String, &str)]) -> Command {
    let mut command = Command::from(child::command("git"));
    command.args(SETTINGS).current_dir(dir);
    for name in ELSEWHERE {
        command.env_remove(name);
    }
    // By the environment: the name of a filter may hold anything.
    command.env("GIT_CONFIG_COUNT", overrides.len().to_string());
    for (index, (name, value)) in overrides.iter().enumerate() {
        command.env(format!("GIT_CONFIG_KEY_{index}"), name);
        command.env(format!("GIT_CONFIG_VALUE_{index}"), value);
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
    command
}

async fn finished(dir: &Path, command: Command) -> Result<Said, Problem> {
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
