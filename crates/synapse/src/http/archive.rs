//! Finds a task on the board or, for finished tasks and earlier runs, in the store.

use std::sync::Arc;

use axum::http::StatusCode;
use synapse_a2a::event::Origin;
use synapse_a2a::id::{MessageId, TaskId};

use super::ServerState;
use super::problem::Problem;
use synapse_session::Record;
use synapse_store::{Filter, Kept, Reader, StoreError};

/// How many tasks a list shows.
const LISTED: usize = 1_000;

/// A task of this agent, whether at hand or long over.
pub(super) async fn find(served: &ServerState, task: &TaskId) -> Result<Arc<Record>, Problem> {
    let missing = || Problem::new(StatusCode::NOT_FOUND, format!("there is no task {task}"));
    look_up(served, task).await?.ok_or_else(missing)
}

/// A task of this agent, if there is such a one.
pub(super) async fn look_up(
    served: &ServerState,
    task: &TaskId,
) -> Result<Option<Arc<Record>>, Problem> {
    if let Some(record) = served.session.board.record(task) {
        return Ok(Some(record));
    }
    let (wanted, agent) = (task.clone(), Arc::clone(&served.agent));
    let kept = read(served, move |reader| {
        let kept = reader.task(&wanted)?;
        Ok(kept.filter(|kept| *kept.agent == *agent))
    });
    let record = |kept: Kept| Arc::new(Record::of(kept.task, kept.events));
    Ok(kept.await?.map(record))
}

/// The latest task of this agent that a message of this name began.
pub(super) async fn begun_by(
    served: &ServerState,
    message: &MessageId,
) -> Result<Option<Arc<Record>>, Problem> {
    if let Some(record) = served.session.board.task_of(message) {
        return Ok(Some(record));
    }
    let (wanted, agent) = (message.clone(), Arc::clone(&served.agent));
    let task = read(served, move |reader| reader.by_message(&agent, &wanted)).await?;
    match task {
        Some(task) => look_up(served, &task).await,
        None => Ok(None),
    }
}

/// The latest tasks of this agent that somebody asked for, the newest first.
pub(super) async fn recent(served: &ServerState) -> Result<Vec<Arc<Record>>, Problem> {
    let is_asked = |record: &Arc<Record>| record.task.origin().sender != Origin::KEYBOARD;
    let mut records = served.session.board.records();
    let agent = Arc::clone(&served.agent);
    let filter = Filter {
        agent: Some(agent.to_string()),
        handle: Some(served.handle.to_string()),
        limit: LISTED,
        ..Filter::default()
    };
    let page = read(served, move |reader| reader.page(&filter)).await?;
    let at_hand: std::collections::HashSet<TaskId> = records
        .iter()
        .map(|record| record.task.id().clone())
        .collect();
    let kept = page.tasks.into_iter();
    let kept = kept.filter(|kept| !at_hand.contains(kept.task.id()));
    records.extend(kept.map(|kept| Arc::new(Record::of(kept.task, []))));
    records.retain(is_asked);
    records.sort_by(|one, other| other.task.place().cmp(&one.task.place()));
    Ok(records)
}

/// Reads the store beside the server's own threads.
pub(super) async fn read<T: Send + 'static>(
    served: &ServerState,
    ask: impl FnOnce(&Reader) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Problem> {
    let path = Arc::clone(&served.store);
    let asked = tokio::task::spawn_blocking(move || ask(&Reader::open(&*path)?)).await;
    let failed = |why: String| {
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("the store cannot be read: {why}"),
        )
    };
    asked
        .map_err(|error| failed(error.to_string()))?
        .map_err(|error| failed(error.to_string()))
}
