//! Agents of other machines on the page: where they work, and their conversations, which are in the stores of their own
//! machines. What was read last is kept in a file each, so that it can be read while the machine is away.

use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use hyper::Method;
use serde_json::{Value, json};
use synapse_client::mesh::{MeshView, branch_of, machine_of, seen_of};
use synapse_machine::paths::create_folder;
use synapse_machine::private_file;
use synapse_machine::registry::Entry;

use super::Hub;
use super::agents::ask;
use super::history::whole;
use super::live::{Place, line_text, name_of};
use super::problem::Problem;
use super::shapes::TaskLine;
use super::worktrees::id_of;

/// Everybody on other machines.
pub(super) fn entries(hub: &Hub) -> Vec<Entry> {
    let view = MeshView::read(&hub.paths);
    let view = view.unwrap_or_else(|error| {
        tracing::warn!(%error, "who is in the mesh cannot be read");
        None
    });
    view.map(|view| view.all_entries()).unwrap_or_default()
}

/// Why an agent cannot be reached, if its machine is away.
pub(super) fn absence(entry: &Entry) -> Option<String> {
    let machine = machine_of(entry)?;
    seen_of(entry).map(|seen| format!("{machine} is away since {seen}"))
}

/// Where an agent of another machine works. No worktree of this machine is that.
pub(super) fn place(entry: &Entry) -> Option<Place> {
    let machine = machine_of(entry)?;
    let named = format!("{machine}:{}", entry.working_dir.display());
    Some(Place {
        worktree: id_of(Path::new(&named)),
        branch: branch_of(entry).map(str::to_owned),
        repository: None,
    })
}

/// The tasks of an agent of another machine, the newest first: as it tells them, or as it last did.
pub(super) async fn tasks(hub: &Hub, entry: &Entry) -> Result<Vec<Value>, Problem> {
    let file = replica(hub, entry);
    let told = match absence(entry) {
        None => ask(entry, Method::GET, "/tasks", None).await,
        Some(why) => Err(Problem::new(
            StatusCode::BAD_GATEWAY,
            "agent_unreachable",
            why,
        )),
    };
    let tasks = match told {
        Ok(mut told) => {
            let tasks = told.get_mut("tasks").map(Value::take).unwrap_or_default();
            keep(&file, &tasks);
            tasks
        }
        Err(problem) => {
            let kept = private_file::read(&file).ok();
            let kept = kept.and_then(|text| serde_json::from_slice(&text).ok());
            kept.ok_or(problem)?
        }
    };
    let Value::Array(tasks) = tasks else {
        return Ok(Vec::new());
    };
    let tasks = tasks.into_iter();
    Ok(tasks
        .map(|task| whole(entry, json!({ "task": task })))
        .collect())
}

/// A task of an agent of another machine, and the agent.
pub(super) async fn find(hub: &Hub, id: &str) -> Option<(Entry, Value)> {
    let all = hub.entries().into_iter();
    for entry in all.filter(|entry| machine_of(entry).is_some()) {
        if absence(&entry).is_none()
            && let Ok(told) = ask(&entry, Method::GET, &format!("/tasks/{id}"), None).await
        {
            let task = whole(&entry, told);
            return Some((entry, task));
        }
        let known = tasks(hub, &entry).await.unwrap_or_default();
        let is_it = |task: &Value| task.get("id").is_some_and(|own| own == id);
        if let Some(task) = known.into_iter().find(is_it) {
            return Some((entry, task));
        }
    }
    None
}

/// The tasks of an agent of another machine in a line each, the oldest first.
pub(super) async fn lines(
    hub: &Hub,
    entry: &Entry,
    limit: usize,
) -> Result<Vec<TaskLine>, Problem> {
    let tasks = tasks(hub, entry).await?;
    let mut lines: Vec<TaskLine> = tasks
        .iter()
        .take(limit)
        .map(|task| line(entry, task))
        .collect();
    lines.reverse();
    Ok(lines)
}

fn line(entry: &Entry, task: &Value) -> TaskLine {
    let text = |path: &str| {
        task.pointer(path)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let priority = task.get("priority").and_then(Value::as_u64);
    let priority = priority.and_then(|priority| u8::try_from(priority).ok());
    TaskLine {
        id: text("/id").to_owned(),
        agent: entry.agent_id.to_string(),
        to: name_of(entry.handle.as_str()),
        from: name_of(text("/sender")),
        priority: priority.unwrap_or(1),
        state: text("/status/state").to_owned(),
        text: line_text(text("/message/parts/0/text")),
        at: text("/created_at").to_owned(),
        updated_at: text("/updated_at").to_owned(),
    }
}

fn replica(hub: &Hub, entry: &Entry) -> PathBuf {
    let name = entry.agent_id.as_str().replace('/', "_");
    let folder = hub.paths.mesh().join("replica");
    folder.join(format!("{name}.json"))
}

/// Keeps what was read. What cannot be kept is only not there later.
fn keep(file: &Path, tasks: &Value) {
    let write = || {
        if let Some(folder) = file.parent() {
            create_folder(folder)?;
        }
        private_file::replace_soon(file, tasks.to_string().as_bytes())
    };
    if let Err(error) = write() {
        tracing::debug!(%error, "the conversation of another machine is not kept");
    }
}
