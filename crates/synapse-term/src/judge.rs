//! From frames, signals and keystrokes to one reading that does not flap.
//!
//! The judge keeps what was seen (its facts), asks the rules for a verdict, and publishes it
//! only when it has held long enough. It has no clock: `now` is an argument, and `deadline` says
//! when it wants to be asked again.

mod common;
mod facts;
mod known;
mod motion;
mod signs;
mod testimony;
mod verdict;

use std::sync::Arc;
use std::time::Duration;

use crate::chrome::{BoxView, find_box, find_common_box};
use crate::frame::{Frame, Row};
use crate::profile::Profile;
use crate::prompt::{self, Layout, Prompt, Sureness};
use crate::reading::{Evidence, Reading, State};
use crate::signal::Signal;

use facts::Facts;
use testimony::Testimony;
pub use testimony::{Claim, Contradiction, Witness};
use verdict::{Opinion, Verdict};

/// How soon after an interrupt the screen is asked about it.
const INTERRUPT_SPAN: Duration = Duration::from_millis(300);
pub use facts::{Submission, TerminalUse};

/// What is published stands at least this long.
const SHORTEST_STAY: Duration = Duration::from_millis(20);

/// Decides what the program is doing.
pub struct Judge {
    facts: Facts,
    testimony: Testimony,
    view: View,
    reading: Reading,
    evidence: Evidence,
    waiting: Option<(Verdict, Duration)>,
    ask_again: Option<Duration>,
    /// What the screen's own rules said last.
    shown: Option<(State, Evidence)>,
}

/// What is to be seen on the present frame.
#[derive(Default)]
struct View {
    frame: Frame,
    input_box: Option<BoxView>,
    prompt: Option<(Prompt, Sureness)>,
}

/// A reading that was published.
#[derive(Clone, Debug)]
pub struct Change {
    pub at: Duration,
    /// What the program does from then on.
    pub reading: Reading,
    pub evidence: Evidence,
}

impl Default for Judge {
    fn default() -> Self {
        Self {
            facts: Facts::default(),
            testimony: Testimony::default(),
            view: View::default(),
            reading: Reading::Starting,
            evidence: Evidence::new("spawned", ""),
            waiting: None,
            ask_again: None,
            shown: None,
        }
    }
}

impl Judge {
    /// The reading in force.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The input box on the last frame, if the profile knows what it looks like.
    pub fn input_box(&self) -> Option<&BoxView> {
        self.view.input_box.as_ref()
    }

    /// Whether the program looks at rest, though it is too early to believe it.
    pub fn is_about_to_rest(&self) -> bool {
        self.waiting
            .as_ref()
            .is_some_and(|(verdict, _)| verdict.reading == Reading::Idle)
    }

    /// Whether the program looks as if it did something else by now, though it is too early to believe it.
    pub fn is_in_doubt(&self) -> bool {
        self.waiting.is_some()
    }

    /// Whether the program rests for all we know: nothing else waits to be believed, and its box is
    /// empty.
    pub fn is_resting(&self) -> bool {
        let is_empty = self
            .view
            .input_box
            .as_ref()
            .is_some_and(|found| found.text.is_empty());
        self.reading == Reading::Idle && self.waiting.is_none() && is_empty
    }

    /// The program's own prompt as it was when the program last rested, for a line program.
    pub fn usual_prompt(&self) -> Option<&str> {
        self.facts.usual_prompt.as_deref()
    }

    /// Whether the kernel was ever seen to give the program whole lines.
    pub fn reads_lines(&self) -> bool {
        self.facts.reads_lines
    }

    /// The screen when the program last rested.
    pub fn resting_rows(&self) -> &[Arc<Row>] {
        &self.facts.resting_rows
    }

    /// The program was started to continue a conversation.
    pub fn note_resumed(&mut self) {
        self.facts.is_resumed = true;
    }

    /// Whether it was started to continue one.
    pub fn is_resumed(&self) -> bool {
        self.facts.is_resumed
    }

    /// Keystrokes were written to the program.
    pub fn note_keys(&mut self, keys: Keys, now: Duration) {
        self.facts.note_keys(keys, now);
        let at_line = |prompt: &Prompt| prompt.layout == Layout::Line;
        if keys == Keys::Submit
            && matches!(&self.reading, Reading::Asking(prompt) if at_line(prompt))
        {
            self.facts.answers += 1;
        }
        if keys == Keys::Interrupt && self.testimony.last().is_some() {
            // From here on the screen outranks who said that the program works.
            let soon = now + INTERRUPT_SPAN;
            self.ask_again = Some(self.ask_again.map_or(soon, |at| at.min(soon)));
        }
    }

    /// Somebody other than the screen says what the program does.
    pub fn testify(
        &mut self,
        witness: Witness,
        claim: Claim,
        profile: &Profile,
        now: Duration,
    ) -> Option<Change> {
        self.testimony.note(witness, claim, now);
        self.decide(profile, now)
    }

