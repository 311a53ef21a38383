//! What is not kept for ever: tasks that have been over for too long, and the oldest of them when there
//! are too many. Open tasks stay, whatever their age.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};
use synapse_a2a::event::Timestamp;
use synapse_a2a::id::TaskId;

use super::column::{as_number, as_time, now, number, time};
use super::database;
use super::error::{AboutStore as _, StoreError};

/// Tasks removed at once. Hosts wait meanwhile, so it is not all of them.
const STEP: usize = 64;

/// How long it is known what turns took, in milliseconds: a year, and a little to compare with.
const USAGE_AGE: u64 = 400 * 24 * 60 * 60 * 1_000;

/// Pages given back to the system at once.
const PAGES: usize = 256;

/// Removes the tasks that have been over for longer than `max_age`, then the oldest others until what is
/// left fits into about `max_bytes`; which those were. Replies go by age.
pub fn retain(path: &Path, max_age: Duration, max_bytes: u64) -> Result<Vec<TaskId>, StoreError> {
    if database::open_to_read(path)?.is_none() {
        return Ok(Vec::new());
    }
    let mut connection = database::open_to_write(path)?;
    let max_age = u64::try_from(max_age.as_millis()).unwrap_or(u64::MAX);
    let since = Timestamp(now().0.saturating_sub(max_age));
    clear(&mut connection, since, max_bytes).about(path)
}

fn clear(
    connection: &mut Connection,
    since: Timestamp,
    max_bytes: u64,
) -> rusqlite::Result<Vec<TaskId>> {
    let mut removed = Vec::new();
    if let Some(last) = since.0.checked_sub(1) {
        remove(connection, Timestamp(last), &mut removed)?;
    }
    connection.execute("DELETE FROM replies WHERE at < ?1", [time(since)])?;
    connection.execute("DELETE FROM lives WHERE ended_at < ?1", [time(since)])?;
    let old = Timestamp(now().0.saturating_sub(USAGE_AGE));
    connection.execute("DELETE FROM usage WHERE at < ?1", [time(old)])?;
    loop {
        let used = used_bytes(connection)?;
        if used <= max_bytes {
            break;
        }
        let Some(last) = end_of_share(connection, used - max_bytes, used)? else {
            break;
        };
        remove(connection, last, &mut removed)?;
    }
    sweep(connection, !removed.is_empty())?;
    Ok(removed)
}

/// The time up to which the oldest tasks make up this share of all that may go; nothing if none may.
fn end_of_share(
    connection: &Connection,
    part: u64,
    whole: u64,
) -> rusqlite::Result<Option<Timestamp>> {
    let all: i64 = connection.query_row(
        "SELECT coalesce(sum(bytes), 0) FROM tasks WHERE stage = 2",
        [],
        |row| row.get(0),
    )?;
    let wanted = u128::from(as_number(all)) * u128::from(part) / u128::from(whole.max(1));
    let mut select = connection
        .prepare("SELECT updated_at, bytes FROM tasks WHERE stage = 2 ORDER BY updated_at")?;
    let mut rows = select.query([])?;
    let mut sum = 0;
    let mut last = None;
    while sum <= wanted
        && let Some(row) = rows.next()?
    {
        last = Some(as_time(row.get(0)?));
        sum += u128::from(as_number(row.get(1)?));
    }
    Ok(last)
}

/// Removes the tasks that were over by then, a few at a time.
fn remove(
    connection: &mut Connection,
    last: Timestamp,
    removed: &mut Vec<TaskId>,
) -> rusqlite::Result<()> {
    let mut behind = 0;
    loop {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let some: Vec<(i64, String)> = transaction
            .prepare_cached(
                "SELECT key, id FROM tasks
                 WHERE stage = 2 AND updated_at <= ?1 AND key > ?2 ORDER BY key LIMIT ?3",
            )?
            .query_map((time(last), behind, number(STEP)), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?
            .collect::<rusqlite::Result<_>>()?;
        for (key, _) in &some {
            for sql in [
                "DELETE FROM words WHERE rowid = ?1",
                "DELETE FROM tasks WHERE key = ?1",
            ] {
                transaction.prepare_cached(sql)?.execute([key])?;
            }
        }
        transaction.commit()?;
        let Some((key, _)) = some.last() else {
            return Ok(());
        };
        behind = *key;
        removed.extend(some.into_iter().map(|(_, id)| TaskId::new(id)));
    }
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
