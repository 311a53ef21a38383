//! Lists, starts and stops agents.

use std::path::Path as FilePath;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use synapse_term::profile::{Profile, split_words};
use utoipa::{IntoParams, ToSchema};

use super::settings::profile_names;
use super::{Body, Words};
use crate::Hub;
use crate::live::{self, KnownAgent};
use crate::problem::Problem;
use crate::program::{self, Start};
use crate::shapes::Agent;
use synapse_machine::handle::{Handle, HandleError};
use synapse_machine::launch_record::is_conversation_name;

/// How long it may take until one that was started or stopped is seen in the registry.
const PATIENCE: Duration = Duration::from_secs(5);

/// Lists the agents.
#[utoipa::path(get, path = "/api/agents", responses((status = 200, description = "`{agents}`")))]
pub(super) async fn list(State(hub): State<Hub>) -> Json<Value> {
    Json(json!({ "agents": hub.views() }))
}

/// Gets an agent.
#[utoipa::path(get, path = "/api/agents/{id}", params(("id" = String, Path)),
    responses((status = 200, description = "`{agent}`"), (status = 404, description = "no_such_agent")))]
pub(super) async fn show(
    State(hub): State<Hub>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    let entry = hub.agent(&id)?;
    Ok(Json(json!({ "agent": hub.view(&entry) })))
}

#[derive(Deserialize, ToSchema)]
pub(super) struct NewAgent {
    /// A profile by its name; none for a command.
    profile: Option<String>,
    /// The command line of any other program, split as a shell would, though no shell is run.
    command: Option<String>,
    name: Option<String>,
    /// Whether what it starts may answer its questions.
    #[serde(default)]
    may_answer_itself: bool,
    /// The conversation to go on with, by the name that `GET /api/conversations` gives it.
    resume: Option<String>,
    /// For the program itself.
    #[serde(default)]
    args: Vec<String>,
}

/// `POST /api/agents`
#[derive(Deserialize, ToSchema)]
pub(super) struct StartRequest {
    #[serde(flatten)]
    agent: NewAgent,
    /// Where it works; by default where the hub was started.
    worktree: Option<String>,
}

/// Starts an agent.
#[utoipa::path(post, path = "/api/agents", request_body = StartRequest,
    responses((status = 201, description = "`{agent}`"), (status = 500, description = "start_failed")))]
pub(super) async fn start(
    State(hub): State<Hub>,
    Body(wanted): Body<StartRequest>,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let dir = match &wanted.worktree {
        Some(id) => hub.spot(id).await?.path,
        None => hub.scope.home.clone(),
    };
    let agent = begin(&hub, &wanted.agent, &dir).await?;
    Ok((StatusCode::CREATED, Json(json!({ "agent": agent }))))
}

/// `GET /api/conversations`
#[derive(Deserialize, IntoParams)]
pub(super) struct ConversationQuery {
    profile: String,
    /// The worktree; by default where the hub was started.
    worktree: Option<String>,
}

/// The older conversations of a program in a folder, the newest first.
#[utoipa::path(get, path = "/api/conversations", params(ConversationQuery),
    responses((status = 200, description = "`{conversations: [{id, last_at, begins}]}`"), (status = 404, description = "no_such_profile")))]
pub(super) async fn conversations(
    State(hub): State<Hub>,
    Words(query): Words<ConversationQuery>,
) -> Result<Json<Value>, Problem> {
    let ConversationQuery { profile, worktree } = query;
    if !profile_names(&hub).contains(&profile) {
        let error = format!("there is no profile '{profile}'; GET /api/profiles lists them");
        return Err(Problem::missing("no_such_profile", error));
    }
    let dir = match &worktree {
        Some(id) => hub.spot(id).await?.path,
        None => hub.scope.home.clone(),
    };
    Ok(Json(program::conversations(&profile, &dir).await?))
}

/// Starts an agent in a folder and waits until it is known.
pub(super) async fn begin(hub: &Hub, agent: &NewAgent, dir: &FilePath) -> Result<Agent, Problem> {
    let (profile, args) = match (&agent.profile, &agent.command) {
        // Names only: a file could be anywhere and name any command.
        (Some(name), None) if profile_names(hub).contains(name) => {
            (Some(name.as_str()), agent.args.clone())
        }
        (Some(name), None) => {
            let error = format!("there is no profile '{name}'; GET /api/profiles lists them");
            return Err(Problem::missing("no_such_profile", error));
        }
        (None, Some(command)) => (None, words(command)?),
        (Some(_), Some(_)) | (None, None) => {
            let error = "say either 'profile' or 'command'";
            return Err(Problem::new(StatusCode::BAD_REQUEST, "bad_request", error));
        }
    };
    let builtin = profile.and_then(|name| Profile::builtin(name).ok());
    let can_resume = profile.is_some() && builtin.is_none_or(|it| !it.resume.is_empty());
    if agent.resume.is_some() && !can_resume {
        let error = "'resume' is for profiles that say how a conversation is continued; leave it out to begin a new one";
        return Err(Problem::bad(error));
    }
    if let Some(name) = &agent.resume
        && !is_conversation_name(name)
    {
        let error = format!("'{name}' is no name of a conversation");
        return Err(Problem::new(StatusCode::BAD_REQUEST, "bad_request", error));
    }
    if let Some(name) = &agent.name {
        let bad = |error: HandleError| {
            Problem::new(StatusCode::BAD_REQUEST, "bad_name", error.to_string())
        };
        Handle::parse(name).map_err(bad)?;
    }
    let start = Start {
        profile,
        name: agent.name.as_deref(),
        dir,
        may_answer_itself: agent.may_answer_itself,
        resume: agent.resume.as_deref(),
        args: &args,
    };
    let handle = program::start(&start).await?;
    hub.rescan.notify_one();
    let seen = hub.wait_for(PATIENCE, |state| {
        let entry = state.find(&handle)?;
        state.agents.get(&entry.agent_id).map(KnownAgent::view)
    });
    seen.await.ok_or_else(|| {
        let error = format!("@{handle} was started, but is gone again");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "start_failed", error)
    })
}

/// The words of a command line.
fn words(command: &str) -> Result<Vec<String>, Problem> {
    let bad = |error: String| Problem::new(StatusCode::BAD_REQUEST, "bad_command", error);
    let words = split_words(command).map_err(bad)?;
    if words.is_empty() {
        return Err(bad("the command is empty".to_owned()));
    }
    Ok(words)
}

/// Stops an agent and everything it started.
#[utoipa::path(delete, path = "/api/agents/{id}", params(("id" = String, Path)),
    responses((status = 200, description = "`{stopped}`"), (status = 404, description = "no_such_agent")))]
pub(super) async fn stop(
    State(hub): State<Hub>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    let entry = hub.agent(&id)?;
    program::stop(entry.agent_id.as_str()).await?;
    hub.rescan.notify_one();
    let is_gone = |state: &live::State| (!state.agents.contains_key(&entry.agent_id)).then_some(());
    let gone = hub.wait_for(PATIENCE, is_gone).await;
    Ok(Json(json!({ "stopped": gone.is_some() })))
}
