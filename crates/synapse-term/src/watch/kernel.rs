//! When the kernel is asked what the program does with its terminal: as soon as output settles, then
//! at growing intervals, and never while the program rests.

use std::time::Duration;

use super::Watcher;
use crate::judge::TerminalUse;

/// The first look after keys, or where nothing has been painted yet.
const FIRST: Duration = Duration::from_millis(40);

/// The longest pause between two looks while somebody waits for a reply.
const LONGEST: Duration = Duration::from_millis(200);

/// Who wants to know that the program is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// A task waits for its reply.
    Task,
    /// Nobody in particular.
    Nobody,
}

/// The next question to the kernel.
#[derive(Debug)]
pub(super) struct Inquiry {
    /// When it is put; none while the last one has no answer.
    due: Option<Duration>,
    /// When it was last put, or what it is about last changed.
    since: Duration,
    pause: Duration,
    /// Something was painted or typed since the kernel was asked: its answer is about the past.
    is_stale: bool,
}

impl Default for Inquiry {
    fn default() -> Self {
        Self {
            due: Some(FIRST),
            since: Duration::ZERO,
            pause: FIRST,
            is_stale: false,
        }
    }
}

impl Inquiry {
    pub(super) fn note_stale(&mut self) {
        self.is_stale = true;
    }

    pub(super) fn note_keys(&mut self, now: Duration) {
        self.is_stale = true;
        self.pause = FIRST;
        self.since = now;
        self.due = Some(now + FIRST);
    }

    pub(super) fn note_settled(&mut self, now: Duration) {
        self.is_stale = true;
        self.pause = FIRST;
        self.since = now;
        self.due = Some(now);
    }
}

impl Watcher {
    /// When the kernel is to be asked what the program does with its terminal, if at all.
    pub fn inquiry_deadline(&self, interest: Interest) -> Option<Duration> {
        let due = self.inquiry.due?;
        let due = match interest {
            Interest::Task => due.min(self.inquiry.since + LONGEST),
            Interest::Nobody => due,
        };
        self.judge.asks_kernel(&self.profile).then_some(due)
    }

    /// The kernel is asked now.
    pub fn note_inquiry(&mut self, now: Duration) {
        self.inquiry.since = now;
        self.inquiry.is_stale = false;
        self.inquiry.due = None;
    }

    /// The kernel has answered.
    pub fn note_terminal_use(&mut self, said: TerminalUse, now: Duration) {
        self.tick(now);
        if self.inquiry.due.is_none() {
            self.inquiry.due = Some(now + self.inquiry.pause);
            self.inquiry.pause = self.inquiry.pause.saturating_mul(2);
        }
        if !self.inquiry.is_stale {
            let change = self.judge.note_terminal_use(said, &self.profile, now);
            self.publish(change);
        }
    }
}
