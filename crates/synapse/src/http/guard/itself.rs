//! An agent does not answer its own questions: what the wrapped program has started may not press its keys, answer
//! what it asks, or type into its terminal, unless the agent was started with `--may-answer-itself`.

use axum::extract::Request;
use axum::http::{Method, StatusCode};

use super::{Refusal, is_grpc};
use crate::http::ServerState;
use synapse_serve::Peer;

/// Refuses an answer from below the program that asks.
pub(super) fn check(
    served: &ServerState,
    request: &Request,
    peer: Option<&Peer>,
) -> Result<(), Refusal> {
    let is_answer = is_grpc(request) || is_answer(request.method(), request.uri().path());
    if !is_answer || served.access_policy.may_answer_itself {
        return Ok(());
    }
    // What we have started, or the program of somebody's terminal that was adopted.
    let above = [Some(std::process::id()), served.adopted];
    let mut above = above.into_iter().flatten();
    if !peer.is_some_and(|peer| above.any(|pid| peer.may_be_below(pid))) {
        return Ok(());
    }
    Err(Refusal::new(
        StatusCode::FORBIDDEN,
        "an agent does not answer its own questions, and neither does what it has started; a person does, or start it with --may-answer-itself",
    ))
}

/// Whether this may answer, press keys or type. What a message of A2A is stands in its body, which may come as late
/// as the question.
fn is_answer(method: &Method, path: &str) -> bool {
    match (method, path) {
        (&Method::POST, "/answer" | "/keys" | "/interrupt" | "/" | "/a2a" | "/a2a/")
        | (_, "/terminal") => true,
        (&Method::POST, path) if path.starts_with("/tasks/") => path.ends_with("/input"),
        (&Method::POST, path) => path.starts_with("/a2a/rest"),
        _ => false,
    }
}
