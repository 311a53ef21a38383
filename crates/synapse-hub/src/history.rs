//! Tasks as the store keeps them: of all agents, those that are gone included.

use axum::http::StatusCode;
use jiff::Timestamp;
use serde_json::{Value, json};
use synapse_a2a::event::{Event, Fact, Timestamp as Time};
use synapse_a2a::id::TaskId;
use synapse_a2a::task::{Task, TaskState};
use synapse_a2a::wire::request::PushTarget;
use tokio::task::JoinSet;

use super::Hub;
use super::elsewhere;
use super::live::{line_text, name_of};
use super::past_agents::Roll;
use super::problem::Problem;
use super::shapes::TaskLine;
use super::usage::TurnUsage;
use synapse_client::client::post_ends;
use synapse_client::mesh::is_elsewhere;
use synapse_client::native::TaskShape;
use synapse_machine::config::Config;
use synapse_machine::registry::Entry;
use synapse_store::push::settle;
use synapse_store::sweep::{claim_ends, sweep};
use synapse_store::{Cursor, Filter, Kept, Reader, StoreError};

/// What somebody looks for.
#[derive(Debug, Default)]
pub(super) struct HistoryQuery {
    /// Only of this agent, by id or handle.
    pub(super) agent: Option<String>,
    /// Only in this state.
    pub(super) state: Option<String>,
    /// Only with these words in the message or the reply.
    pub(super) words: Option<String>,
    /// Only what comes after this place in the list.
    pub(super) before: Option<String>,
    /// Also what people typed at the agent's own keyboard.
    pub(super) keyboard: bool,
    pub(super) limit: usize,
}

/// A task in which words were found, and what stands around them.
pub(super) struct Match {
    pub(super) line: TaskLine,
    pub(super) snippet: String,
}

/// A page of tasks, the latest first, and where the next one begins.
pub(super) async fn page(
    hub: &Hub,
    wanted: HistoryQuery,
) -> Result<(Vec<Value>, Option<String>), Problem> {
    if wanted.words.is_some() {
        return search_page(hub, wanted).await;
    }
    if let Some(word) = &wanted.agent
        && let Ok(entry) = hub.agent(word)
        && is_elsewhere(&entry)
    {
        return Ok((elsewhere::tasks(hub, &entry).await?, None));
    }
    let mut filter = Filter {
        state: wanted.state.as_deref().map(state).transpose()?,
        before: wanted.before.as_deref().map(cursor).transpose()?,
        keyboard: wanted.keyboard,
        limit: wanted.limit,
        ..Filter::default()
    };
    let roll = Roll::read(hub).await?;
    if let Some(word) = &wanted.agent {
        match hub.agent(word) {
            // An agent of another name may have worked in its folder before: that is another conversation.
            Ok(entry) => {
                filter.agent = Some(entry.agent_id.to_string());
                filter.handle = Some(entry.handle.to_string());
            }
            // It may have been there once.
            Err(missing) => match roll.find(word) {
                Some(former) if !is_word(&former.handle, word) => {
                    filter.agent = Some(former.agent);
                    filter.handle = Some(former.handle);
                }
                Some(_) => filter.handle = Some(word.clone()),
                None => return Err(missing),
            },
        }
    }
    let page = read(hub, move |reader| reader.page(&filter)).await?;
    let next = page
        .next
        .map(|next| format!("{}.{}", next.updated_at.0, next.id));
    Ok((all_shown(hub, &roll, &page.tasks).await?, next))
}

/// A page of the tasks in which words stand; the place in the list is the last of them.
async fn search_page(
    hub: &Hub,
    wanted: HistoryQuery,
) -> Result<(Vec<Value>, Option<String>), Problem> {
    let roll = Roll::read(hub).await?;
    let agent = match wanted.agent.as_deref() {
        None => None,
        Some(word) => Some(match (hub.agent(word), roll.find(word)) {
            (Ok(entry), _) => (entry.agent_id.to_string(), entry.handle.to_string()),
            (Err(_), Some(former)) => (former.agent, former.handle),
            (Err(missing), None) => return Err(missing),
        }),
    };
    let state = wanted.state.as_deref().map(state).transpose()?;
    let (limit, words) = (wanted.limit, wanted.words.unwrap_or_default());
    let mut before = wanted.before.map(TaskId::new);
    let found = read(hub, move |reader| {
        let (mut tasks, mut has_more) = (Vec::new(), true);
        // Those of other agents are passed over, so it may take several looks.
        while tasks.len() < limit && has_more {
            let found = reader.search(&words, limit, before.as_ref())?;
            has_more = found.len() == limit;
            for one in found {
                before = Some(one.task.clone());
                let Some(kept) = reader.task(&one.task)? else {
                    continue;
                };
                let is_meant = |(agent, handle): &(String, String)| {
                    *agent == kept.agent && is_word(handle, &kept.handle)
                };
                let fits = agent.as_ref().is_none_or(is_meant)
                    && state.is_none_or(|state| kept.task.state() == state);
                if fits && tasks.len() < limit {
                    tasks.push(kept);
                }
            }
        }
        Ok((tasks, has_more))
    });
    let (tasks, has_more) = found.await?;
    let last = tasks.last().map(|kept| kept.task.id().to_string());
    let tasks = all_shown(hub, &roll, &tasks).await?;
    Ok((tasks, last.filter(|_| has_more)))
}

