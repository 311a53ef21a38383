//! What is wrong with a configuration, where, and what would be right.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A place in a file, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: PathBuf,
    pub line: u64,
    /// The character in it.
    pub column: u64,
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
    pub(super) fn syntax(file: &Path, error: &serde_saphyr::Error) -> Self {
        Self::Syntax {
            place: place(file, error),
            message: syntax_message(error.without_snippet()),
        }
    }

    pub(super) fn value(
        file: &Path,
        error: &serde_saphyr::Error,
        key: String,
        right: &'static str,
    ) -> Self {
        Self::Value {
            place: place(file, error),
            key,
            right,
            cause: cause(error.without_snippet()),
        }
    }
}

fn place(file: &Path, error: &serde_saphyr::Error) -> Place {
    let (line, column) = error
        .location()
        .map_or((1, 1), |place| (place.line(), place.column()));
    Place {
        file: file.to_owned(),
        line,
        column,
    }
}

fn name(key: &str) -> &str {
    if key.is_empty() { "the file" } else { key }
}

fn because(cause: Option<&str>) -> String {
    cause.map_or_else(String::new, |cause| format!(" ({cause})"))
}

fn syntax_message(error: &serde_saphyr::Error) -> String {
    match error {
        serde_saphyr::Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the key '{key}' appears a second time")
        }
        other => {
            // It ends with the place, which we have said already.
            let text = other.to_string();
            let end = text.rfind(" at line ").unwrap_or(text.len());
            text.get(..end).unwrap_or_default().to_owned()
        }
    }
}

/// What our own checks have to say; the library's words for a wrong type help nobody.
fn cause(error: &serde_saphyr::Error) -> Option<String> {
    match error {
        serde_saphyr::Error::Message { msg, .. } => Some(msg.clone()),
        _ => None,
    }
}
