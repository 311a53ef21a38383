//! Lists of tasks, page by page, the latest first.

use rusqlite::{Connection, named_params};
use synapse_a2a::event::{Origin, Timestamp};
use synapse_a2a::id::{ContextId, TaskId};
use synapse_a2a::task::TaskState;

use super::column::{as_number, as_time, number, time};
use super::error::StoreError;
use super::read::{Events, Kept, Reader, kept};

/// Which tasks are wanted; what is not set does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Those of the agent with this id.
    pub agent: Option<String>,
    /// Those of agents of this name, in any spelling of its letters.
    pub handle: Option<String>,
    /// Those of this conversation.
    pub context: Option<ContextId>,
    /// Those in this state.
    pub state: Option<TaskState>,
    /// Those something happened to at that time or later.
    pub updated_after: Option<Timestamp>,
    /// Those this one asked for.
    pub sender: Option<String>,
    /// Also the turns that people typed at the agent's own keyboard.
    pub keyboard: bool,
    /// Those behind this one.
    pub before: Option<Cursor>,
    /// How many at most.
    pub limit: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            agent: None,
            handle: None,
            context: None,
            state: None,
            updated_after: None,
            sender: None,
            keyboard: false,
            before: None,
            limit: 50,
        }
    }
}

/// A place in a list: behind this task. Tasks of the same time are told apart by their names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    /// When something last happened to it.
    pub updated_at: Timestamp,
    pub id: TaskId,
}

/// A piece of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The tasks, the latest first, without their events.
    pub tasks: Vec<Kept>,
    /// How many there are on all pages.
    pub total: usize,
    /// Where the next page begins, if there is one.
    pub next: Option<Cursor>,
}

impl Reader {
    /// One page of the list of tasks.
    pub fn page(&self, filter: &Filter) -> Result<Page, StoreError> {
        self.ask(|connection| {
            let agents = agents(connection, filter)?;
            let mut places = Vec::new();
            for agent in &agents {
                places.extend(places_of(connection, *agent, filter)?);
            }
            places.sort_unstable_by(|(one, _), (other, _)| other.cmp(one));
            let has_more = places.len() > filter.limit;
            places.truncate(filter.limit);
            let mut page = Page {
                total: total(connection, &agents, filter)?,
                ..Page::default()
            };
            for (_, key) in &places {
                page.tasks.extend(kept(connection, *key, Events::LeftOut)?);
            }
            if has_more {
                page.next = places.pop().map(|(cursor, _)| cursor);
            }
            Ok(page)
        })
    }
}

/// The agents whose tasks are wanted. Each has its own stretch of the index, already in order.
fn agents(connection: &Connection, filter: &Filter) -> rusqlite::Result<Vec<i64>> {
    let mut select = connection.prepare_cached(
        "SELECT key FROM agents
         WHERE (?1 IS NULL OR agent = ?1) AND (?2 IS NULL OR handle = ?2 COLLATE NOCASE)",
    )?;
    let keys = select.query_map((&filter.agent, &filter.handle), |row| row.get(0))?;
    keys.collect()
}

/// The first tasks of an agent behind the cursor, one more than a page has.
fn places_of(
    connection: &Connection,
    agent: i64,
    filter: &Filter,
) -> rusqlite::Result<Vec<(Cursor, i64)>> {
    let mut select = connection.prepare_cached(
        "SELECT updated_at, id, key FROM tasks
         WHERE agent = :agent AND (updated_at, id) < (:before_at, :before)
            AND updated_at >= :after
            AND (:state IS NULL OR state = :state)
            AND (:sender IS NULL OR sender = :sender)
            AND (:context IS NULL OR context = :context)
            AND (:keyboard OR sender <> :typist)
         ORDER BY updated_at DESC, id DESC LIMIT :limit",
    )?;
    let before = filter.before.as_ref();
    let places = select.query_map(
        named_params! {
            ":agent": agent,
            ":before_at": before.map_or(i64::MAX, |cursor| time(cursor.updated_at)),
            ":before": before.map_or("", |cursor| cursor.id.as_str()),
            ":after": time(filter.updated_after.unwrap_or(Timestamp(0))),
            ":state": filter.state.map(TaskState::name),
            ":sender": filter.sender,
            ":context": filter.context.as_ref().map(ContextId::as_str),
            ":keyboard": filter.keyboard,
            ":typist": Origin::KEYBOARD,
            ":limit": number(filter.limit.saturating_add(1)),
        },
        |row| {
            let cursor = Cursor {
                updated_at: as_time(row.get(0)?),
                id: TaskId::new(row.get::<_, String>(1)?),
            };
            Ok((cursor, row.get(2)?))
        },
    )?;
    places.collect()
}

/// How many tasks there are on all pages. What is kept in the tally need not be counted.
fn total(connection: &Connection, agents: &[i64], filter: &Filter) -> rusqlite::Result<usize> {
    let is_tallied = filter.context.is_none() && filter.updated_after.is_none();
    let mut select = connection.prepare_cached(if is_tallied {
        "SELECT coalesce(sum(tasks), 0) FROM tally
         WHERE agent = :agent
            AND (:state IS NULL OR state = :state)
            AND (:sender IS NULL OR sender = :sender)
            AND (:keyboard OR sender <> :typist)
            AND :context IS NULL AND :after = 0"
    } else {
        "SELECT count(*) FROM tasks
         WHERE agent = :agent AND updated_at >= :after
            AND (:state IS NULL OR state = :state)
            AND (:sender IS NULL OR sender = :sender)
            AND (:context IS NULL OR context = :context)
            AND (:keyboard OR sender <> :typist)"
    })?;
    let mut total = 0;
    for agent in agents {
        total += select.query_row(
            named_params! {
                ":agent": agent,
                ":after": time(filter.updated_after.unwrap_or(Timestamp(0))),
                ":state": filter.state.map(TaskState::name),
                ":sender": filter.sender,
                ":context": filter.context.as_ref().map(ContextId::as_str),
                ":keyboard": filter.keyboard,
                ":typist": Origin::KEYBOARD,
            },
            |row| row.get::<_, i64>(0),
        )?;
    }
    Ok(usize::try_from(as_number(total)).unwrap_or(usize::MAX))
}
