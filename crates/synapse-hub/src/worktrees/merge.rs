//! The work of a worktree, merged. Whatever goes wrong, both branches are as they were.

use std::path::Path;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::create::commit_of;
use super::list::changes;
use super::scan::trees_of;
use super::{Spot, Worktree};
use crate::git::{Branch, Revision, Said, ask, git};
use crate::problem::Problem;

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct Merge {
    /// The branch that shall have it; by default the base.
    into: Option<String>,
    /// Commit what is not committed first, with this message.
    commit: Option<String>,
    /// The message of the merge.
    message: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Merged {
    into: String,
    commit: String,
    fast_forward: bool,
}

pub(crate) async fn merge(spot: &Spot, tree: &Worktree, wish: &Merge) -> Result<Merged, Problem> {
    let (Some(main), Some(branch)) = (&spot.main, &tree.branch) else {
        return Err(Problem::bad(
            "no branch is checked out here, so there is none to merge",
        ));
    };
    let branch = Branch::parse(branch)?;
    let into = wish.into.as_ref().or(tree.base.as_ref());
    let into = into.ok_or_else(|| Problem::bad("say 'into' which branch it is to be merged"))?;
    let into = Branch::parse(into)?;
    if into == branch {
        return Err(Problem::bad(format!(
            "'{into}' cannot be merged into itself"
        )));
    }
    let before = commit_of(main, &Revision::parse(&into.full())?).await?;
    commit_rest(spot, tree, wish).await?;
    let tip = commit_of(main, &Revision::parse(&branch.full())?).await?;
    let range = format!("{before}..{tip}");
    if ask(main, ["rev-list", "--count", &range, "--"])
        .await?
        .text()
        == "0"
    {
        let error = format!("'{into}' has all of '{branch}' already");
        return Err(Problem::conflict("nothing_to_merge", error));
    }
    let message = wish.message.clone();
    let message = message.unwrap_or_else(|| format!("Merge branch '{branch}' into {into}"));
    let trees = trees_of(main).await?;
    let target = trees
        .into_iter()
        .find(|tree| tree.branch.as_deref() == Some(into.as_str()));
    match target {
        Some(target) => merge_there(&target.path, &branch, &message).await?,
        None => merge_nowhere(main, &into, &before, &tip, &message).await?,
    }
    let commit = commit_of(main, &Revision::parse(&into.full())?).await?;
    Ok(Merged {
        into: into.to_string(),
        fast_forward: commit == tip,
        commit,
    })
}

/// Commits what is not committed, if somebody gave a message for it.
async fn commit_rest(spot: &Spot, tree: &Worktree, wish: &Merge) -> Result<(), Problem> {
    if tree.dirty + tree.untracked == 0 {
        return Ok(());
    }
    let Some(message) = wish
        .commit
        .as_deref()
        .filter(|text| !text.trim().is_empty())
    else {
        let error = "there are changes that are not committed; commit them first, or give a message as 'commit'";
        let problem = Problem::conflict("dirty", error).with("where", "from");
        return Err(problem
            .with("dirty", tree.dirty)
            .with("untracked", tree.untracked));
    };
    ask(&spot.path, ["add", "--all"]).await?;
    let message = format!("--message={message}");
    ask(&spot.path, ["commit", "--quiet", &message]).await?;
    Ok(())
}

/// Merges where the branch is checked out.
async fn merge_there(dir: &Path, branch: &Branch, message: &str) -> Result<(), Problem> {
    let (dirty, untracked) = changes(dir).await?;
    if dirty > 0 {
        let error = format!("{} has changes that are not committed", dir.display());
        let problem = Problem::conflict("dirty", error).with("where", "into");
        return Err(problem.with("dirty", dirty).with("untracked", untracked));
    }
    let message = format!("--message={message}");
    let said = git(dir, ["merge", "--quiet", &message, &branch.full()]).await?;
    if said.code == 0 {
        return Ok(());
    }
    let conflicts = ask(dir, ["diff", "--name-only", "--diff-filter=U", "-z"]).await?;
    let files: Vec<String> = conflicts.pieces().collect();
    if is_merging(dir).await {
        ask(dir, ["merge", "--abort"]).await?;
    }
    if files.is_empty() {
        said.ok()?;
    }
    Err(conflict(files))
}

async fn is_merging(dir: &Path) -> bool {
    let args = ["rev-parse", "--verify", "--quiet", "MERGE_HEAD"];
    git(dir, args).await.is_ok_and(|said| said.code == 0)
}

/// Merges without any files: the branch is checked out nowhere.
async fn merge_nowhere(
    dir: &Path,
    into: &Branch,
    before: &str,
    tip: &str,
    message: &str,
) -> Result<(), Problem> {
    let is_ahead = git(dir, ["merge-base", "--is-ancestor", before, tip]).await?;
    let after = if is_ahead.code == 0 {
        tip.to_owned()
    } else {
        let args = [
            "merge-tree",
            "--write-tree",
            "--name-only",
            "-z",
            before,
            tip,
        ];
        let merged = git(dir, args).await?;
        let tree = tree_of(merged)?;
        let args = ["commit-tree", &tree, "-p", before, "-p", tip, "-m", message];
        ask(dir, args).await?.text()
    };
    // Only if it still is what was merged into.
    let full = into.full();
    ask(dir, ["update-ref", "-m", "merge", &full, &after, before]).await?;
    Ok(())
}

/// The hash of the merged tree, or the files that cannot be merged.
fn tree_of(merged: Said) -> Result<String, Problem> {
    let mut pieces = merged.out.split(|byte| *byte == 0);
    let tree = String::from_utf8_lossy(pieces.next().unwrap_or_default()).into_owned();
    match merged.code {
        0 => Ok(tree),
        1 => {
            let files = pieces.take_while(|piece| !piece.is_empty());
            let files = files.map(|file| String::from_utf8_lossy(file).into_owned());
            Err(conflict(files.collect()))
        }
        _ => {
            merged.ok()?;
            Err(Problem::internal("git said nothing"))
        }
    }
}

fn conflict(mut files: Vec<String>) -> Problem {
    files.dedup();
    let error = format!(
        "these files cannot be merged: {}; nothing was changed",
        files.join(", ")
    );
    Problem::conflict("conflict", error).with("files", files)
}
