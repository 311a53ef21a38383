//! The API for programs to read. The handlers describe themselves, and a test writes that down in `openapi.json`: what
//! builds the description would be many times larger than the description.

use axum::http::header;
use axum::response::IntoResponse;

/// The description of everything here.
pub(super) async fn document() -> impl IntoResponse {
    let kind = "application/json";
    ([(header::CONTENT_TYPE, kind)], include_str!("openapi.json"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use utoipa::OpenApi;

    use crate::{auto_answer, shapes};

    #[derive(OpenApi)]
    #[openapi(
        info(
            title = "Synapse hub",
            description = "The API behind the web page; docs/hub-api.md is its manual"
        ),
        paths(
            crate::api::session::exchange,
            crate::api::session::show,
            crate::api::session::logout,
            crate::api::devices::list,
            crate::api::devices::invite,
            crate::api::devices::remove,
            crate::api::devices::rename,
            crate::api::devices::remove_others,
            crate::api::usage::list,
            crate::api::notify::show,
            crate::api::notify::change,
            crate::api::notify::add,
            crate::api::notify::remove,
            crate::api::notify::test,
            crate::api::notify::subscribe,
            crate::api::notify::unsubscribe,
            crate::api::answer_links::answer,
            crate::api::templates::list,
            crate::api::deaths::list,
            crate::api::deaths::see,
            crate::api::agents::list,
            crate::api::agents::show,
            crate::api::agents::start,
            crate::api::agents::conversations,
            crate::api::agents::stop,
            crate::api::talk::send,
            crate::api::talk::keys,
            crate::api::talk::screen,
            crate::api::talk::messages,
            crate::api::interrupt::agent,
            crate::api::interrupt::worktree,
            crate::api::prompts::answer,
            crate::api::terminal::attach,
            crate::api::past_agents::list,
            crate::api::past_agents::show,
            crate::api::tasks::list,
            crate::api::tasks::show,
            crate::api::tasks::input,
            crate::api::tasks::cancel,
            crate::api::worktrees::list,
            crate::api::worktrees::show,
            crate::api::worktrees::create,
            crate::api::worktrees::diff,
            crate::api::worktrees::before,
            crate::api::worktrees::merge,
            crate::api::worktrees::remove,
            crate::api::files::tree,
            crate::api::files::file,
            crate::api::mesh::show,
            crate::api::search::find,
            crate::api::settings::health,
            crate::api::settings::profiles,
            crate::api::settings::show,
            crate::api::auto_answer::show,
            crate::api::auto_answer::switch,
            crate::api::auto_answer::add,
            crate::api::auto_answer::remove,
            crate::api::flows::list,
            crate::api::flows::start,
            crate::api::flows::show,
            crate::api::flows::answer,
            crate::api::flows::stop,
            crate::api::flows::resume,
            crate::api::socket::follow,
        ),
        components(schemas(
            shapes::Agent,
            shapes::Former,
            shapes::Prompt,
            shapes::TaskLine,
            shapes::Edge,
            shapes::Node,
            auto_answer::Rule,
            auto_answer::Used
        ))
    )]
    struct Document;

    #[test]
    fn the_reference_of_the_api_is_what_the_handlers_say() {
        const FILE: &str = "src/api/openapi.json";
        let text = Document::openapi().to_pretty_json().unwrap();
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
