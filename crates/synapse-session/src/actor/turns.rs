//! Runs the current turn: types its message when the keyboard is free, feeds it with what the witnesses
//! report, and performs its effects.

use std::time::Duration;

use jiff::Timestamp;
use synapse_a2a::error::FailureCode;
use synapse_a2a::event::{Source, Status};
use synapse_a2a::id::TaskId;
use synapse_a2a::step::Step;
use synapse_term::keys::{Discipline, paste};
use synapse_term::reading::Reading;
use synapse_term::reply::Reply;
use synapse_term::watch::TurnReport;
use tokio::sync::oneshot;

use super::streaming::Growth;
use super::tasks::{code_of, question};
use super::{Session, bare};
use crate::own_messages::Whose;
use crate::turn::{Effect, Ending, Input, Scene, Turn, TurnError, Words};
use crate::{Receipt, Refusal};
use synapse_pty::Tenure;

/// A program that painted within this time has more to paint.
const PAINTING: Duration = Duration::from_millis(400);

/// The task whose turn it is.
pub(super) struct Running {
    pub(super) task: TaskId,
    pub(super) turn: Turn,
    /// Who wants to hear of its stop, where it was asked for before the turn began.
    pub(super) stop_receipts: Vec<oneshot::Sender<Result<Receipt, Refusal>>>,
    /// What was told of the reply while it appears.
    pub(super) growth: Growth,
    /// Steps that were told before anybody saw the message taken.
    pub(super) early_steps: Vec<Step>,
    /// The reply as far as the program has told it, where a protocol tells it as it grows.
    pub(super) said: String,
    /// What the screen showed of the reply when a key that stops the program was pressed.
    said_at_stop: Option<Reply>,
}

impl Running {
    /// When something is to be done about it, if at all.
    pub(super) fn deadline(&self) -> Option<Duration> {
        let growth = self.growth.deadline().filter(|_| self.turn.is_running());
        [self.turn.deadline(), growth].into_iter().flatten().min()
    }
}

impl Session {
    /// Lets the running turn take something in, and does what it decides.
    pub(super) fn step(&mut self, input: Input<'_>, now: Duration) {
        let scene = self.scene(now);
        let Some(running) = &mut self.running else {
            return;
        };
        let task = running.task.clone();
        let effects = running.turn.step(input, scene, now);
        for effect in effects {
            match effect {
                Effect::Write(bytes) => self.write(&bytes, now),
                Effect::Press(key) => self.press_interrupt(key, now),
                Effect::Started | Effect::Resumed => {
                    self.move_to(&task, Status::Working);
                    self.tell_early_steps();
                }
                Effect::Asked(prompt) => {
                    let question = question(&prompt);
                    self.move_to(&task, Status::InputRequired { question });
                }
                Effect::AskedByChannel(question) => {
                    let question = *question;
                    self.move_to(&task, Status::InputRequired { question });
                }
                Effect::Parked => self.let_go(),
                Effect::Ended(ending) => self.finish(ending),
            }
        }
    }

    fn scene(&self, now: Duration) -> Scene {
        let found = self.watcher.input_box();
        let running = self.running.as_ref();
        let awaits_reaction = running.is_some_and(|running| running.turn.awaits_reaction());
        Scene {
            has_unread_keys: awaits_reaction && self.pty.has_unread_keys(),
            is_painting: now < self.painted_at + PAINTING,
            has_foreign_words: awaits_reaction && self.has_foreign_words(),
            state: self.watcher.reading().state(),
            is_about_to_rest: self.watcher.is_about_to_rest(),
            has_screen_turn: self.watcher.has_turn(),
            is_box_empty: found.is_some_and(|found| found.text.is_empty()),
            is_box_filled: found.is_some_and(|found| !found.text.is_empty()),
        }
    }

    /// Whether the box shows our message and something beside it. In a terminal of our own the router knows what a
    /// person types; elsewhere the box alone tells.
    fn has_foreign_words(&self) -> bool {
        let (Some(running), Some(found)) = (&self.running, self.watcher.input_box()) else {
            return false;
        };
        let (shown, own) = (bare(&found.text), bare(running.turn.text()));
        // What is folded up, or has left the box, is not there to be compared.
        self.pty.tenure() != Tenure::Own && shown != own && shown.contains(&own)
    }

