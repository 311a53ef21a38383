//! What everybody may read without asking the actor: the tasks and their events. One writer, many
//! readers, each with a cursor of its own.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use synapse_a2a::event::Event;
use synapse_a2a::id::TaskId;
use synapse_a2a::task::{IllegalEvent, Task};
use tokio::sync::broadcast;

/// Events a slow reader may be behind before it must take up its cursor again.
const TAIL: usize = 1_024;

/// The tasks of one agent.
#[derive(Debug)]
pub struct Board {
    records: RwLock<Records>,
    posted: broadcast::Sender<Posted>,
}

#[derive(Debug, Default)]
struct Records {
    by_id: HashMap<TaskId, Record>,
    /// In the order of their arrival.
    order: Vec<TaskId>,
}

/// A task and everything that happened to it.
#[derive(Clone, Debug)]
pub struct Record {
    /// As it stands.
    pub task: Task,
    /// How it came to stand so; the place in the list, from 1, is the number of an event.
    pub events: Vec<Event>,
}

/// An event of a task, with its number.
#[derive(Clone, Debug)]
pub struct Posted {
    /// Whose.
    pub task: TaskId,
    /// Which: they count from 1.
    pub number: usize,
    /// What.
    pub event: Arc<Event>,
}

impl Default for Board {
    fn default() -> Self {
        let (posted, _) = broadcast::channel(TAIL);
        Self {
            records: RwLock::default(),
            posted,
        }
    }
}

impl Board {
    /// A task, as it stands.
    pub fn record(&self, task: &TaskId) -> Option<Record> {
        self.read().by_id.get(task).cloned()
    }

    /// All tasks, the newest first.
    pub fn records(&self) -> Vec<Record> {
        let records = self.read();
        records
            .order
            .iter()
            .rev()
            .filter_map(|id| records.by_id.get(id).cloned())
            .collect()
    }

    /// The events of a task after the one numbered `after`, and those to come.
    pub fn follow(
        &self,
        task: &TaskId,
        after: usize,
    ) -> Option<(Vec<Posted>, broadcast::Receiver<Posted>)> {
        // Subscribing first may show an event twice, which its number tells; never loses one.
        let live = self.posted.subscribe();
        let record = self.record(task)?;
        let past = record.events.into_iter().enumerate().skip(after);
        let past = past.map(|(index, event)| Posted {
            task: task.clone(),
            number: index + 1,
            event: Arc::new(event),
        });
        Some((past.collect(), live))
    }

    /// Whether anybody watches.
    pub(super) fn is_watched(&self) -> bool {
        self.posted.receiver_count() > 0
    }

    /// Adds an event to its task.
    pub(super) fn post(&self, task: &TaskId, event: Event) -> Result<(), IllegalEvent> {
        let number = {
            let mut records = self.records.write().unwrap_or_else(PoisonError::into_inner);
            if let Some(record) = records.by_id.get_mut(task) {
                record.task.apply(event.clone())?;
                record.events.push(event.clone());
                record.events.len()
            } else {
                let record = Record {
                    task: Task::begin(event.clone())?,
                    events: vec![event.clone()],
                };
                records.by_id.insert(task.clone(), record);
                records.order.push(task.clone());
                1
            }
        };
        // Nobody may be listening.
        let _ = self.posted.send(Posted {
            task: task.clone(),
            number,
            event: Arc::new(event),
        });
        Ok(())
    }

    fn read(&self) -> RwLockReadGuard<'_, Records> {
        self.records.read().unwrap_or_else(PoisonError::into_inner)
    }
}
