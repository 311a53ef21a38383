//! Answers to messages typed in wrapped terminals, kept so that they can be read later.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior, params};
use synapse_a2a::event::Timestamp;
use synapse_a2a::id::TaskId;

use super::column::{as_time, number, time};
use super::database;
use super::error::{AboutStore as _, StoreError};

/// A reply on its way back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Who asked: an agent's name, or a person's.
    pub to: String,
    /// The agent that replied.
    pub from: String,
    /// Which task it came of.
    pub task: TaskId,
    /// What was replied.
    pub text: String,
    pub at: Timestamp,
    /// Whether whoever asked has seen it.
    pub is_seen: bool,
}

/// Which replies are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyFilter {
    /// All that are kept.
    All,
    /// Those nobody has seen.
    Unseen,
}

/// Keeps a reply.
pub fn add(path: &Path, reply: &Reply) -> Result<(), StoreError> {
    let connection = database::open_to_write(path)?;
    connection
        .execute(
            "INSERT INTO replies (recipient, sender, task, text, at, is_seen)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                reply.to,
                reply.from,
                reply.task.as_str(),
                reply.text,
                time(reply.at),
                reply.is_seen,
            ],
        )
        .about(path)?;
    Ok(())
}

/// The latest replies to someone, or to anybody, the newest first.
pub fn list(
    path: &Path,
    to: Option<&str>,
    wanted: ReplyFilter,
    limit: usize,
) -> Result<Vec<Reply>, StoreError> {
    let Some(connection) = database::open_to_read(path)? else {
        return Ok(Vec::new());
    };
    let all = || {
        connection
            .prepare(
                "SELECT recipient, sender, task, text, at, is_seen FROM replies
                 WHERE (?1 IS NULL OR recipient = ?1) AND (?2 OR NOT is_seen) ORDER BY key DESC LIMIT ?3",
            )?
            .query_map((to, wanted == ReplyFilter::All, number(limit)), |row| {
                Ok(Reply {
                    to: row.get(0)?,
                    from: row.get(1)?,
                    task: TaskId::new(row.get::<_, String>(2)?),
                    text: row.get(3)?,
                    at: as_time(row.get(4)?),
                    is_seen: row.get(5)?,
                })
            })?
            .collect::<rusqlite::Result<_>>()
    };
    all().about(path)
}

/// Notes that someone has seen the replies of these tasks; how many were new to them.
pub fn mark_seen(path: &Path, to: &str, tasks: &[TaskId]) -> Result<usize, StoreError> {
    let mut connection = database::open_to_write(path)?;
    mark(&mut connection, to, tasks).about(path)
}

fn mark(connection: &mut Connection, to: &str, tasks: &[TaskId]) -> rusqlite::Result<usize> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut count = 0;
    for task in tasks {
        count += transaction
            .prepare_cached(
                "UPDATE replies SET is_seen = 1
                 WHERE recipient = ?1 AND task = ?2 AND NOT is_seen",
            )?
            .execute((to, task.as_str()))?;
    }
    transaction.commit()?;
    Ok(count)
}
