//! Runs of flows: their events, in the same database as those of tasks. One process writes a run at a time; it holds
//! the lock of the run. What the events mean is not known here.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::column::{as_number, number};
use super::database;
use super::error::{AboutStore as _, StoreError};
use super::read::Reader;
use synapse_a2a::id::TaskId;

/// A run in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowRun {
    pub id: String,
    pub name: String,
    /// running, stopping, done, failed or stopped.
    pub state: String,
    pub dir: String,
    /// Who started it.
    pub by: String,
    /// In milliseconds since 1970.
    pub started_at: u64,
    pub updated_at: u64,
    /// How many events there are.
    pub events: u64,
}

/// The writing side of one run.
#[derive(Debug)]
pub struct FlowLog {
    path: PathBuf,
    connection: Connection,
    run: i64,
    next: u64,
}

impl FlowLog {
    /// A new run with its first event: both are there, or neither.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path, run: &FlowRun, first: &str) -> Result<Self, StoreError> {
        let mut connection = database::open_to_write(path)?;
        let key = insert(&mut connection, run, first).about(path)?;
        Ok(Self {
            path: path.to_owned(),
            connection,
            run: key,
            next: 2,
        })
    }

    /// A run that goes on; nothing if there is none of that name.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(path: &Path, id: &str) -> Result<Option<Self>, StoreError> {
        let connection = database::open_to_write(path)?;
        let found = connection
            .query_row(
                "SELECT key, events FROM flow_runs WHERE id = ?1",
                [id],
                |row| Ok((row.get(0)?, as_number(row.get(1)?))),
            )
            .optional()
            .about(path)?;
        Ok(found.map(|(run, events)| Self {
            path: path.to_owned(),
            connection,
            run,
            next: events + 1,
        }))
    }

    /// Writes events behind those that are there, all or none. They are on disk when this returns.
    ///
    /// # Errors
    /// When they cannot be written, or another process has written the same run.
    pub fn append(&mut self, events: &[String], state: &str, at: u64) -> Result<(), StoreError> {
        let next = self.next;
        write(&mut self.connection, self.run, next, events, state, at).about(&self.path)?;
        self.next += events.len() as u64;
        Ok(())
    }
}

fn insert(connection: &mut Connection, run: &FlowRun, first: &str) -> rusqlite::Result<i64> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute(
        "INSERT INTO flow_runs (id, name, state, dir, started_by, started_at, updated_at, events)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1)",
        params![
            run.id,
            run.name,
            run.state,
            run.dir,
            run.by,
            number(run.started_at),
            number(run.updated_at),
        ],
    )?;
    let key = transaction.last_insert_rowid();
    transaction.execute(
        "INSERT INTO flow_events (run, number, event) VALUES (?1, 1, ?2)",
        params![key, first],
    )?;
    transaction.commit()?;
    Ok(key)
}

fn write(
    connection: &mut Connection,
    run: i64,
    next: u64,
    events: &[String],
    state: &str,
    at: u64,
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut last = next;
    for event in events {
        transaction
            .prepare_cached("INSERT INTO flow_events (run, number, event) VALUES (?1, ?2, ?3)")?
            .execute(params![run, number(last), event])?;
        last += 1;
    }
    transaction
        .prepare_cached(
            "UPDATE flow_runs SET state = ?2, updated_at = ?3, events = ?4 WHERE key = ?1",
        )?
        .execute(params![run, state, number(at), number(last - 1)])?;
    transaction.commit()
}

impl Reader {
    /// The latest runs, the newest first.
    pub fn flow_runs(&self, limit: usize) -> Result<Vec<FlowRun>, StoreError> {
        self.ask(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT id, name, state, dir, started_by, started_at, updated_at, events
                 FROM flow_runs ORDER BY key DESC LIMIT ?1",
            )?;
            let runs = select.query_map([number(limit)], |row| {
                Ok(FlowRun {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    state: row.get(2)?,
                    dir: row.get(3)?,
                    by: row.get(4)?,
                    started_at: as_number(row.get(5)?),
                    updated_at: as_number(row.get(6)?),
                    events: as_number(row.get(7)?),
                })
            })?;
            runs.collect()
        })
    }

    /// The runs whose id begins or ends like this, the newest first.
    pub fn find_flow_run(&self, part: &str) -> Result<Vec<String>, StoreError> {
        self.ask(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT id FROM flow_runs
                 WHERE substr(id, 1, length(?1)) = ?1 OR substr(id, -length(?1)) = ?1
                 ORDER BY key DESC LIMIT 10",
            )?;
            let found = select.query_map([part], |row| row.get(0))?;
            found.collect()
        })
    }

    /// The events of a run from a number on, as they were written.
    pub fn flow_events(&self, id: &str, from: u64) -> Result<Vec<String>, StoreError> {
        self.ask(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT event FROM flow_events JOIN flow_runs ON flow_runs.key = flow_events.run
                 WHERE flow_runs.id = ?1 AND number >= ?2 ORDER BY number",
            )?;
            let events = select.query_map(params![id, number(from)], |row| row.get(0))?;
            events.collect()
        })
    }

    /// The latest task that a message of this name began, whichever agent of this machine has it.
    pub fn task_of_message(&self, message: &str) -> Result<Option<TaskId>, StoreError> {
        self.ask(|connection| {
            let found: Option<String> = connection
                .prepare_cached(
                    "SELECT id FROM tasks WHERE message_id = ?1 ORDER BY key DESC LIMIT 1",
                )?
                .query_row([message], |row| row.get(0))
                .optional()?;
            Ok(found.map(TaskId::new))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: &str) -> FlowRun {
        FlowRun {
            id: id.to_owned(),
            name: "review".to_owned(),
            state: "running".to_owned(),
            dir: "/".to_owned(),
            by: "me".to_owned(),
            started_at: 1,
            updated_at: 1,
            events: 0,
        }
    }

    #[test]
    fn a_run_goes_on_from_what_was_written() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("synapse.db");
        let mut log = FlowLog::create(&path, &run("abc"), "1").unwrap();
        log.append(&["2".to_owned()], "running", 2).unwrap();
        drop(log);
        let mut log = FlowLog::open(&path, "abc").unwrap().unwrap();
        log.append(&["3".to_owned()], "done", 3).unwrap();
        let reader = Reader::open(&path).unwrap();
        assert_eq!(reader.flow_events("abc", 2).unwrap(), ["2", "3"]);
        let runs = reader.flow_runs(10).unwrap();
        assert_eq!((runs[0].state.as_str(), runs[0].events), ("done", 3));
        assert_eq!(reader.find_flow_run("bc").unwrap(), ["abc"]);
        assert!(FlowLog::open(&path, "nobody").unwrap().is_none());
    }

    #[test]
    fn two_writers_of_one_run_do_not_mix() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("synapse.db");
        let mut log = FlowLog::create(&path, &run("abc"), "1").unwrap();
        let mut other = FlowLog::open(&path, "abc").unwrap().unwrap();
        log.append(&["2".to_owned()], "running", 2).unwrap();
        assert!(other.append(&["x".to_owned()], "running", 2).is_err());
        let reader = Reader::open(&path).unwrap();
        assert_eq!(reader.flow_events("abc", 1).unwrap(), ["1", "2"]);
    }
}
