//! Repositories and their worktrees, through the git command. A worktree is known by an id that
//! follows from its path, so it survives restarts and tells nobody the path.

use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use synapse_machine::hex::hex;
use utoipa::ToSchema;

mod create;
mod diff;
mod list;
mod merge;
mod place;
mod porcelain;
mod remove;
mod scan;
mod weight;

pub(super) use create::{Wish, create};
#[cfg(test)]
pub(super) use diff::DiffFile;
pub(super) use diff::{Against, Before, Diff, before, diff};
pub(super) use list::{describe, list};
pub(super) use merge::{Merge, Merged, merge};
pub(super) use place::place_of;
pub(super) use remove::{Removal, Removed, remove};
pub(super) use scan::{Scope, WorktreeIndex};
pub(super) use weight::bytes;

#[derive(Clone, Debug, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Repository {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) path: String,
    /// False for a plain folder.
    pub(super) git: bool,
    pub(super) default_branch: Option<String>,
    pub(super) branches: Vec<String>,
    pub(super) worktrees: Vec<Worktree>,
}

/// A worktree of it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Worktree {
    pub(super) id: String,
    pub(super) repository: String,
    pub(super) path: String,
    pub(super) name: String,
    /// The one the repository itself is in.
    pub(super) main: bool,
    /// Nothing where no branch is checked out.
    pub(super) branch: Option<String>,
    pub(super) head: Option<String>,
    pub(super) locked: bool,
    /// Its folder is gone.
    pub(super) missing: bool,
    pub(super) dirty: u32,
    pub(super) untracked: u32,
    /// The branch it is compared with.
    pub(super) base: Option<String>,
    /// Commits that the base has not.
    pub(super) ahead: u32,
    pub(super) behind: u32,
    /// The agents that work in it.
    pub(super) agents: Vec<String>,
}

/// The id of a folder.
pub(super) fn id_of(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let digits = hex(&Sha256::digest(path.as_os_str().as_bytes()));
    digits.chars().take(12).collect()
}

/// The last part of a path, as a name.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// A worktree and the repository it belongs to.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub(super) id: String,
    pub(super) path: PathBuf,
    /// The main worktree of the repository; nothing for a plain folder.
    pub(super) main: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_follows_from_the_path() {
        assert_eq!(id_of(Path::new("/")), "8a5edab28263");
        assert_ne!(id_of(Path::new("/a")), id_of(Path::new("/b")));
    }
}
