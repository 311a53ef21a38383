//! What is wrong with a configuration, where, and what would be right.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use synapse_yaml::What;

/// A place in a file, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: PathBuf,
    pub line: u64,
    /// The character in it.
    pub column: u64,
}

impl Place {
    pub(super) fn new(file: &Path, place: synapse_yaml::Place) -> Self {
        Self {
            file: file.to_owned(),
            line: place.line,
            column: place.column,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

/// A key nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKey {
    pub place: Place,
    pub key: String,
    /// The key that it is a slip of.
    pub nearest: Option<String>,
}

impl fmt::Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: there is no key '{}'; ", self.place, self.key)?;
        match &self.nearest {
            Some(nearest) => write!(f, "the nearest is '{nearest}'"),
            None => f.write_str("synapse config lists them all"),
        }
    }
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is there and cannot be read.
    #[error("{}: {why}", file.display())]
    Read { file: PathBuf, why: io::Error },
    /// It is no YAML.
    #[error("{place}: {message}")]
    Syntax { place: Place, message: String },
    /// A value makes no sense.
    #[error("{place}: {} must be {right}{}", name(.key), because(.cause.as_deref()))]
    Value {
        place: Place,
        /// The key, with those above it; empty for the whole file.
        key: String,
        /// What would be right.
        right: &'static str,
        /// What more there is to say.
        cause: Option<String>,
    },
}

impl ConfigError {
    pub(super) fn syntax(file: &Path, error: &synapse_yaml::Error) -> Self {
        Self::Syntax {
            place: Place::new(file, error.place()),
            message: error.to_string(),
        }
    }

    pub(super) fn value(
        file: &Path,
        error: &synapse_yaml::Error,
        key: String,
        right: &'static str,
    ) -> Self {
        // What our own checks have to say; the words for a wrong type help nobody.
        let cause = match error.what() {
            What::Refused(message) => Some(message.clone()),
            _ => None,
        };
        Self::Value {
            place: Place::new(file, error.place()),
            key,
            right,
            cause,
        }
    }
}

fn name(key: &str) -> &str {
    if key.is_empty() { "the file" } else { key }
}

fn because(cause: Option<&str>) -> String {
    cause.map_or_else(String::new, |cause| format!(" ({cause})"))
}
