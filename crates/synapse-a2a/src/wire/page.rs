//! Where a list goes on: behind a task, by the time it stands where it stands and its name, so that tasks
//! that come in meanwhile neither repeat nor hide one.

use std::cmp::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::event::Timestamp;
use crate::id::TaskId;
use crate::task::Task;

use super::protocol_error::ProtocolError;

/// How many tasks a page holds if nobody says.
pub const PAGE_SIZE: usize = 50;

/// A place in a list, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Since when the last task of the page stands where it stands.
    pub since: Timestamp,
    pub task: TaskId,
}

impl Cursor {
    /// Behind this task.
    pub fn behind(task: &Task) -> Self {
        Self {
            since: task.since(),
            task: task.id().clone(),
        }
    }

    /// Reads a token.
    ///
    /// # Errors
    /// If it is none of ours.
    pub fn read(token: &str) -> Result<Self, ProtocolError> {
        let wrong = || {
            ProtocolError::field(
                "pageToken",
                "must be the nextPageToken of an earlier answer",
            )
        };
        let decoded = URL_SAFE_NO_PAD.decode(token).map_err(|_| wrong())?;
        let text = String::from_utf8(decoded).map_err(|_| wrong())?;
        let (since, task) = text.split_once('.').ok_or_else(wrong)?;
        Ok(Self {
            since: Timestamp(since.parse().map_err(|_| wrong())?),
            task: TaskId::new(task),
        })
    }

    /// The token a client sends back.
    pub fn token(&self) -> String {
        URL_SAFE_NO_PAD.encode(format!("{}.{}", self.since.0, self.task))
    }

    /// Whether a task comes behind it.
    pub fn is_before(&self, task: &Task) -> bool {
        let there = (self.since, &self.task);
        newest_first(there, (task.since(), task.id())) == Ordering::Less
    }
}

/// The order of a list.
pub fn order(one: &Task, other: &Task) -> Ordering {
    newest_first((one.since(), one.id()), (other.since(), other.id()))
}

fn newest_first(one: (Timestamp, &TaskId), other: (Timestamp, &TaskId)) -> Ordering {
    other.cmp(&one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_and_a_foreign_one_refused() {
        let cursor = Cursor {
            since: Timestamp(17),
            task: TaskId::new("t.1"),
        };
        assert_eq!(Cursor::read(&cursor.token()).unwrap(), cursor);
        for token in ["", "x", "%%", "MTIz"] {
            let error = Cursor::read(token).unwrap_err();
            assert!(error.to_string().contains("pageToken"), "{error}");
        }
    }
}
