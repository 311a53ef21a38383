//! Push notification targets of a task, stored and removed with it.

use std::fmt;
use std::path::Path;

use rusqlite::{OptionalExtension as _, Row, params};
use synapse_a2a::id::TaskId;

use super::database;
use super::error::{AboutStore as _, StoreError};

/// One place to tell of a task.
#[derive(Clone, PartialEq, Eq)]
pub struct Push {
    /// Its name within the task.
    pub id: String,
    pub url: String,
    /// What proves to the receiver that it is us.
    pub token: Option<String>,
    /// How to log in there.
    pub auth: Option<Auth>,
    /// In which of the protocol's dialects.
    pub dialect: String,
}

/// How to log in.
#[derive(Clone, PartialEq, Eq)]
pub struct Auth {
    /// The scheme of the header, such as `Bearer`.
    pub scheme: String,
    /// What stands behind it.
    pub credentials: Option<String>,
}

/// Sets a place to tell of a task, instead of one of that name.
///
/// # Errors
/// When it cannot be written.
pub fn set(path: &Path, task: &TaskId, push: &Push) -> Result<(), StoreError> {
    let connection = database::open_to_write(path)?;
    let auth = push.auth.as_ref();
    connection
        .execute(
            "INSERT OR REPLACE INTO pushes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                task.as_str(),
                push.id,
                push.url,
                push.token,
                auth.map(|auth| &auth.scheme),
                auth.and_then(|auth| auth.credentials.as_ref()),
                push.dialect,
            ],
        )
        .about(path)?;
    Ok(())
}

/// One place to tell of a task.
///
/// # Errors
/// When the store cannot be read.
pub fn get(path: &Path, task: &TaskId, id: &str) -> Result<Option<Push>, StoreError> {
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
///
/// # Errors
/// When the store cannot be read.
pub fn list(path: &Path, task: &TaskId) -> Result<Vec<Push>, StoreError> {
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
///
/// # Errors
/// When it cannot be written.
pub fn delete(path: &Path, task: &TaskId, id: &str) -> Result<bool, StoreError> {
    let connection = database::open_to_write(path)?;
    let key = (task.as_str(), id);
    let gone = connection
        .execute("DELETE FROM pushes WHERE task = ?1 AND id = ?2", key)
        .about(path)?;
    Ok(gone > 0)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Push> {
    let scheme: Option<String> = row.get("scheme")?;
    let credentials = row.get("credentials")?;
    Ok(Push {
        id: row.get("id")?,
        url: row.get("url")?,
        token: row.get("token")?,
        auth: scheme.map(|scheme| Auth {
            scheme,
            credentials,
        }),
        dialect: row.get("dialect")?,
    })
}

// Tokens and credentials must not get into a log.
impl fmt::Debug for Push {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Push");
        debug.field("id", &self.id).field("dialect", &self.dialect);
        debug.finish_non_exhaustive()
    }
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Auth");
        debug.field("scheme", &self.scheme).finish_non_exhaustive()
    }
}
