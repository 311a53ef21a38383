//! Flows from outside: where they are, how one is started, and how a run is watched, answered and stopped. The process
//! that runs a flow is the only one that writes its events; others leave requests in the folder of the run.

mod folder;
mod library;
mod record;

pub use folder::{Request, RunFolder, changes, tell_of_change};
pub use library::{Found, Origin, find, is_known, list};
pub use record::{RecordError, events, replay, resolve};

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use synapse_machine::child;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Registry;
use synapse_platform::process::is_below;

/// Who starts a flow from elsewhere than a terminal.
#[derive(Clone, Debug, Default)]
pub struct Starter {
    /// Who, for those who read of it later.
    pub by: String,
    /// It is an agent, and what it works on has passed through so many.
    pub hops: Option<u8>,
}

/// Starts a flow by its name, in a process of its own that outlives us; the id of the run.
///
/// # Errors
/// Why it cannot be started, as the command says it.
pub async fn start(
    name: &str,
    inputs: &BTreeMap<String, Value>,
    dir: &Path,
    starter: &Starter,
    simulate: bool,
) -> Result<String> {
    let program =
        synapse_machine::child::own_program().context("cannot find the path of this program")?;
    let mut command = child::command(program);
    command.args(["flow", "run", "--detach", "--json", "--by-name"]);
    command.arg(format!("--by={}", starter.by));
    if let Some(hops) = starter.hops {
        command.arg(format!("--hops={hops}"));
    }
    if simulate {
        command.arg("--simulate");
    }
    for (key, value) in inputs {
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        command.arg(format!("--input={key}={value}"));
    }
    command.args(["--", name]);
    command
        .current_dir(dir)
        .env_remove(crate::current_agent::ID)
        .stdin(Stdio::null());
    let done = tokio::task::spawn_blocking(move || command.output()).await??;
    let told: Value = serde_json::from_slice(&done.stdout).unwrap_or_default();
    match told.get("id").and_then(Value::as_str) {
        Some(id) if done.status.success() => Ok(id.to_owned()),
        _ => {
            let said = String::from_utf8_lossy(&done.stderr);
            bail!("{}", said.trim().trim_start_matches("synapse: "))
        }
    }
}

/// Whether this process was started by an agent, however far up: no agent answers a gate.
pub fn is_inside_agent(paths: &Paths) -> bool {
    if std::env::var_os(crate::current_agent::ID).is_some() {
        return true;
    }
    let entries = Registry::new(paths.registry()).list().unwrap_or_default();
    let Ok(own) = i32::try_from(std::process::id()) else {
        return true;
    };
    let mut hosts = entries
        .iter()
        .filter_map(|entry| i32::try_from(entry.pid).ok());
    hosts.any(|host| is_below(own, host))
}

/// Has a process of its own run a run that nobody runs.
///
/// # Errors
/// When it cannot be started.
pub fn take_up(id: &str) -> Result<()> {
    let program =
        synapse_machine::child::own_program().context("cannot find the path of this program")?;
    let mut command = child::command(program);
    command
        .args(["flow", "host", "--", id])
        .env_remove(crate::current_agent::ID)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().context("the run could not be started")?;
    // Somebody must wait for it, or it stays as a zombie of ours.
    std::thread::spawn(move || child.wait());
    Ok(())
}

/// Goes on with a run in a process of its own.
///
/// # Errors
/// Why that cannot be, as the command says it.
pub async fn resume(id: &str) -> Result<()> {
    let program =
        synapse_machine::child::own_program().context("cannot find the path of this program")?;
    let mut command = child::command(program);
    command
        .args(["flow", "resume", "--detach", "--json", "--", id])
        .env_remove(crate::current_agent::ID)
        .stdin(Stdio::null());
    let done = tokio::task::spawn_blocking(move || command.output()).await??;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        bail!("{}", said.trim().trim_start_matches("synapse: "));
    }
    Ok(())
}
