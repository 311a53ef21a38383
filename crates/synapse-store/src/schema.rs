//! The tables, and how a database of an earlier version becomes one of this version: step by step, by
//! number. A step that was ever released is never changed.
//!
//! Hosts that run keep their version while a later one brings the database forward. `user_version` is the number of
//! steps that a program must know to work with it, `application_id` how many were taken.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::column::number;
use super::error::{AboutStore as _, StoreError};

/// Where a task stands with the store; the column `stage`.
pub(super) mod stage {
    /// More events may come.
    pub(crate) const OPEN: i64 = 0;
    /// It is over, but cannot be searched yet.
    pub(crate) const OVER: i64 = 1;
    /// It is over, folded and searchable.
    pub(crate) const FILED: i64 = 2;
}

/// One change of the tables.
pub(super) struct Step {
    sql: &'static str,
    /// A program that does not know it goes on working with the database, and others with what that one writes. So it may
    /// be if tables, indexes and columns are added, and the columns have a default.
    is_additive: bool,
}

/// Brings a database to the latest version.
pub(super) const STEPS: &[Step] = &[
    Step {
        sql: FIRST,
        is_additive: false,
    },
    Step {
        sql: SECOND,
        is_additive: false,
    },
    Step {
        sql: THIRD,
        is_additive: false,
    },
    Step {
        sql: FLOWS,
        is_additive: false,
    },
    Step {
        sql: OUTBOX,
        is_additive: false,
    },
];

