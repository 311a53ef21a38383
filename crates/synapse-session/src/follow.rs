//! A reader of one task: everything that happens to it, in order, none twice, none missing. One that
//! is too slow for the tail takes up its cursor in the record again, and nobody waits for it.

use std::collections::VecDeque;
use std::sync::Arc;

use synapse_a2a::event::Fact;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::board::{Board, News, NumberedEvent, Record, What};

/// A cursor in the events of one task.
#[derive(Debug)]
pub struct Follow {
    /// The task when the cursor was taken.
    pub snapshot: Arc<Record>,
    board: Arc<Board>,
    /// The number of the event that was given last.
    cursor: u64,
    past: VecDeque<Arc<NumberedEvent>>,
    live: broadcast::Receiver<News>,
    is_over: bool,
}

impl Follow {
    pub(super) fn new(
        board: Arc<Board>,
        snapshot: Arc<Record>,
        after: Option<u64>,
        live: broadcast::Receiver<News>,
    ) -> Self {
        let cursor = after.unwrap_or(snapshot.events.len() as u64);
        let past = events_after(&snapshot, cursor);
        let is_over = past.is_empty() && snapshot.task.state().is_final();
        Self {
            snapshot,
            board,
            cursor,
            past,
            live,
            is_over,
        }
    }

    /// The next event; nothing after the one that ends the task.
    pub async fn next(&mut self) -> Option<Arc<NumberedEvent>> {
        while !self.is_over {
            if let Some(posted) = self.past.pop_front() {
                return Some(self.give(posted));
            }
            match self.live.recv().await {
                Ok(News {
                    what: What::Task(posted),
                    ..
                }) if posted.task == *self.snapshot.task.id() && posted.number > self.cursor => {
                    return Some(self.give(posted));
                }
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => {
                    let record = self.board.record(self.snapshot.task.id())?;
                    self.past = events_after(&record, self.cursor);
                }
                Err(RecvError::Closed) => return None,
            }
        }
        None
    }

    fn give(&mut self, posted: Arc<NumberedEvent>) -> Arc<NumberedEvent> {
        self.cursor = posted.number;
        self.is_over = is_last(&posted);
        posted
    }
}

/// Whether a task ends with this event.
pub fn is_last(posted: &NumberedEvent) -> bool {
    matches!(&posted.event.fact, Fact::Moved { status } if status.state().is_final())
}

fn events_after(record: &Record, cursor: u64) -> VecDeque<Arc<NumberedEvent>> {
    let skip = usize::try_from(cursor).unwrap_or(usize::MAX);
    record.events.iter().skip(skip).cloned().collect()
}