/// Where words stand, in the tasks of all agents.
pub(super) async fn search(hub: &Hub, words: String, limit: usize) -> Result<Vec<Match>, Problem> {
    let found = read(hub, move |reader| {
        let mut found = Vec::new();
        for one in reader.search(&words, limit, None)? {
            found.extend(reader.task(&one.task)?.map(|kept| (kept, one.snippet)));
        }
        Ok(found)
    });
    let found = found.await?.into_iter();
    let roll = Roll::read(hub).await?;
    let matched = |(kept, snippet)| {
        let mut line = line(&kept);
        line.agent = roll.conversation(&kept.agent, &kept.handle);
        Match { line, snippet }
    };
    Ok(found.map(matched).collect())
}

/// A task, and the agent that has it if it runs.
pub(super) async fn find(hub: &Hub, id: &str) -> Result<(Option<Entry>, Value), Problem> {
    let task = TaskId::new(id.to_owned());
    let kept = read(hub, move |reader| reader.task(&task)).await?;
    let missing = || Problem::missing("no_such_task", format!("there is no task '{id}'"));
    let Some(kept) = kept else {
        let found = elsewhere::find(hub, id).await.ok_or_else(missing)?;
        return Ok((Some(found.0), found.1));
    };
    let (roll, moments) = (Roll::read(hub).await?, moments(&kept.events));
    let entry = roll.running(&kept.agent, &kept.handle).cloned();
    let shown = all_shown(hub, &roll, &[kept]).await?;
    let mut task = shown.into_iter().next().unwrap_or_default();
    if let Some(fields) = task.as_object_mut() {
        fields.insert("history".to_owned(), json!(moments));
    }
    Ok((entry, task))
}

/// A task, and the agent that has it.
pub(super) async fn find_running(hub: &Hub, id: &str) -> Result<(Entry, Value), Problem> {
    let (entry, task) = find(hub, id).await?;
    let gone = || Problem::conflict("task_over", "the agent of this task is gone");
    Ok((entry.ok_or_else(gone)?, task))
}

/// The latest tasks, of one agent or of all, the oldest first.
pub(super) async fn latest(
    hub: &Hub,
    agent: Option<&Entry>,
    limit: usize,
) -> Result<Vec<TaskLine>, Problem> {
    if let Some(entry) = agent.filter(|entry| is_elsewhere(entry)) {
        return elsewhere::lines(hub, entry, limit).await;
    }
    let filter = Filter {
        agent: agent.map(|entry| entry.agent_id.to_string()),
        limit,
        ..Filter::default()
    };
    let page = read(hub, move |reader| reader.page(&filter)).await?;
    let mut lines: Vec<TaskLine> = page.tasks.iter().map(line).collect();
    lines.sort_by_key(|line| line.at.parse::<Timestamp>().unwrap_or_default());
    Ok(lines)
}

/// Fails the tasks of hosts that died; nobody else will end them. Who waits to be told of it is told by
/// one of `posts`.
pub(super) async fn bury(hub: &Hub, posts: &mut JoinSet<()>) {
    let (paths, store) = (hub.paths.clone(), hub.paths.store());
    let swept = tokio::task::spawn_blocking(move || {
        if let Err(error) = sweep(&paths) {
            tracing::warn!(%error, "the tasks of hosts that died are left open");
        }
        let ca_file = Config::load(&paths.config())
            .ok()
            .and_then(|file| file.config.ca_file);
        (claim_ends(&paths), ca_file)
    });
    if let Ok((ends, ca_file)) = swept.await {
        while posts.try_join_next().is_some() {}
        let settle = move |task: &Task, push: &PushTarget| settle(&store, task.id(), push);
        posts.spawn(post_ends(ends, ca_file, settle));
    }
}

