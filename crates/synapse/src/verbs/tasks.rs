//! `synapse tasks`, `synapse task` and `synapse cancel`: from the store, so that what was asked of an agent
//! can be read when the agent is gone.

use std::io::{IsTerminal as _, Write as _};
use std::num::NonZeroUsize;

use anyhow::{Result, bail};
use clap::Args;
use hyper::Method;
use serde_json::{Value, json};
use synapse_a2a::id::TaskId;
use synapse_a2a::task::TaskState;
use synapse_client::client::Client;
use synapse_client::mesh::{MeshView, is_elsewhere};
use synapse_client::native::TaskShape;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Entry;
use synapse_store::sweep::sweep;
use synapse_store::{Filter, Kept, Reader};

use super::table::{Table, age, short};
use super::{input, lookup, mesh, send, texts};
use crate::cli::complete;
use crate::verbs::print;

/// How many are named where a word means several tasks.
const NAMED: usize = 5;

/// Who sent a task, and when, give way to its message in a narrow terminal.
const SPARE: &[usize] = &[2, 4];

/// `synapse tasks …`
#[derive(Args)]
pub(crate) struct Tasks {
    /// Of this agent only
    #[arg(add = complete::agents())]
    agent: Option<String>,
    /// How many, the newest first; by default 20, with --json 500
    #[arg(short = 'n', long, value_name = "COUNT", value_parser = input::count)]
    limit: Option<NonZeroUsize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Tasks {
    fn most(&self) -> usize {
        let usual = if self.json { 500 } else { 20 };
        self.limit.map_or(usual, NonZeroUsize::get)
    }
}

/// Lists tasks, of one agent or of all.
pub(crate) fn list(args: &Tasks) -> Result<u8> {
    let (agent, json) = (args.agent.as_deref(), args.json);
    if let Some(Ok(entry)) = agent.map(lookup::agent)
        && is_elsewhere(&entry)
    {
        return list_elsewhere(&entry, args);
    }
    let reader = open()?;
    let mut filter = Filter {
        limit: args.most(),
        ..Filter::default()
    };
    match agent.map(lookup::agent) {
        Some(Ok(entry)) => {
            filter.agent = Some(entry.agent_id.as_str().to_owned());
            filter.handle = Some(entry.handle.to_string());
        }
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
    if json {
        let tasks: Vec<Value> = tasks.into_iter().map(shown).collect();
        print::json(&json!({ "tasks": tasks }))?;
        return Ok(0);
    }
    if tasks.is_empty() {
        let whom = agent.unwrap_or("AGENT");
        note!("{}", texts::no_tasks_yet(whom));
    }
    let is_terminal = std::io::stdout().is_terminal();
    let mut table = Table::new([
        texts::column_id(),
        texts::column_for(),
        texts::column_from(),
        texts::column_state(),
        texts::column_age(),
        texts::column_message(),
    ])
    .sparing(SPARE);
    for kept in &tasks {
        let (id, state) = (kept.task.id().as_str(), kept.task.state());
        let millis = jiff::Timestamp::now().as_millisecond().unsigned_abs();
        let seconds = millis.saturating_sub(kept.task.created_at().0) / 1_000;
        let cells = [
            if is_terminal { short(id) } else { id }.to_owned(),
            kept.handle.clone(),
            kept.task.origin().sender.clone(),
            texts::task_state(state),
            age(seconds),
            kept.task.message().words(),
        ];
        let colour = match state {
            TaskState::Working | TaskState::Submitted => Some(32),
            TaskState::InputRequired => Some(33),
            TaskState::Failed | TaskState::Rejected => Some(31),
            TaskState::Completed | TaskState::Canceled => None,
        };
        table.push(cells, [None, None, None, colour, None, None], &[]);
    }
    table.print()?;
    Ok(0)
}

/// Lists the tasks of an agent of another machine, as it tells them.
fn list_elsewhere(entry: &Entry, args: &Tasks) -> Result<u8> {
    let client = Client::of(entry)?;
    let tasks = lookup::block_on(lookup::within(lookup::MOMENT, client.tasks()))?;
    let tasks = tasks.into_iter().take(args.most());
    if args.json {
        let tasks: Vec<Value> = tasks.map(|task| named(json!(task), entry)).collect();
        print::json(&json!({ "tasks": tasks }))?;
        return Ok(0);
    }
    let is_terminal = std::io::stdout().is_terminal();
    let header = ["ID", "AGENT", "FROM", "STATE", "AGE", "MESSAGE"];
    let mut table = Table::new(header.map(str::to_owned)).sparing(SPARE);
    for task in tasks {
        let created: Option<jiff::Timestamp> = task.created_at.parse().ok();
        let seconds = created.map_or(0, |at| (jiff::Timestamp::now() - at).get_seconds());
        let message = json!(task.message);
        let words = message.pointer("/parts/0/text").and_then(Value::as_str);
        let cells = [
            if is_terminal {
                short(&task.id)
            } else {
                &task.id
            }
            .to_owned(),
            entry.handle.to_string(),
            task.sender.clone(),
            task.status.state.name().to_owned(),
            age(seconds.unsigned_abs()),
            words.unwrap_or_default().to_owned(),
        ];
        table.push(cells, [None; 6], &[]);
    }
    table.print()?;
    Ok(0)
}

/// A task that an agent of another machine has: the agent, and the whole id.
fn elsewhere(part: &str) -> Result<Option<(Entry, String)>> {
    let Some(view) = MeshView::read(&Paths::from_env()?)? else {
        return Ok(None);
    };
    lookup::block_on(async {
        for entry in view.entries() {
            let Ok(client) = Client::of(&entry) else {
                continue;
            };
            let Ok(tasks) = lookup::within(lookup::MOMENT, client.tasks()).await else {
                continue;
            };
            let is_meant = |id: &str| id.starts_with(part) || id.ends_with(part);
            if let Some(task) = tasks.into_iter().find(|task| is_meant(&task.id)) {
                return Ok(Some((entry, task.id)));
            }
        }
        Ok(None)
    })
}

fn named(mut task: Value, entry: &Entry) -> Value {
    if let Some(task) = task.as_object_mut() {
        task.insert("agent".to_owned(), Value::from(entry.handle.as_str()));
    }
    task
}

/// Shows a task of another machine, or follows it to its end.
fn show_elsewhere(entry: &Entry, id: &str, follow: bool, json: bool) -> Result<u8> {
    if follow && !json {
        return send::follow(entry, id);
    }
    if follow {
        return lookup::block_on(watch(entry, &TaskId::new(id)));
    }
    let client = Client::of(entry)?;
    let task = lookup::block_on(lookup::within(lookup::MOMENT, client.task(id)))?;
    let task = named(json!(task), entry);
    if json {
        writeln!(print::out(), "{task}")?;
        return Ok(0);
    }
    print_task(&task)
}

/// A task of an agent that has ended, if its end is known here.
pub(super) fn ended(id: &str) -> Option<TaskShape> {
    let kept = find(id).ok()?;
    let is_over = kept.task.state().is_final();
    is_over.then(|| TaskShape::of(&kept.task, None))
}

/// Shows a task, or follows it to its end.
pub(crate) fn show(part: &str, follow: bool, json: bool) -> Result<u8> {
    let kept = match find(part) {
        Ok(kept) => kept,
        Err(error) => {
            return match elsewhere(part)? {
                Some((entry, id)) => show_elsewhere(&entry, &id, follow, json),
                None => Err(error),
            };
        }
    };
    if follow && let Some(entry) = host_of(&kept)? {
        return if json {
            lookup::block_on(watch(&entry, kept.task.id()))
        } else {
            send::follow(&entry, kept.task.id().as_str())
        };
    }
    let task = match at_host(&kept)? {
        Some(task) => task,
        None => shown(kept),
    };
    if json {
        writeln!(print::out(), "{task}")?;
        return Ok(0);
    }
    print_task(&task)
}

/// A task that waits for its turn, as its agent tells it: the agent alone knows why it is held.
fn at_host(kept: &Kept) -> Result<Option<Value>> {
    if kept.task.state() != TaskState::Submitted {
        return Ok(None);
    }
    let Some(entry) = host_of(kept)? else {
        return Ok(None);
    };
    let task = lookup::block_on(async {
        let client = Client::of(&entry)?;
        lookup::within(lookup::MOMENT, client.task(kept.task.id().as_str())).await
    });
    // An agent that does not answer leaves what the store knows.
    Ok(task.ok().map(|task| named(json!(task), &entry)))
}

fn print_task(task: &Value) -> Result<u8> {
    let mut out = print::out();
    let text = |path: &str| task.pointer(path).and_then(Value::as_str).unwrap_or("");
    let state = task.pointer("/status/state").cloned().unwrap_or_default();
    let state: TaskState = serde_json::from_value(state)?;
    let (id, agent) = (text("/id"), text("/agent"));
    writeln!(out, "{id} {agent} {}", texts::task_state(state))?;
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
    if let Some(held) = task.get("held").and_then(Value::as_str) {
        writeln!(out, "\n{}", texts::held(held))?;
    }
    if state == TaskState::InputRequired
        && let Some(question) = task.pointer("/status/message")
    {
        let question = serde_json::from_value(question.clone())?;
        out.flush()?;
        send::note_choices(agent, &question);
    }
    Ok(0)
}

/// The text of a task's message, to be sent again. Files that came with it are not sent along.
pub(super) fn message(part: &str) -> Result<String> {
    let kept = find(part)?;
    let message = kept.task.message();
    if message.parts.iter().any(|part| part.as_text().is_none()) {
        note!("{}", texts::files_are_not_sent_again());
    }
    Ok(message.words())
}

/// Cancels a task.
pub(crate) fn cancel(part: &str, json: bool) -> Result<u8> {
    let kept = match find(part) {
        Ok(kept) => kept,
        Err(error) => {
            if let Some(kept) = mesh::cancel_kept(part)? {
                let told = if json {
                    json!(kept).to_string()
                } else {
                    format!("the message {} is not sent", kept.id)
                };
                writeln!(print::out(), "{told}")?;
                return Ok(0);
            }
            let Some((entry, id)) = elsewhere(part)? else {
                return match lookup::agent(part) {
                    Ok(entry) => bail!("{}", texts::agent_is_no_task(&entry.handle)),
                    Err(_) => Err(error),
                };
            };
            return cancel_at(&entry, &id, json);
        }
    };
    let id = kept.task.id().clone();
    if kept.task.state().is_final() {
        bail!(
            "{}",
            texts::task_is_over(id, texts::task_state(kept.task.state()))
        );
    }
    let Some(entry) = host_of(&kept)? else {
        bail!("{}", texts::task_agent_ended(id));
    };
    cancel_at(&entry, id.as_str(), json)
}

fn cancel_at(entry: &Entry, id: &str, json: bool) -> Result<u8> {
    lookup::block_on(async {
        let client = Client::of(entry)?;
        let path = format!("/tasks/{id}/cancel");
        let canceled = client.call(Method::POST, &path, Some(&json!({}))).await?;
        if json {
            writeln!(print::out(), "{canceled}")?;
        } else {
            writeln!(print::out(), "{}", texts::task_is_canceled(id))?;
        }
        Ok(0)
    })
}

/// The store, after the tasks of hosts that died were failed.
fn open() -> Result<Reader> {
    let paths = Paths::from_env()?;
    let reader = Reader::open(paths.store())?;
    // A store that cannot be written can still be read.
    if let Err(error) = sweep(&paths) {
        note!("synapse: {error}");
    }
    Ok(reader)
}

/// The task whose name begins or ends so.
fn find(part: &str) -> Result<Kept> {
    let reader = open()?;
    let found = reader.find(part)?;
    let names: Vec<&str> = found.iter().map(TaskId::as_str).collect();
    match found.as_slice() {
        [] => bail!("{}", texts::no_such_task(part)),
        [one] => match reader.task(one)? {
            Some(kept) => Ok(kept),
            None => bail!("{}", texts::no_such_task(part)),
        },
        _ => bail!("{}", texts::several_tasks(part, several(&names))),
    }
}

/// Some of several tasks, by what tells them apart.
pub(super) fn several(ids: &[&str]) -> String {
    let named: Vec<&str> = ids.iter().take(NAMED).map(|id| short(id)).collect();
    let more = if ids.len() > NAMED { " …" } else { "" };
    named.join(", ") + more
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

/// Prints the events of a task as they come, a line of JSON each.
async fn watch(entry: &Entry, task: &TaskId) -> Result<u8> {
    let client = Client::of(entry)?;
    let mut out = print::out();
    let mut events = client.follow(task.as_str()).await?;
    while let Some(event) = events.next().await? {
        let line = json!({ "event": event.name(), "data": event.data() });
        writeln!(out, "{line}")?;
    }
    Ok(0)
}
