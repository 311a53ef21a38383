//! What the page shows of repositories and worktrees.

use std::path::Path;

use tokio::task::JoinSet;

use super::porcelain::{Tree, counts};
use super::scan::{ScannedFolder, Scope, WorktreeIndex, trees_of};
use super::{Repository, Spot, Worktree, id_of, name_of};
use crate::git::{Branch, ask, git};
use crate::problem::Problem;
use crate::shapes::Agent;

/// Branches that are offered; who has more types the name.
const BRANCHES: usize = 500;

/// Everything, with the agents that work there.
pub(crate) async fn list(
    known: &WorktreeIndex,
    scope: &Scope,
    agents: &[Agent],
) -> Vec<Repository> {
    let dirs = agents.iter().map(|agent| agent.dir.clone().into());
    let found = known.scan(scope, dirs.collect()).await;
    let mut repositories = JoinSet::new();
    for found in found {
        let agents = agents.to_vec();
        repositories.spawn(async move { repository(found, &agents).await });
    }
    let mut repositories = repositories.join_all().await;
    repositories.sort_by(|a, b| a.name.cmp(&b.name).then(a.path.cmp(&b.path)));
    repositories
}

pub(crate) async fn describe(spot: &Spot, agents: &[Agent]) -> Result<Worktree, Problem> {
    let Some(main) = &spot.main else {
        let tree = Tree {
            path: spot.path.clone(),
            ..Tree::default()
        };
        return Ok(worktree(tree, &spot.path, None, agents).await);
    };
    let trees = trees_of(main).await?;
    let branches = branches(main).await;
    let default = default_branch(main, &trees, &branches).await;
    let mut trees = trees.into_iter();
    let tree = trees.find(|tree| tree.path == spot.path);
    let tree = tree.ok_or_else(|| {
        let error = format!("there is no worktree '{}' any more", spot.id);
        Problem::missing("no_such_worktree", error)
    })?;
    Ok(worktree(tree, main, default.as_deref(), agents).await)
}

async fn repository(found: ScannedFolder, agents: &[Agent]) -> Repository {
    let first = found.trees.first().map(|tree| tree.path.clone());
    let path = found.main.clone().or(first).unwrap_or_default();
    let (mut branches_, mut default) = (Vec::new(), None);
    if found.main.is_some() {
        branches_ = branches(&path).await;
        default = default_branch(&path, &found.trees, &branches_).await;
    }
    let mut worktrees = JoinSet::new();
    let trees = found.trees.into_iter().filter(|tree| !tree.is_bare);
    for (at, tree) in trees.enumerate() {
        let (path, default, agents) = (path.clone(), default.clone(), agents.to_vec());
        worktrees
            .spawn(async move { (at, worktree(tree, &path, default.as_deref(), &agents).await) });
    }
    let mut worktrees = worktrees.join_all().await;
    worktrees.sort_by_key(|(at, _)| *at);
    Repository {
        id: id_of(&path),
        name: name_of(&path),
        path: path.display().to_string(),
        git: found.main.is_some(),
        default_branch: default,
        branches: branches_,
        worktrees: worktrees.into_iter().map(|(_, tree)| tree).collect(),
    }
}

async fn worktree(tree: Tree, main: &Path, default: Option<&str>, agents: &[Agent]) -> Worktree {
    let id = id_of(&tree.path);
    let is_missing = !tree.path.is_dir();
    let is_git = tree.head.is_some() || tree.branch.is_some();
    let base = default.filter(|default| tree.branch.as_deref() != Some(default));
    let (mut files, mut commits) = ((0, 0), (0, 0));
    if is_git && !is_missing {
        files = changes(&tree.path).await.unwrap_or_default();
        if let Some(base) = base {
            commits = distance(&tree.path, base).await.unwrap_or_default();
        }
    }
    let here = agents.iter().filter(|agent| agent.worktree == id);
    Worktree {
        repository: id_of(main),
        path: tree.path.display().to_string(),
        name: name_of(&tree.path),
        main: tree.path == main,
        branch: tree.branch,
        head: tree.head,
        locked: tree.is_locked,
        missing: is_missing,
        dirty: files.0,
        untracked: files.1,
        base: base.map(str::to_owned),
        ahead: commits.0,
        behind: commits.1,
        agents: here.map(|agent| agent.id.clone()).collect(),
        id,
    }
}

/// How many files are changed, and how many are new to git.
pub(super) async fn changes(dir: &Path) -> Result<(u32, u32), Problem> {
    let said = ask(
        dir,
        ["status", "--porcelain=v2", "-z", "--untracked-files=normal"],
    )
    .await?;
    Ok(counts(&said.out))
}

/// How many commits HEAD has that a branch has not, and the other way round.
async fn distance(dir: &Path, base: &str) -> Option<(u32, u32)> {
    let range = format!("{}...HEAD", Branch::parse(base).ok()?.full());
    let said = ask(dir, ["rev-list", "--left-right", "--count", &range, "--"]).await;
    let text = said.ok()?.text();
    let (behind, ahead) = text.split_once('\t')?;
    Some((ahead.parse().ok()?, behind.parse().ok()?))
}

/// The branches, the last used first.
async fn branches(dir: &Path) -> Vec<String> {
    let count = format!("--count={BRANCHES}");
    let said = ask(
        dir,
        [
            "for-each-ref",
            "--format=%(refname:lstrip=2)",
            "--sort=-committerdate",
            &count,
            "refs/heads",
        ],
    );
    let text = said.await.map(|said| said.text()).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// The branch that work is merged into: what the origin calls so, else what the main worktree has.
pub(super) async fn default_of(main: &Path) -> Result<Option<String>, Problem> {
    let trees = trees_of(main).await?;
    Ok(default_branch(main, &trees, &branches(main).await).await)
}

async fn default_branch(dir: &Path, trees: &[Tree], branches: &[String]) -> Option<String> {
    let origin = [
        "symbolic-ref",
        "--quiet",
        "--short",
        "refs/remotes/origin/HEAD",
    ];
    let origin = git(dir, origin).await.ok().map(|said| said.text());
    let origin = origin
        .as_deref()
        .and_then(|name| name.strip_prefix("origin/"));
    let main = trees.first().and_then(|tree| tree.branch.as_deref());
    let usual = [origin, main, Some("main"), Some("master")];
    let mut usual = usual.into_iter().flatten();
    usual
        .find(|name| branches.iter().any(|branch| branch == name))
        .map(str::to_owned)
}