    /// Types the next message, if the keyboard is free and the program waits for one.
    pub(super) fn begin_next(&mut self, now: Duration) {
        let is_idle = self.watcher.reading() == &Reading::Idle;
        if !is_idle || self.running.is_some() {
            return;
        }
        // Where a person's keys do not pass us, only the screen tells that a line was just submitted, and the program may
        // not have begun to work on it: it is waited for what the screen says next.
        if self.pty.tenure() != Tenure::Own && !self.watcher.is_up_to_date() {
            return;
        }
        if self.obstacle().is_some() {
            if !self.queue.is_empty() {
                self.take_back_own(now);
            }
            return;
        }
        let Some(order) = self.queue.pop() else {
            return;
        };
        let mode = self.watcher.screen().modes().keyboard();
        let discipline = self.discipline();
        let text = self.introduced(&order);
        let bytes = match paste(&text, &mode, discipline, &self.profile.newline_keys) {
            Ok(bytes) => bytes,
            Err(error) => {
                return self.fail(&order.task, FailureCode::SubmitFailed, error.to_string());
            }
        };
        self.keep_human_turn(None);
        let number = self.witnesses.expect(&text, Timestamp::now());
        self.usages.expect(number, order.task.clone());
        self.write(&bytes, now);
        let submit = self.profile.submit_sequence.as_bytes().to_vec();
        // Only programs that read keys need time between the text and Enter.
        let delay = match discipline {
            Discipline::Canonical => Duration::ZERO,
            Discipline::Raw => self.profile.submit_delay,
        };
        self.hold.note_typed(&text);
        self.own_messages.note_typed(&text);
        let has_transcript = self.witnesses.has_transcript();
        self.running = Some(Running {
            task: order.task,
            turn: Turn::begin(text, submit, delay, has_transcript, now)
                .with_response_timeout(self.profile.response_timeout),
            stop_receipts: Vec::new(),
            growth: Growth::default(),
            early_steps: Vec::new(),
            said: String::new(),
            said_at_stop: None,
        });
        self.step(Input::Tick, now);
    }

    /// The screen has seen a turn to its end: the running one, one that ended before by another witness, or
    /// one of the person's.
    pub(super) fn take_report(&mut self, report: TurnReport, now: Duration) {
        let whose = self.own_messages.whose(&report.typed);
        if self.pty.tenure() != Tenure::Own {
            // A person's keys reach the program past us.
            self.own_messages.note_person();
        }
        match (whose, self.running.is_some()) {
            (Whose::Last | Whose::Person, true) => self.step(Input::Screen(&report), now),
            (Whose::Person, false) => self.take_human_turn(report, now),
            (Whose::Last | Whose::Earlier, _) => {}
        }
    }

    /// The turn is not the program's any longer.
    fn let_go(&mut self) {
        self.witnesses.forget();
        if self.witnesses.note_turn_over() {
            tracing::warn!(
                "the program runs no hooks of ours; its screen and transcript are relied on"
            );
        }
        let running = self.running.take();
        self.memory.note_turn();
        // It was over before it could be stopped.
        let now = self.watcher.reading().state();
        for receipt in running
            .into_iter()
            .flat_map(|running| running.stop_receipts)
        {
            let _ = receipt.send(Ok(Receipt {
                sent: None,
                was: now,
                now,
                confirmed: true,
            }));
        }
    }

