//! What a worktree changes: commits and uncommitted work together, new files included.

use std::path::Path;

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::create::commit_of;
use super::{Spot, Worktree};
use crate::files;
use crate::git::{Branch, Revision, ask, git};
use crate::problem::Problem;

mod patch;

/// How much of one file is told, unless it is asked for by itself.
const FILE: usize = 64 << 10;
/// How much is told of all files.
const WHOLE: usize = 1 << 20;
/// New files whose text is told.
const NEW_FILES: usize = 500;

/// What somebody wants to see.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
pub(crate) struct Against {
    /// `base`, `head`, or a branch or commit.
    against: Option<String>,
    /// One file, whole.
    path: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Diff {
    against: String,
    additions: u32,
    deletions: u32,
    truncated: bool,
    files: Vec<DiffFile>,
}

/// The changes of one file.
#[derive(Debug, Default, PartialEq, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct DiffFile {
    path: String,
    old_path: Option<String>,
    /// `added`, `modified`, `deleted`, `renamed` or `untracked`.
    #[cfg_attr(
        test,
        ts(type = "\"added\" | \"modified\" | \"deleted\" | \"renamed\" | \"untracked\"")
    )]
    status: &'static str,
    additions: u32,
    deletions: u32,
    binary: bool,
    /// From the first `@@` on.
    patch: String,
    truncated: bool,
}

pub(crate) async fn diff(spot: &Spot, tree: &Worktree, wish: &Against) -> Result<Diff, Problem> {
    if spot.main.is_none() {
        return Err(Problem::bad(
            "this folder is no git repository, so nothing can be compared",
        ));
    }
    let dir = &spot.path;
    let (against, commit) = from(dir, tree, wish.against.as_deref()).await?;
    let path: Vec<&str> = wish.path.as_deref().into_iter().collect();
    let args = ["diff", "--no-ext-diff", "--no-textconv", "--find-renames"];
    let list = ["--raw", "--numstat", "-z", &commit, "--"];
    let list = args.iter().chain(&list).chain(&path);
    let mut files = patch::files(&ask(dir, list).await?.out);
    let text = ["--patch", "--no-color", &commit, "--"];
    let text = args.iter().chain(&text).chain(&path);
    let said = ask(dir, text).await?;
    patch::fill(&mut files, &String::from_utf8_lossy(&said.out), said.is_cut);
    files.extend(untracked(dir, &path).await?);

    let mut diff = Diff {
        against,
        additions: files.iter().map(|file| file.additions).sum(),
        deletions: files.iter().map(|file| file.deletions).sum(),
        truncated: false,
        files,
    };
    let limit = if path.is_empty() { FILE } else { WHOLE };
    let mut left = WHOLE;
    for file in &mut diff.files {
        cut(file, limit.min(left));
        left = left.saturating_sub(file.patch.len());
        diff.truncated |= file.truncated;
    }
    Ok(diff)
}

/// A file as it is in what its worktree is compared with.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Before {
    path: String,
    binary: bool,
    /// Nothing if it is no text.
    text: Option<String>,
}

/// Reads a file of the commit that a worktree is compared with. `Against::path` is not looked at.
pub(crate) async fn before(
    spot: &Spot,
    tree: &Worktree,
    path: &str,
    wish: &Against,
) -> Result<Before, Problem> {
    if spot.main.is_none() {
        return Err(Problem::bad(
            "this folder is no git repository, so nothing is kept of its files",
        ));
    }
    let plain = files::plain_path(path)?;
    let (against, commit) = from(&spot.path, tree, wish.against.as_deref()).await?;
    let object = format!("{commit}:{plain}");
    let said = git(&spot.path, ["cat-file", "blob", &object]).await?;
    if said.is_cut {
        let error = format!("'{path}' of {against} is too large to be shown");
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        return Err(Problem::new(status, "too_large", error));
    }
    if said.code != 0 {
        let error = format!("there is no file '{path}' in {against}");
        return Err(Problem::new(StatusCode::NOT_FOUND, "no_such_file", error));
    }
    let binary = files::is_binary(&said.out);
    Ok(Before {
        path: plain,
        binary,
        text: (!binary).then(|| String::from_utf8_lossy(&said.out).into_owned()),
    })
}

/// What it is compared with: a name for people, and a commit.
async fn from(
    dir: &Path,
    tree: &Worktree,
    against: Option<&str>,
) -> Result<(String, String), Problem> {
    let name = match against.unwrap_or("base") {
        "head" => "HEAD",
        "base" => tree.base.as_deref().unwrap_or("HEAD"),
        other => other,
    };
    let mut revision = Revision::parse(name)?;
    if tree.base.as_deref() == Some(name) {
        // A tag of the same name is not what is meant.
        revision = Revision::parse(&Branch::parse(name)?.full())?;
    }
    if tree.head.is_none() && name == "HEAD" {
        // Nothing is committed yet: compared with an empty tree.
        let said = ask(dir, ["hash-object", "-t", "tree", "/dev/null"]).await?;
        return Ok((name.to_owned(), said.text()));
    }
    let commit = commit_of(dir, &revision).await?;
    if name == "HEAD" {
        return Ok((name.to_owned(), commit));
    }
    // What the other branch has gained meanwhile is not our change.
    let forked = ask(dir, ["merge-base", &commit, "HEAD"]).await;
    let commit = forked.map_or(commit, |said| said.text());
    Ok((name.to_owned(), commit))
}

/// The files that git does not know yet, as if they were added.
async fn untracked(dir: &Path, path: &[&str]) -> Result<Vec<DiffFile>, Problem> {
    let list = ["ls-files", "--others", "--exclude-standard", "-z", "--"];
    let said = ask(dir, list.iter().chain(path)).await?;
    let mut found = Vec::new();
    for (at, path) in said.pieces().enumerate() {
        let mut file = DiffFile {
            path,
            status: "untracked",
            truncated: true,
            ..DiffFile::default()
        };
        if at < NEW_FILES {
            // One that cannot be read, or is a link, is told by its name alone.
            if let Ok(read) = files::read(dir, &file.path).await {
                file.binary = read.binary;
                file.truncated = read.truncated;
                file.patch = patch::all_new(&read.text.unwrap_or_default());
                file.additions = read.lines;
            }
        }
        found.push(file);
    }
    Ok(found)
}

/// Keeps whole lines up to a limit.
fn cut(file: &mut DiffFile, limit: usize) {
    if file.patch.len() <= limit {
        return;
    }
    let mut end = limit;
    while !file.patch.is_char_boundary(end) {
        end -= 1;
    }
    let whole = file.patch.get(..end).and_then(|text| text.rfind('\n'));
    file.patch.truncate(whole.map_or(0, |at| at + 1));
    file.truncated = true;
}
