//! `synapse up` and `synapse restart`: agents started again as they were started before, with their conversations.

mod comeback;
mod conversation;
mod report;
mod unbegun;

use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use synapse_client::client::Client;
use synapse_client::current_agent;
use synapse_machine::handle::Handle;
use synapse_machine::launch_record::LaunchRecord;
use synapse_machine::lock::{LockGuard, is_held};
use synapse_machine::paths::{Paths, create_folder};
use synapse_machine::registry::Entry;
use tokio::time::sleep;

use super::spinner::Spinner;
use super::{Failure, lookup, stop, texts};
use crate::cli::complete;
use comeback::{Comeback, by_hand};
pub(super) use conversation::{conversation, open};
use report::{Attempt, Candidate, Report};

/// How often an agent is asked whether it rests.
const PACE: Duration = Duration::from_millis(250);

/// `synapse up …`
#[derive(Args)]
pub(crate) struct Up {
    /// Say what would be started, and start nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON: one object for each agent; `not_begun` has the ids of messages that it had not begun
    #[arg(long)]
    json: bool,
}

/// `synapse restart …`
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(crate) struct Restart {
    /// The agents: their handles, profiles or ids
    #[arg(conflicts_with = "all", add = complete::agents())]
    agents: Vec<String>,
    /// Restart all agents that run in the background
    #[arg(long)]
    all: bool,
    /// Do not wait until the agent rests: interrupt what it does
    #[arg(long)]
    now: bool,
    /// Begin a new conversation
    #[arg(long)]
    fresh: bool,
    /// Print JSON: one object for each agent; `not_begun` has the ids of messages that it had not begun
    #[arg(long)]
    json: bool,
}

/// Starts again whatever ran when the machine went down.
pub(crate) fn up(args: &Up) -> Result<u8> {
    if args.json {
        texts::speak_english();
    }
    let paths = Paths::from_env()?;
    let _turn = if args.dry_run {
        None
    } else {
        let turn = turn(&paths)?;
        if let Err(error) = super::mesh::bring_back(&paths) {
            note!("synapse: the mesh is not up: {error:#}");
        }
        Some(turn)
    };
    let records = LaunchRecord::waiting(&paths, &lookup::agents()?)
        .with_context(|| format!("cannot read {}", paths.launches().display()))?;
    let mut report = Report::new(&paths, args.json);
    report.tell_unreadable()?;
    if records.is_empty() && report.code == 0 && !args.json {
        note!("{}", texts::nothing_to_bring_back());
    }
    let mut planned = Vec::new();
    for record in &records {
        let running = lookup::agents()?;
        let mut taken: Vec<&Handle> = running.iter().map(|entry| &entry.handle).collect();
        taken.extend(&planned);
        let name = free_name(record, &taken, &records);
        let comeback = Comeback::of(record, &name, &running, &paths);
        let attempt = if args.dry_run {
            Attempt::plan(comeback)
        } else {
            Attempt::start(comeback, record, &paths)
        };
        let candidate = Candidate {
            handle: &record.handle,
            dir: &record.dir,
            record: Some(record),
            name: &name,
        };
        report.tell(&candidate, &attempt)?;
        planned.push(name);
    }
    Ok(report.code)
}

/// Waits until no other command starts agents again: each would find those of the other in its way.
fn turn(paths: &Paths) -> Result<LockGuard> {
    let path = paths.up_lock();
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    let _spinner = is_held(&path)?.then(|| Spinner::begin(texts::another_starts_agents()));
    LockGuard::wait_for_starts(&path).with_context(texts::another_starts_agents)
}

/// The name under which an agent can be started again: its own, or where another agent has it, one that nobody has.
fn free_name(record: &LaunchRecord, taken: &[&Handle], waiting: &[LaunchRecord]) -> Handle {
    let own = &record.handle;
    let is_free = |name: &Handle| {
        let is_promised = name != own && waiting.iter().any(|one| one.handle.is(name.as_str()));
        !is_promised && !taken.iter().any(|other| other.is(name.as_str()))
    };
    let mut names = (1..).map(|nth| own.nth(nth));
    names.find(is_free).unwrap_or_else(|| own.clone())
}

