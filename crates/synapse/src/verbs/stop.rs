//! `synapse stop`: returns when the hosts and all they started are gone. An agent that does not run, but would be brought
//! back, is not brought back.

use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use clap::Args;
use rustix::io::Errno;
use rustix::process::{Pid, Signal};
use serde_json::json;
use synapse_machine::launch_record::LaunchRecord;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Entry;
use synapse_platform::process::Held;

use super::spinner::Spinner;
use super::{Failure, lookup, print, texts};
use crate::cli::complete;

/// How long a host may take to end its agent before it is killed, and its agent with it. It gives
/// the agent some seconds itself.
const PATIENCE: Duration = Duration::from_secs(15);

/// How long the kernel may take to end what was killed.
const KILL_PATIENCE: Duration = Duration::from_secs(5);

/// `synapse stop …`
#[derive(Args)]
pub(crate) struct Stop {
    /// The agents: their handles, profiles or ids
    #[arg(conflicts_with = "all", add = complete::agents_to_end())]
    agents: Vec<String>,
    /// Stop all agents
    #[arg(long)]
    all: bool,
    /// Print JSON: the handles of those that were stopped; under `left` those whose programs were adopted and go on,
    /// under `forgotten` those that did not run and are not brought back
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub(crate) fn run(args: &Stop) -> Result<u8> {
    if !args.all && args.agents.is_empty() {
        return Err(Failure::new(Failure::USAGE, texts::name_agents_to_stop()).into());
    }
    let paths = Paths::from_env()?;
    let mut entries = if args.all {
        lookup::agents()?
    } else {
        Vec::new()
    };
    let mut gone = Vec::new();
    for word in &args.agents {
        let waiting = waiting(word, &paths)?;
        if waiting.is_empty() {
            entries.push(lookup::agent_to_end(word)?);
        }
        gone.extend(waiting);
    }
    end(&entries)?;
    for record in &gone {
        let handle = &record.handle;
        record
            .forget(&paths)
            .with_context(|| format!("`synapse up` will start {handle} again"))?;
        if !args.json {
            note!("{}", texts::is_not_brought_back(handle));
        }
    }
    for entry in &entries {
        let handle = &entry.handle;
        // Whatever `stop --all` ended comes back with `synapse up`.
        if !args.all
            && let Some(record) = LaunchRecord::of_running(&paths, entry)
            && let Err(error) = record.forget(&paths)
        {
            note!("synapse: `synapse up` will start {handle} again: {error}");
        }
        if args.json {
            continue;
        }
        if entry.is_adopted {
            note!("{}", texts::is_no_agent(handle));
        } else {
            note!("{}", texts::is_stopped(handle));
        }
    }
    if args.json {
        let (left, stopped): (Vec<&Entry>, Vec<&Entry>) =
            entries.iter().partition(|entry| entry.is_adopted);
        let [left, stopped] = [left, stopped].map(|entries| {
            let handles = entries.iter().map(|entry| entry.handle.as_str());
            handles.collect::<Vec<_>>()
        });
        let forgotten = gone.iter().map(|record| record.handle.as_str());
        let forgotten: Vec<&str> = forgotten.collect();
        let told = json!({ "stopped": stopped, "left": left, "forgotten": forgotten });
        writeln!(print::out(), "{told}")?;
    } else if args.all && entries.is_empty() {
        note!("{}", texts::nothing_to_stop());
    } else if args.all && entries.iter().any(|entry| !entry.is_adopted) {
        note!("{}", texts::up_again());
    }
    Ok(0)
}

/// The agent of that name that does not run, but that `synapse up` would bring back. Its name wins over the profile of
/// one that runs: `synapse up` names it so, or by its id where one that runs has its name.
fn waiting(word: &str, paths: &Paths) -> Result<Vec<LaunchRecord>> {
    let name = word.strip_prefix('@').unwrap_or(word);
    let running = lookup::agents()?;
    let runs = running.iter().any(|entry| entry.handle.is(name));
    let mut records = LaunchRecord::waiting(paths, &running)
        .with_context(|| format!("cannot read {}", paths.launches().display()))?;
    records.retain(|record| !runs && record.handle.is(name) || record.agent_id.as_str() == name);
    Ok(records)
}

/// Ends agents. All are told first, so that it takes as long as the slowest.
pub(super) fn end(entries: &[Entry]) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    let mut told = Vec::new();
    for entry in entries {
        told.push((entry, tell(entry)?));
    }
    for (entry, host) in told {
        let handle = &entry.handle;
        let spinner = Spinner::begin(texts::is_stopping(handle));
        if let Some(host) = host {
            wait(&host, deadline).with_context(|| format!("{handle} is still there"))?;
        }
        drop(spinner);
    }
    // What a host that had to be killed left behind is swept.
    lookup::agents()?;
    Ok(())
}

/// Tells a host to end its agent. Nothing if it is gone already.
fn tell(entry: &Entry) -> Result<Option<Held>> {
    let pid = i32::try_from(entry.pid).ok().and_then(Pid::from_raw);
    let Some(pid) = pid else { return Ok(None) };
    let told = Held::of(pid).and_then(|host| {
        host.signal(Signal::TERM)?;
        // One that is stopped must go on to hear it.
        host.signal(Signal::CONT)?;
        Ok(host)
    });
    match told {
        Ok(host) => Ok(Some(host)),
        Err(error) if Errno::from_io_error(&error) == Some(Errno::SRCH) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be stopped", entry.handle)),
    }
}

/// Waits for the end of a host, and brings it about if it does not come.
fn wait(host: &Held, deadline: Instant) -> Result<()> {
    if host.ends_within(deadline.saturating_duration_since(Instant::now()))? {
        return Ok(());
    }
    host.signal(Signal::KILL)?;
    if host.ends_within(KILL_PATIENCE)? {
        return Ok(());
    }
    Err(Failure::new(1, "the host was killed but has not ended").into())
}
