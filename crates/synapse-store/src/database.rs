//! Opens the database: readable by its owner alone, with a small cache, and never half-initialised.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::error::{AboutStore as _, StoreError};
use super::{patience, schema};
use synapse_machine::{paths, private_file};

/// Opens the database to write, and makes it if there is none.
pub(super) fn open_to_write(path: &Path) -> Result<Connection, StoreError> {
    let folder = folder_of(path);
    paths::create_folder(folder).about(folder)?;
    if !path.try_exists().about(path)? {
        let _turn = lock(folder)?;
        if !path.try_exists().about(path)? {
            create(path, folder)?;
        }
    }
    check(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).about(path)?;
    make_private(path)?;
    frugal(&mut connection).about(path)?;
    if schema::version(&connection, path)? < schema::STEPS.len() {
        let _turn = lock(folder)?;
        prepare(&mut connection, path)?;
    }
    connection
        .pragma_update(None, "synchronous", "FULL")
        .about(path)?;
    Ok(connection)
}

/// Opens the database for the one who writes most, together with its log.
///
/// A commit of this connection is not on the disk until the log is synced. That is left to the caller, so
/// that it happens after the database is free again: with many hosts, their syncs then run at the same
/// time, while the database itself would hold everybody up during each. What is in the log may move to
/// the database before it was synced by us; whoever moves it syncs both.
pub(super) fn open_to_write_much(path: &Path) -> Result<(Connection, File), StoreError> {
    let connection = open_to_write(path)?;
    connection
        .pragma_update(None, "synchronous", "NORMAL")
        .about(path)?;
    let log = beside(path, "-wal");
    let log = File::open(&log).about(&log)?;
    Ok((connection, log))
}

/// Opens the database to read; nothing if there is none yet. One of an earlier version is brought to this
/// one first.
pub(super) fn open_to_read(path: &Path) -> Result<Option<Connection>, StoreError> {
    if !path.try_exists().about(path)? {
        return Ok(None);
    }
    check(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).about(path)?;
    frugal(&mut connection).about(path)?;
    let version = schema::version(&connection, path)?;
    if version > 0 && version < schema::STEPS.len() {
        open_to_write(path)?;
    }
    Ok((version > 0).then_some(connection))
}

/// Makes a database beside its place and moves it there, so that nobody sees it half-made. The caller
/// holds the lock.
fn create(path: &Path, folder: &Path) -> Result<(), StoreError> {
    let draft = beside(path, ".new");
    for old in [&draft, &beside(&draft, "-wal"), &beside(&draft, "-shm")] {
        if old.try_exists().about(old)? {
            fs::remove_file(old).about(old)?;
        }
    }
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)
        .about(&draft)?;
    let mut connection = Connection::open(&draft).about(&draft)?;
    // What is made here counts only once it has its name.
    connection
        .pragma_update(None, "synchronous", "OFF")
        .about(&draft)?;
    prepare(&mut connection, &draft)?;
    connection
        .close()
        .map_err(|(_, error)| StoreError::of_database(&draft, &error))?;
    file.sync_all().about(&draft)?;
    fs::rename(&draft, path).about(path)?;
    let folder_itself = File::open(folder).about(folder)?;
    folder_itself.sync_all().about(folder)
}

fn prepare(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    // Only an empty database takes the first of these.
    connection
        .execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;")
        .about(path)?;
    schema::migrate(connection, path)
}

/// A host stays small: half a megabyte of pages, nothing mapped.
fn frugal(connection: &mut Connection) -> rusqlite::Result<()> {
    patience::wait(connection)?;
    connection.execute_batch("PRAGMA cache_size = -512; PRAGMA mmap_size = 0;")
}

/// Looks whether the database and what is beside it are ours: the tasks in it are carried out. They are not opened
/// for that, since closing a file gives up every lock that this process has on it.
fn check(path: &Path) -> Result<(), StoreError> {
    for file in [path, &beside(path, "-wal"), &beside(path, "-shm")] {
        match private_file::check(file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).about(file);
            }
            _ => {}
        }
    }
    Ok(())
}

/// The files beside the database get its mode when they are made.
fn make_private(path: &Path) -> Result<(), StoreError> {
    let mode = fs::metadata(path).about(path)?.permissions().mode();
    let is_private = mode & 0o777 == mode & 0o700;
    if is_private {
        return Ok(());
    }
    for file in [path, &beside(path, "-wal"), &beside(path, "-shm")] {
        if file.try_exists().about(file)? {
            fs::set_permissions(file, fs::Permissions::from_mode(0o600)).about(file)?;
        }
    }
    Ok(())
}

/// One process at a time makes or changes tables. The lock ends with the file or the process.
fn lock(folder: &Path) -> Result<File, StoreError> {
    let held = File::open(folder).about(folder)?;
    held.lock().about(folder)?;
    Ok(held)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
