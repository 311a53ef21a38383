//! What others see of the agent: its state, its screen, and how the screen is read.

use std::sync::Arc;

use synapse_pty::{State as PtyState, Tenure};
use synapse_term::reading::Reading;

use super::Session;
use crate::{Explanation, Look, Standing};

impl Session {
    /// Answers those who wait for the program to be ready.
    pub(super) fn tell_ready(&mut self) {
        let is_unready = match self.watcher.reading() {
            Reading::Starting => true,
            // A program that still reads an older conversation, or does not find it, is at work, too.
            Reading::Busy => self.watcher.is_resumed(),
            Reading::Idle | Reading::Asking(_) | Reading::Exited => false,
        };
        if self.unready.is_empty() || is_unready {
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

    /// What each witness says at this moment, for people.
    fn why(&self) -> Vec<(String, String)> {
        let mut why: Vec<(String, String)> = self
            .watcher
            .witnesses()
            .into_iter()
            .map(|(witness, says)| (witness.to_owned(), says))
            .collect();
        let kernel = match self.pty_state {
            PtyState::Running => {
                let says = self.kernel.in_words();
                format!("running, PID {}{says}", self.pty.pid().as_raw_nonzero())
            }
            PtyState::Stopped => format!("stopped, PID {}", self.pty.pid().as_raw_nonzero()),
            PtyState::Exited(_) => "gone".to_owned(),
        };
        why.push(("kernel".to_owned(), kernel));
        let voice = if self.witnesses.is_protocol() {
            "acp"
        } else {
            "hooks"
        };
        why.push((
            voice.to_owned(),
            match self.pty.tenure() {
                Tenure::Guest => "none: the program ran before it was adopted",
                Tenure::Own | Tenure::Lodger => self.witnesses.hooks_in_words(),
            }
            .to_owned(),
        ));
        let transcript = self.witnesses.transcript_in_words();
        why.push(("transcript".to_owned(), transcript));
        if self.witnesses.contradictions > 0 {
            let count = self.witnesses.contradictions;
            why.push(("contradictions".to_owned(), count.to_string()));
        }
        why
    }
}
