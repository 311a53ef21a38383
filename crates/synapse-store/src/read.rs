//! Reading what is on disk: a connection of its own that changes nothing, also when the agent is gone.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension as _, Row};
use synapse_a2a::event::{Event, Timestamp};
use synapse_a2a::id::{MessageId, TaskId};
use synapse_a2a::task::Task;

use super::column::{as_number, as_time, number, time};
use super::error::{AboutStore as _, StoreError};
use super::schema::stage;
use super::{database, filing};

/// How many names one part of a name may stand for.
const MOST_FOUND: usize = 10;

/// Reads the store. A file that is not there yet reads as an empty one, and is looked for again with
/// each question. Its methods wait for the disk.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    connection: OnceCell<Connection>,
}

/// A task as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The id of the agent it was for.
    pub agent: String,
    /// The name of that agent.
    pub handle: String,
    /// What kind of program it was.
    pub profile: String,
    /// Where it worked.
    pub dir: PathBuf,
    /// The run of the host that had it.
    pub run: String,
    /// The task as it stands.
    pub task: Task,
    /// How it came to stand so, from event 1 on; empty in a list.
    pub events: Vec<Event>,
    /// Whether nothing was lost between the events.
    pub is_complete: bool,
}

/// Who asked whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub sender: String,
    /// The agent that was asked.
    pub handle: String,
    pub count: u64,
    /// When something last came of it.
    pub last: Timestamp,
}

/// Whether a task is wanted with its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Events {
    Listed,
    LeftOut,
}

impl Reader {
    /// Opens the store to read.
    ///
    /// # Errors
    /// When there is a file that cannot be read as one.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let reader = Self {
            path: path.into(),
            connection: OnceCell::new(),
        };
        reader.connection()?;
        Ok(reader)
    }

    /// A task by its whole name.
    pub fn task(&self, task: &TaskId) -> Result<Option<Kept>, StoreError> {
        self.ask(|connection| {
            let key = connection
                .prepare_cached("SELECT key FROM tasks WHERE id = ?1")?
                .query_row([task.as_str()], |row| row.get(0))
                .optional()?;
            match key {
                Some(key) => kept(connection, key, Events::Listed),
                None => Ok(None),
            }
        })
    }

    /// The tasks whose name begins or ends like this, the whole name alone if there is one; at most ten.
    pub fn find(&self, part: &str) -> Result<Vec<TaskId>, StoreError> {
        if part.is_empty() {
            return Ok(Vec::new());
        }
        self.ask(|connection| {
            let exact = connection
                .prepare_cached("SELECT 1 FROM tasks WHERE id = ?1")?
                .exists([part])?;
            if exact {
                return Ok(vec![TaskId::new(part)]);
            }
            // In the order of the index on names, so that nothing but that index is read.
            let mut select = connection.prepare_cached(
                "SELECT id FROM tasks
                 WHERE substr(id, 1, length(?1)) = ?1 OR substr(id, -length(?1)) = ?1
                 ORDER BY id DESC LIMIT ?2",
            )?;
            let found = select.query_map((part, number(MOST_FOUND)), |row| row.get(0))?;
            found
                .map(|id| id.map(|id: String| TaskId::new(id)))
                .collect()
        })
    }

    /// The latest task of an agent that this message began.
    pub fn by_message(
        &self,
        agent: &str,
        message: &MessageId,
    ) -> Result<Option<TaskId>, StoreError> {
        self.ask(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT tasks.id FROM tasks JOIN agents ON agents.key = tasks.agent
                 WHERE tasks.message_id = ?1 AND agents.agent = ?2
                 ORDER BY tasks.key DESC LIMIT 1",
            )?;
            let found = select.query_row((message.as_str(), agent), |row| row.get(0));
            let found: Option<String> = found.optional()?;
            Ok(found.map(TaskId::new))
        })
    }

    /// The latest tasks of an agent with their events, the newest first.
    pub fn recent(&self, agent: &str, limit: usize) -> Result<Vec<Kept>, StoreError> {
        self.ask(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT tasks.key FROM tasks JOIN agents ON agents.key = tasks.agent
                 WHERE agents.agent = ?1 ORDER BY tasks.updated_at DESC, tasks.id DESC LIMIT ?2",
            )?;
            let keys = select.query_map((agent, number(limit)), |row| row.get(0))?;
            let keys: Vec<i64> = keys.collect::<rusqlite::Result<_>>()?;
            let tasks = keys
                .into_iter()
                .filter_map(|key| kept(connection, key, Events::Listed).transpose());
            tasks.collect()
        })
    }

    /// Who asked whom, counting the tasks something happened to at that time or later.
    pub fn edges(&self, since: Timestamp) -> Result<Vec<Edge>, StoreError> {
        self.ask(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT tasks.sender, agents.handle, count(*), max(tasks.updated_at)
                 FROM agents CROSS JOIN tasks ON tasks.agent = agents.key AND tasks.updated_at >= ?1
                 GROUP BY tasks.sender, agents.handle ORDER BY max(tasks.updated_at) DESC",
            )?;
            let edges = select.query_map([time(since)], |row| {
                Ok(Edge {
                    sender: row.get(0)?,
                    handle: row.get(1)?,
                    count: as_number(row.get(2)?),
                    last: as_time(row.get(3)?),
                })
            })?;
            edges.collect()
        })
    }

    /// Asks the database for something, all of it as of one moment.
    pub(super) fn ask<T: Default>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let Some(connection) = self.connection()? else {
            return Ok(T::default());
        };
        let transaction = connection.unchecked_transaction().about(&self.path)?;
        question(&transaction).about(&self.path)
    }

    fn connection(&self) -> Result<Option<&Connection>, StoreError> {
        if self.connection.get().is_none()
            && let Some(opened) = database::open_to_read(&self.path)?
        {
            // Nobody else can have set it: the cell is not shared between threads.
            let _ = self.connection.set(opened);
        }
        Ok(self.connection.get())
    }
}

/// A task by its key; nothing if its first event makes no sense.
pub(super) fn kept(
    connection: &Connection,
    key: i64,
    wanted: Events,
) -> rusqlite::Result<Option<Kept>> {
    let mut select = connection.prepare_cached(
        "SELECT agents.agent, agents.handle, agents.profile, agents.dir, runs.run,
            tasks.stage, tasks.is_complete, texts.folded
         FROM tasks
         JOIN agents ON agents.key = tasks.agent
         JOIN runs ON runs.key = tasks.run
         LEFT JOIN texts ON texts.key = tasks.key
         WHERE tasks.key = ?1",
    )?;
    let mut rows = select.query([key])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let folded = folded(row)?;
    let events = match (wanted, &folded) {
        (Events::LeftOut, Some(_)) => Vec::new(),
        _ => filing::events(connection, key)?,
    };
    let Some(task) = folded.or_else(|| filing::fold(events.iter().cloned())) else {
        return Ok(None);
    };
    Ok(Some(Kept {
        agent: row.get(0)?,
        handle: row.get(1)?,
        profile: row.get(2)?,
        dir: OsString::from_vec(row.get(3)?).into(),
        run: row.get(4)?,
        task,
        events: match wanted {
            Events::Listed => events,
            Events::LeftOut => Vec::new(),
        },
        is_complete: row.get(6)?,
    }))
}

/// The task as it was folded when it was filed.
fn folded(row: &Row<'_>) -> rusqlite::Result<Option<Task>> {
    if row.get::<_, i64>(5)? != stage::FILED {
        return Ok(None);
    }
    let folded = row.get_ref(7)?.as_str_or_null()?;
    Ok(folded.and_then(|folded| serde_json::from_str(folded).ok()))
}
