//! The API of the page: one resource per file. `docs/hub-api.md` is its manual.

use axum::Router;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::routing::{delete, get, post};
use hyper::body::Bytes;
use serde::de::DeserializeOwned;

use super::Hub;
use super::problem::Problem;

mod agents;
mod answer_links;
mod auto_answer;
mod deaths;
mod devices;
mod files;
mod flows;
mod interrupt;
mod mesh;
mod notify;
mod openapi;
mod past_agents;
mod prompts;
mod search;
mod session;
mod settings;
mod socket;
mod talk;
mod tasks;
mod templates;
mod terminal;
mod usage;
mod worktrees;

/// The largest body that is taken.
const BODY: usize = 1 << 20;
/// The largest message, which may bring files.
const MESSAGE: usize = 16 << 20;

pub(super) fn router() -> Router<Hub> {
    let send = post(talk::send).layer(DefaultBodyLimit::max(MESSAGE));
    Router::new()
        .route("/healthz", get(settings::health))
        .route("/openapi.json", get(openapi::document))
        .route("/api/auth/exchange", post(session::exchange))
        .route("/api/auth/logout", post(session::logout))
        .route("/api/session", get(session::show))
        .route("/api/devices", get(devices::list).post(devices::invite))
        .route("/api/devices/others", delete(devices::remove_others))
        .route(
            "/api/devices/{id}",
            delete(devices::remove).patch(devices::rename),
        )
        .route("/api/agents", get(agents::list).post(agents::start))
        .route("/api/agents/{id}", get(agents::show).delete(agents::stop))
        .route("/api/agents/{id}/send", send)
        .route("/api/agents/{id}/keys", post(talk::keys))
        .route("/api/agents/{id}/screen", get(talk::screen))
        .route("/api/agents/{id}/explain", get(talk::explain))
        .route("/api/agents/{id}/messages", get(talk::messages))
        .route("/api/agents/{id}/interrupt", post(interrupt::agent))
        .route(
            "/api/agents/{id}/prompt/{pid}/answer",
            post(prompts::answer),
        )
        .route("/api/agents/{id}/terminal", get(terminal::attach))
        .route("/api/notify", get(notify::show).post(notify::change))
        .route("/api/notify/webhooks", post(notify::add))
        .route("/api/notify/webhooks/{id}", delete(notify::remove))
        .route("/api/notify/test", post(notify::test))
        .route(
            "/api/notify/push",
            post(notify::subscribe).delete(notify::unsubscribe),
        )
        .route(
            "/answer/{secret}",
            post(answer_links::answer).get(answer_links::look),
        )
        .route("/api/prompts", get(templates::list))
        .route("/api/usage", get(usage::list))
        .route("/api/deaths", get(deaths::list))
        .route("/api/deaths/seen", post(deaths::see))
        .route("/api/history", get(past_agents::list))
        .route("/api/history/{id}", get(past_agents::show))
        .route("/api/tasks", get(tasks::list))
        .route("/api/tasks/{id}", get(tasks::show))
        .route("/api/tasks/{id}/input", post(tasks::input))
        .route("/api/tasks/{id}/cancel", post(tasks::cancel))
        .route(
            "/api/worktrees",
            get(worktrees::list).post(worktrees::create),
        )
        .route(
            "/api/worktrees/{id}",
            get(worktrees::show).delete(worktrees::remove),
        )
        .route("/api/worktrees/{id}/interrupt", post(interrupt::worktree))
        .route("/api/worktrees/{id}/diff", get(worktrees::diff))
        .route("/api/worktrees/{id}/before/{*path}", get(worktrees::before))
        .route("/api/worktrees/{id}/merge", post(worktrees::merge))
        .route("/api/worktrees/{id}/tree", get(files::tree))
        .route("/api/worktrees/{id}/files/{*path}", get(files::file))
        .route("/api/mesh", get(mesh::show))
        .route("/api/search", get(search::find))
        .route("/api/conversations", get(agents::conversations))
        .route("/api/profiles", get(settings::profiles))
        .route("/api/settings", get(settings::show))
        .route(
            "/api/auto-answer",
            get(auto_answer::show).post(auto_answer::switch),
        )
        .route("/api/auto-answer/rules", post(auto_answer::add))
        .route("/api/auto-answer/rules/{id}", delete(auto_answer::remove))
        .route("/api/flows", get(flows::list).post(flows::start))
        .route("/api/flows/{id}", get(flows::show))
        .route("/api/flows/{id}/answer", post(flows::answer))
        .route("/api/flows/{id}/stop", post(flows::stop))
        .route("/api/flows/{id}/resume", post(flows::resume))
        .route("/api/ws", get(socket::follow))
        .layer(DefaultBodyLimit::max(BODY))
}

/// A body of JSON; none is an empty object.
struct Body<T>(T);

impl<T: DeserializeOwned> FromRequest<Hub> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, hub: &Hub) -> Result<Self, Problem> {
        let bytes = Bytes::from_request(request, hub)
            .await
            .map_err(|error| too_large(&error))?;
        let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
        let body = serde_json::from_slice(text);
        body.map(Self)
            .map_err(|error| Problem::bad(format!("the body cannot be used: {error}")))
    }
}

/// The words behind the `?`.
struct Words<T>(T);

impl<T: DeserializeOwned> FromRequestParts<Hub> for Words<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, hub: &Hub) -> Result<Self, Problem> {
        let words = Query::from_request_parts(parts, hub).await;
        let bad = |error: QueryRejection| Problem::bad(error.body_text());
        words.map(|Query(words)| Self(words)).map_err(bad)
    }
}

fn too_large(rejection: &BytesRejection) -> Problem {
    let status = rejection.status();
    let error = rejection.body_text();
    if status == StatusCode::PAYLOAD_TOO_LARGE {
        return Problem::new(status, "too_large", error);
    }
    Problem::new(status, "bad_request", error)
}
