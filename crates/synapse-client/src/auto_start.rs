//! Starts the agent that a message is for, if its `auto_start` setting allows it.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tokio::time::timeout;

use synapse_machine::child;

/// How long an agent may take to be started.
const PATIENCE: Duration = Duration::from_mins(1);

/// Starts an agent of a profile in the background, to work in `dir`; its handle. It can be reached when this returns,
/// and keeps what it is sent until its program is ready.
///
/// # Errors
/// If it cannot be started, as `synapse start` says it.
pub async fn start(profile: &str, dir: &Path) -> Result<String> {
    let program =
        synapse_machine::child::own_program().context("cannot find the path of this program")?;
    let mut command = child::command(program);
    command
        .args(["start", profile, "--json"])
        .current_dir(dir)
        // It is nobody's child agent.
        .env_remove("SYNAPSE_AGENT_ID")
        .stdin(Stdio::null());
    let started = tokio::task::spawn_blocking(move || command.output());
    let done = timeout(PATIENCE, started).await;
    let done =
        done.with_context(|| format!("it did not start within {} s", PATIENCE.as_secs()))???;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        bail!("{}", said.trim().trim_start_matches("synapse: "));
    }
    let told: Value = serde_json::from_slice(&done.stdout).unwrap_or_default();
    let handle = told.get("handle").and_then(Value::as_str);
    Ok(handle.unwrap_or(profile).to_owned())
}
