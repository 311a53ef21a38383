//! Looks up what the editor offers: agents that run, commands, files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::complete::Source;
use crate::client::{Callable, Web};
use crate::external::Contacts;
use crate::handle::EVERYONE;
use crate::paths::Paths;
use crate::registry::Registry;

/// More than anybody reads in a menu.
const MOST: usize = 500;

/// This machine.
#[derive(Debug)]
pub(super) struct Machine {
    paths: Paths,
}

impl Machine {
    pub(super) fn new(paths: Paths) -> Self {
        Self { paths }
    }
}

impl Source for Machine {
    fn handles(&self) -> Vec<String> {
        let running = Registry::new(self.paths.registry())
            .list()
            .unwrap_or_default();
        let mut handles: Vec<String> = running.iter().map(|it| it.handle.to_string()).collect();
        if !handles.is_empty() {
            handles.push(EVERYONE.to_owned());
        }
        // Only looked at: nobody is called.
        let elsewhere = Contacts::new(&self.paths, Web::new(Callable::Any, None));
        let known = elsewhere.list().unwrap_or_default();
        handles.extend(known.iter().map(|known| known.alias.to_string()));
        handles
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
    match (folder.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ if folder.is_empty() => Path::new(".").to_owned(),
        _ => folder.into(),
    }
}
