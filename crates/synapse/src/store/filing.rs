//! What is done with a task once it is over: it is folded for good, and its words become searchable.
//! All of that can be made again from its events, so it waits until nobody is kept waiting by it, and
//! is not forced to the disk.

use rusqlite::{Connection, TransactionBehavior, params};
use synapse_a2a::artifact::Body;
use synapse_a2a::event::Event;
use synapse_a2a::task::Task;

use super::column::as_number;
use super::schema::stage;

/// How much of a message or of a reply can be searched; beyond that it is data, not words.
const SEARCHABLE: usize = 64 << 10;

/// The tasks that are over and not yet filed.
pub(super) fn not_filed(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    connection
        .prepare("SELECT key FROM tasks WHERE stage = 1")?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// Files a task that is over.
pub(super) fn file(connection: &mut Connection, key: i64) -> rusqlite::Result<()> {
    let task = fold(events(connection, key)?);
    let folded = task
        .as_ref()
        .and_then(|task| serde_json::to_string(task).ok());
    // Losing this to a power cut loses nothing: the task would only be filed again.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    let filed = put(connection, key, task.as_ref(), folded.as_deref());
    connection.pragma_update(None, "synchronous", "FULL")?;
    filed
}

fn put(
    connection: &mut Connection,
    key: i64,
    task: Option<&Task>,
    folded: Option<&str>,
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let filed = transaction
        .prepare_cached("UPDATE tasks SET stage = ?2 WHERE key = ?1 AND stage = ?3")?
        .execute([key, stage::FILED, stage::OVER])?;
    if let (1, Some(task), Some(folded)) = (filed, task, folded) {
        let message = task.message().words();
        let message = searchable(&message);
        let reply = reply(task);
        let reply = searchable(&reply);
        transaction
            .prepare_cached("INSERT OR REPLACE INTO texts VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![key, message, reply, folded])?;
        transaction
            .prepare_cached("INSERT INTO words (rowid, message, reply) VALUES (?1, ?2, ?3)")?
            .execute(params![key, message, reply])?;
    }
    transaction.commit()
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

fn searchable(text: &str) -> &str {
    text.get(..text.floor_char_boundary(SEARCHABLE))
        .unwrap_or(text)
}
