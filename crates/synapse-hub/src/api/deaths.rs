//! Agents that died, until somebody has looked.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::Body;
use crate::problem::Problem;
use crate::{Hub, deaths};

/// `POST /api/deaths/seen`
#[derive(Deserialize, ToSchema)]
pub(super) struct Seen {
    /// The id of the agent; all where it is not given.
    agent: Option<String>,
}

/// Lists the agents that died and that nobody has looked at.
#[utoipa::path(get, path = "/api/deaths", responses((status = 200, description = "`{deaths}`")))]
pub(super) async fn list(State(hub): State<Hub>) -> Json<Value> {
    let deaths = hub.live.read(|state| state.deaths.clone());
    Json(json!({ "deaths": deaths }))
}

/// Takes note that somebody has looked.
#[utoipa::path(post, path = "/api/deaths/seen", request_body = Seen,
    responses((status = 200, description = "`{}`")))]
pub(super) async fn see(
    State(hub): State<Hub>,
    Body(seen): Body<Seen>,
) -> Result<Json<Value>, Problem> {
    deaths::see(&hub, seen.agent).await?;
    Ok(Json(json!({})))
}
