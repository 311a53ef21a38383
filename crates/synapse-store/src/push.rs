//! Push notification targets of a task, stored and removed with it.

use std::path::Path;
use std::time::Duration;

use rusqlite::types::Type;
use rusqlite::{OptionalExtension as _, Row, params};
use synapse_a2a::id::TaskId;
use synapse_a2a::task::Task;
use synapse_a2a::wire::Dialect;
use synapse_a2a::wire::request::{Authentication, PushConfig, PushTarget};

use super::column::{now, number, time};
use super::error::{AboutStore as _, StoreError};
use super::{Reader, database};

/// How long whoever has taken up an end may take to tell it; after that, somebody else may.
const LEASE: Duration = Duration::from_mins(5);

/// Sets a place to tell of a task, instead of one of that name. It is owed the end until [`settle`].
pub fn set(path: &Path, task: &TaskId, push: &PushTarget) -> Result<(), StoreError> {
    let connection = database::open_to_write(path)?;
    let config = &push.config;
    let auth = config.authentication.as_ref();
    connection
        .execute(
            "INSERT OR REPLACE INTO pushes
                (task, id, url, token, scheme, credentials, dialect, due, is_local)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8)",
            params![
                task.as_str(),
                config.id.as_deref().unwrap_or_default(),
                config.url,
                config.token,
                auth.map(|auth| &auth.scheme),
                auth.and_then(|auth| auth.credentials.as_ref()),
                push.dialect.name(),
                push.is_local,
            ],
        )
        .about(path)?;
    Ok(())
}

/// One place to tell of a task.
pub fn get(path: &Path, task: &TaskId, id: &str) -> Result<Option<PushTarget>, StoreError> {
    let Some(connection) = database::open_to_read(path)? else {
        return Ok(None);
    };
    let key = (task.as_str(), id);
    connection
        .query_row(
            "SELECT * FROM pushes WHERE task = ?1 AND id = ?2",
            key,
            read,
        )
        .optional()
        .about(path)
}

/// All places to tell of a task, by name.
pub fn list(path: &Path, task: &TaskId) -> Result<Vec<PushTarget>, StoreError> {
    let Some(connection) = database::open_to_read(path)? else {
        return Ok(Vec::new());
    };
    let all = || {
        connection
            .prepare("SELECT * FROM pushes WHERE task = ?1 ORDER BY id")?
            .query_map([task.as_str()], read)?
            .collect::<rusqlite::Result<_>>()
    };
    all().about(path)
}

/// Tells there no more; whether there was such a place.
pub fn delete(path: &Path, task: &TaskId, id: &str) -> Result<bool, StoreError> {
    let connection = database::open_to_write(path)?;
    let key = (task.as_str(), id);
    let gone = connection
        .execute("DELETE FROM pushes WHERE task = ?1 AND id = ?2", key)
        .about(path)?;
    Ok(gone > 0)
}

/// Owes a place the end of a task no more: it was told, or is given up. If that cannot be written, the
/// place may be told again.
pub fn settle(path: &Path, task: &TaskId, push: &PushTarget) {
    let written = database::open_to_write(path).and_then(|connection| {
        let sql = "UPDATE pushes SET due = NULL WHERE task = ?1 AND id = ?2";
        let key = (task.as_str(), &push.config.id);
        connection.execute(sql, key).about(path)
    });
    if let Err(error) = written {
        tracing::warn!(%error, "the end of a task may be pushed twice");
    }
}

/// Takes up the ends of tasks that the hosts of dead runs have not told everywhere. Nobody else gets them
/// for a while; whoever has told one says so with [`settle`].
pub fn claim_ends(
    path: &Path,
    is_alive: impl Fn(&str) -> bool,
) -> Result<Vec<(Task, PushTarget)>, StoreError> {
    let Some(connection) = database::open_to_read(path)? else {
        return Ok(Vec::new());
    };
    let now = now();
    let until = time(now).saturating_add(number(LEASE.as_millis()));
    let due = || {
        connection
            .prepare(
                "SELECT pushes.*, runs.run FROM pushes
                 JOIN tasks ON tasks.id = pushes.task
                 JOIN runs ON runs.key = tasks.run
                 WHERE pushes.due <= ?1 AND tasks.stage > 0",
            )?
            .query_map([time(now)], |row| {
                let task = TaskId::new(row.get::<_, String>("task")?);
                let (due, run): (i64, String) = (row.get("due")?, row.get("run")?);
                Ok((task, read(row)?, due, run))
            })?
            .collect::<rusqlite::Result<Vec<_>>>()
    };
    let mut owed = due().about(path)?;
    owed.retain(|(.., run)| !is_alive(run));
    if owed.is_empty() {
        return Ok(Vec::new());
    }
    let (writer, reader) = (database::open_to_write(path)?, Reader::open(path)?);
    let mut claimed = Vec::new();
    for (task, push, due, _) in owed {
        // Somebody else may have taken it up since we looked.
        let sql = "UPDATE pushes SET due = ?4 WHERE task = ?1 AND id = ?2 AND due = ?3";
        let key = params![task.as_str(), push.config.id, due, until];
        if writer.execute(sql, key).about(path)? == 1
            && let Some(kept) = reader.task(&task)?
        {
            claimed.push((kept.task, push));
        }
    }
    Ok(claimed)
}

fn read(row: &Row<'_>) -> rusqlite::Result<PushTarget> {
    let scheme: Option<String> = row.get("scheme")?;
    let credentials = row.get("credentials")?;
    let dialect: String = row.get("dialect")?;
    let unknown = || {
        let reason = format!("'{dialect}' is no dialect").into();
        rusqlite::Error::FromSqlConversionFailure(6, Type::Text, reason)
    };
    Ok(PushTarget {
        config: PushConfig {
            id: row.get("id")?,
            url: row.get("url")?,
            token: row.get("token")?,
            authentication: scheme.map(|scheme| Authentication {
                scheme,
                credentials,
            }),
        },
        dialect: Dialect::named(&dialect).ok_or_else(unknown)?,
        is_local: row.get("is_local")?,
    })
}
