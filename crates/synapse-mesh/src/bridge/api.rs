//! What programs of this machine ask the bridge: agents of other machines, and who may come in. On loopback, behind a
//! token that only this user can read.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, delete, get, post};
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};
use synapse_a2a::event::Timestamp;
use synapse_client::lineage;
use synapse_machine::registry::Registry;
use synapse_machine::token::Token;
use synapse_serve::Peer;
use synapse_store::outbox::{self as store, KeptMessage, OutboxState};

use super::{Shared, admin, outbox};
use crate::name::MachineName;
use crate::role::{Role, needed};
use crate::tunnel::AskError;

pub(super) fn router(shared: Arc<Shared>, token: Token) -> Router {
    Router::new()
        .route("/machines/{machine}/agents/{agent}", any(agent_root))
        .route("/machines/{machine}/agents/{agent}/{*path}", any(agent))
        .route("/machines/{machine}", delete(revoke))
        .route("/machines/{machine}/role", post(give_role))
        .route("/messages", get(messages).post(keep))
        .route("/messages/{id}", delete(cancel))
        .route("/invitations", post(invite))
        .route("/stop", post(stop))
        .layer(from_fn_with_state(Arc::new(token), check))
        .with_state(shared)
}

/// Lets in programs of this machine that show the token.
async fn check(State(token): State<Arc<Token>>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>();
    let shown = request.headers().get(header::AUTHORIZATION);
    let shown = shown.and_then(|shown| shown.to_str().ok()?.strip_prefix("Bearer "));
    let is_here = peer.is_some_and(Peer::is_here);
    if !is_here || !shown.is_some_and(|shown| token.is(shown)) {
        return problem(
            StatusCode::UNAUTHORIZED,
            "the bridge serves programs of this user alone",
        );
    }
    peer.inspect(|peer| peer.prove());
    next.run(request).await
}

fn problem(status: StatusCode, error: impl Into<String>) -> Response {
    (status, Json(json!({ "error": error.into() }))).into_response()
}

/// What goes wrong at the person's wish.
fn refused(error: &anyhow::Error) -> Response {
    problem(StatusCode::BAD_REQUEST, format!("{error:#}"))
}

async fn agent_root(
    state: State<Arc<Shared>>,
    peer: Extension<Peer>,
    Path((machine, agent)): Path<(String, String)>,
    request: Request,
) -> Response {
    ask(state.0, &peer, &machine, &agent, "", request).await
}

async fn agent(
    state: State<Arc<Shared>>,
    peer: Extension<Peer>,
    Path((machine, agent, path)): Path<(String, String, String)>,
    request: Request,
) -> Response {
    ask(state.0, &peer, &machine, &agent, &path, request).await
}

async fn ask(
    shared: Arc<Shared>,
    peer: &Peer,
    machine: &str,
    agent: &str,
    path: &str,
    request: Request,
) -> Response {
    let query = request.uri().query();
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let target = format!("/{path}{query}");
    let is_away = {
        let sightings = shared.sightings.borrow();
        let name = MachineName::parse(machine).ok();
        name.and_then(|name| sightings.get(&name).map(|sighting| !sighting.is_here))
    };
    if is_away == Some(true) {
        return problem(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("{machine} is away"),
        );
    }
    if path.starts_with("tasks/send") && outbox::is_lined_up(&shared, machine, agent) {
        // Whoever sends keeps it, so that it arrives behind those that wait.
        let error = "messages that were kept for it go first";
        return problem(StatusCode::SERVICE_UNAVAILABLE, error);
    }
    let via = match needed(request.method(), &target) {
        Some(role) if role >= Role::Send => via(&shared, peer).await,
        _ => Vec::new(),
    };
    let answered = shared
        .tunnels
        .ask(machine, agent, &target, request, via)
        .await;
    answered.unwrap_or_else(|error| {
        let status = match &error {
            AskError::Stranger(_) => StatusCode::NOT_FOUND,
            AskError::Disconnected => StatusCode::SERVICE_UNAVAILABLE,
            AskError::Late { .. } => StatusCode::GATEWAY_TIMEOUT,
            AskError::Lost { .. } | AskError::Odd(_) => StatusCode::BAD_GATEWAY,
        };
        problem(status, error.to_string())
    })
}

/// The agents on whose behalf a program of this machine asks, as they are called in the mesh.
async fn via(shared: &Shared, peer: &Peer) -> Vec<String> {
    let registry = Registry::new(shared.paths.registry());
    let entries = registry.list().unwrap_or_default();
    let pids: Vec<u32> = entries.iter().map(|entry| entry.pid).collect();
    let above = peer.may_be_below_some(&pids);
    let names = lineage::of(&entries, |entry| above.contains(&entry.pid)).await;
    let own = &shared.membership.name;
    let address = |name: String| {
        if name.contains('@') {
            name
        } else {
            format!("{name}@{own}")
        }
    };
    names.into_iter().map(address).collect()
}

#[derive(Deserialize)]
struct KeepBody {
    machine: MachineName,
    agent: String,
    priority: u8,
    until: jiff::Timestamp,
    /// What the agent is sent.
    body: Value,
}

