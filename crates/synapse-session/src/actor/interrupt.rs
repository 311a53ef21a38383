//! Interrupts: the key the program reacts to, and a receipt that says what came of it.

use std::time::Duration;

use synapse_term::keys::{Key, encode};
use synapse_term::reading::State;
use tokio::sync::oneshot;

use super::Session;
use crate::turn::Input;
use crate::{Receipt, Refusal};

/// How long an interrupt may take to show.
const PATIENCE: Duration = Duration::from_secs(3);

/// An interrupt that waits for its effect.
pub(super) struct Pending {
    pub(super) until: Duration,
    key: Key,
    receipt: Receipt,
    done: oneshot::Sender<Result<Receipt, Refusal>>,
}

impl Session {
    /// Stops what runs, or dismisses what is asked. At an idle prompt nothing is sent: there the
    /// same key may end the program.
    pub(super) fn interrupt(
        &mut self,
        key: Option<Key>,
        done: oneshot::Sender<Result<Receipt, Refusal>>,
        now: Duration,
    ) {
        let was = self.watcher.reading().state();
        let is_same = |pending: &&Pending| key.is_none_or(|key| pending.key == key);
        if let Some(pending) = self.pending.iter().find(is_same) {
            // Somebody else has just pressed it: a second Escape would mean something else to some programs.
            let joined = Pending {
                receipt: pending.receipt.clone(),
                done,
                ..*pending
            };
            self.pending.push(joined);
            return;
        }
        match (&mut self.running, was) {
            (Some(running), _) => {
                // One whose message is on the way into the program is stopped as soon as it begins.
                running.stop_receipts.push(done);
                self.step(Input::Interrupt(key), now);
            }
            (None, State::Busy | State::Asking) => {
                self.send_interrupt(key, vec![done], now);
            }
            (None, State::Starting | State::Idle | State::Exited) => {
                let _ = done.send(Ok(Receipt {
                    sent: None,
                    was,
                    now: was,
                    confirmed: true,
                }));
            }
        }
    }

    /// The running turn is to be stopped now.
    pub(super) fn press_interrupt(&mut self, key: Option<Key>, now: Duration) {
        let running = self.running.as_mut();
        let done = running.map(|running| std::mem::take(&mut running.stop_receipts));
        self.send_interrupt(key, done.unwrap_or_default(), now);
    }

    fn send_interrupt(
        &mut self,
        key: Option<Key>,
        done: Vec<oneshot::Sender<Result<Receipt, Refusal>>>,
        now: Duration,
    ) {
        let was = self.watcher.reading().state();
        let presses = key.map_or(self.profile.interrupt_presses, |_| 1);
        let Some(key) = key.or_else(|| self.interrupt_key()) else {
            for done in done {
                let _ = done.send(Err(Refusal::NoKey));
            }
            return;
        };
        let mode = self.watcher.screen().modes().keyboard();
        for _ in 0..presses {
            self.write(&encode(&key, &mode), now);
        }
        for done in done {
            self.pending.push(Pending {
                until: now + PATIENCE,
                key,
                receipt: Receipt {
                    sent: Some(key.to_string()),
                    was,
                    now: was,
                    confirmed: false,
                },
                done,
            });
        }
    }

    /// The program was looked at: whether it does nothing now. A question that was dismissed may leave it at work for a
    /// moment, so anything else is not yet an answer.
    pub(super) fn settle_interrupts(&mut self, state: State) {
        let is_over = matches!(state, State::Idle | State::Exited);
        for mut pending in std::mem::take(&mut self.pending) {
            pending.receipt.now = state;
            if is_over {
                pending.receipt.confirmed = true;
                let _ = pending.done.send(Ok(pending.receipt));
            } else {
                self.pending.push(pending);
            }
        }
    }

    /// Interrupts that did not end what ran are reported as such.
    pub(super) fn expire_interrupts(&mut self, now: Duration) {
        let (due, waiting) = std::mem::take(&mut self.pending)
            .into_iter()
            .partition(|pending| now >= pending.until);
        self.pending = waiting;
        let due: Vec<Pending> = due;
        for pending in due {
            let _ = pending.done.send(Ok(pending.receipt));
        }
    }

    /// Whether this is the key that stops the program, whoever presses it.
    pub(super) fn is_stop_key(&mut self, bytes: &[u8]) -> bool {
        let mode = self.watcher.screen().modes().keyboard();
        let keys = [self.interrupt_key(), Key::parse("ctrl-c").ok()];
        keys.iter().flatten().any(|key| encode(key, &mode) == bytes)
    }

    /// A program that reads whole lines knows only Ctrl-C. Otherwise it is the key that the profile or the
    /// screen names, or Ctrl-C where the kernel makes a signal of it; a key that is guessed may end the
    /// program.
    fn interrupt_key(&self) -> Option<Key> {
        let name = if self.pty.is_canonical() {
            Some("ctrl-c")
        } else {
            let named = self.profile.interrupt_key.as_deref();
            let named = named.or_else(|| self.watcher.interrupt_key());
            named.or_else(|| self.pty.signals_interrupt().then_some("ctrl-c"))
        };
        Key::parse(name?).ok()
    }
}
