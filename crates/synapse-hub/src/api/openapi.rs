//! The API for programs to read.

use axum::Json;
use utoipa::OpenApi;

use crate::{auto_answer, shapes};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Synapse hub",
        description = "The API behind the web page; docs/hub-api.md is its manual"
    ),
    paths(
        super::session::exchange,
        super::session::show,
        super::session::logout,
        super::devices::list,
        super::devices::invite,
        super::devices::remove,
        super::devices::rename,
        super::devices::remove_others,
        super::usage::list,
        super::templates::list,
        super::deaths::list,
        super::deaths::see,
        super::agents::list,
        super::agents::show,
        super::agents::start,
        super::agents::conversations,
        super::agents::stop,
        super::talk::send,
        super::talk::keys,
        super::talk::screen,
        super::talk::messages,
        super::interrupt::agent,
        super::interrupt::worktree,
        super::prompts::answer,
        super::terminal::attach,
        super::past_agents::list,
        super::past_agents::show,
        super::tasks::list,
        super::tasks::show,
        super::tasks::input,
        super::tasks::cancel,
        super::worktrees::list,
        super::worktrees::show,
        super::worktrees::create,
        super::worktrees::diff,
        super::worktrees::merge,
        super::worktrees::remove,
        super::files::tree,
        super::files::file,
        super::mesh::show,
        super::search::find,
        super::settings::health,
        super::settings::profiles,
        super::settings::show,
        super::auto_answer::show,
        super::auto_answer::switch,
        super::auto_answer::add,
        super::auto_answer::remove,
        super::socket::follow,
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

/// The description of everything here.
pub(super) async fn document() -> Json<utoipa::openapi::OpenApi> {
    Json(Document::openapi())
}
