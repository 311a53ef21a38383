//! Flows: which there are, what runs, what is asked; start, answer, stop and resume. Each run is a process of its own;
//! the hub reads the store and leaves requests.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::Body;
use crate::Hub;
use crate::problem::Problem;
use crate::shapes::Session;
use synapse_client::flows::{self, Found, RecordError, Request, RunFolder, Starter};
use synapse_flow::run::Run;
use synapse_store::{FlowRun, Reader};

/// How many runs are listed.
const LISTED: usize = 50;
/// How long a stop is waited for before it is told as it stands.
const PATIENCE: Duration = Duration::from_secs(20);

/// Lists the flows and the latest runs.
#[utoipa::path(get, path = "/api/flows", responses((status = 200, description = "`{flows, runs}`")))]
pub(super) async fn list(State(hub): State<Hub>) -> Result<Json<Value>, Problem> {
    let (paths, home) = (hub.paths.clone(), hub.scope.home.clone());
    let read = move || {
        let known = flows::list(&paths, &home).map_err(Problem::internal)?;
        let reader = Reader::open(paths.store()).map_err(Problem::internal)?;
        let rows = reader.flow_runs(LISTED).map_err(Problem::internal)?;
        let known: Vec<Value> = known.iter().map(shown).collect();
        let runs = rows.iter().map(|row| {
            let folder = RunFolder::of(&paths, &row.id);
            line(row, &folder, &reader)
        });
        Ok(Json(
            json!({ "flows": known, "runs": runs.collect::<Vec<_>>() }),
        ))
    };
    tokio::task::spawn_blocking(read)
        .await
        .map_err(Problem::internal)?
}

fn shown(found: &Found) -> Value {
    let flow = found.flow();
    let problem = flow.as_ref().err().map(ToString::to_string);
    let inputs: Vec<Value> = flow.iter().flat_map(|flow| &flow.inputs).map(|input| {
        json!({ "name": input.name, "type": input.sort.word(), "default": input.default, "about": input.about })
    }).collect();
    json!({
        "name": found.name, "source": found.origin.word(), "trusted": !found.is_untrusted, "problem": problem,
        "about": flow.as_ref().ok().and_then(|flow| flow.about.clone()), "inputs": inputs,
    })
}

fn line(row: &FlowRun, folder: &RunFolder, reader: &Reader) -> Value {
    let is_over = matches!(row.state.as_str(), "done" | "failed" | "stopped");
    // What waits for a person is asked for wherever the list is.
    let asks = if is_over {
        Vec::new()
    } else {
        flows::replay(reader, &row.id)
            .map(|run| run.asks())
            .unwrap_or_default()
    };
    json!({
        "id": row.id, "name": row.name, "dir": row.dir, "by": row.by, "asks": asks,
        "state": if is_over || folder.is_held() { row.state.as_str() } else { "lost" },
        "started_at": row.started_at, "updated_at": row.updated_at,
    })
}

/// `POST /api/flows`
#[derive(Deserialize, ToSchema)]
pub(super) struct StartFlow {
    name: String,
    #[serde(default)]
    #[schema(value_type = Object)]
    inputs: BTreeMap<String, Value>,
    /// Where it works; by default where the hub was started.
    worktree: Option<String>,
    /// With the dummy agent, changing nothing.
    #[serde(default)]
    simulate: bool,
}

/// Starts a flow by its name.
#[utoipa::path(post, path = "/api/flows", request_body = StartFlow,
    responses((status = 201, description = "`{id}`"), (status = 400, description = "start_failed")))]
pub(super) async fn start(
    State(hub): State<Hub>,
    Extension(session): Extension<Session>,
    Body(wanted): Body<StartFlow>,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let dir = match &wanted.worktree {
        Some(id) => hub.spot(id).await?.path,
        None => hub.scope.home.clone(),
    };
    // Names only: a file could be anywhere and name any command.
    if !flows::is_known(&hub.paths, &wanted.name, &dir) {
        let error = format!(
            "there is no flow '{}'; GET /api/flows lists them",
            wanted.name
        );
        return Err(Problem::missing("no_such_flow", error));
    }
    let starter = Starter {
        by: session.name,
        hops: None,
    };
    let begun = flows::start(
        &wanted.name,
        &wanted.inputs,
        &dir,
        &starter,
        wanted.simulate,
    )
    .await;
    let failed = |error: anyhow::Error| {
        Problem::new(
            StatusCode::BAD_REQUEST,
            "start_failed",
            format!("{error:#}"),
        )
    };
    let id = begun.map_err(failed)?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id }))))
}

