//! What was seen and when: the memory of the judge.

use std::sync::Arc;
use std::time::Duration;

use super::Keys;
use super::motion::Motion;
use crate::chrome::{BoxView, Holds};
use crate::frame::{Frame, Row};
use crate::prompt::{Layout, Prompt};
use crate::reading::State;
use crate::signal::{AgentState, Mark, Signal};

/// A change of the screen this soon after a keystroke is its echo.
const ECHO: Duration = Duration::from_millis(200);

/// Changes further apart than this are not one stretch of activity.
const LULL: Duration = Duration::from_millis(700);

/// How long what is typed may take to wake a program that does not echo it.
const DELIVERY: Duration = Duration::from_millis(250);

/// A prompt of so many characters is no accident at the end of a line.
const TELLING: usize = 3;

/// What the rules may rely on.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says that something was seen; none excludes another"
)]
pub(super) struct Facts {
    /// The last OSC 7501.
    pub(super) agent: Option<(AgentState, Duration)>,
    /// The last prompt mark (OSC 133).
    pub(super) mark: Option<Mark>,
    /// The program marks the end of its output too: its marks frame commands, not messages.
    pub(super) marks_paired: bool,
    /// The input box was in sight at some time.
    pub(super) box_seen: bool,
    /// The program continues a conversation.
    pub(super) is_resumed: bool,
    /// The top of the screen when the input box was first in sight.
    pub(super) first_top: Option<String>,
    /// What the rows of the screen do.
    pub(super) motion: Motion,
    /// When the text of the screen last changed, whoever caused it. Decoration does not count.
    pub(super) last_change: Duration,
    /// When a frame last changed by itself, not as the echo of a key.
    pub(super) last_activity: Duration,
    /// When the present stretch of activity began.
    pub(super) activity_since: Duration,
    /// When the program last wrote anything that was looked at.
    pub(super) last_look: Duration,
    /// The row in which the cursor was last shown.
    pub(super) cursor_row: Option<usize>,
    /// When a key was last pressed.
    pub(super) last_key: Option<Duration>,
    /// When a submit key was last pressed.
    pub(super) last_submit: Option<Duration>,
    /// When Escape or Ctrl-C was last pressed.
    pub(super) last_interrupt: Option<Duration>,
    /// A frame changed after the last submit key.
    pub(super) reacted: bool,
    /// What the submit key gave to the program, until it rests again.
    pub(super) given: Submission,
    /// Whether the screen showed a reply to it, and when that was looked for.
    pub(super) answer: Option<(bool, Duration)>,
    /// Keys were pressed since the last submit or interrupt key: the box may hold somebody's text.
    pub(super) is_touched: bool,
    /// The message that was submitted last, without blanks.
    pub(super) last_message: String,
    /// The key that the program last named to stop it.
    pub(super) interrupt_key: Option<&'static str>,
    /// Signs of work in what the user types: neither in the box nor as an echo do they mean work.
    pub(super) own_signs: Vec<String>,
    /// What the kernel said of the program since the screen last changed, and when.
    pub(super) terminal_use: Option<(TerminalUse, Duration)>,
    /// The kernel was seen to give the program whole lines.
    pub(super) reads_lines: bool,
    /// The program had taken the whole screen when the submit key was pressed.
    pub(super) was_full_screen: bool,
    /// A sign that only working programs show was seen since it last rested.
    pub(super) explicit_seen: Option<Duration>,
    /// The text before the cursor when the program last rested, for a line program.
    pub(super) usual_prompt: Option<String>,
    /// The cursor was to be seen when the program last rested.
    pub(super) rests_with_cursor: bool,
    /// The screen when the program last rested.
    pub(super) resting_rows: Vec<Arc<Row>>,
    /// Where the cursor was when a question was published: its row, and the text before it.
    pub(super) asked_at: Option<(usize, String)>,
    /// How many questions were answered at a line since the program rested.
    pub(super) answers: u32,
    /// A message was given since the program rested.
    pub(super) is_in_turn: bool,
    /// When the reading in force was published.
    pub(super) published_at: Duration,
}

impl Facts {
    pub(super) fn note_keys(&mut self, keys: Keys, now: Duration) {
        self.last_key = Some(now);
        self.is_touched = keys == Keys::Editing;
        if keys == Keys::Submit {
            self.last_submit = Some(now);
            self.reacted = false;
        }
        if keys == Keys::Interrupt {
            self.last_interrupt = Some(now);
        }
    }

    /// What the submit key that was just pressed gives to the program.
    pub(super) fn note_given(&mut self, given: Submission, is_full_screen: bool) {
        self.given = given;
        self.is_in_turn |= given != Submission::Nothing;
        self.answer = None;
        self.was_full_screen = is_full_screen;
    }

    pub(super) fn note_signals(&mut self, signals: &[Signal], now: Duration) {
        for signal in signals {
            match signal {
                Signal::Agent(state) => self.agent = state.map(|state| (state, now)),
                Signal::Mark(mark) => {
                    // The prompt of a shell: whoever said that it works is gone.
                    let is_over = *mark == Mark::PromptStart;
                    self.agent = self
                        .agent
                        .filter(|(state, _)| !(is_over && state.is_open()));
                    self.marks_paired |= *mark == Mark::Finished;
                    self.mark = Some(*mark);
                }
                Signal::Title(_) | Signal::Bell | Signal::Notification(_) => {}
            }
        }
    }