/// The task of an agent's answer, with whose it is.
pub(super) fn whole(entry: &Entry, mut body: Value) -> Value {
    let mut task = body.get_mut("task").map(Value::take).unwrap_or_default();
    if let Some(fields) = task.as_object_mut() {
        fields.insert("agent".to_owned(), json!(entry.agent_id));
        fields.insert("owner".to_owned(), json!(entry.agent_id));
        fields.insert("handle".to_owned(), json!(entry.handle));
        fields.insert("run".to_owned(), json!(began(&entry.run())));
    }
    task
}

/// Tasks in the native dialect, with whose they are and what they took.
async fn all_shown(hub: &Hub, roll: &Roll, tasks: &[Kept]) -> Result<Vec<Value>, Problem> {
    let ids: Vec<TaskId> = tasks.iter().map(|kept| kept.task.id().clone()).collect();
    let usage = read(hub, move |reader| reader.usage_of(&ids)).await?;
    let prices = hub.prices.prices();
    let view = |kept: &Kept| {
        let mut task = shown(roll, kept);
        let id = kept.task.id();
        if let (Some(usage), Some(fields)) = (usage.get(id), task.as_object_mut()) {
            let usage = TurnUsage::of(id.to_string(), usage, &prices);
            fields.insert("usage".to_owned(), json!(usage));
        }
        task
    };
    Ok(tasks.iter().map(view).collect())
}

/// A task in the native dialect, with whose it is.
fn shown(roll: &Roll, kept: &Kept) -> Value {
    let agent = roll.running(&kept.agent, &kept.handle);
    let owner = roll.conversation(&kept.agent, &kept.handle);
    let mut task = TaskShape::json(&kept.task);
    if let Some(fields) = task.as_object_mut() {
        fields.insert(
            "agent".to_owned(),
            json!(agent.map(|entry| &entry.agent_id)),
        );
        fields.insert("owner".to_owned(), json!(owner));
        fields.insert("handle".to_owned(), json!(kept.handle));
        fields.insert("run".to_owned(), json!(began(&kept.run)));
    }
    task
}

/// A handle is the same in any spelling of its letters.
fn is_word(handle: &str, word: &str) -> bool {
    handle.to_lowercase() == word.to_lowercase()
}

/// When a run of an agent began, as its name tells: conversations are listed run by run.
fn began(run: &str) -> Option<String> {
    let (_, millis) = run.rsplit_once('-')?;
    Some(time(Time(millis.parse().ok()?)))
}

/// The states a task went through, and when.
fn moments(events: &[Event]) -> Vec<Value> {
    let states = events.iter().filter_map(|event| match &event.fact {
        Fact::Submitted { .. } => Some((TaskState::Submitted, event.at)),
        Fact::Moved { status } => Some((status.state(), event.at)),
        _ => None,
    });
    let view = |(state, at): (TaskState, Time)| json!({ "state": state.name(), "at": time(at) });
    states.map(view).collect()
}

/// A task in a line.
fn line(kept: &Kept) -> TaskLine {
    let (task, origin) = (&kept.task, kept.task.origin());
    TaskLine {
        id: task.id().to_string(),
        agent: kept.agent.clone(),
        to: name_of(&kept.handle),
        from: name_of(&origin.sender),
        priority: origin.priority,
        state: task.state().name().to_owned(),
        text: line_text(&task.message().words()),
        at: time(task.created_at()),
        updated_at: time(task.updated_at()),
    }
}

/// A time of the store as the page has it.
pub(super) fn time(at: Time) -> String {
    let millis = i64::try_from(at.0).unwrap_or_default();
    let at = Timestamp::from_millisecond(millis);
    at.unwrap_or_default().to_string()
}

fn state(word: &str) -> Result<TaskState, Problem> {
    let mut states = TaskState::ALL.into_iter();
    states.find(|state| state.name() == word).ok_or_else(|| {
        let names = TaskState::ALL.map(TaskState::name).join(", ");
        Problem::bad(format!("'{word}' is no state of a task; there are {names}"))
    })
}

fn cursor(text: &str) -> Result<Cursor, Problem> {
    let bad = || Problem::bad(format!("'before' is no place in this list: '{text}'"));
    let (updated_at, id) = text.split_once('.').ok_or_else(bad)?;
    Ok(Cursor {
        updated_at: Time(updated_at.parse().map_err(|_| bad())?),
        id: TaskId::new(id.to_owned()),
    })
}

/// Reads the store beside the server's own threads.
pub(super) async fn read<T: Send + 'static>(
    hub: &Hub,
    ask: impl FnOnce(&Reader) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Problem> {
    let path = hub.paths.store();
    let read = move || Reader::open(path).and_then(|reader| ask(&reader));
    let done = tokio::task::spawn_blocking(read).await;
    done.map_err(Problem::internal)?.map_err(|error| {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Problem::new(status, "internal", error.to_string())
    })
}
