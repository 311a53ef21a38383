//! `/openapi.json`: what this server takes and answers, written down by the handlers themselves.

use axum::Json;
use axum::http::header;
use axum::response::{Html, IntoResponse};
use utoipa::OpenApi;

use super::a2a::card;
use super::{agent, explain, external, message, metrics, reply, tasks, terminal, ws};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Synapse agent",
        description = "One wrapped command-line agent. The current A2A dialects (JSON-RPC at /a2a, HTTP+JSON at /a2a/rest) \
                       follow their own specification; this describes the dialect at the root."
    ),
    paths(
        agent::health,
        agent::status,
        agent::screen,
        explain::explain,
        agent::interrupt,
        agent::keys,
        agent::answer,
        reply::reply,
        metrics::metrics,
        terminal::attach,
        ws::watch,
        card::current,
        card::old,
        message::send,
        message::response,
        tasks::list,
        tasks::send,
        tasks::send_priority,
        tasks::send_subscribe,
        tasks::show,
        tasks::subscribe,
        tasks::input,
        tasks::cancel,
        external::discover,
        external::list,
        external::show,
        external::remove,
        external::send,
    )
)]
struct Description;

pub(super) async fn description() -> Json<utoipa::openapi::OpenApi> {
    Json(Description::openapi())
}

/// A page to read it on, with nothing from elsewhere.
pub(super) async fn page() -> impl IntoResponse {
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'";
    (
        [(header::CONTENT_SECURITY_POLICY, policy)],
        Html(include_str!("openapi/page.html")),
    )
}

pub(super) async fn script() -> impl IntoResponse {
    let kind = "text/javascript; charset=utf-8";
    (
        [(header::CONTENT_TYPE, kind)],
        include_str!("openapi/page.js"),
    )
}

pub(super) async fn style() -> impl IntoResponse {
    let kind = "text/css; charset=utf-8";
    (
        [(header::CONTENT_TYPE, kind)],
        include_str!("openapi/page.css"),
    )
}
