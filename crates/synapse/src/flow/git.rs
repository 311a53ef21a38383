//! Worktrees of a run, through the git command: made, committed where a step wants their branch, and compared with what
//! they began from. They stay when the run is over: they are the work.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use synapse_machine::child;
use synapse_machine::lock::LockGuard;
use tokio::process::Command;
use tokio::task::spawn_blocking;

/// What a person has set up for other repositories or other moments must not act here.
const SETTINGS: [&str; 6] = [
    "-c",
    "core.fsmonitor=false",
    "-c",
    "commit.gpgsign=false",
    "-c",
    "core.quotepath=false",
];

const ELSEWHERE: [&str; 4] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
];

/// A worktree and its branch.
pub(super) struct Tree {
    pub(super) dir: PathBuf,
    pub(super) branch: String,
}

/// The worktree of this name beside the repository that `base` is in; made if it is not there yet.
pub(super) async fn worktree(base: &Path, name: &str) -> Result<Tree> {
    let top = git(base, ["rev-parse", "--show-toplevel"]).await;
    let top = top.context("a worktree needs a git repository")?;
    let top = PathBuf::from(top.trim_end());
    let repository = top.file_name().context("the repository has no name")?;
    let above = top
        .parent()
        .context("there is no folder beside the repository")?;
    let dir = above.join(format!("{}-{name}", repository.to_string_lossy()));
    let branch = format!("flow/{name}");
    if !dir.join(".git").exists() {
        let _turn = worktrees_turn(base).await?;
        let full = format!("refs/heads/{branch}");
        let exists = git(base, ["rev-parse", "--verify", "--quiet", &full]).await;
        let is_known = exists.is_ok();
        let mut args: Vec<&OsStr> = ["worktree", "add", "--quiet"].map(OsStr::new).to_vec();
        if !is_known {
            args.extend(["-b", &branch].map(OsStr::new));
        }
        args.extend([OsStr::new("--"), dir.as_os_str()]);
        args.push(OsStr::new(if is_known { branch.as_str() } else { "HEAD" }));
        git(base, args)
            .await
            .context("the worktree cannot be made")?;
    }
    Ok(Tree { dir, branch })
}

/// Waits until nobody else changes the worktrees of this repository.
async fn worktrees_turn(base: &Path) -> Result<LockGuard> {
    let dir = git(
        base,
        ["rev-parse", "--path-format=absolute", "--git-common-dir"],
    )
    .await?;
    let dir = PathBuf::from(dir.trim_end());
    let turn = spawn_blocking(move || LockGuard::wait_for_worktrees(&dir)).await?;
    turn.context("the worktree cannot be made: somebody else is making one")
}

/// Commits what stands in a worktree, if anything does.
pub(super) async fn commit(dir: &Path, message: &str) -> Result<()> {
    if git(dir, ["status", "--porcelain"]).await?.trim().is_empty() {
        return Ok(());
    }
    git(dir, ["add", "--all"]).await?;
    let has_name = git(dir, ["config", "user.email"]).await.is_ok();
    let mut args = Vec::new();
    if !has_name {
        args.extend([
            "-c",
            "user.name=synapse",
            "-c",
            "user.email=synapse@localhost",
        ]);
    }
    args.extend(["commit", "--quiet", "--no-verify", "-m", message]);
    git(dir, args)
        .await
        .context("what the step has changed cannot be committed")?;
    Ok(())
}

/// What a worktree has beyond the branch that the run was started on.
pub(super) async fn diff(tree: &Tree, base: &Path) -> Result<String> {
    let head = git(base, ["rev-parse", "HEAD"]).await?;
    let from = git(&tree.dir, ["merge-base", "HEAD", head.trim()]).await?;
    git(&tree.dir, ["add", "--all", "--intent-to-add"]).await?;
    git(&tree.dir, ["diff", "--no-ext-diff", from.trim(), "--"]).await
}

async fn git<I>(dir: &Path, args: I) -> Result<String>
where
    I: IntoIterator,
    I::Item: AsRef<OsStr>,
{
    let mut command = child::command("git");
    command.args(SETTINGS).args(args).current_dir(dir);
    for name in ELSEWHERE {
        command.env_remove(name);
    }
    command.stdin(Stdio::null()).env("GIT_TERMINAL_PROMPT", "0");
    let mut command = Command::from(command);
    let said = command.kill_on_drop(true).output().await;
    let said = said.context("git cannot be run")?;
    if !said.status.success() {
        let complaint = String::from_utf8_lossy(&said.stderr);
        bail!("git: {}", complaint.trim());
    }
    Ok(String::from_utf8_lossy(&said.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;

    use super::{git, worktree};

    #[tokio::test]
    async fn many_worktrees_are_made_at_once() {
        let above = tempfile::tempdir().unwrap();
        let repo = above.path().join("repo");
        std::fs::create_dir(&repo).unwrap();
        git(&repo, ["init", "--quiet"]).await.unwrap();
        std::fs::write(repo.join("a"), "a").unwrap();
        super::commit(&repo, "a").await.unwrap();
        let names: Vec<_> = (0..24).map(|number| format!("try-{number}")).collect();
        let made = join_all(names.iter().map(|name| worktree(&repo, name))).await;
        for tree in made {
            assert!(tree.unwrap().dir.join("a").exists());
        }
    }
}