/// Ends agents and starts them again, with this version of Synapse.
pub(crate) fn restart(args: &Restart) -> Result<u8> {
    if args.json {
        texts::speak_english();
    }
    let mut entries = if args.all {
        lookup::agents()?
    } else if args.agents.is_empty() {
        return Err(Failure::new(Failure::USAGE, texts::name_agents_to_restart()).into());
    } else {
        let words = args.agents.iter();
        words
            .map(|word| lookup::agent_to_end(word))
            .collect::<Result<Vec<_>>>()?
    };
    let mut seen = Vec::new();
    entries.retain(|entry| {
        let is_new = !seen.contains(&entry.agent_id);
        seen.push(entry.agent_id.clone());
        is_new
    });
    let paths = Paths::from_env()?;
    let mut report = Report::new(&paths, args.json);
    for entry in &entries {
        let record = LaunchRecord::of_running(&paths, entry).filter(|record| !record.is_ended);
        let attempt = match (exemption(entry, record.as_ref()), &record) {
            // Those that can be restarted from here are meant.
            (Some(why), _) if args.all => {
                report.leave_out(&entry.handle, &why)?;
                continue;
            }
            (Some(why), _) => Attempt::Refused(anyhow!(why)),
            (None, None) => Attempt::Refused(anyhow!(texts::no_record_to_restart(&entry.handle))),
            (None, Some(record)) => restart_one(entry, record, args, &paths),
        };
        let candidate = Candidate {
            handle: &entry.handle,
            dir: &entry.working_dir,
            record: record.as_ref(),
            name: &entry.handle,
        };
        report.tell(&candidate, &attempt)?;
    }
    if entries.is_empty() && !args.json {
        note!("{}", texts::nothing_to_stop());
    }
    Ok(report.code)
}

/// Why an agent that runs cannot be restarted by this command, though nothing is wrong with it.
fn exemption(entry: &Entry, record: Option<&LaunchRecord>) -> Option<String> {
    let handle = &entry.handle;
    if entry.is_adopted {
        return Some(texts::adopted_is_not_restarted(handle));
    }
    if current_agent::is_around(entry) {
        return Some(texts::is_around_this_command(handle));
    }
    let record = record.filter(|record| record.is_wrapped)?;
    Some(match by_hand(record) {
        Ok(command) => texts::runs_in_own_terminal(handle, command),
        Err(why) => texts::cannot_be_started(handle, texts::errors::told(&why)),
    })
}

fn restart_one(entry: &Entry, record: &LaunchRecord, args: &Restart, paths: &Paths) -> Attempt {
    let _turn = match end(entry, record, args, paths) {
        Ok(turn) => turn,
        Err(why) => return Attempt::Refused(why),
    };
    // What its program called the conversation may have been written since.
    let last = LaunchRecord::of_running(paths, entry);
    let record = last.as_ref().unwrap_or(record);
    let comeback = lookup::agents()
        .and_then(|running| Comeback::of(record, &entry.handle, &running, paths))
        .map(|it| if args.fresh { it.fresh() } else { it });
    Attempt::start(comeback, record, paths)
}

/// Ends an agent that can be started again, and no sooner than that is known.
fn end(entry: &Entry, record: &LaunchRecord, args: &Restart, paths: &Paths) -> Result<LockGuard> {
    let mut others = lookup::agents()?;
    others.retain(|other| other.agent_id != entry.agent_id);
    Comeback::of(record, &entry.handle, &others, paths)?;
    if !args.now {
        until_it_rests(entry)?;
    }
    let turn = turn(paths)?;
    stop::end(std::slice::from_ref(entry))?;
    Ok(turn)
}

/// Waits until an agent has nothing to do.
fn until_it_rests(entry: &Entry) -> Result<()> {
    let handle = &entry.handle;
    let spinner = Spinner::begin(texts::waiting_for_rest(handle));
    let client = Client::of(entry)?;
    lookup::block_on(async {
        loop {
            let now = lookup::within(lookup::MOMENT, client.status()).await?;
            match now.status.as_str() {
                "IDLE" if now.queue == 0 && now.task.is_none() => return Ok(()),
                "INPUT_REQUIRED" => {
                    let error = texts::asks_before_restart(handle);
                    return Err(Failure::new(Failure::ASKING, error).into());
                }
                status => spinner.say(texts::waiting_for_rest_while(
                    handle,
                    texts::state(status),
                    now.queue,
                )),
            }
            sleep(PACE).await;
        }
    })
}
