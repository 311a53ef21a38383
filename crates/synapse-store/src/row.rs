//! An event in the form in which it is written, made before the database is locked so that the lock is short.

use synapse_a2a::event::{Event, Fact, Timestamp};
use synapse_a2a::id::TaskId;

use super::error::StoreError;

/// One event, ready to be written.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) task: TaskId,
    pub(super) number: u64,
    /// The event as JSON.
    pub(super) event: String,
    /// With the first event of a task, what its own row says for good.
    pub(super) birth: Option<Birth>,
}

/// What never changes about a task.
#[derive(Clone, Debug)]
pub(super) struct Birth {
    pub(super) context: String,
    pub(super) message_id: String,
    pub(super) sender: String,
    pub(super) priority: u8,
    pub(super) created_at: Timestamp,
}

impl Row {
    pub(super) fn new(task: &TaskId, number: u64, event: &Event) -> Result<Self, StoreError> {
        let birth = match &event.fact {
            Fact::Submitted {
                context,
                message,
                origin,
                ..
            } => Some(Birth {
                context: context.to_string(),
                message_id: message.id.to_string(),
                sender: origin.sender.clone(),
                priority: origin.priority,
                created_at: event.at,
            }),
            _ => None,
        };
        let json = serde_json::to_string(event).map_err(|error| StoreError::Unwritable {
            task: task.clone(),
            number,
            reason: error.to_string(),
        })?;
        Ok(Self {
            task: task.clone(),
            number,
            event: json,
            birth,
        })
    }

    /// How much memory it takes while it waits.
    pub(super) fn bytes(&self) -> usize {
        self.event.len() + size_of::<Self>()
    }
}
