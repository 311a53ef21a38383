//! `synapse up` and `synapse restart`: agents started again as they were started before, with their conversations.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Parser as _};
use serde_json::{Value, json};
use synapse_a2a::error::FailureCode;
use synapse_a2a::event::{Fact, Status, Timestamp};
use synapse_a2a::task::TaskState;
use synapse_client::client::Client;
use synapse_machine::handle::Handle;
use synapse_machine::launch_record::{LaunchRecord, is_conversation_name};
use synapse_machine::paths::Paths;
use synapse_machine::registry::Entry;
use synapse_store::{Filter, Kept, Reader};
use synapse_term::profile::{Backend, Profile};
use tokio::time::sleep;

use super::program::Program;
use super::spinner::Spinner;
use super::table::short;
use super::{Failure, conversations, lookup, print, start, stop, texts};
use crate::cli::{Start, Wrap, complete};

/// How often an agent is asked whether it rests.
const PACE: Duration = Duration::from_millis(250);

/// How many messages that were not begun are named.
const OFFERED: usize = 100;

/// `synapse up …`
#[derive(Args)]
pub(crate) struct Up {
    /// Say what would be started, and start nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON: one object for each agent
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
    /// Print JSON: one object for each agent
    #[arg(long)]
    json: bool,
}

/// Starts again whatever ran when the machine went down.
pub(crate) fn up(args: &Up) -> Result<u8> {
    let paths = Paths::from_env()?;
    if !args.dry_run
        && let Err(error) = super::mesh::bring_back(&paths)
    {
        note!("synapse: the mesh is not up: {error:#}");
    }
    let running = lookup::agents()?;
    let records = LaunchRecord::waiting(&paths, &running)
        .with_context(|| format!("cannot read {}", paths.launches().display()))?;
    if records.is_empty() && !args.json {
        note!("{}", texts::nothing_to_bring_back());
    }
    let mut code = 0;
    for record in &records {
        let told = if args.dry_run {
            Ok(plan(record))
        } else {
            bring_back(record, false, &paths)
        };
        let is_refused = told.is_err();
        if is_refused {
            code = 1;
            // A program that ended at once has ended for good by its host; the next `up` tries again.
            record.save(&paths)?;
        }
        tell(record, told, args.json)?;
        if !args.json {
            if is_refused {
                note!("{}", texts::tried_again(&record.handle));
            }
            offer(record, &paths)?;
        }
    }
    Ok(code)
}

/// Names the messages that were waiting when an agent went down. They are not sent unasked.
fn offer(record: &LaunchRecord, paths: &Paths) -> Result<()> {
    let since = record.started_at.as_millisecond().unsigned_abs();
    let filter = Filter {
        agent: Some(record.agent_id.as_str().to_owned()),
        handle: Some(record.handle.to_string()),
        state: Some(TaskState::Failed),
        updated_after: Some(Timestamp(since)),
        limit: OFFERED,
        ..Filter::default()
    };
    let reader = Reader::open(paths.store())?;
    for listed in reader.page(&filter)?.tasks.iter().rev() {
        // A list has no events.
        let Some(kept) = reader.task(listed.task.id())?.filter(is_untouched) else {
            continue;
        };
        let (handle, id) = (&record.handle, short(kept.task.id().as_str()));
        let words = kept.task.message().words().replace('\n', " ");
        let words: String = words.chars().take(60).collect();
        note!("{}", texts::not_begun(format!("{words:?}"), handle, id));
    }
    Ok(())
}

/// Whether an agent went down before it began a task.
fn is_untouched(kept: &Kept) -> bool {
    let moves = kept.events.iter().filter_map(|event| match &event.fact {
        Fact::Moved { status } => Some(status.state()),
        _ => None,
    });
    let is_working = |state| state == TaskState::Working;
    let Status::Failed { failure } = kept.task.status() else {
        return false;
    };
    let codes = [FailureCode::HostCrashed, FailureCode::AgentExited];
    codes.contains(&failure.code) && !moves.into_iter().any(is_working)
}

/// Ends agents and starts them again, with this version of Synapse.
pub(crate) fn restart(args: &Restart) -> Result<u8> {
    let entries = if args.all {
        lookup::agents()?
    } else if args.agents.is_empty() {
        return Err(Failure::new(Failure::USAGE, texts::name_agents_to_restart()).into());
    } else {
        let words = args.agents.iter();
        words
            .map(|word| lookup::agent_to_end(word))
            .collect::<Result<Vec<_>>>()?
    };
    let paths = Paths::from_env()?;
    let mut code = 0;
    for entry in &entries {
        match restart_one(entry, args, &paths) {
            Ok(one) => code = code.max(one),
            // Of all, each that can be restarted is.
            Err(error) if args.all => {
                note!("synapse: {error:#}");
                code = code.max(1);
            }
            Err(error) => return Err(error),
        }
    }
    if entries.is_empty() && !args.json {
        note!("{}", texts::nothing_to_stop());
    }
    Ok(code)
}

fn restart_one(entry: &Entry, args: &Restart, paths: &Paths) -> Result<u8> {
    let handle = &entry.handle;
    let Some(record) = LaunchRecord::of(paths, &entry.agent_id) else {
        bail!("{}", texts::no_record_to_restart(handle));
    };
    if record.is_wrapped {
        let words = match shown(&record) {
            words if words.is_empty() => record.words.join(" "),
            words => format!("{words} --resume"),
        };
        bail!("{}", texts::runs_in_own_terminal(handle, words));
    }
    if !args.now {
        until_it_rests(entry)?;
    }
    stop::end(std::slice::from_ref(entry))?;
    // What its program called the conversation may have been written since.
    let record = LaunchRecord::of(paths, &entry.agent_id).unwrap_or(record);
    let told = bring_back(&record, args.fresh, paths);
    let code = u8::from(told.is_err());
    tell(&record, told, args.json)?;
    if !args.json {
        offer(&record, paths)?;
    }
    Ok(code)
}

