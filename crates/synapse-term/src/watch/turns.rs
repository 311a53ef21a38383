//! Turns: when one begins and ends, and what is read of it.

use std::sync::Arc;
use std::time::Duration;

use super::{Event, SHORT_TURN, Turn, TurnReport, Watcher};
use crate::frame::{Row, width};
use crate::judge::Keys;
use crate::reply::{self, Cut, Outcome, Reply};

/// A turn begins with keys pressed at most this long before the program was seen at work.
const TURN_SPAN: Duration = Duration::from_secs(5);

/// The same where the last of them is the submit key: a busy machine may come to it late.
const SUBMIT_SPAN: Duration = Duration::from_secs(12);

/// A turn that ends this soon after Escape or Ctrl-C was interrupted.
const INTERRUPT_SPAN: Duration = Duration::from_millis(1_500);

/// How much of a message is looked for in the input box.
const PLACE_CHARS: usize = 20;

/// What stands before the text of an input box is no wider than this.
const PLACE_COLS: usize = 30;

impl Watcher {
    /// A turn begins with the keys that made an idle program busy.
    pub(super) fn begin_turn(&mut self, now: Duration) {
        if !self.is_just_typed(now) || !self.was_idle {
            return;
        }
        let typed = self.typed.take_message();
        if typed.trim().is_empty() {
            return;
        }
        self.interrupted_at = None;
        self.resting = self.judge.resting_rows().to_vec();
        if !self.follower.is_active() {
            self.follow();
        }
        self.last_typed.clone_from(&typed);
        self.was_painted = false;
        self.turn = Some(Turn { typed });
    }

    /// Keeps what scrolls off the screen from now on.
    pub(super) fn follow(&mut self) {
        let is_kept = self.profile.speech.echo.is_none();
        self.follower.begin(&mut self.screen, is_kept);
    }

    /// The program rests, and shows the message as given to it: it has answered already.
    pub(super) fn catch_short_turn(&mut self, now: Duration) {
        if self.turn.is_some() {
            return;
        }
        // Its box must be in sight and empty, and nothing else about to be said of it. A busy machine has not come to
        // the key yet.
        if !self.judge.is_resting() {
            return self.look_for_short_turn_again(now);
        }
        let typed = self.typed.submitted().to_owned();
        let rows: Vec<Arc<Row>> = self.follower.rows(&mut self.screen);
        let cursor = self.cursor_among(rows.len());
        let rows: Vec<&Row> = rows.iter().map(Arc::as_ref).collect();
        let how = Cut {
            profile: &self.profile,
            typed: &typed,
            usual_prompt: self.judge.usual_prompt(),
            resting: &[],
            furniture: &self.furniture,
            place: self.place.as_deref(),
            cursor,
            mark: self.follower.mark(),
            reads_lines: self.judge.reads_lines(),
            is_painted: self.follower.is_painted(),
            cols: usize::from(self.screen.size().cols()),
        };
        if reply::is_answered(&rows, &how) {
            self.begin_turn(now);
            self.end_turn(now, None);
        } else {
            self.look_for_short_turn_again(now);
        }
    }

    /// Whether what the program does may come of the last keys.
    fn is_just_typed(&self, now: Duration) -> bool {
        self.last_keys.is_some_and(|(keys, at)| match keys {
            Keys::Submit => now <= at + SUBMIT_SPAN,
            Keys::Editing | Keys::Interrupt => now <= at + TURN_SPAN,
        })
    }

    fn look_for_short_turn_again(&mut self, now: Duration) {
        // A message whose turn was seen is taken, and without one no turn can begin: there is nothing to look for.
        if self.is_just_typed(now) && !self.typed.submitted().trim().is_empty() {
            self.short_turn_at = Some(now + SHORT_TURN);
        }
    }

