//! Screen, settling, judgement and reply together: what somebody who watches one program needs.
//!
//! Everything happens at times that are arguments. The pieces in which bytes arrive do not matter
//! as long as they keep their time: looks are taken between times, never between pieces.

mod explain;
mod kernel;
mod turns;
mod typed;

use std::sync::Arc;
use std::time::Duration;

use crate::cast::{self, What};
use crate::chrome::{BoxView, Holds, find_box, find_common_box};
use crate::frame::{Frame, Row};
use crate::judge::{Change, Claim, Contradiction, Judge, Keys, Submission, Witness};
use crate::profile::Profile;
use crate::reading::{Evidence, Reading, State};
use crate::reply::{Follower, Furniture, Outcome, Reply};
use crate::screen::{Screen, Size};
use crate::settle::Settle;
use kernel::Inquiry;
use typed::Typed;

pub use crate::judge::TerminalUse;
pub use explain::{Part, RowPart};
pub use kernel::Interest;

/// A turn may be over before anybody sees the program work. Whether there was one is looked at
/// this long after the submit key.
const SHORT_TURN: Duration = Duration::from_millis(600);

/// Watches one program.
pub struct Watcher {
    profile: Arc<Profile>,
    screen: Screen,
    settle: Settle,
    judge: Judge,
    follower: Follower,
    typed: Typed,
    turn: Option<Turn>,
    last_keys: Option<(Keys, Duration)>,
    interrupted_at: Option<Duration>,
    /// What had been said when a question was refused by Escape or Ctrl-C.
    said_before: Option<String>,
    /// When to look for a turn that nobody saw.
    short_turn_at: Option<Duration>,
    /// No question came between the program's rest, or its start, and what it does now.
    was_idle: bool,
    /// The screen before the running turn.
    resting: Vec<Arc<Row>>,
    /// What was learned of the program's turns.
    furniture: Furniture,
    /// What stands before the text in the input box.
    place: Option<String>,
    /// The message of the last turn.
    last_typed: String,
    /// That turn was painted, not printed.
    was_painted: bool,
    /// A question stands, and nothing was submitted since.
    is_unanswered: bool,
    /// When the kernel is asked what the program does with its terminal.
    inquiry: Inquiry,
    events: Vec<Event>,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// The program does something else now.
    Reading(Change),
    /// A turn is over.
    Turn(TurnReport),
    /// The program spoke to us beside its screen (OSC 7710); still encoded.
    Channel(String),
    /// The screen and another witness disagree.
    Contradiction(Contradiction),
    /// The emulator failed: the screen is empty until the program paints it anew, and its modes are
    /// forgotten.
    ScreenLost,
}

/// A turn that is over.
#[derive(Clone, Debug)]
pub struct TurnReport {
    /// When it was seen to be over.
    pub at: Duration,
    /// The message as it was typed.
    pub typed: String,
    /// What the screen shows of the reply.
    pub reply: Reply,
    pub outcome: Outcome,
}

struct Turn {
    typed: String,
}

impl Watcher {
    /// Watches a program that has just been started on a screen of this size.
    pub fn new(profile: Arc<Profile>, size: Size) -> Self {
        Self {
            profile,
            screen: Screen::new(size),
            settle: Settle::default(),
            judge: Judge::default(),
            follower: Follower::default(),
            typed: Typed::default(),
            turn: None,
            last_keys: None,
            interrupted_at: None,
            said_before: None,
            short_turn_at: None,
            was_idle: true,
            resting: Vec::new(),
            furniture: Furniture::default(),
            place: None,
            last_typed: String::new(),
            was_painted: false,
            is_unanswered: false,
            inquiry: Inquiry::default(),
            events: Vec::new(),
        }
    }

    /// The program was started to continue a conversation, and may take a while to read it.
    #[must_use]
    pub fn resumed(mut self) -> Self {
        self.judge.note_resumed();
        self
    }

    /// Whether it was started to continue one.
    pub fn is_resumed(&self) -> bool {
        self.judge.is_resumed()
    }

    /// The beginning of what the program wrote that nobody will ever see, as [`Screen::skip_unseen`] says; the rest is to
    /// be fed.
    pub fn skip_unseen(&mut self, bytes: &[u8], now: Duration) -> usize {
        self.tick(now);
        self.screen.skip_unseen(bytes)
    }

    /// The program wrote this.
    pub fn feed(&mut self, bytes: &[u8], now: Duration) {
        self.tick(now);
        self.inquiry.note_stale();
        let follower = &mut self.follower;
        self.screen.feed(bytes, now, |screen| follower.look(screen));
        self.settle.mark(now);
        let words = self.screen.take_words();
        if self.profile.channel {
            self.events.extend(words.into_iter().map(Event::Channel));
        }
        self.tell_loss();
    }

