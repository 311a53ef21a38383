//! Tasks that wait for their turn: by priority, then by arrival.

use std::time::Duration;

use synapse_a2a::id::{MessageId, TaskId};
use thiserror::Error;
use tokio::sync::OwnedSemaphorePermit;

/// How urgent a task is: 1 to 5. 5 goes first and interrupts what runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Priority(u8);

impl Priority {
    /// What a task has if nobody says.
    pub const NORMAL: Self = Self(1);

    /// A priority, if it is one.
    pub fn new(number: u64) -> Option<Self> {
        u8::try_from(number)
            .ok()
            .filter(|n| (1..=5).contains(n))
            .map(Self)
    }

    /// Whether it interrupts the running task.
    pub fn interrupts(self) -> bool {
        self.0 == 5
    }

    pub fn number(self) -> u8 {
        self.0
    }
}

/// Something to be typed.
#[derive(Debug)]
pub struct Order {
    /// The task it belongs to.
    pub task: TaskId,
    /// How urgent it is.
    pub priority: Priority,
    /// What is to be said.
    pub text: String,
    /// The message that says it.
    pub message_id: MessageId,
    /// It is typed as it is, without any introduction.
    pub is_raw: bool,
    /// When it began to wait.
    pub since: Duration,
    /// Its place in the queue, given back when it has its turn; one that goes on with a parked task has
    /// none.
    pub place: Option<OwnedSemaphorePermit>,
}

/// Why an order cannot wait here.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the queue is full: {limit} tasks are waiting already")]
pub struct QueueFull {
    /// How many may wait.
    pub limit: usize,
}

/// The orders that wait.
#[derive(Debug, Default)]
pub struct Queue {
    waiting: Vec<Order>,
}

impl Queue {
    /// Takes an order in, behind those of its priority.
    pub fn push(&mut self, order: Order) {
        let at = self
            .waiting
            .iter()
            .position(|other| other.priority < order.priority);
        self.waiting.insert(at.unwrap_or(self.waiting.len()), order);
    }

    /// The order whose turn it is.
    pub fn pop(&mut self) -> Option<Order> {
        (!self.waiting.is_empty()).then(|| self.waiting.remove(0))
    }

    /// When each of those that wait came.
    pub fn arrivals(&self) -> impl Iterator<Item = Duration> + '_ {
        self.waiting.iter().map(|order| order.since)
    }

    /// Takes out the orders that came at such a time; their tasks.
    pub fn take_if(&mut self, is_such: impl Fn(Duration) -> bool) -> Vec<TaskId> {
        let (taken, left) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|order| is_such(order.since));
        self.waiting = left;
        let taken: Vec<Order> = taken;
        taken.into_iter().map(|order| order.task).collect()
    }

    /// Takes a task out. Whether it was there.
    pub fn remove(&mut self, task: &TaskId) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|order| order.task != *task);
        self.waiting.len() < before
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Everybody, in order; the queue is empty afterwards.
    pub fn drain(&mut self) -> Vec<Order> {
        std::mem::take(&mut self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(name: &str, priority: u64) -> Order {
        Order {
            message_id: MessageId::new("m"),
            is_raw: false,
            since: Duration::ZERO,
            task: TaskId::new(name),
            priority: Priority::new(priority).unwrap(),
            text: String::new(),
            place: None,
        }
    }

    #[test]
    fn urgent_tasks_go_first_and_equals_keep_their_order() {
        let mut queue = Queue::default();
        for (name, priority) in [("a", 1), ("b", 3), ("c", 1), ("d", 5), ("e", 3)] {
            queue.push(order(name, priority));
        }
        let names: Vec<String> = std::iter::from_fn(|| queue.pop())
            .map(|o| o.task.as_str().to_owned())
            .collect();
        assert_eq!(names, ["d", "b", "e", "a", "c"]);
    }

    #[test]
    fn a_removed_task_never_gets_its_turn() {
        let mut queue = Queue::default();
        queue.push(order("a", 1));
        assert!(queue.remove(&TaskId::new("a")));
        assert!(!queue.remove(&TaskId::new("a")));
        assert!(queue.pop().is_none());
    }

    #[test]
    fn only_one_to_five_are_priorities() {
        assert!(Priority::new(0).is_none() && Priority::new(6).is_none());
        assert!(Priority::new(5).is_some_and(Priority::interrupts));
    }
}