    pub(super) fn note_frame(&mut self, before: &Frame, after: &Frame, now: Duration) {
        self.last_look = now;
        self.terminal_use = None;
        let row = after.cursor.is_visible.then_some(after.cursor.row);
        // Who hides the cursor at a submit key has taken the floor.
        let is_hidden = self.last_submit.is_some()
            && !self.reacted
            && before.cursor.is_visible
            && !after.cursor.is_visible;
        let has_cursor_moved =
            is_hidden || row.is_some() && self.cursor_row.is_some() && self.cursor_row != row;
        self.cursor_row = row.or(self.cursor_row);
        if !self.motion.note(before, after, now) && !has_cursor_moved {
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

    /// Says whose text an input box shows. Where nobody pressed a key since the last message, it
    /// can only be the program's own.
    pub(super) fn ascribe(&self, found: &mut BoxView) {
        if found.holds != Holds::Text {
            return;
        }
        let shown: String = found.text.split_whitespace().collect();
        let is_echo = !self.last_message.is_empty() && shown == self.last_message;
        if self.given == Submission::Nothing && !self.is_touched {
            found.holds = if is_echo {
                Holds::Echo
            } else {
                Holds::Placeholder
            };
            found.text.clear();
        }
    }

    /// Tells a question at a line from the same one that was answered before. Until the program has reacted to an
    /// answer its question is still the old one.
    pub(super) fn number(&self, prompt: &mut Prompt) {
        if prompt.layout == Layout::Line {
            let is_pending = self.last_submit.is_some() && !self.reacted;
            let answers = self.answers.saturating_sub(u32::from(is_pending));
            prompt.fingerprint = prompt.fingerprint.again(answers);
        }
    }

    /// Nothing was asked of the program: what has been moving all the while is decoration.
    pub(super) fn learn_decoration(&mut self, frame: &Frame, now: Duration) {
        let is_loading = |text: &str| super::signs::tells_of_work(text);
        if self.motion.learn(frame, now, is_loading) {
            self.last_change = self.motion.last();
            self.last_activity = self.last_activity.min(self.last_change);
        }
    }

    /// Whether a message was given to the program and no reply to it was seen.
    pub(super) fn awaits_reply(&self) -> bool {
        self.given != Submission::Nothing && self.answer.is_some_and(|(is_there, _)| !is_there)
    }

    /// What the kernel said after all that was given to the program and all that it painted.
    pub(super) fn terminal_use(&self) -> Option<TerminalUse> {
        let (said, at) = self.terminal_use?;
        // Until it shows a reaction, what was typed may not have reached its read.
        let delivery = if self.reacted {
            Duration::ZERO
        } else {
            DELIVERY
        };
        let is_after = |submit: Duration| at > submit + delivery;
        (at >= self.last_look && self.last_submit.is_none_or(is_after)).then_some(said)
    }

    pub(super) fn note_published(&mut self, state: State, frame: &Frame, now: Duration) {
        self.published_at = now;
        match state {
            State::Idle => {
                self.explicit_seen = None;
                self.last_submit = None;
                self.reacted = false;
                self.given = Submission::Nothing;
                self.is_in_turn = false;
                self.answers = 0;
                self.answer = None;
                self.note_rest(frame);
            }
            State::Asking => {
                let cursor = frame.cursor;
                self.asked_at = cursor
                    .is_visible
                    .then(|| (cursor.row, frame.before_cursor()));
                self.last_submit = None;
                self.reacted = false;
            }
            State::Busy | State::Starting | State::Exited => {}
        }
    }

    /// Learns what the program looks like at rest: the text before a cursor with nothing after it.
    /// Only an untouched prompt teaches, not one behind which somebody is typing.
    pub(super) fn note_rest(&mut self, frame: &Frame) {
        self.rests_with_cursor = frame.cursor.is_visible;
        let is_untouched = self.last_key.is_none_or(|key| key <= self.published_at);
        if is_untouched || self.resting_rows.is_empty() {
            self.resting_rows.clone_from(&frame.rows);
        }
        let before = frame.before_cursor();
        if is_untouched
            && frame.cursor.is_visible
            && !before.trim().is_empty()
            && frame.after_cursor().trim().is_empty()
        {
            self.note_prompt(before);
        }
    }

    /// What stands before the cursor at rest is the prompt, but for the end of an output without a line break.
    fn note_prompt(&mut self, before: String) {
        let ends_output = self.usual_prompt.as_deref().is_some_and(|usual| {
            let is_telling = usual.trim().chars().count() >= TELLING
                || usual.trim_end().ends_with(['$', '#', '%']);
            is_telling && before.len() > usual.len() && before.ends_with(usual)
        });
        if !ends_output {
            self.usual_prompt = Some(before);
        }
    }

    /// A submit key was pressed a short while ago.
    pub(super) fn submitted_within(&self, span: Duration, now: Duration) -> bool {
        self.last_submit.is_some_and(|at| now <= at + span)
    }
}

/// What the program does with its terminal, as the kernel tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalUse {
    /// Its foreground process sleeps until somebody types a line.
    Reads,
    /// It reads lines and does not read one now.
    Works,
    /// It reads keys, or waits for more than its terminal: that may be rest or work.
    Unclear,
}

/// What was given to a program by a submit key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Submission {
    /// Nothing, or the answer to a question.
    #[default]
    Nothing,
    /// A command to the program itself: it may do without a reply.
    Command,
    Message,
}