    /// This was written to the program.
    pub fn input(&mut self, bytes: &[u8], now: Duration) {
        self.tick(now);
        let submit = self.profile.submit_sequence.as_bytes();
        let Some(keys) = self.typed.feed(bytes, submit) else {
            return;
        };
        self.inquiry.note_keys(now);
        self.judge.note_keys(keys, now);
        self.judge.note_typed(self.typed.recent());
        self.last_keys = Some((keys, now));
        // A program may have written more than the screen holds before anybody sees that it works.
        if keys == Keys::Submit && self.turn.is_none() {
            self.follow();
        }
        // What answers a question is not the beginning of the next message.
        if keys == Keys::Submit && self.is_unanswered {
            self.is_unanswered = false;
            let answer = self.typed.take_message();
            self.furniture.note_answer(&answer);
        }
        if keys == Keys::Submit {
            self.judge.note_given(self.given());
            self.judge.note_message(self.typed.submitted());
            self.learn_place();
        }
        match keys {
            Keys::Interrupt => {
                // Who is interrupted need not answer.
                self.judge.note_given(Submission::Nothing);
                self.interrupted_at = Some(now);
                self.said_before = self.is_unanswered.then(|| self.said()).flatten();
            }
            Keys::Submit if self.turn.is_none() => self.short_turn_at = Some(now + SHORT_TURN),
            Keys::Submit | Keys::Editing => {}
        }
    }

    /// Somebody other than the screen says what the program does.
    pub fn testify(&mut self, witness: Witness, claim: Claim, now: Duration) {
        self.tick(now);
        let change = self.judge.testify(witness, claim, &self.profile, now);
        self.publish(change);
    }

    /// A witness takes its word back: it knows no more than the screen.
    pub fn retract(&mut self, witness: Witness, now: Duration) {
        self.tick(now);
        let change = self.judge.retract(witness, &self.profile, now);
        self.publish(change);
    }

    /// What each witness says at this moment, by name: first the screen.
    pub fn witnesses(&self) -> Vec<(&'static str, String)> {
        let screen = self.judge.screen_evidence();
        let screen =
            screen.map(|(state, evidence)| ("screen", format!("{} ({evidence})", state.word())));
        let other = self.judge.last_testimony();
        let other = other.map(|(witness, state)| (witness.name(), state.word().to_owned()));
        screen.into_iter().chain(other).collect()
    }

    /// What the submit key gives to the program: no more than an answer while it asks or works.
    fn given(&self) -> Submission {
        let text = self.typed.submitted().trim();
        let is_open = self.turn.is_some() || matches!(self.judge.reading(), Reading::Asking(_));
        match text.chars().next() {
            None => Submission::Nothing,
            Some(_) if is_open => Submission::Nothing,
            Some('/') if !text.contains(char::is_whitespace) => Submission::Command,
            Some(_) => Submission::Message,
        }
    }

    /// The screen has another size now.
    pub fn resize(&mut self, size: Size, now: Duration) {
        self.tick(now);
        self.screen.resize(size);
        self.settle.mark(now);
        self.tell_loss();
    }

    /// Time has passed: whatever was due by `now` is done, at the time it was due.
    pub fn tick(&mut self, now: Duration) {
        while let Some(due) = self.deadline().filter(|due| *due <= now) {
            if self.screen.sync_deadline().is_some_and(|at| at <= due) {
                self.screen.tick(due);
                self.settle.mark(due);
            }
            self.look_for_answer(due);
            let change = if self.settle.deadline().is_some_and(|at| at <= due) {
                self.settle.clear();
                self.look(due)
            } else {
                self.judge.tick(&self.profile, due)
            };
            self.publish(change);
            if self.short_turn_at.is_some_and(|at| at <= due) {
                self.short_turn_at = None;
                self.catch_short_turn(due);
            }
        }
    }

