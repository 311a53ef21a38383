//! Starts and stops agents as a person would: with this very program.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use axum::http::StatusCode;
use tokio::process::Command;
use tokio::time::timeout;

use super::problem::Problem;
use synapse_machine::child;

/// A program that takes longer to start, or to end, has got stuck.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is to be started.
#[derive(Debug)]
pub(super) struct Start<'a> {
    /// None where `args` is a command of its own.
    pub(super) profile: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) dir: &'a Path,
    pub(super) may_answer_itself: bool,
    /// The conversation to go on with.
    pub(super) resume: Option<&'a str>,
    pub(super) args: &'a [String],
}

/// Starts an agent. Its handle.
pub(super) async fn start(start: &Start<'_>) -> Result<String, Problem> {
    let mut command = own()?;
    command.arg("start").arg("--cwd").arg(start.dir);
    if let Some(name) = start.name {
        command.arg("--name").arg(name);
    }
    if start.may_answer_itself {
        command.arg("--may-answer-itself");
    }
    if let Some(conversation) = start.resume {
        command.arg(format!("--resume={conversation}"));
    }
    command.args(start.profile).arg("--").args(start.args);
    let printed = run(command).await?;
    // `handle (PID n) http://…`
    let handle = printed.split(" (PID ").next().unwrap_or_default();
    Ok(handle.trim().to_owned())
}

/// The older conversations of a program in a folder, as `synapse conversations` tells them.
pub(super) async fn conversations(profile: &str, dir: &Path) -> Result<serde_json::Value, Problem> {
    let mut command = own()?;
    command.args(["conversations", "--json", "--cwd"]);
    command.arg(dir).arg("--").arg(profile);
    serde_json::from_str(&run(command).await?).map_err(Problem::internal)
}

/// Ends an agent and all it started.
pub(super) async fn stop(id: &str) -> Result<(), Problem> {
    let mut command = own()?;
    command.arg("stop").arg(id);
    run(command).await.map(drop)
}

fn own() -> Result<Command, Problem> {
    let own = synapse_machine::child::own_program().map_err(Problem::internal)?;
    Ok(Command::from(child::command(own)))
}

async fn run(mut command: Command) -> Result<String, Problem> {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let late = |_| {
        let error = format!("it did not happen within {PATIENCE:?}");
        Problem::new(StatusCode::GATEWAY_TIMEOUT, "timeout", error)
    };
    let output = timeout(PATIENCE, command.output()).await.map_err(late)?;
    let output = output.map_err(Problem::internal)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let error = String::from_utf8_lossy(&output.stderr);
    let error = error.trim().trim_start_matches("synapse: ").to_owned();
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    Err(Problem::new(status, "start_failed", error))
}