/// The conversation that a start is to continue: the one it names, or the last of such an agent in this folder.
pub(super) fn conversation(
    start: &Start,
    profile: &Profile,
    dir: &Path,
    paths: &Paths,
) -> Result<Option<String>> {
    match start.resume.as_deref() {
        None => return Ok(None),
        Some("") => {}
        Some(name) => return Ok(Some(name.to_owned())),
    }
    if profile.resume.is_empty() && profile.backend == Backend::Terminal {
        let error = conversations::not_continued_by(profile);
        return Err(Failure::new(Failure::USAGE, error).into());
    }
    let mut records = LaunchRecord::all(paths)?;
    records.retain(|record| record.dir == dir && record.words.first() == start.profile.as_ref());
    let mut found = records.iter().rev();
    let found = found.find_map(known_conversation);
    // One that was never wrapped is in the program's own files.
    let newest = || Some(conversations::past(profile, dir).into_iter().next()?.name);
    let found = found.or_else(newest);
    if found.is_none() {
        bail!("{}", texts::no_conversations(&profile.name, dir.display()));
    }
    Ok(found)
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

/// How an agent would be started.
fn plan(record: &LaunchRecord) -> Value {
    json!({ "handle": record.handle.as_str(), "dir": record.dir, "start": record.words })
}

/// Starts an agent as it was started before. A conversation that cannot be continued gives way to a new one.
fn bring_back(record: &LaunchRecord, is_fresh: bool, paths: &Paths) -> Result<Value> {
    let words = std::iter::once("synapse".to_owned()).chain(record.words.iter().cloned());
    let mut start = Wrap::try_parse_from(words)
        .context("it was started by another version")?
        .start;
    start.name = Some(record.handle.to_string());
    start.cwd = Some(record.dir.to_string_lossy().into_owned());
    let program = Program::find(&start);
    let profile = program.as_ref().ok().map(|program| &program.profile);
    let mut conversation = profile
        .filter(|profile| !is_fresh && !profile.resume.is_empty())
        .and_then(|_| known_conversation(record));
    // What was to be said at the first start was said then, and the conversation is chosen by us.
    let rules = profile.and_then(|profile| profile.arguments.as_ref());
    if let Some(rules) = rules.filter(|_| is_fresh || conversation.is_some()) {
        start.args = rules.lasting(&start.args);
    }
    let mut warning = None;
    if let Some(name) = &conversation
        && let Some(other) = who_continues(name, record, paths)?
    {
        warning = Some(texts::continued_elsewhere(name, other));
        conversation = None;
    }
    let mut told = match &conversation {
        Some(name) => {
            let resumed = Start {
                resume: Some(name.clone()),
                ..start.clone()
            };
            match start::launch(&resumed) {
                Ok(told) => told,
                Err(why) => {
                    warning = Some(texts::not_continued(name, format!("{why:#}")));
                    conversation = None;
                    start::launch(&start)?
                }
            }
        }
        None => start::launch(&start)?,
    };
    let of_start = told.get("warning").and_then(Value::as_str);
    let warnings: Vec<&str> = warning.as_deref().into_iter().chain(of_start).collect();
    if !warnings.is_empty() {
        let warnings = warnings.join("; ");
        set(&mut told, "warning", json!(warnings));
    }
    set(&mut told, "conversation", json!(conversation));
    Ok(told)
}

/// The conversation that an agent had, as its program calls it.
fn known_conversation(record: &LaunchRecord) -> Option<String> {
    let known = record.conversation.clone();
    known.filter(|name| is_conversation_name(name))
}

/// Another agent of this folder that is in this conversation. Two in one would write over each other.
fn who_continues(name: &str, record: &LaunchRecord, paths: &Paths) -> Result<Option<Handle>> {
    let is_in_it = |entry: &Entry| {
        let other = LaunchRecord::of(paths, &entry.agent_id);
        let is_same = |other: LaunchRecord| {
            other.dir == record.dir && known_conversation(&other).as_deref() == Some(name)
        };
        entry.handle != record.handle && other.is_some_and(is_same)
    };
    let mut running = lookup::agents()?.into_iter();
    Ok(running.find(is_in_it).map(|entry| entry.handle))
}

fn set(told: &mut Value, name: &str, value: Value) {
    if let Some(fields) = told.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}

/// What somebody would type to start it.
fn shown(record: &LaunchRecord) -> String {
    let words = record.words.iter().take_while(|word| *word != "--");
    words.cloned().collect::<Vec<_>>().join(" ")
}

fn tell(record: &LaunchRecord, told: Result<Value>, json: bool) -> Result<()> {
    let handle = &record.handle;
    let mut out = print::out();
    if json {
        let told = told.unwrap_or_else(
            |error| json!({ "handle": handle.as_str(), "error": format!("{error:#}") }),
        );
        writeln!(out, "{told}")?;
        return Ok(());
    }
    match told {
        Err(error) => note!("{}", texts::cannot_be_started(handle, format!("{error:#}"))),
        Ok(told) => {
            let dir = record.dir.display();
            let how = match (
                told.get("pid"),
                told.get("conversation").and_then(Value::as_str),
            ) {
                (None, _) => texts::would_start(handle, dir),
                (_, Some(name)) => texts::is_back_with(handle, name, dir),
                (_, None) => texts::is_back(handle, dir),
            };
            writeln!(out, "{how}")?;
            if let Some(warning) = told.get("warning").and_then(Value::as_str) {
                note!("synapse: {}", texts::warning(warning));
            }
        }
    }
    Ok(())
}
