//! The devices that were let in, and links for more.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::{Extension, Json};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::Body;
use super::session::{scheme_of, short_name};
use crate::Hub;
use crate::login::{CODE_LIFE, Right};
use crate::problem::Problem;
use crate::shapes::Session;

/// Lists the devices.
#[utoipa::path(get, path = "/api/devices", responses((status = 200, description = "`{devices}`")))]
pub(super) async fn list(
    State(hub): State<Hub>,
    Extension(session): Extension<Session>,
) -> Json<Value> {
    let devices = hub.logins.devices(session.device.as_deref());
    Json(json!({ "devices": devices }))
}

/// `POST /api/devices`
#[derive(Deserialize, ToSchema)]
pub(super) struct Invitation {
    /// It may only look.
    #[serde(default)]
    read_only: bool,
}

/// Creates a login link for another device.
#[utoipa::path(post, path = "/api/devices", request_body = Invitation,
    responses((status = 201, description = "`{code, url, expires_at, read_only}`")))]
pub(super) async fn invite(
    State(hub): State<Hub>,
    headers: HeaderMap,
    Body(Invitation { read_only }): Body<Invitation>,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let right = if read_only {
        Right::ReadOnly
    } else {
        Right::Act
    };
    let logins = hub.logins.clone();
    let code = tokio::task::spawn_blocking(move || logins.mint(right)).await;
    let code = code
        .map_err(Problem::internal)?
        .map_err(Problem::internal)?;
    // By the name this device knows us by: the guard has checked it.
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let (scheme, host) = (scheme_of(&headers), host.unwrap_or_default());
    let url = format!("{scheme}://{host}/#code={code}");
    let expires_at = (Timestamp::now() + CODE_LIFE).to_string();
    let body =
        json!({ "code": code, "url": url, "expires_at": expires_at, "read_only": read_only });
    Ok((StatusCode::CREATED, Json(body)))
}

/// Removes a device.
#[utoipa::path(delete, path = "/api/devices/{id}", params(("id" = String, Path)),
    responses((status = 200, description = "gone"), (status = 404, description = "no_such_device")))]
pub(super) async fn remove(
    State(hub): State<Hub>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    if !forget(&hub, id).await? {
        return Err(Problem::missing(
            "no_such_device",
            "there is no such device any more",
        ));
    }
    Ok(Json(json!({})))
}

/// Removes every device but the one that asks, and the links that were not used yet.
#[utoipa::path(delete, path = "/api/devices/others",
    responses((status = 200, description = "`{removed}`")))]
pub(super) async fn remove_others(
    State(hub): State<Hub>,
    Extension(session): Extension<Session>,
) -> Result<Json<Value>, Problem> {
    let logins = hub.logins.clone();
    let kept = session.device;
    let done = tokio::task::spawn_blocking(move || logins.remove_others(kept.as_deref())).await;
    let removed = done
        .map_err(Problem::internal)?
        .map_err(Problem::internal)?;
    Ok(Json(json!({ "removed": removed })))
}

/// `PATCH /api/devices/{id}`
#[derive(Deserialize, ToSchema)]
pub(super) struct DeviceName {
    name: String,
}

/// Names a device.
#[utoipa::path(patch, path = "/api/devices/{id}", params(("id" = String, Path)), request_body = DeviceName,
    responses((status = 200, description = "`{name}`"), (status = 404, description = "no_such_device")))]
pub(super) async fn rename(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Body(DeviceName { name }): Body<DeviceName>,
) -> Result<Json<Value>, Problem> {
    let name = short_name(&name);
    if name.is_empty() {
        return Err(Problem::bad("'name' is empty; give the device a name"));
    }
    let (logins, wanted) = (hub.logins.clone(), name.clone());
    let done = tokio::task::spawn_blocking(move || logins.rename(&id, &wanted)).await;
    let has_one = done
        .map_err(Problem::internal)?
        .map_err(Problem::internal)?;
    if !has_one {
        return Err(Problem::missing(
            "no_such_device",
            "there is no such device any more",
        ));
    }
    Ok(Json(json!({ "name": name })))
}

/// Whether there was one.
pub(super) async fn forget(hub: &Hub, id: String) -> Result<bool, Problem> {
    let logins = hub.logins.clone();
    let done = tokio::task::spawn_blocking(move || logins.remove(&id)).await;
    done.map_err(Problem::internal)?.map_err(Problem::internal)
}
