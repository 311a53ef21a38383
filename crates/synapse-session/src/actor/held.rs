//! Messages that wait although the program is idle: why, and for how long.

use std::time::Duration;

use synapse_a2a::error::FailureCode;
use synapse_term::keys::{Key, encode};
use synapse_term::reading::Reading;

use super::Session;
use crate::hold::Obstacle;
use synapse_pty::{State as PtyState, Tenure};

/// How much of what a box shows is told.
const SHOWN: usize = 60;

impl Session {
    /// What keeps the next message from being typed into an idle program, if anything does.
    pub(super) fn obstacle(&mut self) -> Option<Obstacle> {
        let shown = self.watcher.input_box().map(|found| found.text.clone());
        // Keys that do not pass us are seen on the screen alone, behind the prompt of a line program, too, and the screen
        // that was read last may be older than they are.
        let shown = match self.pty.tenure() {
            Tenure::Own => shown,
            Tenure::Lodger | Tenure::Guest => self.watcher.typed_text().or(shown),
        };
        // A program that is stopped reads nothing, whatever its screen shows.
        if self.pty_state == PtyState::Stopped {
            Some(Obstacle::Suspended)
        } else if !self.pty.has_keyboard() {
            Some(Obstacle::Keyboard)
        } else if self.routing.has_draft() {
            Some(Obstacle::Typing)
        } else {
            let shown = shown.filter(|text| !text.trim().is_empty())?;
            let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            Some(Obstacle::Box(words.chars().take(SHOWN).collect()))
        }
    }

    /// Takes our own last message out of the box, where the program has put it back and nobody has typed since.
    pub(super) fn take_back_own(&mut self, now: Duration) {
        let Some(found) = self.watcher.input_box() else {
            return;
        };
        let shown = found.text.clone();
        if self.routing.has_draft() || !self.hold.is_put_back(&shown) {
            return;
        }
        let mode = self.watcher.screen().modes().keyboard();
        let press =
            |name: &str| Key::parse(name).map_or_else(|_| Vec::new(), |key| encode(&key, &mode));
        let mut keys = press("end");
        keys.extend(press("backspace").repeat(shown.chars().count()));
        self.write(&keys, now);
    }

    /// Notes what keeps messages waiting, and ends those that have waited for too long.
    pub(super) fn note_held(&mut self, now: Duration) {
        let waits = !self.queue.is_empty()
            && self.running.is_none()
            && self.watcher.reading() == &Reading::Idle;
        let obstacle = if waits { self.obstacle() } else { None };
        self.hold.note(obstacle, now);
        let is_over = |since: Duration| self.hold.expires(since).is_some_and(|at| now >= at);
        let why = self.hold.told(now).unwrap_or_default();
        for task in self.queue.take_if(is_over) {
            let message = format!("the message could not be typed; {why}");
            self.fail(&task, FailureCode::SubmitFailed, message);
        }
    }

    /// When the next message has waited for too long, or there is something to tell of the wait.
    pub(super) fn held_deadline(&self) -> Option<Duration> {
        let expires = self
            .queue
            .arrivals()
            .filter_map(|came| self.hold.expires(came));
        expires.chain(self.hold.deadline(self.now())).min()
    }
}
