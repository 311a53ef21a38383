//! What was seen and when: the memory of the judge.

use std::sync::Arc;
use std::time::Duration;

use super::Keys;
use crate::frame::{Frame, Row};
use crate::reading::State;
use crate::signal::{AgentState, Mark, Signal};

/// A change of the screen this soon after a keystroke is its echo.
const ECHO: Duration = Duration::from_millis(200);

/// Changes further apart than this are not one stretch of activity.
const LULL: Duration = Duration::from_millis(700);

/// What the rules may rely on.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The last OSC 7501.
    pub(super) agent: Option<(AgentState, Duration)>,
    /// The last prompt mark (OSC 133).
    pub(super) mark: Option<Mark>,
    /// The program marks the end of its output too: its marks frame commands, not messages.
    pub(super) marks_paired: bool,
    /// The input box was in sight at some time.
    pub(super) box_seen: bool,
    /// When a frame last differed from the one before, whoever caused it.
    pub(super) last_change: Duration,
    /// When a frame last changed by itself, not as the echo of a key.
    pub(super) last_activity: Duration,
    /// When the present stretch of activity began.
    pub(super) activity_since: Duration,
    /// When the program last wrote anything that was looked at.
    pub(super) last_look: Duration,
    /// When a key was last pressed.
    pub(super) last_key: Option<Duration>,
    /// When a submit key was last pressed.
    pub(super) last_submit: Option<Duration>,
    /// When Escape or Ctrl-C was last pressed.
    pub(super) last_interrupt: Option<Duration>,
    /// A frame changed after the last submit key.
    pub(super) reacted: bool,
    /// A sign that only working programs show was seen since it last rested.
    pub(super) explicit_seen: Option<Duration>,
    /// The text before the cursor when the program last rested, for a line program.
    pub(super) usual_prompt: Option<String>,
    /// The screen when the program last rested.
    pub(super) resting_rows: Vec<Arc<Row>>,
    /// The text before the cursor when a question was published.
    pub(super) asked_line: Option<String>,
    /// When the reading in force was published.
    pub(super) published_at: Duration,
}

impl Facts {
    pub(super) fn note_keys(&mut self, keys: Keys, now: Duration) {
        self.last_key = Some(now);
        if keys == Keys::Submit {
            self.last_submit = Some(now);
            self.reacted = false;
        }
        if keys == Keys::Interrupt {
            self.last_interrupt = Some(now);
        }
    }

    pub(super) fn note_signals(&mut self, signals: &[Signal], now: Duration) {
        for signal in signals {
            match signal {
                Signal::Agent(state) => self.agent = Some((*state, now)),
                Signal::Mark(mark) => {
                    self.marks_paired |= *mark == Mark::Finished;
                    self.mark = Some(*mark);
                }
                Signal::Title(_) | Signal::Bell | Signal::Notification(_) => {}
            }
        }
    }

    pub(super) fn note_frame(&mut self, before: &Frame, after: &Frame, now: Duration) {
        self.last_look = now;
        let is_same = before.rows.len() == after.rows.len()
            && before
                .rows
                .iter()
                .zip(&after.rows)
                .all(|(a, b)| Arc::ptr_eq(a, b));
        if is_same && before.cursor.row == after.cursor.row {
            return;
        }
        self.last_change = now;
        self.reacted |= self.last_submit.is_some();
        let is_echo = match (self.last_key, self.last_submit) {
            (Some(key), Some(submit)) if submit == key => false,
            (Some(key), _) => now < key + ECHO,
            (None, _) => false,
        };
        if is_echo {
            return;
        }
        if now > self.last_activity + LULL {
            self.activity_since = now;
        }
        self.last_activity = now;
    }

    pub(super) fn note_published(&mut self, state: State, frame: &Frame, now: Duration) {
        self.published_at = now;
        match state {
            State::Idle => {
                self.explicit_seen = None;
                self.last_submit = None;
                self.reacted = false;
                self.note_rest(frame);
            }
            State::Asking => {
                self.asked_line =
                    Some(frame.before_cursor()).filter(|line| !line.trim().is_empty());
                self.last_submit = None;
                self.reacted = false;
            }
            State::Busy | State::Starting | State::Exited => {}
        }
    }

    /// Learns what the program looks like at rest: the text before a cursor with nothing after it.
    /// Only an untouched prompt teaches, not one behind which somebody is typing.
    pub(super) fn note_rest(&mut self, frame: &Frame) {
        self.resting_rows.clone_from(&frame.rows);
        let is_untouched = self.last_key.is_none_or(|key| key <= self.published_at);
        let before = frame.before_cursor();
        if is_untouched
            && frame.cursor.is_visible
            && !before.trim().is_empty()
            && frame.after_cursor().trim().is_empty()
        {
            self.usual_prompt = Some(before);
        }
    }

    /// A submit key was pressed a short while ago.
    pub(super) fn submitted_within(&self, span: Duration, now: Duration) -> bool {
        self.last_submit.is_some_and(|at| now <= at + span)
    }
}
