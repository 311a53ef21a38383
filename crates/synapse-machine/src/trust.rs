//! Which project profiles the user has agreed to. A profile names a command to run, so one that comes with
//! a repository is used only after the user has agreed to its exact contents; any change needs a new
//! agreement.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use crate::hex::hex;
use crate::paths::create_folder;
use crate::private_file;

/// Whether somebody agreed to a profile with these contents.
///
/// # Errors
/// If the list cannot be read.
pub fn is_trusted(list: &Path, contents: &[u8]) -> Result<bool> {
    Ok(read(list)?.contains(&hash(contents)))
}

/// Agrees to a profile with these contents.
///
/// # Errors
/// If the list cannot be read or written.
pub fn trust(list: &Path, contents: &[u8]) -> Result<()> {
    let mut trusted = read(list)?;
    trusted.insert(hash(contents));
    if let Some(folder) = list.parent() {
        create_folder(folder)?;
    }
    private_file::replace(list, &serde_json::to_vec_pretty(&trusted)?)
        .with_context(|| format!("cannot write {}", list.display()))
}

fn read(list: &Path) -> Result<BTreeSet<String>> {
    match private_file::read(list) {
        Ok(text) => {
            serde_json::from_slice(&text).with_context(|| format!("{} is broken", list.display()))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", list.display())),
    }
}

fn hash(contents: &[u8]) -> String {
    hex(&Sha256::digest(contents))
}