/// Keeps a message for a machine that is away. It is on disk when this answers.
async fn keep(
    State(shared): State<Arc<Shared>>,
    peer: Extension<Peer>,
    Json(asked): Json<KeepBody>,
) -> Response {
    if let Some(error) = super::revoked(&shared) {
        return problem(StatusCode::FORBIDDEN, error);
    }
    if shared
        .roster
        .borrow()
        .member(asked.machine.as_str())
        .is_none()
    {
        let error = format!("there is no machine '{}' in the mesh", asked.machine);
        return problem(StatusCode::NOT_FOUND, error);
    }
    let id = asked
        .body
        .pointer("/message/messageId")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let Some(id) = id else {
        return problem(
            StatusCode::BAD_REQUEST,
            "'body.message.messageId' is missing",
        );
    };
    let millis = |at: jiff::Timestamp| Timestamp(at.as_millisecond().unsigned_abs());
    let kept = KeptMessage {
        message: id,
        machine: asked.machine.to_string(),
        agent: asked.agent,
        priority: asked.priority,
        body: outbox::with_via(asked.body, via(&shared, &peer).await),
        created_at: millis(jiff::Timestamp::now()),
        expires_at: millis(asked.until),
        state: OutboxState::Kept,
        task: None,
        reason: None,
    };
    let path = shared.paths.store();
    let (message, limit) = (kept.clone(), shared.outbox_limit);
    outbox::line_up(&shared, &kept.machine, &kept.agent);
    let stored = tokio::task::spawn_blocking(move || store::keep(&path, &message, limit)).await;
    shared.kept.notify_one();
    match stored {
        Ok(Ok(true)) => Json(outbox::shape(&kept)).into_response(),
        Ok(Ok(false)) => problem(
            StatusCode::INSUFFICIENT_STORAGE,
            format!(
                "{limit} messages wait for other machines already; no more are kept (mesh.outbox_limit); see: synapse mesh messages"
            ),
        ),
        Ok(Err(error)) => problem(StatusCode::INSUFFICIENT_STORAGE, error.to_string()),
        Err(error) => problem(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

async fn messages(State(shared): State<Arc<Shared>>) -> Response {
    let path = shared.paths.store();
    match tokio::task::spawn_blocking(move || store::list(&path)).await {
        Ok(Ok(all)) => {
            let all: Vec<_> = all.iter().map(outbox::shape).collect();
            Json(json!({ "messages": all })).into_response()
        }
        Ok(Err(error)) => problem(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
        Err(error) => problem(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

async fn cancel(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Response {
    let Some(_hand) = shared.in_hand.take(&id) else {
        let error = "the message is being delivered; try again, or cancel the task that it becomes";
        return problem(StatusCode::CONFLICT, error);
    };
    let path = shared.paths.store();
    let canceled = tokio::task::spawn_blocking(move || {
        store::settle(&path, &id, OutboxState::Canceled, None, None)
    });
    match canceled.await {
        Ok(Ok(true)) => {
            shared.kept.notify_one();
            Json(json!({ "canceled": true })).into_response()
        }
        Ok(Ok(false)) => problem(StatusCode::CONFLICT, "the message does not wait any more"),
        Ok(Err(error)) => problem(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
        Err(error) => problem(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

#[derive(Deserialize)]
struct InviteBody {
    name: Option<MachineName>,
    #[serde(default)]
    role: Role,
}

async fn invite(State(shared): State<Arc<Shared>>, Json(body): Json<InviteBody>) -> Response {
    match admin::invite(&shared, body.name, body.role).await {
        Ok(secret) => Json(json!({
            "secret": secret.text(), "servers": servers(&shared),
            "has_creds": shared.membership.creds.is_some(),
            "is_ours": shared.membership.engine.is_some(),
        }))
        .into_response(),
        Err(error) => refused(&error),
    }
}

/// Where others find the mesh; `synapse mesh up --address` may have changed that.
fn servers(shared: &Shared) -> Vec<String> {
    let membership = shared.folder.membership();
    let membership = membership.as_ref().unwrap_or(&shared.membership);
    membership.shown_servers()
}

async fn revoke(State(shared): State<Arc<Shared>>, Path(machine): Path<MachineName>) -> Response {
    match admin::revoke(&shared, &machine).await {
        Ok(()) => {
            Json(json!({ "revoked": machine, "is_ours": shared.membership.engine.is_some() }))
                .into_response()
        }
        Err(error) => refused(&error),
    }
}

#[derive(Deserialize)]
struct RoleBody {
    role: Role,
}

async fn give_role(
    State(shared): State<Arc<Shared>>,
    Path(machine): Path<MachineName>,
    Json(body): Json<RoleBody>,
) -> Response {
    match admin::give_role(&shared, &machine, body.role).await {
        Ok(()) => Json(json!({ "machine": machine, "role": body.role })).into_response(),
        Err(error) => refused(&error),
    }
}

#[derive(Deserialize)]
struct StopBody {
    /// The mesh ends with it, for all machines.
    #[serde(default)]
    end: bool,
}

async fn stop(State(shared): State<Arc<Shared>>, Json(body): Json<StopBody>) -> Response {
    if body.end
        && let Err(error) = admin::end(&shared).await
    {
        return refused(&error);
    }
    shared.stop.notify_one();
    Json(json!({ "status": "stopping" })).into_response()
}
