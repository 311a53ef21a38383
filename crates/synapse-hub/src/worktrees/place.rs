//! Where an agent works, in terms of worktrees.

use std::path::{Path, PathBuf};

use super::id_of;
use crate::git::ask;
use crate::live::Place;

/// The worktree a folder is in, and what is checked out there.
pub(crate) async fn place_of(dir: &Path) -> Place {
    let Some(top) = top_of(dir).await else {
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        return Place {
            worktree: id_of(&dir),
            branch: None,
            repository: None,
        };
    };
    let said = ask(&top, ["symbolic-ref", "--quiet", "--short", "HEAD"]).await;
    let branch = said.ok().map(|said| said.text());
    Place {
        worktree: id_of(&top),
        branch,
        repository: repository_of(&top).await,
    }
}

/// The folder of the repository that a worktree belongs to: the one that holds `.git`, or a bare one.
async fn repository_of(top: &Path) -> Option<String> {
    let said = ask(
        top,
        ["rev-parse", "--path-format=absolute", "--git-common-dir"],
    )
    .await;
    let common = PathBuf::from(said.ok()?.text());
    let folder = match common.file_name() {
        Some(name) if name == ".git" => common.parent()?,
        _ => &common,
    };
    Some(folder.display().to_string())
}

/// The root of the worktree a folder is in, if it is in one.
pub(super) async fn top_of(dir: &Path) -> Option<PathBuf> {
    let said = ask(dir, ["rev-parse", "--show-toplevel"]).await.ok()?;
    let text = said.text();
    (!text.is_empty()).then(|| PathBuf::from(text))
}
