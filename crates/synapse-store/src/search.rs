//! Finding tasks by what was said. Words of three characters or more are looked up in the index, which
//! knows every three characters in a row and so needs no spaces between words; shorter ones are looked
//! for in the texts themselves.

use std::fmt::Write as _;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, params_from_iter};
use synapse_a2a::event::Timestamp;
use synapse_a2a::id::TaskId;

use super::column::{as_time, number};
use super::error::StoreError;
use super::filing;
use super::read::{Events, Reader, kept};
use super::snippet::{contains, snippet};

/// The shortest run of characters that is in the index.
const INDEXED: usize = 3;

/// Words of a query that count.
const MOST_WORDS: usize = 16;

/// A task in which all words of a query were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    pub task: TaskId,
    /// The agent it was for.
    pub handle: String,
    /// When something last happened to it.
    pub at: Timestamp,
    /// Where the words stand.
    pub field: Field,
    /// What stands around the first of them.
    pub snippet: String,
}

/// Where words were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// In what was asked.
    Message,
    /// In what was replied.
    Reply,
}

impl Reader {
    /// The tasks in which all words of the query stand, those that began last first, behind the task
    /// given. Case does not matter, and no character of a query means anything but itself.
    pub fn search(
        &self,
        query: &str,
        limit: usize,
        before: Option<&TaskId>,
    ) -> Result<Vec<SearchHit>, StoreError> {
        let words = words(query);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        self.ask(|connection| {
            let before = match before {
                Some(task) => key_of(connection, task)?,
                None => i64::MAX,
            };
            let mut found = not_filed(connection, &words, before)?;
            found.extend(filed(connection, &words, limit, before)?);
            found.sort_unstable_by_key(|(key, _)| std::cmp::Reverse(*key));
            found.truncate(limit);
            Ok(found.into_iter().map(|(_, found)| found).collect())
        })
    }
}

fn words(query: &str) -> Vec<&str> {
    query
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
        .collect()
}

fn key_of(connection: &Connection, task: &TaskId) -> rusqlite::Result<i64> {
    let key = connection
        .prepare_cached("SELECT key FROM tasks WHERE id = ?1")?
        .query_row([task.as_str()], |row| row.get(0))
        .optional()?;
    Ok(key.unwrap_or(0))
}

fn filed(
    connection: &Connection,
    words: &[&str],
    limit: usize,
    before: i64,
) -> rusqlite::Result<Vec<(i64, SearchHit)>> {
    let (long, short): (Vec<&str>, Vec<&str>) = words
        .iter()
        .partition(|word| word.chars().count() >= INDEXED);
    let mut values = vec![Value::from(before), Value::from(number(limit))];
    let (from, condition, order) = if long.is_empty() {
        ("texts", "texts.key < ?1", "texts.key")
    } else {
        values.push(Value::from(quoted(&long)));
        (
            "words CROSS JOIN texts ON texts.key = words.rowid",
            "words.rowid < ?1 AND words MATCH ?3",
            "words.rowid",
        )
    };
    let mut sql = format!(
        "SELECT texts.key, tasks.id, tasks.updated_at, agents.handle, texts.message, texts.reply
         FROM {from}
         CROSS JOIN tasks ON tasks.key = texts.key
         CROSS JOIN agents ON agents.key = tasks.agent
         WHERE {condition}"
    );
    for word in short {
        values.push(Value::from(like(word)));
        let place = values.len();
        let _ = write!(
            sql,
            " AND (texts.message LIKE ?{place} ESCAPE '\\' OR texts.reply LIKE ?{place} ESCAPE '\\')"
        );
    }
    let _ = write!(sql, " ORDER BY {order} DESC LIMIT ?2");
    let mut select = connection.prepare(&sql)?;
    let found = select.query_map(params_from_iter(values), |row| {
        let (message, reply) = (row.get_ref(4)?.as_str()?, row.get_ref(5)?.as_str()?);
        let (field, snippet) = best(message, reply, words);
        let found = SearchHit {
            task: TaskId::new(row.get::<_, String>(1)?),
            handle: row.get(3)?,
            at: as_time(row.get(2)?),
            field,
            snippet,
        };
        Ok((row.get(0)?, found))
    })?;
    found.collect()
}

/// Those tasks that are not in the index yet: there are few of them.
fn not_filed(
    connection: &Connection,
    words: &[&str],
    before: i64,
) -> rusqlite::Result<Vec<(i64, SearchHit)>> {
    let mut select =
        connection.prepare_cached("SELECT key FROM tasks WHERE stage < 2 AND key < ?1")?;
    let keys = select.query_map([before], |row| row.get(0))?;
    let mut found = Vec::new();
    for key in keys {
        let key = key?;
        let Some(kept) = kept(connection, key, Events::LeftOut)? else {
            continue;
        };
        let (message, reply) = (kept.task.message().words(), filing::reply(&kept.task));
        let is_found = |word: &&str| contains(&message, word) || contains(&reply, word);
        if words.iter().all(is_found) {
            let (field, snippet) = best(&message, &reply, words);
            found.push((
                key,
                SearchHit {
                    task: kept.task.id().clone(),
                    handle: kept.handle,
                    at: kept.task.updated_at(),
                    field,
                    snippet,
                },
            ));
        }
    }
    Ok(found)
}

/// The text with more of the words in it, and what stands around them.
fn best(message: &str, reply: &str, words: &[&str]) -> (Field, String) {
    let count = |text: &str| words.iter().filter(|word| contains(text, word)).count();
    let (field, text) = if count(reply) > count(message) {
        (Field::Reply, reply)
    } else {
        (Field::Message, message)
    };
    (field, snippet(text, words))
}

/// Words as strings of the index's own language, in which nothing is special but the quote.
fn quoted(words: &[&str]) -> String {
    let quoted = words
        .iter()
        .map(|word| format!("\"{}\"", word.replace('"', "\"\"")));
    quoted.collect::<Vec<_>>().join(" ")
}

fn like(word: &str) -> String {
    let mut pattern = "%".to_owned();
    for c in word.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
