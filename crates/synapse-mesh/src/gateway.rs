//! One door for outsiders: every agent of the mesh has its card and its A2A below `/agents/{machine}/{name}`, behind one
//! host and one token. It carries A2A and nothing else; what an agent elsewhere may be asked is decided there.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get};
use axum::{Json, Router};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use serde_json::{Value, json};
use synapse_client::client::Client;
use synapse_client::mesh::MeshView;
use synapse_machine::paths::Paths;
use synapse_machine::registry::{Entry, Registry};
use synapse_machine::token::Token;
use synapse_serve::Peer;

/// The largest card that is rewritten.
const LARGEST_CARD: usize = 1 << 20;

/// Where an agent says what it is.
const CARDS: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];

/// What of a request concerns the agent.
const ASKED: [&str; 5] = [
    "content-type",
    "accept",
    "last-event-id",
    "a2a-version",
    "a2a-extensions",
];

/// What the gateway serves.
pub struct Gateway {
    pub paths: Paths,
    /// The address outsiders know it by, without a slash at its end.
    pub url: String,
    pub token: Token,
}

impl Gateway {
    pub fn router(self) -> Router {
        Router::new()
            .route("/agents", get(list))
            .route("/agents/{machine}/{agent}", any(root))
            .route("/agents/{machine}/{agent}/", any(root))
            .route("/agents/{machine}/{agent}/{*path}", any(below))
            .with_state(Arc::new(self))
    }

    /// Whether a request shows the token.
    fn lets_in(&self, request: &Request) -> bool {
        let shown = request.headers().get(header::AUTHORIZATION);
        let shown = shown.and_then(|shown| shown.to_str().ok()?.split_once(' '));
        let is_welcome = shown.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case("bearer") && self.token.is(token.trim())
        });
        if is_welcome && let Some(peer) = request.extensions().get::<Peer>() {
            peer.prove();
        }
        is_welcome
    }

    /// Whether the caller was started by an agent of this machine, or may have been. It could answer its own questions
    /// here, where the agent sees the gateway ask, and nobody else.
    fn is_below_agent(&self, request: &Request) -> bool {
        let peer = request.extensions().get::<Peer>();
        let agents = Registry::new(self.paths.registry()).list();
        let agents = agents.unwrap_or_default().into_iter();
        let mut agents = agents.filter(|agent| !agent.may_answer_itself);
        agents.any(|agent| peer.is_some_and(|peer| peer.may_be_below(agent.pid)))
    }

    /// The agent of this name on that machine.
    fn find(&self, machine: &str, agent: &str) -> anyhow::Result<Option<Entry>> {
        let Some(view) = MeshView::read(&self.paths)? else {
            anyhow::bail!("the mesh is not up here");
        };
        if machine == view.own {
            let entries = Registry::new(self.paths.registry()).list()?;
            return Ok(entries.into_iter().find(|entry| entry.handle.is(agent)));
        }
        let mut here = view.others().filter(|known| known.is_here);
        let Some(named) = here.find(|known| known.name == machine) else {
            return Ok(None);
        };
        let found = named.agents.iter().find(|known| known.handle == agent);
        Ok(found.map(|found| view.entry(named, found)))
    }

    fn url_of(&self, machine: &str, agent: &str) -> String {
        format!("{}/agents/{machine}/{agent}", self.url)
    }
}

fn problem(status: StatusCode, error: impl Into<String>) -> Response {
    (status, Json(json!({ "error": error.into() }))).into_response()
}

fn stranger() -> Response {
    let mut refusal = problem(
        StatusCode::UNAUTHORIZED,
        "who are you? Send the gateway's token as 'Authorization: Bearer …'",
    );
    let headers = refusal.headers_mut();
    headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    refusal
}

/// Every agent that can be reached, with its address.
async fn list(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    if !gateway.lets_in(&request) {
        return stranger();
    }
    let Ok(Some(view)) = MeshView::read(&gateway.paths) else {
        return problem(StatusCode::SERVICE_UNAVAILABLE, "the mesh is not up here");
    };
    let mut agents = Vec::new();
    for machine in view.machines.iter().filter(|machine| machine.is_here) {
        agents.extend(machine.agents.iter().map(|agent| {
            json!({
                "name": format!("{}@{}", agent.handle, machine.name),
                // With a slash: some clients look for the card beside the last word of an address.
                "url": format!("{}/", gateway.url_of(&machine.name, &agent.handle)),
            })
        }));
    }
    Json(json!({ "agents": agents })).into_response()
}

async fn root(
    State(gateway): State<Arc<Gateway>>,
    Path((machine, agent)): Path<(String, String)>,
    request: Request,
) -> Response {
    serve(&gateway, &machine, &agent, "/", request).await
}

