//! Tasks of all agents, as the page reads them.

use hyper::Method;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::Hub;
use super::agents::ask;
use super::live::{name_of, text_of};
use super::problem::Problem;
use super::shapes::TaskLine;
use crate::registry::Entry;

/// What somebody looks for.
#[derive(Debug, Default)]
pub(super) struct Filter {
    /// Only of this agent, by id or handle.
    pub(super) agent: Option<String>,
    /// Only in this state.
    pub(super) state: Option<String>,
    /// Only with this text in the message or the reply.
    pub(super) text: Option<String>,
    /// Only what comes after this task in the list.
    pub(super) before: Option<String>,
    /// How many.
    pub(super) limit: usize,
}

/// A page of tasks, the newest first, and where the next one begins.
pub(super) async fn page(
    hub: &Hub,
    filter: &Filter,
) -> Result<(Vec<Value>, Option<String>), Problem> {
    let entries = match &filter.agent {
        Some(word) => vec![hub.agent(word)?],
        None => hub.entries(),
    };
    let mut asked = JoinSet::new();
    for entry in entries {
        asked.spawn(async move {
            let body = ask(&entry, Method::GET, "/tasks", None).await;
            // One that does not answer has nothing to tell.
            tasks(&entry, &body.unwrap_or_default())
        });
    }
    let mut tasks: Vec<Value> = asked.join_all().await.into_iter().flatten().collect();
    for task in &mut tasks {
        complete(hub, task);
    }
    tasks.retain(|task| fits(task, filter));
    tasks.sort_by_key(|task| std::cmp::Reverse((time_of(task, "created_at"), id_of(task))));
    if let Some(before) = &filter.before {
        let at = tasks.iter().position(|task| id_of(task) == *before);
        let at = at.ok_or_else(|| Problem::bad(format!("'before' is no task: {before}")))?;
        tasks.drain(..=at);
    }
    let has_more = tasks.len() > filter.limit;
    tasks.truncate(filter.limit);
    let next = tasks.last().filter(|_| has_more).map(id_of);
    Ok((tasks, next))
}

/// A task, and the agent that has it.
pub(super) async fn find(hub: &Hub, id: &str) -> Result<(Entry, Value), Problem> {
    let missing = || Problem::missing("no_such_task", format!("no agent has a task '{id}'"));
    if id.is_empty() || !id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        return Err(missing());
    }
    let known = hub.live.read(|state| {
        let mut lines = state.tasks.newest();
        lines
            .find(|line| line.id == id)
            .map(|line| line.agent.clone())
    });
    let mut entries = hub.entries();
    // Whoever is known to have it is asked first.
    entries.sort_by_key(|entry| Some(entry.agent_id.as_str()) != known.as_deref());
    for entry in entries {
        let path = format!("/tasks/{id}");
        let Ok(body) = ask(&entry, Method::GET, &path, None).await else {
            continue;
        };
        let mut task = whole(hub, &entry, body);
        complete(hub, &mut task);
        return Ok((entry, task));
    }
    Err(missing())
}

/// The task of an answer, with whose it is.
pub(super) fn whole(hub: &Hub, entry: &Entry, mut body: Value) -> Value {
    let mut task = body.get_mut("task").map(Value::take).unwrap_or_default();
    own(entry, &mut task);
    complete(hub, &mut task);
    task
}

/// The tasks of an agent in a line each, the oldest first.
pub(super) fn lines(entry: &Entry, body: &Value) -> Vec<TaskLine> {
    let mut lines: Vec<TaskLine> = tasks(entry, body).iter().map(line).collect();
    lines.reverse();
    lines
}

/// A task in a line.
pub(super) fn line(task: &Value) -> TaskLine {
    let text = |path: &str| task.pointer(path).and_then(Value::as_str);
    let owned = |path: &str| text(path).unwrap_or_default().to_owned();
    let priority = task.get("priority").and_then(Value::as_u64);
    TaskLine {
        id: owned("/id"),
        agent: owned("/agent"),
        from: text("/sender").map(name_of),
        priority: priority.and_then(|number| u8::try_from(number).ok()),
        state: owned("/status/state"),
        text: text_of(task.get("message")),
        at: owned("/created_at"),
        updated_at: owned("/updated_at"),
    }
}

fn tasks(entry: &Entry, body: &Value) -> Vec<Value> {
    let tasks = body.get("tasks").and_then(Value::as_array);
    let mut tasks = tasks.cloned().unwrap_or_default();
    for task in &mut tasks {
        own(entry, task);
    }
    tasks
}

/// Says whose it is.
fn own(entry: &Entry, task: &mut Value) {
    if let Some(fields) = task.as_object_mut() {
        fields.insert("agent".to_owned(), json!(entry.agent_id));
        fields.insert("handle".to_owned(), json!(entry.handle));
        for field in ["sender", "priority"] {
            fields.entry(field).or_insert(Value::Null);
        }
    }
}

/// Adds what was heard live.
fn complete(hub: &Hub, task: &mut Value) {
    let id = id_of(task);
    let heard = hub.live.read(|state| {
        let mut lines = state.tasks.newest();
        lines.find(|line| line.id == id).cloned()
    });
    let (Some(line), Some(fields)) = (heard, task.as_object_mut()) else {
        return;
    };
    let known = [
        ("sender", json!(line.from)),
        ("priority", json!(line.priority)),
    ];
    for (field, value) in known {
        if fields.get(field).is_none_or(Value::is_null) {
            fields.insert(field.to_owned(), value);
        }
    }
}

fn fits(task: &Value, filter: &Filter) -> bool {
    let state = task.pointer("/status/state").and_then(Value::as_str);
    let is_state = filter.state.is_none() || state == filter.state.as_deref();
    let has_text = |text: &String| matching(task, text).is_some();
    is_state && filter.text.as_ref().is_none_or(has_text)
}

/// The text of a task around what is looked for, in the message or the reply.
pub(super) fn matching(task: &Value, text: &str) -> Option<String> {
    let message = text_of(task.get("message"));
    let reply = task
        .get("reply")
        .and_then(Value::as_str)
        .unwrap_or_default();
    snippet(&message, text).or_else(|| snippet(reply, text))
}

/// Characters shown before and after what was found.
const AROUND: usize = 60;

/// The part of a text around a word, in any case.
fn snippet(text: &str, word: &str) -> Option<String> {
    let (lower, word) = (text.to_lowercase(), word.to_lowercase());
    let at = lower.find(&word)?;
    // Lower case may have other lengths; counted in characters it is near enough to show.
    let before = lower.get(..at)?.chars().count();
    let begin = before.saturating_sub(AROUND);
    let length = before - begin + word.chars().count() + AROUND;
    Some(text.chars().skip(begin).take(length).collect())
}

fn time_of(task: &Value, field: &str) -> Timestamp {
    let text = task.get(field).and_then(Value::as_str).unwrap_or_default();
    text.parse().unwrap_or_default()
}

fn id_of(task: &Value) -> String {
    let id = task.get("id").and_then(Value::as_str);
    id.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_shown_with_its_surroundings() {
        assert_eq!(
            snippet("Fix the Login page", "login").as_deref(),
            Some("Fix the Login page")
        );
        let long = format!("{}needle{}", "a".repeat(200), "b".repeat(200));
        let found = snippet(&long, "NEEDLE").unwrap();
        assert!(found.contains("needle") && found.len() == 2 * AROUND + 6);
        assert_eq!(
            snippet("日本語の検索", "検索").as_deref(),
            Some("日本語の検索")
        );
        assert_eq!(snippet("x", "y"), None);
    }
}
