//! A run as it is kept in the store.

use synapse_flow::event::Event;
use synapse_flow::run::{Run, RunError};
use synapse_store::{Reader, StoreError};

/// Why a run cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("there is no run '{0}'; synapse flow list shows those there are")]
    Nobody(String),
    #[error("'{0}' could be any of {1}")]
    Several(String, String),
    #[error("event {0} of the run cannot be read: {1}")]
    Broken(usize, String),
    #[error(transparent)]
    Run(#[from] RunError),
}

/// The whole id of a run whose id begins or ends like this.
///
/// # Errors
/// When there is none, or several.
pub fn resolve(reader: &Reader, part: &str) -> Result<String, RecordError> {
    let mut found = reader.find_flow_run(part)?;
    match (found.len(), found.pop()) {
        _ if part.is_empty() => Err(RecordError::Nobody(part.to_owned())),
        (1, Some(only)) => Ok(only),
        (_, None) => Err(RecordError::Nobody(part.to_owned())),
        (_, Some(last)) => {
            found.push(last);
            Err(RecordError::Several(part.to_owned(), found.join(", ")))
        }
    }
}

/// The events of a run from a number on.
///
/// # Errors
/// When they cannot be read.
pub fn events(reader: &Reader, id: &str, from: u64) -> Result<Vec<Event>, RecordError> {
    let texts = reader.flow_events(id, from)?;
    let read = |(at, text): (usize, &String)| {
        serde_json::from_str(text).map_err(|error| RecordError::Broken(at + 1, error.to_string()))
    };
    texts.iter().enumerate().map(read).collect()
}

/// A run as it stands.
///
/// # Errors
/// When there is none, or its events do not follow each other.
pub fn replay(reader: &Reader, id: &str) -> Result<Run, RecordError> {
    let events = events(reader, id, 1)?;
    if events.is_empty() {
        return Err(RecordError::Nobody(id.to_owned()));
    }
    Ok(Run::replay(&events)?)
}
