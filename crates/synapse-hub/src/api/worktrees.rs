//! Worktrees: list, make, compare, merge, remove.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::agents::{NewAgent, begin};
use super::{Body, Words};
use crate::Hub;
use crate::live::Change;
use crate::problem::Problem;
use crate::worktrees::{
    self, Against, Before, Diff, Merge, Merged, Removal, Removed, Spot, Wish, Worktree,
};

impl Hub {
    /// What the id of a worktree stands for.
    pub(super) async fn spot(&self, id: &str) -> Result<Spot, Problem> {
        self.known.find(&self.scope, self.dirs(), id).await
    }

    /// A worktree, and what is known of it.
    async fn described(&self, id: &str) -> Result<(Spot, Worktree), Problem> {
        let spot = self.spot(id).await?;
        let tree = worktrees::describe(&spot, &self.views()).await?;
        Ok((spot, tree))
    }

    /// Where agents work.
    fn dirs(&self) -> Vec<std::path::PathBuf> {
        let entries = self.entries().into_iter();
        entries.map(|entry| entry.working_dir).collect()
    }
}

/// Lists the repositories and their worktrees.
#[utoipa::path(get, path = "/api/worktrees", responses((status = 200, description = "`{repositories}`")))]
pub(super) async fn list(State(hub): State<Hub>) -> Json<Value> {
    let repositories = worktrees::list(&hub.known, &hub.scope, &hub.views()).await;
    Json(json!({ "repositories": repositories }))
}

/// Gets a worktree, with its size.
#[utoipa::path(get, path = "/api/worktrees/{id}", params(("id" = String, Path)),
    responses((status = 200, description = "`{worktree}`"), (status = 404, description = "no_such_worktree")))]
pub(super) async fn show(
    State(hub): State<Hub>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    let (spot, tree) = hub.described(&id).await?;
    let mut worktree = serde_json::to_value(tree).map_err(Problem::internal)?;
    if let Some(fields) = worktree.as_object_mut() {
        fields.insert("bytes".to_owned(), json!(worktrees::bytes(&spot).await));
    }
    Ok(Json(json!({ "worktree": worktree })))
}

/// `POST /api/worktrees`
#[derive(Deserialize, ToSchema)]
pub(super) struct NewWorktree {
    repository: String,
    #[serde(flatten)]
    wish: Wish,
    /// One that is to work there at once.
    agent: Option<NewAgent>,
}

/// Creates a worktree, and starts an agent in it.
#[utoipa::path(post, path = "/api/worktrees", request_body = NewWorktree,
    responses((status = 201, description = "`{worktree, agent}`"), (status = 400, description = "bad_ref, bad_name"), (status = 409, description = "exists")))]
pub(super) async fn create(
    State(hub): State<Hub>,
    Body(wanted): Body<NewWorktree>,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let NewWorktree {
        repository,
        wish,
        agent,
    } = wanted;
    let main = hub
        .known
        .repository(&hub.scope, hub.dirs(), &repository)
        .await?;
    let spot = worktrees::create(&main, &wish).await?;
    hub.live.apply(Change::Worktrees);
    let mut body = json!({ "agent": null });
    if let Some(agent) = agent {
        let (field, value) = match begin(&hub, &agent, &spot.path).await {
            Ok(agent) => ("agent", json!(agent)),
            Err(problem) => ("agent_error", json!(problem.error())),
        };
        if let Some(fields) = body.as_object_mut() {
            fields.insert(field.to_owned(), value);
        }
    }
    let tree = worktrees::describe(&spot, &hub.views()).await?;
    if let Some(fields) = body.as_object_mut() {
        fields.insert("worktree".to_owned(), json!(tree));
    }
    Ok((StatusCode::CREATED, Json(body)))
}

/// Gets the changes of a worktree.
#[utoipa::path(get, path = "/api/worktrees/{id}/diff", params(("id" = String, Path), Against),
    responses((status = 200, description = "the changes", body = Diff)))]
pub(super) async fn diff(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Words(against): Words<Against>,
) -> Result<Json<Diff>, Problem> {
    let (spot, tree) = hub.described(&id).await?;
    worktrees::diff(&spot, &tree, &against).await.map(Json)
}

/// Gets a file as it is in what the worktree is compared with.
#[utoipa::path(get, path = "/api/worktrees/{id}/before/{path}", params(("id" = String, Path), ("path" = String, Path), Against),
    responses((status = 200, description = "the file", body = Before), (status = 403, description = "outside"), (status = 404, description = "no_such_file")))]
pub(super) async fn before(
    State(hub): State<Hub>,
    Path((id, path)): Path<(String, String)>,
    Words(against): Words<Against>,
) -> Result<Json<Before>, Problem> {
    let (spot, tree) = hub.described(&id).await?;
    let found = worktrees::before(&spot, &tree, &path, &against).await;
    found.map(Json)
}

/// Merges the branch of a worktree.
#[utoipa::path(post, path = "/api/worktrees/{id}/merge", params(("id" = String, Path)), request_body = Merge,
    responses((status = 200, description = "merged", body = Merged), (status = 409, description = "dirty, conflict, nothing_to_merge")))]
pub(super) async fn merge(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Body(wish): Body<Merge>,
) -> Result<Json<Merged>, Problem> {
    let (spot, tree) = hub.described(&id).await?;
    let merged = worktrees::merge(&spot, &tree, &wish).await;
    hub.live.apply(Change::Worktrees);
    merged.map(Json)
}

/// Removes a worktree.
#[utoipa::path(delete, path = "/api/worktrees/{id}", params(("id" = String, Path), Removal),
    responses((status = 200, description = "gone", body = Removed), (status = 409, description = "agents_here, dirty, unmerged, main_worktree, locked")))]
pub(super) async fn remove(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Words(wish): Words<Removal>,
) -> Result<Json<Removed>, Problem> {
    let (spot, tree) = hub.described(&id).await?;
    let removed = worktrees::remove(&spot, &tree, &wish).await?;
    hub.live.apply(Change::Worktrees);
    Ok(Json(removed))
}
