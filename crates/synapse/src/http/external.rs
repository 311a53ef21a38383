//! Agents elsewhere: find, list, forget, and send through this one.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use utoipa::ToSchema;

use super::ServerState;
use super::incoming::{self, Body};
use super::problem::{Problem, ProblemBody};
use synapse_client::client::WebError;
use synapse_client::client::a2a::{A2AError, Outgoing};
use synapse_client::external::{ContactError, Contacts, External, ExternalError};
use synapse_machine::token::Token;

/// How long an agent elsewhere is waited for, unless said otherwise.
const PATIENCE: f64 = 60.0;
/// The longest wait that may be asked for.
const LONGEST: f64 = 3_600.0;

/// What `/external/discover` takes.
#[derive(Deserialize, ToSchema)]
pub(super) struct DiscoverBody {
    /// Where the agent is.
    url: String,
    /// What to call it; by default what it calls itself.
    #[serde(default)]
    alias: Option<String>,
    /// The token that the agent asks for.
    #[serde(default)]
    token: Option<String>,
}

/// What `/external/agents/{alias}/send` takes.
#[derive(Deserialize, ToSchema)]
pub(super) struct SendBody {
    /// A string, or an object with `parts`.
    #[schema(value_type = Object)]
    message: Value,
    /// Whether to answer when the task is over or asks something, instead of at once.
    #[serde(default)]
    wait_for_completion: bool,
    /// For how many seconds.
    #[serde(default)]
    timeout: Option<f64>,
}

/// Discover the agent at an address, and keep it
#[utoipa::path(post, path = "/external/discover", tag = "external", request_body = DiscoverBody,
    responses(
        (status = 200, description = "done", body = Object),
        (status = "4XX", description = "refused, and why", body = ProblemBody),
        (status = 502, description = "there is no agent", body = ProblemBody)
    )
)]
pub(super) async fn discover(
    State(served): State<ServerState>,
    Body(body): Body<DiscoverBody>,
) -> Result<Json<Value>, Problem> {
    let token = body.token.as_deref().map(Token::parse).transpose();
    let token = token.map_err(|error| Problem::bad(format!("'token': {error}")))?;
    let alias = body.alias.as_deref();
    let found = served.contacts.discover(&body.url, alias, token).await?;
    Ok(Json(found.to_native_json()))
}

/// List the external agents
#[utoipa::path(get, path = "/external/agents", tag = "external",
    responses(
        (status = 200, description = "done", body = Object),
        (status = "4XX", description = "refused, and why", body = ProblemBody)
    )
)]
pub(super) async fn list(State(served): State<ServerState>) -> Result<Json<Value>, Problem> {
    let known = with(served, Contacts::list).await?;
    let known: Vec<Value> = known.iter().map(External::to_native_json).collect();
    Ok(Json(json!({ "agents": known })))
}

/// Get an external agent
#[utoipa::path(get, path = "/external/agents/{alias}", tag = "external", params(("alias" = String, Path, description = "the agent")),
    responses(
        (status = 200, description = "done", body = Object),
        (status = "4XX", description = "refused, and why", body = ProblemBody)
    )
)]
pub(super) async fn show(
    State(served): State<ServerState>,
    Path(alias): Path<String>,
) -> Result<Json<Value>, Problem> {
    let known = with(served, move |contacts| contacts.find(&alias)).await?;
    Ok(Json(known.to_native_json()))
}

/// Remove an external agent and its token
#[utoipa::path(delete, path = "/external/agents/{alias}", tag = "external", params(("alias" = String, Path, description = "the agent")),
    responses(
        (status = 200, description = "done", body = Object),
        (status = "4XX", description = "refused, and why", body = ProblemBody)
    )
)]
pub(super) async fn remove(
    State(served): State<ServerState>,
    Path(alias): Path<String>,
) -> Result<Json<Value>, Problem> {
    let known = with(served, move |contacts| contacts.remove(&alias)).await?;
    Ok(Json(json!({ "status": "removed", "alias": known.alias })))
}

/// Send a message to an external agent
#[utoipa::path(post, path = "/external/agents/{alias}/send", tag = "external", params(("alias" = String, Path, description = "the agent")),
    request_body = SendBody,
    responses(
        (status = 200, description = "done", body = Object),
        (status = "4XX", description = "refused, and why", body = ProblemBody),
        (status = 502, description = "the agent does not answer, or refuses", body = ProblemBody)
    )
)]
pub(super) async fn send(
    State(served): State<ServerState>,
    Path(alias): Path<String>,
    Body(body): Body<SendBody>,
) -> Result<Json<Value>, Problem> {
    let seconds = body.timeout.unwrap_or(PATIENCE);
    if !(0.0..=LONGEST).contains(&seconds) {
        let error = format!("'timeout' must be a number of seconds up to {LONGEST}");
        return Err(Problem::bad(error));
    }
    let outgoing = Outgoing::new(incoming::message(&body.message)?);
    let contacts = served.contacts.clone();
    let external = with(served, move |contacts| contacts.find(&alias)).await?;
    let client = contacts.client(&external)?;
    let mut latest = None;
    let task = if body.wait_for_completion {
        let followed = client.send_and_follow(&outgoing, |task| latest = Some(task.clone()));
        match timeout(Duration::from_secs_f64(seconds), followed).await {
            Ok(done) => done?,
            Err(_) => latest.ok_or_else(|| {
                let error = format!("{} did not answer within {seconds} s", external.alias);
                Problem::new(StatusCode::GATEWAY_TIMEOUT, error)
            })?,
        }
    } else {
        client.send(&outgoing).await?
    };
    let told = task.to_native_json(&body.message, &jiff::Timestamp::now().to_string());
    let _ = spawn_blocking(move || contacts.seen(&external)).await;
    Ok(Json(json!({ "task": told })))
}

/// Asks the files, which may have to be waited for, out of the way of everybody else.
async fn with<T: Send + 'static>(
    served: ServerState,
    ask: impl FnOnce(&Contacts) -> Result<T, ContactError> + Send + 'static,
) -> Result<T, Problem> {
    let asked = spawn_blocking(move || ask(&served.contacts)).await;
    let asked = asked
        .map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok(asked?)
}

impl From<A2AError> for Problem {
    fn from(error: A2AError) -> Self {
        Self::new(status(&error), error.to_string())
    }
}

impl From<ContactError> for Problem {
    fn from(error: ContactError) -> Self {
        let status = match &error {
            ContactError::Alias(_) => StatusCode::BAD_REQUEST,
            ContactError::Folder(ExternalError::Nobody { .. }) => StatusCode::NOT_FOUND,
            ContactError::Folder(ExternalError::Taken { .. }) => StatusCode::CONFLICT,
            ContactError::Folder(ExternalError::File { .. }) => StatusCode::INTERNAL_SERVER_ERROR,
            ContactError::Agent(error) => status(error),
        };
        Self::new(status, error.to_string())
    }
}

fn status(error: &A2AError) -> StatusCode {
    match error {
        A2AError::Web(WebError::NotAnAddress(_)) => StatusCode::BAD_REQUEST,
        A2AError::Web(WebError::Forbidden { .. }) => StatusCode::FORBIDDEN,
        A2AError::Web(WebError::Late { .. }) => StatusCode::GATEWAY_TIMEOUT,
        _ => StatusCode::BAD_GATEWAY,
    }
}
