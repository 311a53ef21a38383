//! What turns took of the model, as the transcript tells it. The last of it is often written after the turn is over, so
//! it is kept beside the task and not among its events.

use std::collections::VecDeque;
use std::sync::Arc;

use synapse_a2a::id::TaskId;
use synapse_a2a::usage::Usage;

use super::Session;
use crate::TurnUsage;

/// Turns that the transcript may still tell of: the last one and the running one.
const TURNS: usize = 2;

/// Whose numbers the transcript's sightings have, and what was last told.
#[derive(Debug, Default)]
pub(super) struct Usages {
    /// The number under which a turn is looked out for, and its task.
    turns: VecDeque<(u64, TaskId)>,
    told: Option<Arc<TurnUsage>>,
}

impl Usages {
    /// The transcript is looked at for this task under this number.
    pub(super) fn expect(&mut self, number: u64, task: TaskId) {
        self.turns.push_back((number, task));
        while self.turns.len() > TURNS {
            self.turns.pop_front();
        }
    }

    /// What the last turn took that anything is known of.
    pub(super) fn told(&self) -> Option<Arc<TurnUsage>> {
        self.told.clone()
    }
}

impl Session {
    /// The transcript says what a turn took.
    pub(super) fn note_usage(&mut self, number: u64, usage: &Usage) {
        let usages = &mut self.usages;
        let turn = usages.turns.iter().find(|(known, _)| *known == number);
        let Some((_, task)) = turn else {
            return;
        };
        let now = TurnUsage {
            task: task.clone(),
            usage: usage.clone(),
        };
        if usages.told.as_deref() != Some(&now) {
            self.ledger.note_usage(task, usage.clone());
            usages.told = Some(Arc::new(now));
        }
    }
}
