//! Messages to agents of other machines that are away, kept until those machines have them in their own stores.

use std::path::Path;

use rusqlite::{Row, params};
use synapse_a2a::event::Timestamp;

use super::column::{as_time, now, number, time};
use super::database;
use super::error::{AboutStore as _, StoreError};

/// How long it is remembered what became of a message, in milliseconds.
const REMEMBERED: u64 = 7 * 24 * 3_600 * 1_000;

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutboxState {
    /// It waits.
    Kept,
    /// The other machine has it.
    Delivered,
    /// The agent does not want it.
    Refused,
    Expired,
    Canceled,
}

impl OutboxState {
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Delivered => "delivered",
            Self::Refused => "refused",
            Self::Expired => "expired",
            Self::Canceled => "canceled",
        }
    }

    fn read(word: &str) -> Self {
        let all = [Self::Kept, Self::Delivered, Self::Refused, Self::Expired];
        let mut known = all.into_iter();
        known
            .find(|state| state.name() == word)
            .unwrap_or(Self::Canceled)
    }
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptMessage {
    /// The id of the message.
    pub message: String,
    pub machine: String,
    pub agent: String,
    pub priority: u8,
    /// What the agent is sent, JSON.
    pub body: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub state: OutboxState,
    /// The task it became.
    pub task: Option<String>,
    /// Why it was refused.
    pub reason: Option<String>,
}

const COLUMNS: &str =
    "message, machine, agent, priority, body, created_at, expires_at, state, task, reason";

/// Keeps a message unless `most` wait already; it is on disk when this returns. One that is kept stays as it is. Whether
/// there was room.
///
/// # Errors
/// When the database cannot be written.
pub fn keep(path: &Path, kept: &KeptMessage, most: usize) -> Result<bool, StoreError> {
    let connection = database::open_to_write(path)?;
    let old = now().0.saturating_sub(REMEMBERED);
    let insert = || -> rusqlite::Result<bool> {
        connection.execute(
            "DELETE FROM outbox WHERE state <> 'kept' AND expires_at < ?1",
            [number(old)],
        )?;
        let waiting: i64 = connection.query_row(
            "SELECT count(*) FROM outbox WHERE state = 'kept' AND message <> ?1",
            [&kept.message],
            |row| row.get(0),
        )?;
        if waiting >= number(most) {
            return Ok(false);
        }
        connection.execute(
            "INSERT INTO outbox (message, machine, agent, priority, body, created_at, expires_at, state)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'kept') ON CONFLICT DO NOTHING",
            params![
                kept.message,
                kept.machine,
                kept.agent,
                kept.priority,
                kept.body,
                time(kept.created_at),
                time(kept.expires_at),
            ],
        )?;
        Ok(true)
    };
    insert().about(path)
}

/// The messages that wait for machines, in the order in which they were kept. Those whose time is over are noted as such.
///
/// # Errors
/// When the database cannot be read or written.
pub fn waiting(path: &Path) -> Result<Vec<KeptMessage>, StoreError> {
    let Some(reader) = database::open_to_read(path)? else {
        return Ok(Vec::new());
    };
    let at = time(now());
    let late = || {
        reader.query_row(
            "SELECT count(*) FROM outbox WHERE state = 'kept' AND expires_at <= ?1",
            [at],
            |row| row.get::<_, i64>(0),
        )
    };
    if late().about(path)? > 0 {
        let connection = database::open_to_write(path)?;
        let expire =
            "UPDATE outbox SET state = 'expired' WHERE state = 'kept' AND expires_at <= ?1";
        connection.execute(expire, [at]).about(path)?;
    }
    select(path, "WHERE state = 'kept' ORDER BY key")
}

/// Whether a message still waits and its time is not over.
///
/// # Errors
/// When the database cannot be read.
pub fn is_waiting(path: &Path, message: &str) -> Result<bool, StoreError> {
    let Some(connection) = database::open_to_read(path)? else {
        return Ok(false);
    };
    let found = connection.query_row(
        "SELECT count(*) FROM outbox WHERE message = ?1 AND state = 'kept' AND expires_at > ?2",
        params![message, time(now())],
        |row| row.get::<_, i64>(0),
    );
    Ok(found.about(path)? > 0)
}

/// Every message that is remembered, the newest first.
///
/// # Errors
/// When the database cannot be read.
pub fn list(path: &Path) -> Result<Vec<KeptMessage>, StoreError> {
    select(path, "ORDER BY key DESC LIMIT 500")
}

fn select(path: &Path, how: &str) -> Result<Vec<KeptMessage>, StoreError> {
    let Some(connection) = database::open_to_read(path)? else {
        return Ok(Vec::new());
    };
    let all = || {
        connection
            .prepare(&format!("SELECT {COLUMNS} FROM outbox {how}"))?
            .query_map([], read)?
            .collect::<rusqlite::Result<_>>()
    };
    all().about(path)
}

/// Notes what became of a message that waits. Whether it waited.
///
/// # Errors
/// When the database cannot be written.
pub fn settle(
    path: &Path,
    message: &str,
    state: OutboxState,
    task: Option<&str>,
    reason: Option<&str>,
) -> Result<bool, StoreError> {
    let connection = database::open_to_write(path)?;
    let changed = connection
        .execute(
            "UPDATE outbox SET state = ?2, task = ?3, reason = ?4 WHERE message = ?1 AND state = 'kept'",
            params![message, state.name(), task, reason],
        )
        .about(path)?;
    Ok(changed > 0)
}

fn read(row: &Row<'_>) -> rusqlite::Result<KeptMessage> {
    Ok(KeptMessage {
        message: row.get(0)?,
        machine: row.get(1)?,
        agent: row.get(2)?,
        priority: row.get(3)?,
        body: row.get(4)?,
        created_at: as_time(row.get(5)?),
        expires_at: as_time(row.get(6)?),
        state: OutboxState::read(&row.get::<_, String>(7)?),
        task: row.get(8)?,
        reason: row.get(9)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: &str, expires_at: u64) -> KeptMessage {
        KeptMessage {
            message: id.to_owned(),
            machine: "laptop".to_owned(),
            agent: "codex".to_owned(),
            priority: 1,
            body: "{}".to_owned(),
            created_at: Timestamp(1),
            expires_at: Timestamp(expires_at),
            state: OutboxState::Kept,
            task: None,
            reason: None,
        }
    }

    #[test]
    fn messages_wait_in_order_once_and_until_their_time() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("s.db");
        let later = now().0 + 60_000;
        for id in ["a", "b", "a", "c"] {
            assert!(keep(&path, &message(id, later), 3).unwrap());
        }
        assert!(!keep(&path, &message("too many", later), 3).unwrap());
        assert!(keep(&path, &message("late", now().0 - 1), 4).unwrap());
        let ids = || -> Vec<String> {
            let waiting = waiting(&path).unwrap();
            waiting.into_iter().map(|kept| kept.message).collect()
        };
        assert_eq!(ids(), ["a", "b", "c"]);
        assert!(settle(&path, "b", OutboxState::Canceled, None, None).unwrap());
        assert!(settle(&path, "a", OutboxState::Delivered, Some("t"), None).unwrap());
        assert!(!settle(&path, "a", OutboxState::Canceled, None, None).unwrap());
        assert_eq!(ids(), ["c"]);
        let all = list(&path).unwrap();
        let states: Vec<&str> = all.iter().map(|kept| kept.state.name()).collect();
        assert_eq!(states, ["expired", "kept", "canceled", "delivered"]);
        assert_eq!(all[3].task.as_deref(), Some("t"));
    }
}
