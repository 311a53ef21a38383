//! Where an agent works, in terms of worktrees.

use std::path::{Path, PathBuf};

use super::id_of;
use crate::hub::git::ask;
use crate::hub::live::Place;

/// The worktree a folder is in, and what is checked out there.
pub(in crate::hub) async fn place_of(dir: &Path) -> Place {
    let Some(top) = top_of(dir).await else {
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        return Place {
            worktree: id_of(&dir),
            branch: None,
        };
    };
    let said = ask(&top, ["symbolic-ref", "--quiet", "--short", "HEAD"]).await;
    let branch = said.ok().map(|said| said.text());
    Place {
        worktree: id_of(&top),
        branch,
    }
}

/// The root of the worktree a folder is in, if it is in one.
pub(super) async fn top_of(dir: &Path) -> Option<PathBuf> {
    let said = ask(dir, ["rev-parse", "--show-toplevel"]).await.ok()?;
    let text = said.text();
    (!text.is_empty()).then(|| PathBuf::from(text))
}
