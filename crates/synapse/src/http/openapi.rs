//! `/openapi.json`: what this server takes and answers. The handlers describe themselves, and a test writes that down in
//! `openapi/agent.json`: what builds the description would be many times larger than the description.

use axum::http::header;
use axum::response::{Html, IntoResponse};

pub(super) async fn description() -> impl IntoResponse {
    let kind = "application/json";
    (
        [(header::CONTENT_TYPE, kind)],
        include_str!("openapi/agent.json"),
    )
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use utoipa::OpenApi;

    use crate::http::a2a::card;
    use crate::http::{agent, explain, external, message, metrics, reply, tasks, terminal, ws};

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

    #[test]
    fn the_reference_of_the_api_is_what_the_handlers_say() {
        const FILE: &str = "src/http/openapi/agent.json";
        let text = Description::openapi().to_pretty_json().unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        let text = lines.join("\n") + "\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == text, "{FILE} is old; `make docs` writes it");
    }
}