/// Gets a run.
#[utoipa::path(get, path = "/api/flows/{id}", params(("id" = String, Path)),
    responses((status = 200, description = "`{run, results, lost}`"), (status = 404, description = "no_such_run")))]
pub(super) async fn show(
    State(hub): State<Hub>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    Ok(Json(told(&hub, &id).await?))
}

/// A run for the page, with what its steps gave.
async fn told(hub: &Hub, id: &str) -> Result<Value, Problem> {
    let run = replay(hub, id).await?;
    let is_lost = !run.state().is_over() && !RunFolder::of(&hub.paths, id).is_held();
    Ok(json!({ "run": run.view(), "output": run.output(), "lost": is_lost }))
}

/// `POST /api/flows/{id}/answer`
#[derive(Deserialize, ToSchema)]
pub(super) struct AnswerFlow {
    /// The id of what is asked.
    ask: String,
    answer: String,
}

/// Answers a gate.
#[utoipa::path(post, path = "/api/flows/{id}/answer", params(("id" = String, Path)), request_body = AnswerFlow,
    responses((status = 200, description = "`{answered}`"), (status = 409, description = "not_asked")))]
pub(super) async fn answer(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Extension(session): Extension<Session>,
    Body(given): Body<AnswerFlow>,
) -> Result<Json<Value>, Problem> {
    let run = replay(&hub, &id).await?;
    let asks = run.asks();
    let ask = asks.iter().find(|ask| ask.id == given.ask);
    let is_option = ask.is_some_and(|ask| {
        let mut options = ask.options.iter();
        options.any(|option| option.eq_ignore_ascii_case(&given.answer))
    });
    if !is_option {
        let error = "this is not asked any more, or that is no answer to it";
        return Err(Problem::conflict("not_asked", error));
    }
    let folder = RunFolder::of(&hub.paths, &id);
    let request = Request::Answer {
        id: given.ask,
        answer: given.answer,
        by: session.name,
    };
    folder.ask(&request).map_err(Problem::internal)?;
    Ok(Json(json!({ "answered": true, "lost": !folder.is_held() })))
}

/// Stops a run, and says whether it has stopped.
#[utoipa::path(post, path = "/api/flows/{id}/stop", params(("id" = String, Path)),
    responses((status = 200, description = "`{run, confirmed}`")))]
pub(super) async fn stop(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Extension(session): Extension<Session>,
) -> Result<Json<Value>, Problem> {
    let run = replay(&hub, &id).await?;
    let folder = RunFolder::of(&hub.paths, &id);
    if !run.state().is_over() {
        let by = session.name;
        folder
            .ask(&Request::Stop { by })
            .map_err(Problem::internal)?;
        if !folder.is_held() {
            // Its process has died: another must cancel what it had begun.
            flows::take_up(&id).map_err(Problem::internal)?;
        }
        let mut changes = flows::changes(&hub.paths);
        let stopped = async {
            while !replay(&hub, &id)
                .await
                .is_ok_and(|run| run.state().is_over())
            {
                changes.next().await;
            }
        };
        let _ = tokio::time::timeout(PATIENCE, stopped).await;
    }
    let run = replay(&hub, &id).await?;
    Ok(Json(
        json!({ "run": run.view(), "confirmed": run.state().is_over() }),
    ))
}

/// Goes on with a run that was stopped, has failed or lost its process.
#[utoipa::path(post, path = "/api/flows/{id}/resume", params(("id" = String, Path)),
    responses((status = 200, description = "`{id}`"), (status = 409, description = "not_resumable")))]
pub(super) async fn resume(
    State(hub): State<Hub>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    let id = resolved(&hub, &id).await?;
    let resumed = flows::resume(&id).await;
    resumed.map_err(|error| Problem::conflict("not_resumable", format!("{error:#}")))?;
    Ok(Json(json!({ "id": id })))
}

async fn resolved(hub: &Hub, id: &str) -> Result<String, Problem> {
    replay(hub, id).await.map(|run| run.begin.run)
}

async fn replay(hub: &Hub, id: &str) -> Result<Run, Problem> {
    let (path, id) = (hub.paths.store(), id.to_owned());
    let read = tokio::task::spawn_blocking(move || {
        let reader = Reader::open(path)?;
        flows::replay(&reader, &id)
    });
    match read.await.map_err(Problem::internal)? {
        Ok(run) => Ok(run),
        Err(error @ RecordError::Nobody(_)) => {
            Err(Problem::missing("no_such_run", error.to_string()))
        }
        Err(error) => Err(Problem::internal(error)),
    }
}
