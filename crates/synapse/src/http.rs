//! The agent's HTTP: one resource per file, a guard in front of all. Knows the session by its
//! handle and nothing of screens.

mod a2a;
mod agent;
mod archive;
mod callback;
mod events;
mod explain;
mod external;
mod guard;
mod incoming;
mod message;
mod metrics;
mod openapi;
mod problem;
mod reply;
mod shapes;
mod tasks;
mod terminal;
mod ws;

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, post};

pub use a2a::A2a;
pub use guard::AccessPolicy;

use synapse_client::client::Web;
use synapse_client::external::Contacts;
use synapse_machine::paths::Paths;
use synapse_session::SessionHandle;

/// What all resources share.
#[derive(Clone)]
pub struct ServerState {
    pub session: SessionHandle,
    /// What it says of itself, and whom it tells of its tasks.
    pub a2a: Arc<A2a>,
    /// Who may come in, and where it is.
    pub access_policy: Arc<AccessPolicy>,
    /// Whether there is a terminal to look at: a program that is reached by ACP has none.
    pub has_terminal: bool,
    /// The program of somebody else's terminal that the agent is, if it was adopted.
    pub adopted: Option<u32>,
    /// The agent's id, by which the store knows its tasks.
    pub agent: Arc<str>,
    /// The agent's name: of an agent of another name that worked in its folder it knows nothing.
    pub handle: Arc<str>,
    /// What others are told of the agent: id, handle, profile, where it works.
    pub about: Arc<serde_json::Value>,
    /// Where the neighbours are.
    pub paths: Arc<Paths>,
    /// The file that keeps all tasks.
    pub store: Arc<Path>,
    /// What calls others on behalf of those who asked for it.
    pub web: Web,
    /// The agents elsewhere that are known.
    pub contacts: Contacts,
}

impl ServerState {
    /// # Errors
    /// If the agent has no terminal: what there is in its place.
    fn terminal(&self) -> Result<(), problem::Problem> {
        if self.has_terminal {
            return Ok(());
        }
        let handle = &self.handle;
        Err(problem::Problem::new(
            axum::http::StatusCode::CONFLICT,
            format!(
                "{handle} is reached by ACP and has no terminal; its conversation is on the page and in: synapse tasks {handle}"
            ),
        ))
    }
}

/// What is served where gRPC is spoken, behind the same guard.
#[cfg(feature = "grpc")]
pub fn grpc_router(served: ServerState) -> Router {
    let guard = middleware::from_fn_with_state(served.clone(), guard::check);
    Router::new()
        .fallback(a2a::grpc::call)
        .layer(guard)
        .layer(middleware::from_fn(guard::in_grpc))
        .with_state(served)
}

/// All resources, behind the guard.
pub fn router(served: ServerState) -> Router {
    let guard = middleware::from_fn_with_state(served.clone(), guard::check);
    Router::new()
        .route("/healthz", get(agent::health))
        .route("/status", get(agent::status))
        .route("/screen", get(agent::screen))
        .route("/explain", get(explain::explain))
        .route("/interrupt", post(agent::interrupt))
        .route("/keys", post(agent::keys))
        .route("/answer", post(agent::answer))
        .route("/reply", post(reply::reply))
        .route("/terminal", get(terminal::attach))
        .route("/openapi.json", get(openapi::description))
        .route("/docs", get(openapi::page))
        .route("/docs/page.js", get(openapi::script))
        .route("/docs/page.css", get(openapi::style))
        .route("/metrics", get(metrics::metrics))
        .route("/ws", get(ws::watch))
        .route("/message", post(message::send))
        .route("/response/{id}", get(message::response))
        .route("/external/discover", post(external::discover))
        .route("/external/agents", get(external::list))
        .route(
            "/external/agents/{alias}",
            get(external::show).delete(external::remove),
        )
        .route("/external/agents/{alias}/send", post(external::send))
        .route("/tasks", get(tasks::list))
        .route("/tasks/send", post(tasks::send))
        .route("/tasks/send-priority", post(tasks::send_priority))
        .route("/tasks/sendSubscribe", post(tasks::send_subscribe))
        .route("/tasks/{id}", get(tasks::show))
        .route("/tasks/{id}/subscribe", get(tasks::subscribe))
        .route("/tasks/{id}/input", post(tasks::input))
        .route("/tasks/{id}/cancel", post(tasks::cancel))
        .merge(a2a::routes())
        .fallback(agent::nothing_here)
        .layer(guard)
        // The guard knows how much each resource takes.
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn(guard::in_json))
        .with_state(served)
}