    pub(super) fn end_turn(&mut self, now: Duration, outcome: Option<Outcome>) {
        let Some(typed) = self.turn.as_ref().map(|turn| turn.typed.clone()) else {
            return;
        };
        let replies = self.read_replies(&typed);
        let mut furniture = self.furniture.clone();
        self.with_turn(&typed, |rows, how| reply::learn(rows, how, &mut furniture));
        furniture.forget_questions();
        self.furniture = furniture;
        self.turn = None;
        self.was_painted = self.follower.is_painted();
        self.follower.end(&mut self.screen);
        let is_interrupted = self
            .interrupted_at
            .is_some_and(|at| now <= at + INTERRUPT_SPAN);
        // Who refuses what is asked does not interrupt a program that goes on to answer.
        let said = replies.last().map(|(_, reply)| reply.text.as_str());
        let goes_on = self
            .said_before
            .as_deref()
            .is_some_and(|before| said != Some(before));
        let is_interrupted = is_interrupted && !goes_on;
        let last = replies.len().saturating_sub(1);
        for (index, (typed, reply)) in replies.into_iter().enumerate() {
            let outcome = match (outcome, reply.outcome) {
                (Some(outcome), _) if index == last => outcome,
                (None, Outcome::Completed) if is_interrupted && index == last => {
                    Outcome::Interrupted
                }
                (_, read) => read,
            };
            self.events.push(Event::Turn(TurnReport {
                at: now,
                typed,
                reply,
                outcome,
            }));
        }
    }

    /// What was said in the running turn by now.
    pub(super) fn said(&mut self) -> Option<String> {
        self.partial_reply().map(|reply| reply.text)
    }

    pub(super) fn read_replies(&mut self, typed: &str) -> Vec<(String, Reply)> {
        let mut replies = self.with_turn(typed, reply::cut);
        if let (true, Some((_, reply))) = (self.follower.is_cut(), replies.first_mut()) {
            reply.is_truncated = true;
        }
        replies
    }

    /// Does something with the rows of the conversation.
    pub(super) fn with_turn<T>(
        &mut self,
        typed: &str,
        act: impl FnOnce(&[&Row], &Cut<'_>) -> T,
    ) -> T {
        let rows: Vec<Arc<Row>> = self.follower.rows(&mut self.screen);
        let cursor = self.cursor_among(rows.len());
        let rows: Vec<&Row> = rows.iter().map(Arc::as_ref).collect();
        let resting = match self.turn {
            Some(_) => self.resting.as_slice(),
            None => self.judge.resting_rows(),
        };
        let resting: Vec<&Row> = resting.iter().map(Arc::as_ref).collect();
        act(
            &rows,
            &Cut {
                profile: &self.profile,
                typed,
                usual_prompt: self.judge.usual_prompt(),
                resting: &resting,
                furniture: &self.furniture,
                place: self.place.as_deref(),
                cursor,
                mark: self.follower.mark(),
                reads_lines: self.judge.reads_lines(),
                is_painted: self.follower.is_painted(),
                cols: usize::from(self.screen.size().cols()),
            },
        )
    }

    /// Which of so many rows, the last of which are on the screen, has the cursor.
    fn cursor_among(&mut self, rows: usize) -> Option<usize> {
        let frame = self.screen.frame();
        let below = frame.rows.len().checked_sub(frame.cursor.row)?;
        frame.cursor.is_visible.then(|| rows.checked_sub(below))?
    }

    /// A screen that stands still after a message is searched for a reply to it.
    pub(super) fn look_for_answer(&mut self, now: Duration) {
        if !self.judge.wants_answer(&self.profile, now) {
            return;
        }
        let typed = match &self.turn {
            Some(turn) => turn.typed.clone(),
            None => self.typed.submitted().to_owned(),
        };
        let replies = self.read_replies(&typed);
        let is_there = replies.last().is_some_and(|(_, reply)| {
            let went_wrong = matches!(reply.outcome, Outcome::Interrupted | Outcome::Failed);
            went_wrong || !reply.text.is_empty()
        });
        self.judge.note_answer(is_there, now);
    }

    /// Where a message stands on the screen when it is submitted is the input box.
    pub(super) fn learn_place(&mut self) {
        let text = self.typed.submitted().trim();
        let Some(first) = text.lines().next().filter(|line| line.chars().count() >= 3) else {
            return;
        };
        let head: String = first.chars().take(PLACE_CHARS).collect();
        let frame = self.screen.frame();
        let place = frame
            .rows
            .iter()
            .rev()
            .find_map(|row| row.text.split_once(&head));
        if let Some((before, _)) = place.filter(|(before, _)| width(before) <= PLACE_COLS) {
            self.place = Some(before.to_owned());
        }
    }
}
