//! What is not kept for ever: tasks that have been over for too long, and the oldest of them when there
//! are too many. Open tasks stay, whatever their age.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, TransactionBehavior};
use synapse_a2a::event::Timestamp;
use synapse_a2a::id::TaskId;

use super::column::{as_number, as_time, number, time};
use super::database;
use super::error::{AboutStore as _, StoreError};

/// Tasks removed at once. Hosts wait meanwhile, so it is not all of them.
const STEP: usize = 64;

/// Pages given back to the system at once.
const PAGES: usize = 256;

/// A task that is over.
struct Over {
    key: i64,
    id: TaskId,
    updated_at: Timestamp,
    bytes: u64,
}

/// Removes the tasks that have been over for longer than `max_age`, then the oldest others until what is
/// left fits into about `max_bytes`; which those were. Replies go by age.
///
/// # Errors
/// When the store cannot be read or written.
pub fn retain(path: &Path, max_age: Duration, max_bytes: u64) -> Result<Vec<TaskId>, StoreError> {
    if database::open_to_read(path)?.is_none() {
        return Ok(Vec::new());
    }
    let mut connection = database::open_to_write(path)?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let since = as_time(number(now.saturating_sub(max_age).as_millis()));
    let mut removed = Vec::new();
    let mut work = || {
        let mut over = over(&connection)?;
        let old = over.partition_point(|task| task.updated_at < since);
        let mut rest = over.split_off(old);
        removed.extend(remove(&mut connection, over)?);
        connection.execute("DELETE FROM replies WHERE at < ?1", [time(since)])?;
        while !rest.is_empty() {
            let used = used_bytes(&connection)?;
            if used <= max_bytes {
                break;
            }
            let later = rest.split_off(share(&rest, used - max_bytes, used));
            removed.extend(remove(&mut connection, rest)?);
            rest = later;
        }
        sweep(&mut connection, !removed.is_empty())
    };
    work().about(path)?;
    Ok(removed)
}

/// The tasks that are over and filed, the oldest first.
fn over(connection: &Connection) -> rusqlite::Result<Vec<Over>> {
    connection
        .prepare(
            "SELECT key, id, updated_at, bytes FROM tasks WHERE stage = 2
             ORDER BY updated_at, key",
        )?
        .query_map([], |row| {
            Ok(Over {
                key: row.get(0)?,
                id: TaskId::new(row.get::<_, String>(1)?),
                updated_at: as_time(row.get(2)?),
                bytes: as_number(row.get(3)?),
            })
        })?
        .collect()
}

/// How many of the oldest tasks make up this share of all bytes; at least one.
fn share(tasks: &[Over], part: u64, whole: u64) -> usize {
    let all: u128 = tasks.iter().map(|task| u128::from(task.bytes)).sum();
    let wanted = all * u128::from(part) / u128::from(whole.max(1));
    let mut sum = 0;
    let enough = tasks.iter().position(|task| {
        sum += u128::from(task.bytes);
        sum >= wanted
    });
    enough.map_or(tasks.len(), |place| place + 1)
}

fn remove(connection: &mut Connection, tasks: Vec<Over>) -> rusqlite::Result<Vec<TaskId>> {
    for some in tasks.chunks(STEP) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for task in some {
            transaction
                .prepare_cached("DELETE FROM words WHERE rowid = ?1")?
                .execute([task.key])?;
            transaction
                .prepare_cached("DELETE FROM tasks WHERE key = ?1 AND stage = 2")?
                .execute([task.key])?;
        }
        transaction.commit()?;
    }
    Ok(tasks.into_iter().map(|task| task.id).collect())
}

/// Clears away what belongs to no task any more, and gives free pages back to the system.
fn sweep(connection: &mut Connection, has_removed: bool) -> rusqlite::Result<()> {
    if has_removed {
        connection.execute_batch(
            "BEGIN IMMEDIATE;
             DELETE FROM tally WHERE tasks <= 0;
             DELETE FROM runs WHERE key NOT IN (SELECT run FROM tasks);
             DELETE FROM agents WHERE key NOT IN (SELECT agent FROM tasks);
             COMMIT;",
        )?;
    }
    let mut free = pragma(connection, "freelist_count")?;
    while free > 0 {
        connection.execute_batch(&format!("PRAGMA incremental_vacuum({PAGES})"))?;
        let left = pragma(connection, "freelist_count")?;
        if left >= free {
            break;
        }
        free = left;
    }
    Ok(())
}

fn used_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let pages = pragma(connection, "page_count")? - pragma(connection, "freelist_count")?;
    Ok(pages * pragma(connection, "page_size")?)
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<u64> {
    connection.pragma_query_value(None, name, |row| Ok(as_number(row.get(0)?)))
}
