//! Lookups for completion: running agents, commands, files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use super::complete::Source;
use synapse_client::address::AddressBook;
use synapse_machine::paths::expand_home;

/// More than anybody reads in a menu.
const MOST: usize = 500;

pub(super) struct Machine {
    book: AddressBook,
}

impl Machine {
    pub(super) fn new(book: AddressBook) -> Self {
        Self { book }
    }
}

impl Source for Machine {
    fn handles(&self) -> Vec<String> {
        self.book.names()
    }

    fn commands(&self, begin: &str) -> Vec<String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let is_command = |entry: &fs::DirEntry| {
            let about = fs::metadata(entry.path());
            about.is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
        };
        let mut names: Vec<String> = std::env::split_paths(&path)
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flat_map(Iterator::flatten)
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(begin))
            .filter(is_command)
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(MOST);
        names
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(expand(folder)) else {
            return Vec::new();
        };
        let name = |entry: fs::DirEntry| {
            let mut name = entry.file_name().into_string().ok()?;
            // Through a link as well.
            if entry.path().is_dir() {
                name.push('/');
            }
            Some(name)
        };
        let mut names: Vec<String> = entries.flatten().filter_map(name).collect();
        names.sort_unstable();
        names.truncate(MOST);
        names
    }
}

/// A folder as a shell would find it.
fn expand(folder: &str) -> PathBuf {
    if folder.is_empty() {
        return PathBuf::from(".");
    }
    expand_home(folder)
}