    /// When `tick` must be called next, if at all.
    pub fn deadline(&self) -> Option<Duration> {
        [
            self.settle.deadline(),
            self.judge.deadline(),
            self.screen.sync_deadline(),
            self.short_turn_at,
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Takes one event of a recording.
    pub fn replay(&mut self, event: &cast::Event) {
        match &event.what {
            What::Output(text) => self.feed(text.as_bytes(), event.at),
            What::Input(text) => self.input(text.as_bytes(), event.at),
            What::Resize(size) => self.resize(*size, event.at),
            What::Exit(status) => self.exit(status, event.at),
            What::Other => {}
        }
    }

    /// The program is gone.
    pub fn exit(&mut self, status: &str, now: Duration) {
        self.tick(now);
        let change = self.judge.exit(status.to_owned(), now);
        self.publish(change);
    }

    /// Nobody watches any longer: a turn that has not ended is reported as open.
    pub fn finish(&mut self, now: Duration) {
        self.tick(now);
        self.end_turn(now, Some(Outcome::Open));
    }

    /// What happened since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// What the program does.
    pub fn reading(&self) -> &Reading {
        self.judge.reading()
    }

    pub fn evidence(&self) -> &Evidence {
        self.judge.evidence()
    }

    /// The input box, if it is in sight and the profile knows it.
    pub fn input_box(&self) -> Option<&BoxView> {
        self.judge.input_box()
    }

    /// What the input box holds, if there is one in sight.
    pub fn box_holds(&self) -> Option<Holds> {
        self.judge.input_box().map(|found| found.holds)
    }

    /// The key that stops the program in its own words: `Escape` or `ctrl-c`. Nothing if it never
    /// named one.
    pub fn interrupt_key(&self) -> Option<&'static str> {
        self.judge.interrupt_key()
    }

    /// The prompt behind which a line program waits, as far as it is known.
    pub fn usual_prompt(&self) -> Option<&str> {
        self.judge.usual_prompt()
    }

    /// Whether the program shows a bare prompt in the last row, as shells and interpreters do.
    pub fn is_at_line_prompt(&self) -> bool {
        self.judge.is_at_line_prompt()
    }

    /// What stands where the user types, as the screen is at this moment: in the input box, or behind
    /// the prompt of a line program. Nothing if there is no such place in sight.
    pub fn typed_text(&mut self) -> Option<String> {
        let frame = self.screen.frame();
        let found = match &self.profile.idle.input_box {
            Some(rules) => return find_box(&frame, rules).map(|found| found.text),
            None => find_common_box(&frame),
        };
        match found {
            // Where nobody typed, whatever stands there is the program's own.
            Some(_) if self.box_holds().is_some_and(|holds| holds != Holds::Text) => {
                Some(String::new())
            }
            Some(found) => Some(found.text),
            None => behind_prompt(&frame, self.judge.usual_prompt()?),
        }
    }

    /// Whether a turn is being followed.
    pub fn has_turn(&self) -> bool {
        self.turn.is_some()
    }

    /// Whether the program looks at rest, though it is too early to believe it.
    pub fn is_about_to_rest(&self) -> bool {
        self.judge.is_about_to_rest()
    }

    /// Whether the reading holds for the screen as it is at this moment: nothing was painted since it was looked at, and
    /// no other reading waits to be believed.
    pub fn is_up_to_date(&self) -> bool {
        self.settle.deadline().is_none() && !self.judge.is_in_doubt()
    }

    pub fn screen(&mut self) -> &mut Screen {
        &mut self.screen
    }

    /// The screen as it is now.
    pub fn frame(&mut self) -> Frame {
        self.screen.frame()
    }

    /// What can be read of the running turn's reply by now.
    pub fn partial_reply(&mut self) -> Option<Reply> {
        let typed = self.turn.as_ref()?.typed.clone();
        self.read_replies(&typed).pop().map(|(_, reply)| reply)
    }

    /// Whether the program has printed a line break after all that it printed: the cursor begins a line.
    pub fn has_ended_line(&mut self) -> bool {
        let cursor = self.screen.frame().cursor;
        cursor.is_visible && cursor.col == 0 && !self.follower.is_painted()
    }

    fn tell_loss(&mut self) {
        if self.screen.take_loss() {
            self.events.push(Event::ScreenLost);
        }
    }

    fn look(&mut self, now: Duration) -> Option<Change> {
        self.inquiry.note_settled(now);
        self.follower.look(&mut self.screen);
        let frame = self.screen.frame();
        self.follower.note_frame(&frame);
        let signals = self.screen.take_signals();
        self.judge.see(frame, &signals, &self.profile, now)
    }

    fn publish(&mut self, change: Option<Change>) {
        if let Some(contradiction) = self.judge.take_contradiction() {
            self.events.push(Event::Contradiction(contradiction));
        }
        let Some(change) = change else { return };
        let (state, at) = (change.reading.state(), change.at);
        if let Reading::Asking(prompt) = &change.reading {
            self.furniture.note_question(prompt);
        }
        let begins = matches!(state, State::Busy | State::Asking) && self.turn.is_none();
        self.events.push(Event::Reading(change));
        if state != State::Asking && std::mem::take(&mut self.is_unanswered) {
            // It was answered by a key that needs no Enter.
            self.typed.forget();
        }
        match state {
            State::Busy | State::Asking if begins => self.begin_turn(at),
            State::Idle => self.end_turn(at, None),
            State::Exited => self.end_turn(at, Some(Outcome::Open)),
            State::Busy | State::Asking | State::Starting => {}
        }
        self.is_unanswered = state == State::Asking;
        self.was_idle = state == State::Idle || (self.was_idle && self.turn.is_some());
    }
}

/// What the cursor's line has behind the program's usual prompt.
fn behind_prompt(frame: &Frame, prompt: &str) -> Option<String> {
    let mut line = frame.before_cursor();
    line.push_str(frame.after_cursor());
    let below = frame.cursor.row..frame.rows.len();
    let wrapped = below.take_while(|row| frame.row(*row).is_some_and(|row| row.is_wrapped));
    for row in wrapped {
        line.push_str(frame.text(row + 1));
    }
    let typed = line.strip_prefix(prompt)?;
    Some(typed.trim_end().to_owned())
}
