//! An agent does not answer its own questions: what the wrapped program has started may not press its keys, answer
//! what it asks, or type into its terminal, unless the agent was started with `--may-answer-itself`.

use axum::extract::Request;
use axum::http::{Method, StatusCode};
use synapse_term::reading::State;

use super::Refusal;
use crate::callers::is_below;
use crate::http::Served;
use crate::serve::Peer;

/// Refuses an answer from below the program that asks.
pub(super) fn check(
    served: &Served,
    request: &Request,
    peer: Option<&Peer>,
) -> Result<(), Refusal> {
    let is_asking = || *served.session.board.state().borrow() == Some(State::Asking);
    let is_answer = match kind(request.method(), request.uri().path()) {
        Kind::Answer => true,
        // What it is stands in its body. While nothing is asked it is no answer.
        Kind::Message => is_asking(),
        Kind::Other => false,
    };
    if !is_answer || served.door.may_answer_itself {
        return Ok(());
    }
    let own = std::process::id();
    let callers = peer.map(Peer::processes).unwrap_or_default();
    if !callers.iter().any(|caller| is_below(*caller, own)) {
        return Ok(());
    }
    Err(Refusal::new(
        StatusCode::FORBIDDEN,
        "an agent does not answer its own questions, and neither does what it has started; a person does, or start it with --may-answer-itself",
    ))
}

enum Kind {
    /// It answers, presses keys or types.
    Answer,
    /// It may answer.
    Message,
    Other,
}

fn kind(method: &Method, path: &str) -> Kind {
    match (method, path) {
        (&Method::POST, "/answer" | "/keys") | (_, "/terminal") => Kind::Answer,
        (&Method::POST, path) if path.starts_with("/tasks/") && path.ends_with("/input") => {
            Kind::Answer
        }
        (&Method::POST, "/" | "/a2a" | "/a2a/") => Kind::Message,
        (&Method::POST, path) if path.starts_with("/a2a/rest") => Kind::Message,
        _ => Kind::Other,
    }
}
