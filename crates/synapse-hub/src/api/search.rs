//! Finds messages, agents, files and worktrees.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use utoipa::IntoParams;

use super::Words;
use crate::Hub;
use crate::git::ask;
use crate::problem::Problem;
use crate::shapes::Former;
use crate::{history, past_agents, worktrees};

const FOUND: usize = 20;
/// The most of each kind.
const MOST: usize = 100;

/// What to look for.
#[derive(Deserialize, IntoParams)]
pub(super) struct Query {
    #[serde(default)]
    q: String,
    limit: Option<usize>,
}

/// Searches messages, agents, files and worktrees.
#[utoipa::path(get, path = "/api/search", params(Query),
    responses((status = 200, description = "`{agents, former, tasks, files, worktrees}`")))]
pub(super) async fn find(
    State(hub): State<Hub>,
    Words(query): Words<Query>,
) -> Result<Json<Value>, Problem> {
    let limit = query.limit.unwrap_or(FOUND).clamp(1, MOST);
    let word = query.q.trim().to_lowercase();
    if word.is_empty() {
        return Ok(Json(
            json!({ "agents": [], "former": [], "tasks": [], "files": [], "worktrees": [] }),
        ));
    }
    let has = |text: &str| text.to_lowercase().contains(&word);
    let views = hub.views();
    let agents = views.iter().filter(|agent| {
        let branch = agent.branch.as_deref().unwrap_or_default();
        [&agent.handle, &agent.profile, &agent.dir, branch]
            .into_iter()
            .any(has)
    });
    let agents: Vec<_> = agents.take(limit).collect();
    let former = past_agents::list(&hub).await?.into_iter();
    let former = former.filter(|one| {
        [&one.handle, &one.profile, &one.dir]
            .into_iter()
            .any(|text| has(text))
    });
    let former: Vec<Former> = former.take(limit).collect();
    let matches = history::search(&hub, query.q.clone(), limit).await?;
    let tasks = matches
        .into_iter()
        .map(|found| json!({ "task": found.line, "snippet": found.snippet }));
    let tasks: Vec<Value> = tasks.collect();
    let repositories = worktrees::list(&hub.known, &hub.scope, &views).await;
    let trees = repositories
        .iter()
        .flat_map(|repository| &repository.worktrees);
    let found = trees
        .clone()
        .filter(|tree| has(&tree.name) || tree.branch.as_deref().is_some_and(has));
    let found =
        found.map(|tree| json!({ "id": tree.id, "name": tree.name, "branch": tree.branch }));
    let found: Vec<Value> = found.take(limit).collect();
    let mut looked = JoinSet::new();
    for tree in trees.filter(|tree| tree.head.is_some() && !tree.missing) {
        looked.spawn(files(
            tree.id.clone(),
            tree.path.clone(),
            word.clone(),
            limit,
        ));
    }
    let mut files: Vec<(String, String)> = looked.join_all().await.into_iter().flatten().collect();
    files.sort_by(|a, b| a.1.len().cmp(&b.1.len()).then(a.cmp(b)));
    let files = files.into_iter().take(limit);
    let files = files.map(|(worktree, path)| json!({ "worktree": worktree, "path": path }));
    let files: Vec<Value> = files.collect();
    Ok(Json(
        json!({ "agents": agents, "former": former, "tasks": tasks, "files": files, "worktrees": found }),
    ))
}

/// Files of a worktree with this word in their path.
async fn files(id: String, dir: String, word: String, limit: usize) -> Vec<(String, String)> {
    let list = [
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "-z",
    ];
    let Ok(said) = ask(dir.as_ref(), list).await else {
        return Vec::new();
    };
    let fits = |path: &String| path.to_lowercase().contains(&word);
    let paths = said.pieces().filter(fits).take(limit);
    paths.map(|path| (id.clone(), path)).collect()
}
