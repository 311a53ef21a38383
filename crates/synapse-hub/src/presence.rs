//! Records that a hub runs, and where: a lock held while it runs, with its address in it. `synapse web
//! login` reads it, and a second hub of the same home learns where the first one is.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::auto_answer::AutoAnswer;
use synapse_machine::lock::{LockGuard, is_held};
use synapse_machine::paths::{Paths, create_folder};
use synapse_machine::private_file::{read, remove, replace};

/// A hub that runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Running {
    pub pid: u32,
    /// The address of its page.
    pub url: String,
    /// Where others reach it, if they do.
    #[serde(default)]
    pub reached_at: Option<String>,
}

/// Held as long as this hub runs.
#[derive(Debug)]
pub struct Presence {
    paths: Paths,
    _lock: LockGuard,
}

impl Presence {
    /// Makes it known that this process serves the page at this address, unless another one does.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn announce(
        paths: &Paths,
        url: &str,
        reached_at: Option<&str>,
    ) -> io::Result<Result<Self, Running>> {
        let path = paths.hub();
        if let Some(folder) = path.parent() {
            create_folder(folder)?;
        }
        // Two that are started at once must not both find nobody.
        let _turn = LockGuard::wait_for(&path.with_extension("turn"))?;
        if let Some(running) = running(paths)? {
            return Ok(Err(running));
        }
        let running = Running {
            pid: std::process::id(),
            url: url.to_owned(),
            reached_at: reached_at.map(str::to_owned),
        };
        let lock = LockGuard::create(&path, &serde_json::to_vec(&running)?)?;
        Ok(Ok(Self {
            paths: paths.clone(),
            _lock: lock,
        }))
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // They are ours: nobody replaces them while we hold the lock.
        let _ = remove(&self.paths.detour());
        let _ = remove(&self.paths.hub());
    }
}

/// A file that leads a browser to a link; only this user can read it. The hub removes it when it ends.
///
/// # Errors
/// If the file cannot be written.
pub fn detour(paths: &Paths, link: &str) -> io::Result<PathBuf> {
    let path = paths.detour();
    let page = format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={link}\">\n");
    replace(&path, page.as_bytes())?;
    Ok(path)
}

/// Whether a hub runs that answers questions by rules: one that is asked may be answered at once.
pub fn answers_by_rule(paths: &Paths) -> bool {
    matches!(running(paths), Ok(Some(_))) && AutoAnswer::is_on(paths.auto_answer())
}

/// The hub that runs, if one does.
///
/// # Errors
/// If the file cannot be read.
pub fn running(paths: &Paths) -> io::Result<Option<Running>> {
    let path = paths.hub();
    if !is_held(&path)? {
        return Ok(None);
    }
    Ok(serde_json::from_slice(&read(&path)?).ok())
}