    /// A witness takes its word back: it knows no more than the screen.
    pub fn retract(
        &mut self,
        witness: Witness,
        profile: &Profile,
        now: Duration,
    ) -> Option<Change> {
        self.testimony.retract(witness);
        self.decide(profile, now)
    }

    /// What was last said by others than the screen, and by whom.
    pub fn last_testimony(&self) -> Option<(Witness, State)> {
        self.testimony.last()
    }

    /// What the screen alone says, whatever others say.
    pub fn screen_evidence(&self) -> Option<&(State, Evidence)> {
        self.shown.as_ref()
    }

    /// A disagreement of the witnesses that nobody was told of yet.
    pub fn take_contradiction(&mut self) -> Option<Contradiction> {
        self.testimony.take_news()
    }

    /// This is what was typed and may still be on the screen.
    pub fn note_typed(&mut self, text: &str) {
        self.facts.own_signs = signs::signs_in(text);
    }

    /// The key that the program named to stop it: `Escape` or `ctrl-c`. Nothing if it never did.
    pub fn interrupt_key(&self) -> Option<&'static str> {
        self.facts.interrupt_key
    }

    /// Whether a row of the last frame moves while nothing is asked of the program.
    pub fn is_decoration(&self, row: usize) -> bool {
        self.facts.motion.is_decoration(row)
    }

    /// This message was submitted.
    pub fn note_message(&mut self, text: &str) {
        self.facts.last_message = text.split_whitespace().collect();
    }

    /// A submit key was pressed, and this is what it gives to the program.
    pub fn note_given(&mut self, given: Submission) {
        let is_full_screen = self.view.frame.modes.alternate_screen;
        self.facts.note_given(given, is_full_screen);
    }

    /// Whether it matters now if the screen shows a reply: something was given to the program, its
    /// text stands still, and nobody has looked since it does.
    pub fn wants_answer(&self, profile: &Profile, now: Duration) -> bool {
        let still_since = self.facts.last_change;
        !profile.knows_signs()
            && self.facts.given != Submission::Nothing
            && now >= still_since + common::SHORTEST_QUIET
            && self.facts.answer.is_none_or(|(_, at)| at < still_since)
    }

    /// The screen was searched for a reply to what was given.
    pub fn note_answer(&mut self, is_there: bool, now: Duration) {
        self.facts.answer = Some((is_there, now));
    }

    /// The kernel says what the program does with its terminal.
    pub fn note_terminal_use(
        &mut self,
        said: TerminalUse,
        profile: &Profile,
        now: Duration,
    ) -> Option<Change> {
        self.facts.terminal_use = Some((said, now));
        self.facts.reads_lines |= said != TerminalUse::Unclear;
        self.decide(profile, now)
    }

    /// Whether the kernel can tell what the screen does not: no rule of the profile says when the
    /// program rests, and it is not known to rest.
    pub fn asks_kernel(&self, profile: &Profile) -> bool {
        let is_open = match self.reading {
            Reading::Starting | Reading::Busy => true,
            Reading::Idle => self.facts.given != Submission::Nothing,
            Reading::Asking(_) | Reading::Exited => false,
        };
        is_open && !profile.knows_signs() && profile.idle_regex.is_none()
    }

    /// The screen was looked at.
    pub fn see(
        &mut self,
        frame: Frame,
        signals: &[Signal],
        profile: &Profile,
        now: Duration,
    ) -> Option<Change> {
        self.facts.note_signals(signals, now);
        self.facts.note_frame(&self.view.frame, &frame, now);
        let is_unasked = matches!(self.reading, Reading::Idle | Reading::Starting);
        if is_unasked && self.facts.last_submit.is_none() {
            self.facts.learn_decoration(&frame, now);
        }
        let input_box = match &profile.idle.input_box {
            Some(rules) => find_box(&frame, rules),
            None => find_common_box(&frame).map(|mut found| {
                self.facts.ascribe(&mut found);
                found
            }),
        };
        // A profile that knows the program's signs knows this key as well.
        if !profile.knows_signs() {
            self.facts.interrupt_key = signs::named_key(&frame).or(self.facts.interrupt_key);
        }
        self.facts.box_seen |= input_box.is_some();
        if self.facts.is_resumed && self.facts.box_seen && self.facts.first_top.is_none() {
            self.facts.first_top = known::top(&frame).map(str::to_owned);
        }
        // A dialog takes the place of the box: beside a box it is somebody's text.
        if input_box
            .as_ref()
            .is_some_and(|found| !found.text.is_empty())
        {
            // What is still in the box was not given.
            self.facts.answer = self.facts.answer.map(|(_, at)| (true, at));
        }
        let prompt = match &input_box {
            // Beside the box of a program nobody has described a dialog may stand.
            Some(found) if !profile.knows_signs() && found.text.is_empty() => {
                prompt::read_above(&frame, profile, found.top.saturating_sub(1))
            }
            Some(_) => None,
            None => self.being_answered(&frame).or_else(|| {
                let usual = self.facts.usual_prompt.as_deref();
                let read = prompt::read(&frame, profile, usual);
                let has_asked = usual.is_none() && self.facts.asked_at.is_some();
                let field = || has_asked.then(|| prompt::read_field(&frame)).flatten();
                let (mut prompt, sureness) = read.or_else(field)?;
                self.facts.number(&mut prompt);
                Some((prompt, sureness))
            }),
        };
        if !profile.knows_signs() && signs::working_sign(&self.facts, &frame, now).is_some() {
            self.facts.explicit_seen = Some(now);
        }
        self.view = View {
            frame,
            input_box,
            prompt,
        };
        self.decide(profile, now)
    }

    /// A question at the end of a line stays while its answer is typed behind it.
    fn being_answered(&self, frame: &Frame) -> Option<(Prompt, Sureness)> {
        let Reading::Asking(prompt) = &self.reading else {
            return None;
        };
        let (row, line) = self.facts.asked_at.as_ref()?;
        let before = frame.before_cursor();
        // The same line without an answer, after one was given, asks anew.
        let is_anew = self.facts.reacted && before == *line;
        let is_there = !line.trim().is_empty()
            || frame.cursor.row == *row && self.usual_prompt() != Some(before.as_str());
        let goes_on = prompt.layout == Layout::Line
            && is_there
            && !is_anew
            && before.starts_with(line.as_str());
        goes_on.then(|| ((**prompt).clone(), Sureness::Line))
    }

    /// Time has passed.
    pub fn tick(&mut self, profile: &Profile, now: Duration) -> Option<Change> {
        if self.deadline().is_some_and(|deadline| now >= deadline) {
            return self.decide(profile, now);
        }
        None
    }

    /// When `tick` must be called next, if at all.
    pub fn deadline(&self) -> Option<Duration> {
        let held = self
            .waiting
            .as_ref()
            .map(|(verdict, since)| verdict.due(*since));
        [held, self.ask_again].into_iter().flatten().min()
    }

    /// The program is gone.
    pub fn exit(&mut self, sign: String, now: Duration) -> Option<Change> {
        self.waiting = None;
        self.ask_again = None;
        let evidence = Evidence::new("exit", sign);
        let (hold, not_before) = (Duration::ZERO, Duration::ZERO);
        self.publish(
            Verdict {
                reading: Reading::Exited,
                evidence,
                hold,
                not_before,
            },
            now,
        )
    }

    fn decide(&mut self, profile: &Profile, now: Duration) -> Option<Change> {
        if self.reading == Reading::Exited {
            return None;
        }
        self.weigh(profile, now);
        let (verdict, _) = self
            .waiting
            .take_if(|(verdict, since)| now >= verdict.due(*since))?;
        let change = self.publish(verdict, now);
        // Once the program rests, what its box shows and nobody typed is its own.
        if self.reading == Reading::Idle
            && profile.idle.input_box.is_none()
            && let Some(found) = &mut self.view.input_box
        {
            self.facts.ascribe(found);
        }
        // What holds from here on may change by time alone, but not at the same moment: two rules that refute each other
        // would do so for ever.
        self.weigh(profile, now);
        if let Some((next, _)) = &mut self.waiting {
            next.not_before = next.not_before.max(now + SHORTEST_STAY);
        }
        change
    }

    /// Asks the rules: a verdict that differs from the reading in force begins to wait.
    fn weigh(&mut self, profile: &Profile, now: Duration) {
        let state = self.reading.state();
        let opinion = if profile.knows_signs() {
            known::assess(&self.facts, &self.view, profile, &self.reading, now)
        } else {
            common::assess(&self.facts, &self.view, profile, state, now)
        };
        let shown = opinion.verdict.as_ref();
        if let Some(verdict) = shown {
            self.shown = Some((verdict.reading.state(), verdict.evidence.clone()));
        }
        let opinion = self.testimony.weigh(opinion, &self.facts, &self.view, now);
        // A moment in the past would only be asked about again and again.
        self.ask_again = opinion.ask_again.filter(|at| *at > now);
        let Some(verdict) = opinion.verdict else {
            self.waiting = None;
            return;
        };
        if verdict.reading.is_same(&self.reading) {
            self.waiting = None;
            self.reading = verdict.reading;
            if state == State::Idle {
                self.facts.note_rest(&self.view.frame);
            }
            return;
        }
        let since = match &self.waiting {
            Some((before, since)) if before.reading.is_same(&verdict.reading) => *since,
            _ => now,
        };
        self.waiting = Some((verdict, since));
    }

    fn publish(&mut self, verdict: Verdict, now: Duration) -> Option<Change> {
        if self.reading.is_same(&verdict.reading) {
            return None;
        }
        self.reading = verdict.reading.clone();
        self.evidence = verdict.evidence.clone();
        self.testimony.note_published(self.reading.state());
        self.facts
            .note_published(self.reading.state(), &self.view.frame, now);
        Some(Change {
            at: now,
            reading: verdict.reading,
            evidence: verdict.evidence,
        })
    }
}

/// What sort of keystrokes were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Text or editing keys: the program will echo them.
    Editing,
    /// A submit key is among them.
    Submit,
    /// Escape or Ctrl-C.
    Interrupt,
}
