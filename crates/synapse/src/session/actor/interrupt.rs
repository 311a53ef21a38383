//! Interrupts: the key the program reacts to, and a receipt that says what came of it.

use std::time::Duration;

use synapse_term::keys::{Key, encode};
use synapse_term::reading::State;
use tokio::sync::oneshot;

use super::Session;
use crate::session::Receipt;

/// How long an interrupt may take to show.
const PATIENCE: Duration = Duration::from_secs(3);

/// An interrupt that waits for its effect.
pub(super) struct Pending {
    pub(super) until: Duration,
    receipt: Receipt,
    done: oneshot::Sender<Receipt>,
}

impl Session {
    /// Stops what runs, or dismisses what is asked. At an idle prompt nothing is sent: there the
    /// same key may end the program.
    pub(super) fn interrupt(
        &mut self,
        key: Option<Key>,
        done: Option<oneshot::Sender<Receipt>>,
        now: Duration,
    ) {
        let was = self.watcher.reading().state();
        if let (State::Idle, Some(running), Some(_)) = (was, &mut self.running, &done) {
            // Its message is on the way into the program: it is stopped as soon as it begins.
            running.stop_at_start = done.map(|done| (key, done));
            return;
        }
        let key = match was {
            State::Busy | State::Asking => Some(key.unwrap_or_else(|| self.interrupt_key())),
            State::Starting | State::Idle | State::Exited => None,
        };
        if let Some(key) = &key {
            if let Some(running) = &mut self.running {
                running.is_interrupted = true;
                let may_repeat = running.canceled.is_some() && !running.was_pressed_again;
                running.press_again_at = may_repeat.then_some(now + PATIENCE);
            }
            let mode = self.watcher.screen().modes().keyboard();
            self.write(&encode(key, &mode), now);
        }
        let receipt = Receipt {
            sent: key.map(|key| key.to_string()),
            was,
            now: was,
        };
        let Some(done) = done else { return };
        if receipt.sent.is_some() {
            self.pending.push(Pending {
                until: now + PATIENCE,
                receipt,
                done,
            });
        } else {
            let _ = done.send(receipt);
        }
    }

    /// A task that was canceled or interrupted before its program began with it is stopped as soon as it
    /// does.
    pub(super) fn stop_canceled(&mut self, state: State, now: Duration) {
        let Some(running) = &mut self.running else {
            return;
        };
        if !matches!(state, State::Busy | State::Asking) {
            return;
        }
        let is_canceled = running.canceled.is_some() && !running.is_interrupted;
        match running.stop_at_start.take() {
            Some((key, done)) => self.interrupt(key, Some(done), now),
            None if is_canceled => self.interrupt(None, None, now),
            None => {}
        }
    }

    /// Presses once more where a canceled task goes on as if nothing had happened: a program may miss a
    /// key while it paints.
    pub(super) fn press_again(&mut self, now: Duration) {
        let Some(running) = &mut self.running else {
            return;
        };
        if running.press_again_at.is_some_and(|at| now >= at) {
            running.press_again_at = None;
            running.was_pressed_again = true;
            self.interrupt(None, None, now);
        }
    }

    /// The program does something else now.
    pub(super) fn settle_interrupts(&mut self, state: State) {
        for mut pending in std::mem::take(&mut self.pending) {
            if pending.receipt.was == state {
                self.pending.push(pending);
            } else {
                pending.receipt.now = state;
                let _ = pending.done.send(pending.receipt);
            }
        }
    }

    /// Interrupts without effect are reported as such.
    pub(super) fn expire_interrupts(&mut self, now: Duration) {
        let (due, waiting) = std::mem::take(&mut self.pending)
            .into_iter()
            .partition(|pending| now >= pending.until);
        self.pending = waiting;
        let due: Vec<Pending> = due;
        for pending in due {
            let _ = pending.done.send(pending.receipt);
        }
    }

    /// A program that reads whole lines knows only Ctrl-C.
    fn interrupt_key(&self) -> Key {
        let name = if self.pty.is_canonical() {
            "ctrl-c"
        } else {
            &self.profile.interrupt_key
        };
        Key::parse(name).unwrap_or_else(|_| Key::typing('\u{3}'))
    }
}
