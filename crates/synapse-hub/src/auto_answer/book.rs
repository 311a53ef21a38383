//! The rules on disk, in `~/.synapse/auto-answer.json`, beside the logins. Only the hub writes it.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::rule::Rule;
use synapse_machine::paths::create_folder;
use synapse_machine::private_file::{read, replace};

/// Rules there may be; more than a person can keep in mind.
const RULES: usize = 50;
/// Uses that are remembered.
const USES: usize = 200;

/// A question that a rule answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Used {
    #[schema(value_type = String)]
    #[cfg_attr(test, ts(type = "string"))]
    pub(super) at: Timestamp,
    /// The id of the agent.
    pub(super) agent: String,
    pub(super) handle: String,
    pub(super) rule: String,
    pub(super) question: String,
    /// What the question was about.
    pub(super) detail: String,
    /// What was answered.
    pub(super) value: String,
}

/// Why the rules cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BookError {
    #[error("{}: {why}", path.display())]
    File { path: PathBuf, why: io::Error },
    #[error("{} cannot be understood ({why}); move it away to begin with no rules", path.display())]
    Broken {
        path: PathBuf,
        why: serde_json::Error,
    },
}

/// The contents of the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RuleRecords {
    #[serde(default)]
    pub(super) enabled: bool,
    #[serde(default)]
    pub(super) rules: Vec<Rule>,
    /// The oldest first.
    #[serde(default)]
    pub(super) used: VecDeque<Used>,
}

impl RuleRecords {
    pub(super) fn is_full(&self) -> bool {
        self.rules.len() >= RULES
    }

    /// Takes note of a use.
    pub(super) fn note(&mut self, used: Used) {
        while self.used.len() >= USES {
            self.used.pop_front();
        }
        self.used.push_back(used);
    }
}

#[derive(Debug)]
pub(super) struct BookFile {
    path: PathBuf,
}

impl BookFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub(super) fn read(&self) -> Result<RuleRecords, BookError> {
        match read(&self.path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|why| BookError::Broken {
                path: self.path.clone(),
                why,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(RuleRecords::default()),
            Err(error) => Err(self.at(error)),
        }
    }

    pub(super) fn write(&self, book: &RuleRecords) -> Result<(), BookError> {
        if let Some(folder) = self.path.parent() {
            create_folder(folder).map_err(|error| self.at(error))?;
        }
        let text = serde_json::to_vec_pretty(book).map_err(io::Error::from);
        let written = text.and_then(|text| replace(&self.path, &text));
        written.map_err(|error| self.at(error))
    }

    fn at(&self, why: io::Error) -> BookError {
        BookError::File {
            path: self.path.clone(),
            why,
        }
    }
}
