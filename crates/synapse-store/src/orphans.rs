//! Fails the open tasks of dead hosts, with the reason.

use std::collections::VecDeque;
use std::path::Path;

use rusqlite::{Connection, TransactionBehavior, params};
use synapse_a2a::error::{Failure, FailureCode};
use synapse_a2a::event::{Event, Fact, Status, Timestamp};
use synapse_a2a::id::TaskId;

use super::column::{now, number, time};
use super::error::{AboutStore as _, StoreError};
use super::schema::stage;
use super::{database, filing};

/// An open task, and whose it is.
struct OpenTask {
    key: i64,
    id: TaskId,
    agent: String,
    handle: String,
    run: String,
}

/// Ends the open tasks of every run that is not alive; which those were. A run is given by the agent's id
/// and its own name.
pub fn fail_orphans(
    path: &Path,
    is_alive: impl Fn(&str, &str) -> bool,
) -> Result<Vec<TaskId>, StoreError> {
    let open = match database::open_to_read(path)? {
        Some(connection) => open_tasks(&connection).about(path)?,
        None => Vec::new(),
    };
    let mut orphans = open;
    orphans.retain(|task| !is_alive(&task.agent, &task.run));
    if orphans.is_empty() {
        return Ok(Vec::new());
    }
    let mut connection = database::open_to_write(path)?;
    let failed = fail(&mut connection, &orphans).about(path)?;
    let mut over = failed.iter().map(|task| task.key).collect();
    while !VecDeque::is_empty(&over) {
        filing::file(&mut connection, &mut over).about(path)?;
    }
    Ok(failed.into_iter().map(|task| task.id.clone()).collect())
}

fn open_tasks(connection: &Connection) -> rusqlite::Result<Vec<OpenTask>> {
    connection
        .prepare(
            "SELECT tasks.key, tasks.id, agents.agent, agents.handle, runs.run FROM tasks
             JOIN agents ON agents.key = tasks.agent
             JOIN runs ON runs.key = tasks.run
             WHERE tasks.stage = 0 ORDER BY tasks.key",
        )?
        .query_map([], |row| {
            Ok(OpenTask {
                key: row.get(0)?,
                id: TaskId::new(row.get::<_, String>(1)?),
                agent: row.get(2)?,
                handle: row.get(3)?,
                run: row.get(4)?,
            })
        })?
        .collect()
}

fn fail<'a>(
    connection: &mut Connection,
    orphans: &'a [OpenTask],
) -> rusqlite::Result<Vec<&'a OpenTask>> {
    let at = now();
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut failed = Vec::new();
    for orphan in orphans {
        let event = serde_json::to_string(&end_of(orphan, at))
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        // Someone else may have ended it since we looked.
        let ended = transaction
            .prepare_cached(
                "UPDATE tasks SET stage = ?2, state = 'failed',
                    (events, bytes) = (
                        SELECT count(*) + 1, coalesce(sum(octet_length(event)), 0) + ?3
                        FROM events WHERE task = ?1
                    ),
                    updated_at = max(updated_at, ?4)
                 WHERE key = ?1 AND stage = ?5",
            )?
            .execute(params![
                orphan.key,
                stage::OVER,
                number(event.len()),
                time(at),
                stage::OPEN
            ])?;
        if ended == 1 {
            transaction
                .prepare_cached(
                    "INSERT INTO events
                     SELECT key, events, ?2 FROM tasks WHERE key = ?1",
                )?
                .execute(params![orphan.key, event])?;
            failed.push(orphan);
        }
    }
    transaction.commit()?;
    Ok(failed)
}

fn end_of(orphan: &OpenTask, at: Timestamp) -> Event {
    let failure = Failure {
        code: FailureCode::HostCrashed,
        message: format!("the host of {} died while the task was open", orphan.handle),
    };
    let status = Status::Failed { failure };
    let fact = Fact::Moved { status };
    Event { at, fact }
}