    pub(super) fn finish(&mut self, ending: Ending) {
        let Some(running) = &mut self.running else {
            return;
        };
        let task = running.task.clone();
        let has_answered = running.turn.channel.has_answered;
        let said = std::mem::take(&mut running.said);
        let ending = self.by_own_voice(ending, &said);
        let ending = self.with_partial(ending);
        self.close_steps(&task);
        self.let_go();
        let (code, message) = match ending {
            Ending::Replied(_) | Ending::TimedOut if has_answered => {
                self.reply_by_artifacts(&task);
                return self.move_to(&task, Status::Completed);
            }
            Ending::TimedOut => {
                let reply = self.watcher.partial_reply();
                let mut words = reply.map_or_else(
                    || Words::whole("", Source::Timeout),
                    |reply| Words::shown(&reply),
                );
                words.source = Source::Timeout;
                self.reply(&task, words);
                return self.move_to(&task, Status::Completed);
            }
            Ending::Replied(words) => {
                let text = self.up_to_marker(&words.text).unwrap_or(words.text);
                self.reply(&task, Words { text, ..words });
                return self.move_to(&task, Status::Completed);
            }
            Ending::Rejected(reason) => return self.move_to(&task, Status::Rejected { reason }),
            Ending::Canceled(reason, said) => {
                self.keep_said(&task, said);
                let with_agent = self.ledger.board.is_stopping();
                return self.move_to(&task, Status::Canceled { reason, with_agent });
            }
            Ending::Interrupted(said) => {
                self.keep_said(&task, said);
                (
                    FailureCode::Interrupted,
                    "the turn was interrupted".to_owned(),
                )
            }
            Ending::Failed(why) => {
                let said = Words::whole(said, self.witnesses.source());
                self.keep_said(&task, Some(said).filter(|said| !said.is_empty()));
                (code_of(&why), why)
            }
            Ending::Broken(TurnError::Exited) => (FailureCode::AgentExited, self.exit_in_words()),
            Ending::Broken(error @ TurnError::Unseen) => {
                (FailureCode::InternalError, error.to_string())
            }
            Ending::Broken(error) => (FailureCode::SubmitFailed, error.to_string()),
        };
        self.fail(&task, code, message);
    }

    /// These keys are about to reach the program. One that is stopped may clear what it said before it paints it again,
    /// and may tell of its end in between, so what the screen shows is kept while it is there.
    pub(super) fn note_stop_key(&mut self, bytes: &[u8]) {
        let runs = |running: &Running| running.turn.is_running();
        if !self.running.as_ref().is_some_and(runs) || !self.is_stop_key(bytes) {
            return;
        }
        let shown = self.watcher.partial_reply();
        if let Some(running) = &mut self.running {
            running.said_at_stop = longer(running.said_at_stop.take(), shown);
        }
    }

    /// A turn that was stopped keeps what was said; where no witness told it, the screen shows it, or did.
    fn with_partial(&mut self, ending: Ending) -> Ending {
        let is_unsaid = matches!(
            ending,
            Ending::Interrupted(None) | Ending::Canceled(_, None)
        );
        if !is_unsaid {
            return ending;
        }
        let shown = self.watcher.partial_reply();
        let before = self
            .running
            .as_mut()
            .and_then(|running| running.said_at_stop.take());
        let words = longer(before, shown).map(|reply| Words::shown(&reply));
        let words = words.filter(|words| !words.is_empty());
        match ending {
            Ending::Interrupted(None) => Ending::Interrupted(words),
            Ending::Canceled(reason, None) => Ending::Canceled(reason, words),
            ending => ending,
        }
    }

    /// An ending with the words of a program that tells its reply as it grows: there is no screen that could show them.
    fn by_own_voice(&self, ending: Ending, said: &str) -> Ending {
        if !self.witnesses.is_protocol() {
            return ending;
        }
        let words = Words::whole(said, self.witnesses.source());
        let some = |words: Words| Some(words).filter(|words| !words.is_empty());
        match ending {
            Ending::Replied(told) if told.source == Source::Hook => Ending::Replied(Words {
                source: words.source,
                ..told
            }),
            Ending::Replied(_) | Ending::TimedOut => Ending::Replied(words),
            Ending::Interrupted(_) => Ending::Interrupted(some(words)),
            Ending::Canceled(why, _) => Ending::Canceled(why, some(words)),
            ending => ending,
        }
    }

    fn keep_said(&mut self, task: &TaskId, said: Option<Words>) {
        if let Some(words) = said {
            self.reply(task, words);
        }
    }
}

/// Of two readings of a reply that grows, the one that has more of it.
fn longer(before: Option<Reply>, now: Option<Reply>) -> Option<Reply> {
    let length = |reply: &Reply| reply.text.trim().len();
    before.into_iter().chain(now).max_by_key(length)
}
