//! A new worktree, in a folder beside its repository.

use std::io;
use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use serde::Deserialize;
use synapse_machine::lock::LockGuard;
use tokio::task::spawn_blocking;
use utoipa::ToSchema;

use super::list::default_of;
use super::porcelain::Tree;
use super::scan::trees_of;
use super::{Spot, id_of, name_of};
use crate::git::{Branch, Revision, ask, git};
use crate::problem::Problem;

/// Longer names make no folder that anybody could type.
const LONGEST: usize = 100;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Wish {
    /// To be made, or to be checked out if there is one.
    pub(crate) branch: String,
    /// What a new branch begins from; by default the default branch.
    pub(crate) base: Option<String>,
    /// The folder beside the repository; by default `<repository>-<branch>`.
    pub(crate) name: Option<String>,
}

pub(crate) async fn create(main: &Path, wish: &Wish) -> Result<Spot, Problem> {
    let branch = Branch::parse(&wish.branch)?;
    let usual = format!("{}-{}", name_of(main), branch.as_str().replace('/', "-"));
    let name = wish.name.as_deref().unwrap_or(&usual);
    if !is_name(name) {
        let error = format!(
            "'{name}' cannot be the name of a folder here: it is one word without '/', not beginning with '.' or '-'"
        );
        return Err(Problem::new(StatusCode::BAD_REQUEST, "bad_name", error));
    }
    let Some(path) = main.parent().map(|above| above.join(name)) else {
        return Err(Problem::bad("there is no folder beside this repository"));
    };
    if path.symlink_metadata().is_ok() {
        let error = format!("{} exists already; choose another name", path.display());
        return Err(Problem::conflict("exists", error));
    }
    let _turn = turn(main).await?;
    let trees = trees_of(main).await?;
    let is_taken = |tree: &&Tree| tree.branch.as_deref() == Some(branch.as_str());
    if let Some(tree) = trees.iter().find(is_taken) {
        let error = format!(
            "the branch '{branch}' is checked out in {}",
            tree.path.display()
        );
        return Err(Problem::conflict("exists", error));
    }
    let full = branch.full();
    let exists = git(main, ["show-ref", "--verify", "--quiet", &full])
        .await?
        .code
        == 0;
    let folder = path.as_os_str();
    if exists {
        let args = ["worktree", "add", "--quiet", "--"].map(AsRef::as_ref);
        let args = args.into_iter().chain([folder, branch.as_str().as_ref()]);
        ask(main, args).await?;
    } else {
        let default = default_of(main).await?;
        let base = wish
            .base
            .as_deref()
            .or(default.as_deref())
            .unwrap_or("HEAD");
        let base = Revision::parse(base)?;
        let commit = commit_of(main, &base).await?;
        let args = [
            "worktree",
            "add",
            "--quiet",
            "--no-track",
            "-b",
            branch.as_str(),
            "--",
        ];
        let args = args.into_iter().map(AsRef::as_ref);
        let args = args.chain([folder, commit.as_str().as_ref()]);
        ask(main, args).await?;
    }
    Ok(Spot {
        id: id_of(&path),
        path,
        main: Some(main.to_owned()),
    })
}

/// Waits until nobody else changes the worktrees of this repository.
pub(super) async fn turn(main: &Path) -> Result<LockGuard, Problem> {
    let args = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
    let dir = PathBuf::from(ask(main, args).await?.text());
    let turn = spawn_blocking(move || LockGuard::wait_for_worktrees(&dir)).await;
    let turn = turn.map_err(io::Error::other).flatten();
    turn.map_err(|error| {
        Problem::conflict("busy", format!("somebody else changes worktrees: {error}"))
    })
}

/// The hash of the commit a name stands for.
pub(super) async fn commit_of(dir: &Path, revision: &Revision) -> Result<String, Problem> {
    let commit = format!("{}^{{commit}}", revision.as_str());
    let args = [
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &commit,
    ];
    let said = git(dir, args).await?;
    if said.code != 0 {
        let error = format!("there is no branch or commit '{}'", revision.as_str());
        return Err(Problem::new(StatusCode::BAD_REQUEST, "bad_ref", error));
    }
    Ok(said.text())
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= LONGEST
        && !name.starts_with(['.', '-'])
        && !name.contains(|c: char| c == '/' || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn a_folder_is_one_word_beside_the_repository() {
        for name in ["shop-login", "日本", "a b", "a..b"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".", "..", ".git", "-rf", "a/b", "/etc", "a\0"] {
            assert!(!is_name(name), "{name:?}");
        }
    }
}
