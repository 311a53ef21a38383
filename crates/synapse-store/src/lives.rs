//! The runs of agents: when each began, and how it ended. A run that nobody ended, and that is no more, was killed.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Row, params};
use synapse_a2a::event::Timestamp;

use super::column::{as_time, now, number, time};
use super::error::{AboutStore as _, StoreError};
use super::read::Reader;
use super::{Owner, database};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Somebody asked it to.
    Stopped,
    /// The program ended by itself, with this code.
    Exited(i32),
    /// A signal ended the program.
    Killed(i32),
    /// Its host was killed, and the program with it.
    HostKilled,
}

impl End {
    /// Whether nobody wanted it to end, as far as is known.
    pub fn is_death(self) -> bool {
        !matches!(self, Self::Stopped | Self::Exited(0))
    }

    /// How, in words that follow "died".
    pub fn words(self) -> String {
        match self {
            Self::Stopped => "stopped".to_owned(),
            Self::Exited(code) => format!("exit code {code}"),
            Self::Killed(signal) => match signal_name(signal) {
                Some(name) => format!("killed, {name}"),
                None => format!("killed, signal {signal}"),
            },
            Self::HostKilled => "killed".to_owned(),
        }
    }

    fn columns(self) -> (&'static str, i32) {
        match self {
            Self::Stopped => ("stopped", 0),
            Self::Exited(code) => ("exited", code),
            Self::Killed(signal) => ("killed", signal),
            Self::HostKilled => ("host_killed", 0),
        }
    }

    fn of_columns(how: &str, code: i32) -> Self {
        match how {
            "stopped" => Self::Stopped,
            "exited" => Self::Exited(code),
            "killed" => Self::Killed(code),
            _ => Self::HostKilled,
        }
    }
}

/// A run that died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    pub run: String,
    /// The id of the agent.
    pub agent: String,
    pub handle: String,
    pub profile: String,
    pub dir: PathBuf,
    pub at: Timestamp,
    pub end: End,
    /// Somebody has looked at it.
    pub is_seen: bool,
}

/// Takes note that a run has begun.
pub fn begin(path: &Path, owner: &Owner) -> Result<(), StoreError> {
    let connection = database::open_to_write(path)?;
    insert(&connection, owner).about(path)
}

/// Takes note of how a run has ended.
pub fn end(path: &Path, owner: &Owner, end: End) -> Result<(), StoreError> {
    let connection = database::open_to_write(path)?;
    let write = || {
        insert(&connection, owner)?;
        finish(&connection, &owner.run, end)
    };
    write().about(path)
}

/// Ends the runs that nobody ended and that are not alive; how many there were.
pub(super) fn sweep(path: &Path, is_alive: impl Fn(&str) -> bool) -> Result<usize, StoreError> {
    let Some(reader) = database::open_to_read(path)? else {
        return Ok(0);
    };
    let open = || -> rusqlite::Result<Vec<String>> {
        reader
            .prepare("SELECT run FROM lives WHERE ended_at IS NULL")?
            .query_map([], |row| row.get(0))?
            .collect()
    };
    let mut dead = open().about(path)?;
    dead.retain(|run| !is_alive(run));
    if dead.is_empty() {
        return Ok(0);
    }
    let connection = database::open_to_write(path)?;
    for run in &dead {
        finish(&connection, run, End::HostKilled).about(path)?;
    }
    Ok(dead.len())
}

/// Takes note that somebody has looked at the deaths of an agent, or of all.
pub fn see(path: &Path, agent: Option<&str>) -> Result<usize, StoreError> {
    let connection = database::open_to_write(path)?;
    connection
        .execute(
            "UPDATE lives SET is_seen = 1
             WHERE ended_at IS NOT NULL AND is_seen = 0 AND (?1 IS NULL OR agent = ?1)",
            [agent],
        )
        .about(path)
}