/// Rows of `tasks` are rewritten with every group, so what is long stands in `texts`, once a task is
/// over. One index serves all lists: it has every column that a list may be narrowed by. `tally` makes
/// the length of a list known without walking it.
const FIRST: &str = "
CREATE TABLE agents (
    key INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    handle TEXT NOT NULL,
    profile TEXT NOT NULL,
    dir BLOB NOT NULL,
    UNIQUE (agent, handle, profile, dir)
) STRICT;
CREATE TABLE runs (
    key INTEGER PRIMARY KEY,
    run TEXT NOT NULL UNIQUE,
    pid INTEGER NOT NULL,
    started_at INTEGER NOT NULL
) STRICT;
CREATE TABLE tasks (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent INTEGER NOT NULL,
    run INTEGER NOT NULL,
    stage INTEGER NOT NULL,
    state TEXT NOT NULL,
    sender TEXT NOT NULL,
    priority INTEGER NOT NULL,
    context TEXT NOT NULL,
    message_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    events INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    is_complete INTEGER NOT NULL
) STRICT;
CREATE INDEX tasks_by_agent ON tasks (agent, updated_at, id, state, sender, context);
CREATE INDEX tasks_by_message ON tasks (message_id);
CREATE INDEX tasks_not_filed ON tasks (stage) WHERE stage < 2;
CREATE TABLE events (
    task INTEGER NOT NULL,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (task, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE texts (
    key INTEGER PRIMARY KEY,
    message TEXT NOT NULL,
    reply TEXT NOT NULL,
    folded TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE words USING fts5 (
    message, reply, content = '', contentless_delete = 1, tokenize = 'trigram'
);
CREATE TABLE tally (
    agent INTEGER NOT NULL,
    sender TEXT NOT NULL,
    state TEXT NOT NULL,
    tasks INTEGER NOT NULL,
    PRIMARY KEY (agent, sender, state)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER task_added AFTER INSERT ON tasks BEGIN
    INSERT INTO tally VALUES (new.agent, new.sender, new.state, 1)
    ON CONFLICT DO UPDATE SET tasks = tasks + 1;
END;
CREATE TRIGGER task_moved AFTER UPDATE OF state ON tasks WHEN old.state <> new.state BEGIN
    UPDATE tally SET tasks = tasks - 1
    WHERE agent = old.agent AND sender = old.sender AND state = old.state;
    INSERT INTO tally VALUES (new.agent, new.sender, new.state, 1)
    ON CONFLICT DO UPDATE SET tasks = tasks + 1;
END;
CREATE TRIGGER task_removed AFTER DELETE ON tasks BEGIN
    UPDATE tally SET tasks = tasks - 1
    WHERE agent = old.agent AND sender = old.sender AND state = old.state;
    DELETE FROM events WHERE task = old.key;
    DELETE FROM texts WHERE key = old.key;
    DELETE FROM pushes WHERE task = old.id;
END;
CREATE TABLE pushes (
    task TEXT NOT NULL,
    id TEXT NOT NULL,
    url TEXT NOT NULL,
    token TEXT,
    scheme TEXT,
    credentials TEXT,
    dialect TEXT NOT NULL,
    PRIMARY KEY (task, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE replies (
    key INTEGER PRIMARY KEY,
    recipient TEXT NOT NULL,
    sender TEXT NOT NULL,
    task TEXT NOT NULL,
    text TEXT NOT NULL,
    at INTEGER NOT NULL,
    is_seen INTEGER NOT NULL
) STRICT;
CREATE INDEX replies_by_recipient ON replies (recipient, key);
";

/// From `due` on, whoever finds the host of a task dead owes the place the end of the task; nothing is owed
/// where it is null. `is_local` says which addresses the host might call.
const SECOND: &str = "
ALTER TABLE pushes ADD COLUMN due INTEGER;
ALTER TABLE pushes ADD COLUMN is_local INTEGER NOT NULL DEFAULT 0;
CREATE INDEX pushes_due ON pushes (due) WHERE due IS NOT NULL;
";

/// What turns took of the models outlives the tasks. `lives` has every run of an agent; one without an end that is not
/// alive was killed.
const THIRD: &str = "
CREATE TABLE usage (
    task TEXT NOT NULL,
    model TEXT NOT NULL,
    agent TEXT NOT NULL,
    handle TEXT NOT NULL,
    profile TEXT NOT NULL,
    at INTEGER NOT NULL,
    input INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    cache_written INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cost_micros INTEGER,
    context INTEGER,
    context_window INTEGER,
    PRIMARY KEY (task, model)
) STRICT;
CREATE INDEX usage_by_time ON usage (at);
CREATE TABLE lives (
    run TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    handle TEXT NOT NULL,
    profile TEXT NOT NULL,
    dir BLOB NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    how TEXT,
    code INTEGER,
    is_seen INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX lives_by_agent ON lives (agent, ended_at);
";

/// Runs of flows, and what happened to each.
const FLOWS: &str = "
CREATE TABLE flow_runs (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    dir TEXT NOT NULL,
    started_by TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    events INTEGER NOT NULL
) STRICT;
CREATE TABLE flow_events (
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER flow_removed AFTER DELETE ON flow_runs BEGIN
    DELETE FROM flow_events WHERE run = old.key;
END;
";

/// Messages to agents of other machines, kept until the store of that machine has them. `message` is unique, so that
/// what is handed over twice is kept once.
const OUTBOX: &str = "
CREATE TABLE outbox (
    key INTEGER PRIMARY KEY,
    message TEXT NOT NULL UNIQUE,
    machine TEXT NOT NULL,
    agent TEXT NOT NULL,
    priority INTEGER NOT NULL,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    task TEXT,
    reason TEXT
) STRICT;
CREATE INDEX outbox_kept ON outbox (machine, key) WHERE state = 'kept';
";

/// How many steps a database has taken, 0 for an empty one. There may be more than this program knows.
///
/// # Errors
/// When it is damaged, of something else, or has taken a step without which this program cannot work with it.
pub(super) fn version(connection: &Connection, path: &Path) -> Result<usize, StoreError> {
    taken(connection, path, STEPS)
}

/// Takes the steps that are missing.
pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    take(connection, path, STEPS)
}

fn taken(connection: &Connection, path: &Path, steps: &[Step]) -> Result<usize, StoreError> {
    let read = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, u32>(0));
    let found = read("user_version").about(path)?;
    let known = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    if found > known {
        let path = path.to_owned();
        return Err(StoreError::Newer { path, found, known });
    }
    if found == 0 {
        let tables: u32 = connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .about(path)?;
        if tables > 0 {
            let path = path.to_owned();
            return Err(StoreError::Foreign { path });
        }
        return Ok(0);
    }
    // Nobody but us writes it; 0 is from before there were additive steps.
    let taken = read("application_id").about(path)?;
    Ok(found.max(taken) as usize)
}

fn take(connection: &mut Connection, path: &Path, steps: &[Step]) -> Result<(), StoreError> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .about(path)?;
    // Another process may have been quicker; only within the transaction is the version for sure.
    let taken = taken(&transaction, path, steps)?;
    if taken < steps.len() {
        for step in steps.iter().skip(taken) {
            transaction.execute_batch(step.sql).about(path)?;
        }
        let needed = steps.iter().rposition(|step| !step.is_additive);
        let needed = needed.map_or(0, |last| last + 1);
        for (pragma, value) in [("user_version", needed), ("application_id", steps.len())] {
            transaction
                .pragma_update(None, pragma, number(value))
                .about(path)?;
        }
    }
    transaction.commit().about(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDED: Step = Step {
        sql: "CREATE TABLE later (key INTEGER PRIMARY KEY) STRICT;
            ALTER TABLE tasks ADD COLUMN colour TEXT;",
        is_additive: true,
    };
    const CHANGED: Step = Step {
        sql: "DROP TABLE replies;",
        is_additive: false,
    };

    fn ladder(more: impl IntoIterator<Item = Step>) -> Vec<Step> {
        let known = STEPS.iter().map(|step| Step { ..*step });
        known.chain(more).collect()
    }

    #[test]
    fn a_program_works_with_what_a_later_one_has_only_added_to() {
        let path = Path::new("synapse.db");
        let mut database = Connection::open_in_memory().unwrap();
        take(&mut database, path, STEPS).unwrap();
        let (added, changed) = (ladder([ADDED]), ladder([ADDED, CHANGED]));
        take(&mut database, path, &added).unwrap();
        assert_eq!(taken(&database, path, STEPS).unwrap(), added.len());
        // Whoever comes once more, of either version, changes nothing.
        take(&mut database, path, STEPS).unwrap();
        take(&mut database, path, &added).unwrap();
        assert_eq!(taken(&database, path, &added).unwrap(), added.len());
        take(&mut database, path, &changed).unwrap();
        for older in [STEPS, &added[..]] {
            let refused = taken(&database, path, older);
            assert!(
                matches!(refused, Err(StoreError::Newer { .. })),
                "{refused:?}"
            );
        }
    }
}
