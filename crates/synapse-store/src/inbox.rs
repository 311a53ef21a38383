//! The queue of the writer thread. Adding to it never blocks; the writer sleeps here when there is nothing
//! to do.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use synapse_a2a::id::TaskId;
use synapse_a2a::usage::Usage;
use tokio::sync::oneshot;

use super::Entry;
use super::error::StoreError;
use super::weight::weight;

/// What may wait. More means that the disk does not keep up, and is refused: the batches still come out
/// in their turn, so that everybody learns of events in order, but cost no more than that.
const MOST_ENTRIES: usize = 65_536;
const MOST_BYTES: usize = 64 << 20;

/// What is written at once. Other hosts wait for the database meanwhile, so it is not everything.
const GROUP_ENTRIES: usize = 1_024;
const GROUP_BYTES: usize = 1 << 20;

/// What was handed over in one go: all of it is written or nothing.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) entries: Vec<Entry>,
    /// What a turn took; told beside the events, and lost where it cannot be written.
    pub(super) usage: Option<(TaskId, Usage)>,
    pub(super) promise: Promise,
    /// There was no room for it any more.
    pub(super) is_refused: bool,
    bytes: usize,
}

impl Batch {
    /// Whether it happened even if it cannot be written.
    pub(super) fn happened_anyway(&self) -> bool {
        matches!(self.promise, Promise::Kept)
    }
}

/// What was promised to whoever handed a batch over.
#[derive(Debug)]
pub(super) enum Promise {
    /// It happened and is written as soon as that is possible.
    Kept,
    /// It happens only if it is written; they wait to hear of it.
    Told(oneshot::Sender<Result<(), StoreError>>),
}

/// What the writer is to do next.
#[derive(Debug)]
pub(super) enum Work {
    /// Write these; either all of them were refused or none.
    Group(Vec<Batch>),
    /// Nothing new came within the time given.
    Nothing,
    /// Nothing more will come.
    End,
}

/// The mailbox of the writer.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    waiting: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    batches: VecDeque<Batch>,
    /// Of those that were not refused.
    entries: usize,
    bytes: usize,
    is_closed: bool,
}

impl Inbox {
    /// Takes a batch in; gives the promise back if the inbox is closed.
    pub(super) fn put(&self, entries: Vec<Entry>, promise: Promise) -> Result<(), Promise> {
        self.add(entries, None, promise)
    }

    /// Takes in what a turn took.
    pub(super) fn put_usage(&self, task: TaskId, usage: Usage) {
        // A closed store has no one left to tell.
        let _ = self.add(Vec::new(), Some((task, usage)), Promise::Kept);
    }

    fn add(
        &self,
        entries: Vec<Entry>,
        usage: Option<(TaskId, Usage)>,
        promise: Promise,
    ) -> Result<(), Promise> {
        let bytes = entries.iter().map(|entry| weight(&entry.event)).sum();
        let mut waiting = self.lock();
        if waiting.is_closed {
            return Err(promise);
        }
        let is_refused =
            waiting.entries + entries.len() > MOST_ENTRIES || waiting.bytes + bytes > MOST_BYTES;
        if !is_refused {
            waiting.entries += entries.len();
            waiting.bytes += bytes;
        }
        waiting.batches.push_back(Batch {
            entries,
            usage,
            promise,
            is_refused,
            bytes,
        });
        drop(waiting);
        self.changed.notify_one();
        Ok(())
    }

    /// Nothing more may come; what waits is still written.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_one();
    }

    /// Waits for work, at most as long as given, for ever if nothing is.
    pub(super) fn take(&self, patience: Option<Duration>) -> Work {
        let idle = |waiting: &mut Queue| waiting.batches.is_empty() && !waiting.is_closed;
        let waiting = self.lock();
        let mut waiting = match patience {
            None => self
                .changed
                .wait_while(waiting, idle)
                .unwrap_or_else(PoisonError::into_inner),
            Some(patience) => {
                let woken = self.changed.wait_timeout_while(waiting, patience, idle);
                woken.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        let group = waiting.next_group();
        match group.is_empty() {
            false => Work::Group(group),
            true if waiting.is_closed => Work::End,
            true => Work::Nothing,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn next_group(&mut self) -> Vec<Batch> {
        let mut group: Vec<Batch> = Vec::new();
        let (mut entries, mut bytes) = (0, 0);
        while let Some(next) = self.batches.front() {
            entries += next.entries.len();
            bytes += next.bytes;
            let fits = entries <= GROUP_ENTRIES && bytes <= GROUP_BYTES;
            let is_alike = group
                .first()
                .is_none_or(|first| first.is_refused == next.is_refused);
            let is_full = !fits || !is_alike;
            if is_full && !group.is_empty() {
                break;
            }
            let Some(batch) = self.batches.pop_front() else {
                break;
            };
            if !batch.is_refused {
                self.entries -= batch.entries.len();
                self.bytes -= batch.bytes;
            }
            group.push(batch);
        }
        group
    }
}

#[cfg(test)]
mod tests {
    use synapse_a2a::event::{Event, Fact, Status, Timestamp};
    use synapse_a2a::id::TaskId;

    use super::*;

    fn entries(count: usize) -> Vec<Entry> {
        let entry = |number| Entry {
            task: TaskId::new("t"),
            number,
            event: Event {
                at: Timestamp(0),
                fact: Fact::Moved {
                    status: Status::Working,
                },
            },
        };
        (1..=count as u64).map(entry).collect()
    }

    fn sizes(work: Work) -> Vec<(usize, bool)> {
        let Work::Group(batches) = work else {
            return Vec::new();
        };
        let size = |batch: &Batch| (batch.entries.len(), batch.is_refused);
        batches.iter().map(size).collect()
    }

    #[test]
    fn what_waits_is_taken_together_but_not_too_much_of_it() {
        let inbox = Inbox::default();
        for count in [10, 20, GROUP_ENTRIES, 5, 6] {
            inbox.put(entries(count), Promise::Kept).unwrap();
        }
        assert_eq!(sizes(inbox.take(None)), [(10, false), (20, false)]);
        assert_eq!(sizes(inbox.take(None)), [(GROUP_ENTRIES, false)]);
        assert_eq!(sizes(inbox.take(None)), [(5, false), (6, false)]);
        let nothing = inbox.take(Some(Duration::ZERO));
        assert!(matches!(nothing, Work::Nothing), "{nothing:?}");
    }

    #[test]
    fn more_than_may_wait_is_refused_in_its_turn() {
        let inbox = Inbox::default();
        for count in [MOST_ENTRIES - 1, 2, 1] {
            inbox.put(entries(count), Promise::Kept).unwrap();
        }
        assert_eq!(sizes(inbox.take(None)), [(MOST_ENTRIES - 1, false)]);
        assert_eq!(sizes(inbox.take(None)), [(2, true)]);
        assert_eq!(sizes(inbox.take(None)), [(1, false)]);
        inbox.put(entries(2), Promise::Kept).unwrap();
        assert_eq!(sizes(inbox.take(None)), [(2, false)], "there is room again");
    }

    #[test]
    fn after_the_end_nothing_is_taken_in_and_the_rest_is_given_out() {
        let inbox = Inbox::default();
        inbox.put(entries(1), Promise::Kept).unwrap();
        inbox.close();
        assert!(inbox.put(entries(1), Promise::Kept).is_err());
        assert_eq!(sizes(inbox.take(None)), [(1, false)]);
        assert!(matches!(inbox.take(None), Work::End));
    }
}
