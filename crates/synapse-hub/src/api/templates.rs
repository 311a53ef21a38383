//! The person's own prompts.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::Hub;
use crate::problem::Problem;
use synapse_machine::prompts::list as prompts;

/// Lists the person's own prompts.
#[utoipa::path(get, path = "/api/prompts", responses((status = 200, description = "`{prompts: [{name, about, text}]}`")))]
pub(super) async fn list(State(hub): State<Hub>) -> Result<Json<Value>, Problem> {
    let folder = hub.paths.prompts();
    let all = tokio::task::spawn_blocking(move || prompts(&folder)).await;
    let all = all
        .map_err(Problem::internal)?
        .into_iter()
        .map(|prompt| json!({ "name": prompt.name, "about": prompt.about, "text": prompt.text }));
    Ok(Json(json!({ "prompts": all.collect::<Vec<Value>>() })))
}
