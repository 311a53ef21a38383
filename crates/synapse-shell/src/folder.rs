//! A temporary folder that exists while a shell runs, for the commands to run and their results.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;

/// The folder; gone when dropped.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// A fresh one that nobody else can look into.
    pub(super) fn new() -> io::Result<Self> {
        let name = format!("synapse-shell-{}", uuid::Uuid::new_v4().simple());
        let path = std::env::temp_dir().join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    /// Where it is, for scripts.
    pub(super) fn root(&self) -> io::Result<&str> {
        let odd = || io::Error::other(format!("the path {} is not UTF-8", self.0.display()));
        self.0.to_str().ok_or_else(odd)
    }

    /// A path in it, for scripts.
    pub(super) fn path(&self, name: &str) -> io::Result<String> {
        Ok(format!("{}/{name}", self.root()?))
    }

    /// Writes a file in it.
    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        fs::write(self.0.join(name), text)
    }

    /// Takes a file out of it.
    pub(super) fn take(&self, name: &str) -> io::Result<Vec<u8>> {
        let path = self.0.join(name);
        let bytes = fs::read(&path)?;
        fs::remove_file(&path)?;
        Ok(bytes)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
