//! Files for their owner alone, replaced whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Replaces a file whole: a reader sees the old text or the new, also after a power cut.
///
/// A file has one writer at a time, so its draft needs no name of its own.
pub(crate) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let draft = draft_of(path);
    remove(&draft)?;
    let mut file = open(&draft)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(&draft, path)
}

/// Removes a file that may be gone already.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Where a file is written before it gets its name.
pub(crate) fn draft_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.draft"))
}

/// Opens a file for its owner alone, and creates it if need be.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
}
