//! One transaction: the rows of a batch, and the tasks they belong to.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use synapse_a2a::id::TaskId;

use super::Owner;
use super::column::{number, time};
use super::error::{AboutStore as _, StoreError};
use super::row::{Birth, Row};
use super::schema::{self, stage};
use super::task_head::{TaskHead, TaskHeads};

/// Writes rows in their order, and brings the tasks up to date with their heads, which learn their
/// keys. Nothing is written when this fails, or when a later program has changed the tables meanwhile. Returns the tasks
/// that someone else has written before.
pub(super) fn write<'a>(
    connection: &mut Connection,
    path: &Path,
    owner: &Owner,
    rows: impl Iterator<Item = &'a Row>,
    heads: &mut TaskHeads,
) -> Result<HashSet<TaskId>, StoreError> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .about(path)?;
    schema::version(&transaction, path)?;
    let taken = write_rows(&transaction, owner, rows, heads).about(path)?;
    transaction.commit().about(path)?;
    Ok(taken)
}

fn write_rows<'a>(
    transaction: &Transaction<'_>,
    owner: &Owner,
    rows: impl Iterator<Item = &'a Row>,
    heads: &mut TaskHeads,
) -> rusqlite::Result<HashSet<TaskId>> {
    let mut taken = HashSet::new();
    let mut born = HashSet::new();
    for row in rows {
        let Some(head) = heads.get_mut(&row.task) else {
            continue;
        };
        if taken.contains(&row.task) {
            continue;
        }
        if let Some(birth) = &row.birth
            && add_task(transaction, owner, row, birth, head)?
        {
            born.insert(&row.task);
        }
        if !add_event(transaction, row, head)? {
            taken.insert(row.task.clone());
            head.is_cut = true;
            head.kept = row.number.saturating_sub(1);
        }
    }
    for (task, head) in &mut *heads {
        let is_new = born.contains(task) && !taken.contains(task);
        if !is_new && !head.is_row_stale() {
            continue;
        }
        if !is_new {
            update_task(transaction, head)?;
        }
        head.note_row();
    }
    Ok(taken)
}

/// Gives a task its row; not if there is one of that name already.
fn add_task(
    transaction: &Transaction<'_>,
    owner: &Owner,
    row: &Row,
    birth: &Birth,
    head: &mut TaskHead,
) -> rusqlite::Result<bool> {
    let (agent, run) = owner_keys(transaction, owner)?;
    let mut insert = transaction.prepare_cached(
        "INSERT OR IGNORE INTO tasks (id, agent, run, stage, state, sender, priority, context,
            message_id, created_at, updated_at, events, bytes, is_complete)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?;
    let added = insert.execute(params![
        row.task.as_str(),
        agent,
        run,
        stage_of(head),
        head.state.name(),
        birth.sender,
        birth.priority,
        birth.context,
        birth.message_id,
        time(birth.created_at),
        time(head.updated_at),
        number(head.kept),
        number(head.bytes),
        !head.is_cut,
    ])?;
    head.key = (added > 0).then(|| transaction.last_insert_rowid());
    Ok(added > 0)
}

/// Adds an event to its task; not if that number is taken.
fn add_event(transaction: &Transaction<'_>, row: &Row, head: &TaskHead) -> rusqlite::Result<bool> {
    let Some(key) = head.key else {
        return Ok(false);
    };
    let mut insert = transaction
        .prepare_cached("INSERT OR IGNORE INTO events (task, number, event) VALUES (?1, ?2, ?3)")?;
    Ok(insert.execute(params![key, number(row.number), row.event])? > 0)
}

fn update_task(transaction: &Transaction<'_>, head: &TaskHead) -> rusqlite::Result<()> {
    let Some(key) = head.key else {
        return Ok(());
    };
    // A task that someone else has ended stays as it is.
    let mut update = transaction.prepare_cached(
        "UPDATE tasks
         SET stage = ?2, state = ?3, updated_at = ?4, events = ?5, bytes = ?6, is_complete = ?7
         WHERE key = ?1 AND stage = 0",
    )?;
    update.execute(params![
        key,
        stage_of(head),
        head.state.name(),
        time(head.updated_at),
        number(head.kept),
        number(head.bytes),
        !head.is_cut,
    ])?;
    Ok(())
}

/// The rows of who writes. They may have been cleared away since the last time, so they are looked up
/// whenever a task begins.
fn owner_keys(transaction: &Transaction<'_>, owner: &Owner) -> rusqlite::Result<(i64, i64)> {
    let whose = params![
        owner.agent,
        owner.handle,
        owner.profile,
        owner.dir.as_os_str().as_bytes()
    ];
    let mut find = transaction.prepare_cached(
        "SELECT key FROM agents WHERE agent = ?1 AND handle = ?2 AND profile = ?3 AND dir = ?4",
    )?;
    let agent = match find.query_row(whose, |row| row.get(0)).optional()? {
        Some(key) => key,
        None => transaction
            .prepare_cached(
                "INSERT INTO agents (agent, handle, profile, dir) VALUES (?1, ?2, ?3, ?4)",
            )?
            .insert(whose)?,
    };
    let mut find = transaction.prepare_cached("SELECT key FROM runs WHERE run = ?1")?;
    let run = match find.query_row([&owner.run], |row| row.get(0)).optional()? {
        Some(key) => key,
        None => transaction
            .prepare_cached("INSERT INTO runs (run, pid, started_at) VALUES (?1, ?2, ?3)")?
            .insert(params![owner.run, owner.pid, time(owner.started_at)])?,
    };
    Ok((agent, run))
}

fn stage_of(head: &TaskHead) -> i64 {
    if head.state.is_final() {
        stage::OVER
    } else {
        stage::OPEN
    }
}
