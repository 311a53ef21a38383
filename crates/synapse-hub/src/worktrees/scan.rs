//! Which repositories there are: those below the configured roots, those agents work in, and the one
//! the hub was started in.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use super::place::top_of;
use super::porcelain::{Tree, trees};
use super::{Spot, id_of};
use crate::git::ask;
use crate::problem::Problem;

/// How deep below a root a repository may be.
const DEPTH: usize = 2;
/// Folders that are looked at below one root: a root of `/` must not stop the page.
const FOLDERS: usize = 5_000;

/// Where to look.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// Folders the person configured.
    pub(crate) roots: Vec<PathBuf>,
    /// Where the hub was started.
    pub(crate) home: PathBuf,
}

/// A repository with its worktrees, or a plain folder.
#[derive(Clone, Debug)]
pub(super) struct ScannedFolder {
    /// Nothing for a plain folder.
    pub(super) main: Option<PathBuf>,
    pub(super) trees: Vec<Tree>,
}

impl ScannedFolder {
    fn spots(&self) -> impl Iterator<Item = Spot> {
        let trees = self.trees.iter().filter(|tree| !tree.is_bare);
        trees.map(|tree| Spot {
            id: id_of(&tree.path),
            path: tree.path.clone(),
            main: self.main.clone(),
        })
    }
}

/// What was seen, by id: what an id in a request stands for.
#[derive(Debug, Default)]
pub(crate) struct WorktreeIndex(RwLock<Seen>);

#[derive(Debug, Default)]
struct Seen {
    spots: HashMap<String, Spot>,
    /// The main worktrees of repositories, also bare ones.
    mains: HashMap<String, PathBuf>,
}

impl WorktreeIndex {
    /// What the id of a worktree stands for. Looks again if it is new or its folder is gone.
    pub(crate) async fn find(
        &self,
        scope: &Scope,
        dirs: Vec<PathBuf>,
        id: &str,
    ) -> Result<Spot, Problem> {
        let known = || self.read(|seen| seen.spots.get(id).cloned());
        if let Some(spot) = known().filter(|spot| spot.path.is_dir()) {
            return Ok(spot);
        }
        self.scan(scope, dirs).await;
        known().ok_or_else(|| {
            let error = format!("there is no worktree '{id}'");
            Problem::missing("no_such_worktree", error)
        })
    }

    /// The main worktree of a repository.
    pub(crate) async fn repository(
        &self,
        scope: &Scope,
        dirs: Vec<PathBuf>,
        id: &str,
    ) -> Result<PathBuf, Problem> {
        let known = || self.read(|seen| seen.mains.get(id).cloned());
        if known().is_none_or(|path| !path.is_dir()) {
            self.scan(scope, dirs).await;
        }
        known().ok_or_else(|| {
            let error = format!("there is no repository '{id}'");
            Problem::missing("no_such_repository", error)
        })
    }

    /// Looks at everything.
    pub(super) async fn scan(&self, scope: &Scope, dirs: Vec<PathBuf>) -> Vec<ScannedFolder> {
        let found = scan(scope, dirs).await;
        let spots = found.iter().flat_map(ScannedFolder::spots);
        let mains = found.iter().filter_map(|found| found.main.clone());
        let seen = Seen {
            spots: spots.map(|spot| (spot.id.clone(), spot)).collect(),
            mains: mains.map(|path| (id_of(&path), path)).collect(),
        };
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = seen;
        found
    }

    fn read<T>(&self, look: impl FnOnce(&Seen) -> T) -> T {
        look(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn scan(scope: &Scope, dirs: Vec<PathBuf>) -> Vec<ScannedFolder> {
    let roots = scope.roots.clone();
    let below = tokio::task::spawn_blocking(move || {
        let roots = roots.iter();
        roots
            .flat_map(|root| repositories_below(root))
            .collect::<Vec<_>>()
    });
    let mut tops: BTreeSet<PathBuf> = below.await.unwrap_or_default().into_iter().collect();
    tops.extend(top_of(&scope.home).await);
    let mut folders = BTreeSet::new();
    for dir in dirs {
        match top_of(&dir).await {
            Some(top) => drop(tops.insert(top)),
            None => drop(folders.insert(dir.canonicalize().unwrap_or(dir))),
        }
    }
    let mut found: Vec<ScannedFolder> = Vec::new();
    for top in tops {
        let is_seen = |found: &ScannedFolder| found.trees.iter().any(|tree| tree.path == top);
        if found.iter().any(is_seen) {
            continue;
        }
        if let Ok(trees) = trees_of(&top).await {
            let main = trees.first().map(|tree| tree.path.clone());
            found.push(ScannedFolder { main, trees });
        }
    }
    found.extend(folders.into_iter().map(|path| ScannedFolder {
        main: None,
        trees: vec![Tree {
            path,
            ..Tree::default()
        }],
    }));
    found
}

/// The worktrees of the repository a folder is in.
pub(super) async fn trees_of(dir: &Path) -> Result<Vec<Tree>, Problem> {
    let said = ask(dir, ["worktree", "list", "--porcelain", "-z"]).await?;
    Ok(trees(&said.out))
}

/// The folders below a root that have a `.git`, the root itself included.
fn repositories_below(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(root) = root.canonicalize() else {
        return found;
    };
    let mut folders = std::collections::VecDeque::from([(root, 0)]);
    let mut left = FOLDERS;
    while let Some((folder, depth)) = folders.pop_front() {
        if folder.join(".git").exists() {
            found.push(folder);
            continue;
        }
        if depth == DEPTH {
            continue;
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !is_hidden && left > 0 {
                left -= 1;
                folders.push_back((entry.path(), depth + 1));
            }
        }
    }
    found
}