async fn below(
    State(gateway): State<Arc<Gateway>>,
    Path((machine, agent, path)): Path<(String, String, String)>,
    request: Request,
) -> Response {
    serve(&gateway, &machine, &agent, &format!("/{path}"), request).await
}

async fn serve(
    gateway: &Gateway,
    machine: &str,
    agent: &str,
    path: &str,
    request: Request,
) -> Response {
    let is_card = CARDS.contains(&path) && *request.method() == Method::GET;
    if !is_card && !gateway.lets_in(&request) {
        return stranger();
    }
    let is_a2a = matches!(path, "/" | "/a2a" | "/a2a/") || path.starts_with("/a2a/rest/");
    if !is_card && (!is_a2a || path.contains("..")) {
        return problem(
            StatusCode::NOT_FOUND,
            "the gateway serves cards and A2A only",
        );
    }
    if !is_card && *request.method() != Method::GET && gateway.is_below_agent(&request) {
        return problem(
            StatusCode::FORBIDDEN,
            "the gateway is for outsiders; an agent of this machine sends with: synapse send NAME@MACHINE",
        );
    }
    let entry = match gateway.find(machine, agent) {
        Ok(Some(entry)) => entry,
        Ok(None) => {
            let error = format!("there is no agent {agent} on {machine}, or {machine} is away");
            return problem(StatusCode::NOT_FOUND, error);
        }
        Err(error) => return problem(StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
    };
    match relay(&entry, path, request).await {
        Ok(response) if is_card => card(gateway, machine, agent, response).await,
        Ok(response) => {
            let (mut parts, body) = response.into_parts();
            parts.headers.remove(header::CONNECTION);
            parts.headers.remove(header::TRANSFER_ENCODING);
            Response::from_parts(parts, Body::new(body))
        }
        Err(error) => problem(StatusCode::BAD_GATEWAY, format!("{error:#}")),
    }
}

/// Passes a request on to the agent, here or by way of the bridge.
async fn relay(
    entry: &Entry,
    path: &str,
    request: Request,
) -> anyhow::Result<hyper::Response<Incoming>> {
    let query = request.uri().query();
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let (parts, body) = request.into_parts();
    let mut forwarded = hyper::Request::builder()
        .method(parts.method)
        .uri(format!("{path}{query}"));
    for name in ASKED {
        if let Some(value) = parts.headers.get(name) {
            forwarded = forwarded.header(name, value);
        }
    }
    // The agent must know that it is asked for somebody else.
    let forwarded = forwarded.header(header::VIA, "1.1 synapse").body(body)?;
    Client::of(entry)?.relay(forwarded).await
}

/// A card whose addresses lead through the gateway.
async fn card(
    gateway: &Gateway,
    machine: &str,
    agent: &str,
    response: hyper::Response<Incoming>,
) -> Response {
    let status = response.status();
    let body = Limited::new(response.into_body(), LARGEST_CARD)
        .collect()
        .await;
    let card = body
        .ok()
        .and_then(|body| serde_json::from_slice(&body.to_bytes()).ok());
    let Some(mut card) = card else {
        return problem(StatusCode::BAD_GATEWAY, "the card cannot be read");
    };
    if status.is_success() {
        rewrite(&mut card, &gateway.url_of(machine, agent));
    }
    (status, Json(card)).into_response()
}

/// Puts the gateway's address for an agent where the agent's own stands.
fn rewrite(card: &mut Value, url: &str) {
    let move_url = |place: &mut Value| {
        if let Some(own) = place.get_mut("url") {
            let path = own.as_str().and_then(|own| own.get(own.find("/a2a")?..));
            *own = Value::from(format!("{url}{}", path.unwrap_or("/")));
        }
    };
    move_url(card);
    for name in ["supportedInterfaces", "additionalInterfaces"] {
        let listed = card.get_mut(name).and_then(Value::as_array_mut);
        listed.into_iter().flatten().for_each(move_url);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_leads_through_the_gateway() {
        let mut card = json!({
            "name": "codex", "url": "http://127.0.0.1:8100/a2a",
            "supportedInterfaces": [
                { "url": "http://127.0.0.1:8100/a2a", "protocolBinding": "JSONRPC" },
                { "url": "http://127.0.0.1:8100/a2a/rest", "protocolBinding": "HTTP+JSON" },
                { "url": "http://127.0.0.1:8100/" },
            ],
        });
        rewrite(&mut card, "https://door.example/agents/laptop/codex");
        assert!(!card.to_string().contains("127.0.0.1"), "{card}");
        let door = "https://door.example/agents/laptop/codex";
        assert_eq!(card["url"], format!("{door}/a2a"));
        assert_eq!(
            card["supportedInterfaces"][1]["url"],
            format!("{door}/a2a/rest")
        );
        assert_eq!(card["supportedInterfaces"][2]["url"], format!("{door}/"));
    }
}
