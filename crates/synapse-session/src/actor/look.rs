//! What others see of the agent: its state, its screen, and how the screen is read.

use std::sync::Arc;

use synapse_term::reading::Reading;

use super::Session;
use crate::{Explanation, Look, Standing};

impl Session {
    /// Answers those who wait for the program to be ready.
    pub(super) fn tell_ready(&mut self) {
        if self.unready.is_empty() || self.watcher.reading() == &Reading::Starting {
            return;
        }
        let look = self.look();
        for done in self.unready.drain(..) {
            let _ = done.send(Arc::clone(&look));
        }
    }

    /// What is to be seen; kept for others until something changes.
    pub(super) fn look(&mut self) -> Arc<Look> {
        let look = Arc::new(Look {
            standing: self.standing(),
            why: self.why(),
            frame: self.watcher.frame(),
            snapshot: self.watcher.screen().snapshot(),
        });
        self.ledger.board.set_look(Some(Arc::clone(&look)));
        look
    }

    /// How the agent stands.
    pub(super) fn standing(&self) -> Standing {
        let prompt = match self.watcher.reading() {
            Reading::Asking(prompt) => Some((**prompt).clone()),
            _ => None,
        };
        Standing {
            state: self.watcher.reading().state(),
            since: self.since,
            evidence: self.watcher.evidence().to_string(),
            prompt,
            queue: self.queue.len(),
            held: self.hold.told(self.now()),
            steps_from: self.witnesses.tell_steps(),
            usage: self.usages.told(),
            task: self.running.as_ref().map(|running| running.task.clone()),
        }
    }

    /// How the screen is read at this moment, row by row.
    pub(super) fn explain(&mut self) -> Explanation {
        let parts = self.watcher.explain();
        let frame = self.watcher.frame();
        let rows = parts.into_iter().enumerate();
        Explanation {
            standing: self.standing(),
            why: self.why(),
            rows: rows
                .map(|(row, part)| (frame.text(row).to_owned(), part))
                .collect(),
        }
    }
}
