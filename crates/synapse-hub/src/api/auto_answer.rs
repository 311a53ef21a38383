//! Lists, adds and removes the rules of auto-answer, and turns it on and off.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::Body;
use super::settings::profile_names;
use crate::Hub;
use crate::auto_answer::{BadRule, BookError, View, Wish};
use crate::live::Change;
use crate::problem::Problem;
use crate::shapes::Session;

/// Lists the rules, and what they answered.
#[utoipa::path(get, path = "/api/auto-answer",
    responses((status = 200, description = "`{enabled, rules, used, resting, in_a_row}`")))]
pub(super) async fn show(State(hub): State<Hub>) -> Json<View> {
    Json(hub.auto.view())
}

/// `POST /api/auto-answer`
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Switch {
    enabled: bool,
}

/// Turns all rules on or off.
#[utoipa::path(post, path = "/api/auto-answer", request_body = Switch,
    responses((status = 200, description = "as GET")))]
pub(super) async fn switch(
    State(hub): State<Hub>,
    Body(Switch { enabled }): Body<Switch>,
) -> Result<Json<View>, Problem> {
    write(&hub, move |hub| hub.auto.enable(enabled)).await?;
    Ok(Json(hub.auto.view()))
}

/// Adds a rule.
#[utoipa::path(post, path = "/api/auto-answer/rules", request_body = Wish,
    responses((status = 201, description = "`{rule}`"), (status = 400, description = "bad_rule"), (status = 409, description = "too_many_rules")))]
pub(super) async fn add(
    State(hub): State<Hub>,
    Extension(session): Extension<Session>,
    Body(wish): Body<Wish>,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let profiles = profile_names(&hub);
    let is_profile = |name: &str| profiles.contains(name);
    let rule = wish.rule(is_profile, session.name, Timestamp::now());
    let rule = rule.map_err(|error: BadRule| {
        Problem::new(StatusCode::BAD_REQUEST, "bad_rule", error.to_string())
    })?;
    let added = write(&hub, move |hub| hub.auto.add(rule)).await?;
    let rule = added.ok_or_else(|| {
        let error = "there are as many rules as there may be; remove one first";
        Problem::conflict("too_many_rules", error)
    })?;
    Ok((StatusCode::CREATED, Json(json!({ "rule": rule }))))
}

/// Removes a rule.
#[utoipa::path(delete, path = "/api/auto-answer/rules/{id}", params(("id" = String, Path)),
    responses((status = 200, description = "gone"), (status = 404, description = "no_such_rule")))]
pub(super) async fn remove(
    State(hub): State<Hub>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    if !write(&hub, move |hub| hub.auto.remove(&id)).await? {
        let error = "there is no such rule any more";
        return Err(Problem::missing("no_such_rule", error));
    }
    Ok(Json(json!({})))
}

/// Writes to the disk beside the server's own threads, and tells the pages.
async fn write<T: Send + 'static>(
    hub: &Hub,
    change: impl FnOnce(&Hub) -> Result<T, BookError> + Send + 'static,
) -> Result<T, Problem> {
    let worker = hub.clone();
    let done = tokio::task::spawn_blocking(move || change(&worker)).await;
    let done = done
        .map_err(Problem::internal)?
        .map_err(Problem::internal)?;
    hub.live.apply(Change::AutoAnswer);
    Ok(done)
}
