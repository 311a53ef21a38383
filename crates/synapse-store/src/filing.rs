//! Folds and indexes finished tasks. Both can be rebuilt from the events, so this runs only when nothing
//! else waits, and is not synced.

use std::collections::VecDeque;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use synapse_a2a::artifact::Body;
use synapse_a2a::event::Event;
use synapse_a2a::task::Task;

use super::column::as_number;
use super::schema::stage;

/// How much of a message or of a reply can be searched; beyond that it is data, not words.
const SEARCHABLE: usize = 64 << 10;

/// What is filed at once: enough that the index is not made of crumbs, so little that nobody waits long.
const MOST_TASKS: usize = 16;
const MOST_BYTES: usize = 64 << 10;

/// The tasks that are over and not yet filed.
pub(super) fn not_filed(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    connection
        .prepare("SELECT key FROM tasks WHERE stage = 1")?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// Takes some of the tasks that are over and files them.
pub(super) fn file(connection: &mut Connection, over: &mut VecDeque<i64>) -> rusqlite::Result<()> {
    let mut sheets = Vec::new();
    let mut bytes = 0;
    while sheets.len() < MOST_TASKS
        && bytes < MOST_BYTES
        && let Some(key) = over.pop_front()
    {
        let sheet = Sheet::read(connection, key)?;
        bytes += sheet.message.len() + sheet.reply.len();
        sheets.push(sheet);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for sheet in &sheets {
        sheet.put(&transaction)?;
    }
    transaction.commit()
}

/// What is filed of a task.
struct Sheet {
    key: i64,
    message: String,
    reply: String,
    /// The task as JSON; empty if its events make no sense.
    folded: String,
}

impl Sheet {
    fn read(connection: &Connection, key: i64) -> rusqlite::Result<Self> {
        let task = fold(events(connection, key)?);
        let task = task.as_ref();
        let folded = task.and_then(|task| serde_json::to_string(task).ok());
        Ok(Self {
            key,
            message: searchable(task.map(|task| task.message().words())),
            reply: searchable(task.map(reply)),
            folded: folded.unwrap_or_default(),
        })
    }

    fn put(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        // Another host may have been quicker.
        let filed = transaction
            .prepare_cached("UPDATE tasks SET stage = ?2 WHERE key = ?1 AND stage = ?3")?
            .execute([self.key, stage::FILED, stage::OVER])?;
        if filed == 0 {
            return Ok(());
        }
        transaction
            .prepare_cached("INSERT OR REPLACE INTO texts (key, message, reply, folded) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![self.key, self.message, self.reply, self.folded])?;
        transaction
            .prepare_cached("INSERT INTO words (rowid, message, reply) VALUES (?1, ?2, ?3)")?
            .execute(params![self.key, self.message, self.reply])?;
        Ok(())
    }
}

/// The events of a task, in order. One that cannot be read ends the list, so that it has no hole.
pub(super) fn events(connection: &Connection, key: i64) -> rusqlite::Result<Vec<Event>> {
    let mut select = connection
        .prepare_cached("SELECT number, event FROM events WHERE task = ?1 ORDER BY number")?;
    let mut rows = select.query([key])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        let is_next = as_number(row.get(0)?) == events.len() as u64 + 1;
        match serde_json::from_str(row.get_ref(1)?.as_str()?) {
            Ok(event) if is_next => events.push(event),
            _ => break,
        }
    }
    Ok(events)
}

/// A task as far as its events make sense.
pub(super) fn fold(events: impl IntoIterator<Item = Event>) -> Option<Task> {
    let mut events = events.into_iter();
    let mut task = Task::begin(events.next()?).ok()?;
    for event in events {
        if task.apply(event).is_err() {
            break;
        }
    }
    Some(task)
}

/// What was replied: the reply as it was known at the end, else the words that were written.
pub(super) fn reply(task: &Task) -> String {
    if let Some(said) = task.reply() {
        return said.text.clone();
    }
    if let Some(spoken) = task.spoken() {
        return spoken.words();
    }
    let texts = task
        .artifacts()
        .iter()
        .filter_map(|artifact| match &artifact.body {
            Body::Text { text } | Body::Code { text, .. } | Body::Error { text, .. } => {
                Some(text.as_str())
            }
            Body::File { .. } | Body::Data { .. } | Body::Parts { .. } => None,
        });
    texts.collect::<Vec<_>>().join("\n")
}

fn searchable(text: Option<String>) -> String {
    let mut text = text.unwrap_or_default();
    text.truncate(text.floor_char_boundary(SEARCHABLE));
    text
}
