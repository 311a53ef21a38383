//! Past agents, and where to read their conversations.

use std::path::Path as FilePath;

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::Words;
use crate::problem::Problem;
use crate::worktrees::place_of;
use crate::{Hub, past_agents};

/// Agents that are listed.
const PAGE: usize = 50;
/// The most that are given at once.
const LARGEST_PAGE: usize = 500;

#[derive(Deserialize, IntoParams)]
pub(super) struct Extent {
    limit: Option<usize>,
}

/// Lists past agents whose tasks are kept.
#[utoipa::path(get, path = "/api/history", params(Extent),
    responses((status = 200, description = "`{agents, total}`, the last heard of first")))]
pub(super) async fn list(
    State(hub): State<Hub>,
    Words(extent): Words<Extent>,
) -> Result<Json<Value>, Problem> {
    let mut agents = past_agents::list(&hub).await?;
    let total = agents.len();
    agents.truncate(extent.limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE));
    Ok(Json(json!({ "agents": agents, "total": total })))
}

/// Gets a past agent.
#[utoipa::path(get, path = "/api/history/{id}", params(("id" = String, Path)),
    responses((status = 200, description = "`{agent, worktree}`"), (status = 404, description = "no_such_agent")))]
pub(super) async fn show(
    State(hub): State<Hub>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    let agent = past_agents::find(&hub, &id).await?;
    let worktree = worktree(&hub, FilePath::new(&agent.dir)).await;
    Ok(Json(json!({ "agent": agent, "worktree": worktree })))
}

/// The worktree it worked in, if that is still one this hub shows.
async fn worktree(hub: &Hub, dir: &FilePath) -> Option<String> {
    if !dir.is_dir() {
        return None;
    }
    let place = place_of(dir).await;
    hub.spot(&place.worktree).await.ok().map(|spot| spot.id)
}
