//! An agent does not answer its own questions: what the wrapped program has started may not press its keys, answer
//! what it asks, or type into its terminal, unless the agent was started with `--may-answer-itself`.

use axum::extract::Request;
use axum::http::{Method, StatusCode};

use super::{Refusal, is_grpc};
use crate::http::ServerState;
use synapse_client::lineage;
use synapse_client::mesh::MeshView;
use synapse_machine::registry::Registry;
use synapse_serve::Peer;

/// Refuses an answer from below the program that asks, or from whoever works for it.
pub(super) async fn check(served: &ServerState, peer: &Peer) -> Result<(), Refusal> {
    if served.access_policy.may_answer_itself || !peer.is_here() {
        return Ok(());
    }
    // What we have started, or the program of somebody's terminal that was adopted.
    let above = [Some(std::process::id()), served.adopted];
    if above
        .into_iter()
        .flatten()
        .any(|pid| peer.may_be_below(pid))
    {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "an agent does not answer its own questions, and neither does what it has started; a person does, or start it with --may-answer-itself",
        ));
    }
    check_neighbours(served, peer).await
}

/// Refuses an answer of a neighbour that works for the program that asks, however many it has passed through.
async fn check_neighbours(served: &ServerState, peer: &Peer) -> Result<(), Refusal> {
    let mut others = Registry::new(served.paths.registry())
        .list()
        .unwrap_or_default();
    others.retain(|entry| entry.handle.as_str() != &*served.handle);
    let pids: Vec<u32> = others.iter().map(|entry| entry.pid).collect();
    let above = peer.may_be_below_some(&pids);
    if above.is_empty() {
        return Ok(());
    }
    let lineage = lineage::of(&others, |entry| above.contains(&entry.pid)).await;
    let machine = MeshView::read(&served.paths).ok().flatten();
    let address = machine.map(|view| format!("{}@{}", served.handle, view.own));
    let is_own = |name: &String| **name == *served.handle || Some(name) == address.as_ref();
    if !lineage.iter().any(is_own) {
        return Ok(());
    }
    Err(Refusal::new(
        StatusCode::FORBIDDEN,
        "an agent does not answer its own questions by way of others; a person does, or start it with --may-answer-itself",
    ))
}

/// Whether this may answer, press keys or type. What a message of A2A is stands in its body, which may come as late
/// as the question.
pub(super) fn is_answer(request: &Request) -> bool {
    if is_grpc(request) {
        return true;
    }
    match (request.method(), request.uri().path()) {
        (&Method::POST, "/answer" | "/keys" | "/interrupt" | "/" | "/a2a" | "/a2a/")
        | (_, "/terminal") => true,
        (&Method::POST, path) if path.starts_with("/tasks/") => path.ends_with("/input"),
        (&Method::POST, path) => path.starts_with("/a2a/rest"),
        _ => false,
    }
}
