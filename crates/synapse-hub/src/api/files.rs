//! Files of a worktree, to be looked at.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;

use super::Words;
use crate::Hub;
use crate::files::{self, Contents, Folder};
use crate::problem::Problem;

#[derive(Deserialize, IntoParams)]
pub(super) struct Where {
    /// Below the worktree; by default the worktree itself.
    #[serde(default)]
    path: String,
}

/// Lists a folder.
#[utoipa::path(get, path = "/api/worktrees/{id}/tree", params(("id" = String, Path), Where),
    responses((status = 200, description = "the folder", body = Folder), (status = 403, description = "outside, symlink")))]
pub(super) async fn tree(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Words(at): Words<Where>,
) -> Result<Json<Folder>, Problem> {
    let spot = hub.spot(&id).await?;
    files::list(&spot.path, &at.path).await.map(Json)
}

#[derive(Deserialize, IntoParams)]
pub(super) struct Manner {
    /// The bytes, as a download.
    #[serde(default)]
    raw: bool,
}

/// Gets the contents of a file.
#[utoipa::path(get, path = "/api/worktrees/{id}/files/{path}", params(("id" = String, Path), ("path" = String, Path), Manner),
    responses((status = 200, description = "the file", body = Contents), (status = 403, description = "outside, symlink")))]
pub(super) async fn file(
    State(hub): State<Hub>,
    Path((id, path)): Path<(String, String)>,
    Words(manner): Words<Manner>,
) -> Result<Response, Problem> {
    let spot = hub.spot(&id).await?;
    if !manner.raw {
        return Ok(Json(files::read(&spot.path, &path).await?).into_response());
    }
    // Whatever is in it is not shown as a page of ours.
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CONTENT_DISPOSITION, "attachment"),
    ];
    let bytes = files::raw(&spot.path, &path).await?;
    Ok((headers, Body::from(bytes)).into_response())
}
