//! `synapse tasks`, `synapse task` and `synapse cancel`: from the store, so that what was asked of an agent
//! can be read when the agent is gone.

use std::io::Write as _;

use anyhow::{Result, bail};
use hyper::Method;
use serde_json::{Value, json};
use synapse_a2a::id::TaskId;
use synapse_client::client::Client;
use synapse_client::native::TaskShape;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Entry;
use synapse_store::sweep::sweep;
use synapse_store::{Filter, Kept, Reader};

use super::lookup;
use crate::verbs::print;

/// How many tasks are listed.
const LISTED: usize = 500;

/// Lists tasks, of one agent or of all.
pub(crate) fn list(agent: Option<&str>, json: bool) -> Result<u8> {
    let reader = open()?;
    let mut filter = Filter {
        limit: LISTED,
        ..Filter::default()
    };
    match agent.map(lookup::agent) {
        Some(Ok(entry)) => filter.agent = Some(entry.agent_id.as_str().to_owned()),
        Some(Err(unknown)) => {
            // It may have been there once.
            let name = agent.unwrap_or_default().trim_start_matches('@');
            filter.handle = Some(name.to_lowercase());
            if reader.page(&filter)?.tasks.is_empty() {
                return Err(unknown);
            }
        }
        None => {}
    }
    let mut tasks = reader.page(&filter)?.tasks;
    tasks.sort_by(|one, other| other.task.place().cmp(&one.task.place()));
    let mut out = print::out();
    if json {
        let tasks: Vec<Value> = tasks.into_iter().map(shown).collect();
        writeln!(out, "{}", json!({ "tasks": tasks }))?;
        return Ok(0);
    }
    for kept in &tasks {
        let message = kept.task.message().words().replace('\n', " ");
        let message: String = message.chars().take(60).collect();
        let (id, state) = (kept.task.id(), kept.task.state());
        writeln!(out, "{id} {:12} {:14} {message}", kept.handle, state.name())?;
    }
    Ok(0)
}

/// Shows a task, or follows it to its end.
pub(crate) fn show(part: &str, follow: bool, json: bool) -> Result<u8> {
    let kept = find(part)?;
    if follow && let Some(entry) = host_of(&kept)? {
        return lookup::block_on(watch(&entry, kept.task.id()));
    }
    let mut out = print::out();
    if json {
        writeln!(out, "{}", shown(kept))?;
        return Ok(0);
    }
    let task = shown(kept);
    let text = |path: &str| task.pointer(path).and_then(Value::as_str).unwrap_or("");
    writeln!(
        out,
        "{} {} {}",
        text("/id"),
        text("/agent"),
        text("/status/state")
    )?;
    writeln!(out, "{}", text("/message/parts/0/text"))?;
    for line in [
        text("/reply"),
        text("/status/error/message"),
        text("/status/message"),
        text("/status/message/prompt"),
    ] {
        if !line.is_empty() {
            writeln!(out, "\n{line}")?;
        }
    }
    Ok(0)
}

/// Cancels a task.
pub(crate) fn cancel(part: &str) -> Result<u8> {
    let kept = find(part)?;
    let id = kept.task.id().clone();
    if kept.task.state().is_final() {
        bail!("the task {id} is {} already", kept.task.state());
    }
    let Some(entry) = host_of(&kept)? else {
        bail!("the agent of the task {id} has ended");
    };
    lookup::block_on(async {
        let client = Client::of(&entry)?;
        let path = format!("/tasks/{id}/cancel");
        client.call(Method::POST, &path, Some(&json!({}))).await?;
        writeln!(print::out(), "the task {id} is canceled")?;
        Ok(0)
    })
}

/// The store, after the tasks of hosts that died were failed.
fn open() -> Result<Reader> {
    let paths = Paths::from_env()?;
    // A store that cannot be written can still be read.
    if let Err(error) = sweep(&paths) {
        note!("synapse: {error}");
    }
    Ok(Reader::open(paths.store())?)
}

/// The task whose name begins or ends so.
fn find(part: &str) -> Result<Kept> {
    let reader = open()?;
    let found = reader.find(part)?;
    let names: Vec<&str> = found.iter().map(TaskId::as_str).collect();
    match found.as_slice() {
        [] => bail!("there is no task {part}"),
        [one] => match reader.task(one)? {
            Some(kept) => Ok(kept),
            None => bail!("there is no task {part}"),
        },
        _ => bail!("{part} means several tasks: {}", names.join(", ")),
    }
}

/// The agent that has a task, if it runs.
fn host_of(kept: &Kept) -> Result<Option<Entry>> {
    let entries = lookup::agents()?.into_iter();
    let mut same = entries.filter(|entry| entry.agent_id.as_str() == kept.agent);
    Ok(same.next())
}

/// A task in the native dialect, with the handle of its agent.
fn shown(kept: Kept) -> Value {
    let mut task = TaskShape::json(&kept.task);
    if let Some(task) = task.as_object_mut() {
        task.insert("agent".to_owned(), Value::from(kept.handle));
    }
    task
}

/// Prints the events of a task as they come.
async fn watch(entry: &Entry, task: &TaskId) -> Result<u8> {
    let client = Client::of(entry)?;
    let mut out = print::out();
    let mut events = client.follow(task.as_str()).await?;
    while let Some(event) = events.next().await? {
        writeln!(out, "{} {}", event.name(), event.data())?;
    }
    Ok(0)
}