impl Reader {
    /// The deaths that nobody has looked at, the latest first.
    pub fn deaths(&self, limit: usize) -> Result<Vec<Death>, StoreError> {
        let all: Vec<Death> = self.ask(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT run, agent, handle, profile, dir, ended_at, how, code, is_seen FROM lives
                 WHERE is_seen = 0 AND how NOT NULL AND how <> 'stopped'
                    AND NOT (how = 'exited' AND code = 0)
                 ORDER BY ended_at DESC, run LIMIT ?1",
            )?;
            select.query_map([number(limit)], death)?.collect()
        })?;
        Ok(all)
    }

    /// How the last run of each agent ended, by its id and its name in small letters.
    pub fn last_ends(&self) -> Result<HashMap<(String, String), End>, StoreError> {
        self.ask(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT agent, lower(handle), how, code FROM lives
                 WHERE how NOT NULL ORDER BY ended_at",
            )?;
            let ends = select.query_map([], |row| {
                let end = End::of_columns(&row.get::<_, String>(2)?, row.get(3)?);
                Ok(((row.get(0)?, row.get(1)?), end))
            })?;
            ends.collect()
        })
    }

    /// How a run ended, if it did.
    pub fn end_of(&self, run: &str) -> Result<Option<End>, StoreError> {
        self.ask(|connection| {
            let mut select = connection
                .prepare_cached("SELECT how, code FROM lives WHERE run = ?1 AND how NOT NULL")?;
            let mut ends = select.query_map([run], |row| {
                Ok(End::of_columns(&row.get::<_, String>(0)?, row.get(1)?))
            })?;
            ends.next().transpose()
        })
    }
}

fn insert(connection: &Connection, owner: &Owner) -> rusqlite::Result<()> {
    connection
        .execute(
            "INSERT OR IGNORE INTO lives (run, agent, handle, profile, dir, started_at, is_seen)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)",
            params![
                owner.run,
                owner.agent,
                owner.handle,
                owner.profile,
                owner.dir.as_os_str().as_bytes(),
                time(owner.started_at),
            ],
        )
        .map(|_| ())
}

/// The first word about an end counts.
fn finish(connection: &Connection, run: &str, end: End) -> rusqlite::Result<()> {
    let (how, code) = end.columns();
    connection
        .execute(
            "UPDATE lives SET ended_at = ?2, how = ?3, code = ?4
             WHERE run = ?1 AND ended_at IS NULL",
            params![run, time(now()), how, code],
        )
        .map(|_| ())
}

fn death(row: &Row<'_>) -> rusqlite::Result<Death> {
    Ok(Death {
        run: row.get(0)?,
        agent: row.get(1)?,
        handle: row.get(2)?,
        profile: row.get(3)?,
        dir: OsString::from_vec(row.get(4)?).into(),
        at: as_time(row.get(5)?),
        end: End::of_columns(&row.get::<_, String>(6)?, row.get(7)?),
        is_seen: row.get(8)?,
    })
}

/// The names of the signals that end programs.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        31 => "SIGSYS",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(run: &str) -> Owner {
        Owner {
            run: run.to_owned(),
            agent: "a".to_owned(),
            handle: "claude".to_owned(),
            profile: "claude".to_owned(),
            dir: "/w".into(),
            pid: 1,
            started_at: Timestamp(1),
        }
    }

    #[test]
    fn a_run_that_nobody_ended_was_killed_and_is_told_until_somebody_looks() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("store.db");
        for run in ["alive", "killed", "stopped", "crashed", "left"] {
            begin(&path, &owner(run)).unwrap();
        }
        end(&path, &owner("stopped"), End::Stopped).unwrap();
        end(&path, &owner("left"), End::Exited(0)).unwrap();
        end(&path, &owner("crashed"), End::Killed(11)).unwrap();
        assert_eq!(sweep(&path, |run| run == "alive").unwrap(), 1);
        // The first word about an end counts.
        end(&path, &owner("killed"), End::Stopped).unwrap();
        let reader = Reader::open(&path).unwrap();
        let mut deaths: Vec<(String, String)> = reader
            .deaths(10)
            .unwrap()
            .into_iter()
            .map(|death| (death.run, death.end.words()))
            .collect();
        deaths.sort();
        let death = |run: &str, words: &str| (run.to_owned(), words.to_owned());
        assert_eq!(
            deaths,
            [
                death("crashed", "killed, SIGSEGV"),
                death("killed", "killed")
            ]
        );
        assert_eq!(reader.end_of("left").unwrap(), Some(End::Exited(0)));
        assert_eq!(reader.end_of("alive").unwrap(), None);
        see(&path, Some("a")).unwrap();
        assert!(reader.deaths(10).unwrap().is_empty());
    }
}
