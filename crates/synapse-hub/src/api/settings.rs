//! What the hub runs with, and which profiles there are.

use std::collections::BTreeSet;
use std::path::Path;

use axum::extract::State;
use axum::{Extension, Json};
use serde::Serialize;
use serde_json::{Value, json};
use synapse_machine::private_file::{Trust, read_text};
use synapse_term::profile::Profile;
use utoipa::ToSchema;

use crate::Hub;
use crate::problem::Problem;
use crate::shapes::Session;

/// Checks that the hub answers.
#[utoipa::path(get, path = "/healthz", responses((status = 200, description = "`{status}`")))]
pub(super) async fn health() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// What is known of one CLI.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ProfileRow {
    name: String,
    command: Vec<String>,
    /// `built-in` or `yours`.
    source: &'static str,
    /// Its program is there.
    installed: bool,
}

/// Lists the profiles that an agent can be started with.
#[utoipa::path(get, path = "/api/profiles", responses((status = 200, description = "`{profiles}`")))]
pub(super) async fn profiles(State(hub): State<Hub>) -> Result<Json<Value>, Problem> {
    Ok(Json(json!({ "profiles": rows(&hub).await? })))
}

/// Gets the settings of this hub.
#[utoipa::path(get, path = "/api/settings", responses((status = 200, description = "`{hub, session, profiles, problems}`")))]
pub(super) async fn show(
    State(hub): State<Hub>,
    Extension(session): Extension<Session>,
) -> Result<Json<Value>, Problem> {
    let registry = hub.registry.clone();
    let survey = tokio::task::spawn_blocking(move || registry.survey()).await;
    let survey = survey
        .map_err(Problem::internal)?
        .map_err(Problem::internal)?;
    let problems = survey.unreadable.iter().map(|file| {
        format!(
            "{}: {}; move it away if no agent needs it",
            file.path.display(),
            file.reason
        )
    });
    let problems: Vec<String> = problems.collect();
    Ok(Json(json!({
        "hub": {
            "version": env!("CARGO_PKG_VERSION"),
            "started_at": hub.started_at.to_string(),
            "dir": hub.scope.home,
            "address": hub.url,
            "roots": hub.scope.roots,
        },
        "session": session,
        "profiles": rows(&hub).await?,
        "problems": problems,
    })))
}

/// The names an agent can be started by.
pub(super) fn profile_names(hub: &Hub) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = Profile::builtin_names().map(str::to_owned).collect();
    let own = std::fs::read_dir(hub.paths.profiles())
        .into_iter()
        .flatten()
        .flatten();
    names.extend(own.filter_map(|file| {
        let name = file.file_name();
        let name = name.to_str()?.strip_suffix(".yaml")?;
        // As a word of a command line it could be taken for an option or a path.
        let is_word = !name.starts_with(['-', '.']) && !name.is_empty();
        is_word.then(|| name.to_owned())
    }));
    names
}

async fn rows(hub: &Hub) -> Result<Vec<ProfileRow>, Problem> {
    let hub = hub.clone();
    let rows = tokio::task::spawn_blocking(move || {
        let names = profile_names(&hub).into_iter();
        names.filter_map(|name| row(&hub, &name)).collect()
    });
    rows.await.map_err(Problem::internal)
}

fn row(hub: &Hub, name: &str) -> Option<ProfileRow> {
    let folder = hub.paths.profiles();
    let text = |name: &str| read_text(&folder.join(format!("{name}.yaml")), Trust::Own).ok();
    let (profile, source) = match text(name) {
        Some(own) => (Profile::parse(&own, name, &text).ok()?, "yours"),
        None => (Profile::builtin(name).ok()?, "built-in"),
    };
    // One without a command of its own is only there to be extended.
    let program = profile.command.first()?;
    Some(ProfileRow {
        name: name.to_owned(),
        installed: is_installed(program),
        command: profile.command,
        source,
    })
}

/// Whether a program is found where the shell would look.
fn is_installed(program: &str) -> bool {
    if program == "synapse" {
        return true;
    }
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
