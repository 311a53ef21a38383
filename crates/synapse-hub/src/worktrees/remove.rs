//! Removing a worktree. Refused by default where work would be lost; never deletes outside of it.

use std::path::Path;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::create::turn;
use super::{Spot, Worktree};
use crate::git::{Branch, ask};
use crate::problem::Problem;

#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
pub(crate) struct Removal {
    /// Although work would be lost.
    force: bool,
    /// `delete`: the branch too.
    branch: Option<String>,
    /// The counts as the person saw them; others by now is a refusal.
    dirty: Option<u32>,
    untracked: Option<u32>,
    unmerged: Option<u32>,
}

/// What is to be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Counts {
    pub(crate) dirty: u32,
    pub(crate) untracked: u32,
    pub(crate) unmerged: u32,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Removed {
    removed: bool,
    branch_deleted: bool,
}

pub(crate) async fn remove(
    spot: &Spot,
    tree: &Worktree,
    wish: &Removal,
) -> Result<Removed, Problem> {
    let main = match &spot.main {
        Some(main) if *main != spot.path => main,
        _ => {
            let error =
                "this is the repository itself, not a worktree of it; it is not removed here";
            return Err(Problem::conflict("main_worktree", error));
        }
    };
    if !tree.agents.is_empty() {
        let error = "agents work here; stop them first";
        return Err(Problem::conflict("agents_here", error).with("agents", &tree.agents));
    }
    if tree.locked {
        let error = "this worktree is locked; `git worktree unlock` unlocks it";
        return Err(Problem::conflict("locked", error));
    }
    let lost = Counts {
        dirty: tree.dirty,
        untracked: tree.untracked,
        unmerged: unmerged(spot, tree).await?,
    };
    check(lost, wish)?;
    let _turn = turn(main).await?;
    let force: &[&str] = if wish.force { &["--force"] } else { &[] };
    let args = ["worktree", "remove"].iter().chain(force).chain(&["--"]);
    let args = args.map(AsRef::as_ref).chain([spot.path.as_os_str()]);
    ask(main, args).await?;
    let mut branch_deleted = false;
    if wish.branch.as_deref() == Some("delete")
        && let Some(branch) = &tree.branch
    {
        delete_branch(main, branch).await?;
        branch_deleted = true;
    }
    Ok(Removed {
        removed: true,
        branch_deleted,
    })
}

/// Whether it may be removed.
fn check(lost: Counts, wish: &Removal) -> Result<(), Problem> {
    let seen = Counts {
        dirty: wish.dirty.unwrap_or(lost.dirty),
        untracked: wish.untracked.unwrap_or(lost.untracked),
        unmerged: wish.unmerged.unwrap_or(lost.unmerged),
    };
    if wish.force && seen == lost {
        return Ok(());
    }
    let files = lost.dirty + lost.untracked;
    let (code, error) = if files > 0 {
        let error = format!("{files} files here are not committed and would be lost");
        ("dirty", error)
    } else if lost.unmerged > 0 {
        let error = format!("{} commits here are not merged", lost.unmerged);
        ("unmerged", error)
    } else {
        return Ok(());
    };
    let problem = Problem::conflict(code, error).with("dirty", lost.dirty);
    Err(problem
        .with("untracked", lost.untracked)
        .with("unmerged", lost.unmerged))
}

/// The commits that are in no other place: not in the base, or without a branch in none.
async fn unmerged(spot: &Spot, tree: &Worktree) -> Result<u32, Problem> {
    if tree.branch.is_some() || tree.missing {
        return Ok(tree.ahead);
    }
    let args = [
        "rev-list",
        "--count",
        "HEAD",
        "--not",
        "--branches",
        "--remotes",
        "--tags",
        "--",
    ];
    let said = ask(&spot.path, args).await?;
    said.text().parse().map_err(Problem::internal)
}

async fn delete_branch(main: &Path, branch: &str) -> Result<(), Problem> {
    let branch = Branch::parse(branch)?;
    ask(main, ["branch", "--quiet", "-D", "--", branch.as_str()]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(dirty: u32, untracked: u32, unmerged: u32) -> Counts {
        Counts {
            dirty,
            untracked,
            unmerged,
        }
    }

    #[test]
    fn nothing_is_lost_without_being_asked() {
        let plain = Removal::default();
        assert!(check(lost(0, 0, 0), &plain).is_ok());
        for counts in [lost(1, 0, 0), lost(0, 1, 0), lost(0, 0, 1)] {
            assert!(check(counts, &plain).is_err(), "{counts:?}");
        }
    }

    #[test]
    fn force_covers_only_what_was_seen() {
        let force = Removal {
            force: true,
            ..Removal::default()
        };
        assert!(check(lost(3, 2, 1), &force).is_ok());
        let seen = Removal {
            dirty: Some(3),
            ..force
        };
        assert!(check(lost(3, 2, 1), &seen).is_ok());
        assert!(check(lost(4, 2, 1), &seen).is_err());
    }
}
