//! The running turn: typed when the keyboard is free, watched, ended by the program's own record
//! where it keeps one, else by the screen.

use std::time::Duration;

use synapse_a2a::artifact::Body;
use synapse_a2a::error::FailureCode;
use synapse_a2a::event::{Fact, Question, Source, Status};
use synapse_a2a::id::TaskId;
use synapse_term::keys::{Discipline, Key, paste};
use synapse_term::reading::Reading;
use synapse_term::watch::TurnReport;
use tokio::sync::oneshot;

use super::Session;
use super::tasks::{artifact_of, code_of, question};
use crate::record::Recorded;
use crate::session::{Effect, Ending, Receipt, Turn, TurnError};

/// How long a record may be late before the screen is believed.
const RECORD_PATIENCE: Duration = Duration::from_millis(500);

/// How long a program may rest while a turn of ours is open that nobody saw end.
const UNSEEN_PATIENCE: Duration = Duration::from_secs(3);

/// How often a late record is looked at.
const RECORD_PAUSE: Duration = Duration::from_millis(20);

/// How often watchers are told of a reply that a program paints and repaints.
const PAINTED_PAUSE: Duration = Duration::from_millis(100);

/// How often watchers are told of what a plain program writes; a lone line is told at once.
const WRITTEN_PAUSE: Duration = Duration::from_millis(5);

/// How long a program that asked through the channel may go on writing before it is taken to read a line:
/// an answer means one thing there, and another at its prompt, so nobody may answer before it is clear.
pub(super) const ASK_PAUSE: Duration = Duration::from_millis(500);

/// How much text may be told again and again while a reply appears. A reply that is painted anew with each
/// line would be kept as often as it was told; past this its watchers wait for the end.
const PARTIAL_BUDGET: usize = 1 << 20;

/// The task whose turn it is.
pub(super) struct Running {
    pub(super) task: TaskId,
    pub(super) turn: Turn,
    /// The message as it was typed.
    typed: String,
    /// Why it was asked to stop, if it was.
    pub(super) canceled: Option<String>,
    /// The screen says that it is over; the record has until then to say so too.
    late: Option<Late>,
    /// A key to stop it was pressed: what the record has of it is a torso.
    pub(super) is_interrupted: bool,
    /// Somebody wants it stopped, and it has not begun.
    pub(super) stop_at_start: Option<(Option<Key>, oneshot::Sender<Receipt>)>,
    /// When to press that key once more, if the task goes on.
    pub(super) press_again_at: Option<Duration>,
    /// It was pressed again.
    pub(super) was_pressed_again: bool,
    /// When to look into the record of a program that looks at rest.
    peek_at: Option<Duration>,
    /// Since when the program rests although nobody saw the turn end.
    unseen_since: Option<Duration>,
    /// What was told of the reply while it appears.
    partial: String,
    /// How much was told so far.
    told: usize,
    /// When more of it may be told, if there is more.
    tell_at: Duration,
    /// The program wrote since it was last told.
    has_news: bool,
    /// What the program itself said beside the screen.
    pub(super) channel: ChannelTalk,
}

/// What a program said through its channel during one turn.
#[derive(Default)]
pub(super) struct ChannelTalk {
    /// It gave its answer there: the screen has nothing to add.
    pub(super) has_answered: bool,
    /// What it asks.
    pub(super) question: Option<Question>,
    /// When to tell the question, if the program is silent until then.
    pub(super) ask_at: Option<Duration>,
    /// Why it refuses the task.
    pub(super) refusal: Option<String>,
}

/// A turn that is over on the screen and not yet in the record.
struct Late {
    ending: Ending,
    until: Duration,
    look_at: Duration,
}

impl Running {
    fn new(task: TaskId, turn: Turn, typed: String) -> Self {
        Self {
            task,
            turn,
            typed,
            canceled: None,
            late: None,
            is_interrupted: false,
            stop_at_start: None,
            press_again_at: None,
            was_pressed_again: false,
            peek_at: None,
            unseen_since: None,
            partial: String::new(),
            told: 0,
            tell_at: Duration::ZERO,
            has_news: false,
            channel: ChannelTalk::default(),
        }
    }

    /// When something is to be done about it, if at all.
    pub(super) fn deadline(&self) -> Option<Duration> {
        let late = self.late.as_ref().map(|late| late.look_at);
        let unseen = self.unseen_since.map(|since| since + UNSEEN_PATIENCE);
        let has_news = self.has_news && self.turn.is_running();
        let tell = has_news.then_some(self.tell_at);
        [
            self.turn.deadline(),
            late,
            unseen,
            self.peek_at,
            self.press_again_at,
            self.channel.ask_at,
            tell,
        ]
        .into_iter()
        .flatten()
        .min()
    }
}

impl Session {
    /// Lets the running turn decide, and does what it decided.
    pub(super) fn step(&mut self, decide: impl FnOnce(&mut Turn) -> Vec<Effect>) {
        let Some(running) = &mut self.running else {
            return;
        };
        let task = running.task.clone();
        for effect in decide(&mut running.turn) {
            match effect {
                Effect::Write(bytes) => {
                    let now = self.now();
                    self.write(&bytes, now);
                }
                Effect::Started | Effect::Resumed => self.move_to(&task, Status::Working),
                Effect::Asked(prompt) => {
                    let question = question(&prompt);
                    self.move_to(&task, Status::InputRequired { question });
                }
                Effect::Ended(ending) => self.wait_for_record(ending),
            }
        }
    }

    /// Types the next message, if the keyboard is free and the program waits for one.
    pub(super) fn begin_next(&mut self, now: Duration) {
        let is_free = self.running.is_none() && self.watcher.reading() == &Reading::Idle;
        if !is_free || self.queue.is_empty() || self.routing.has_draft() || self.holds_text() {
            return;
        }
        let Some(order) = self.queue.pop() else {
            return;
        };
        let mode = self.watcher.screen().modes().keyboard();
        let discipline = self.discipline();
        match paste(&order.text, &mode, discipline) {
            Ok(bytes) => {
                self.write(&bytes, now);
                let submit = self.profile.submit_sequence.as_bytes().to_vec();
                // Only programs that read keys need time between the text and Enter.
                let delay = match discipline {
                    Discipline::Canonical => Duration::ZERO,
                    Discipline::Raw => self.profile.submit_delay,
                };
                let turn = Turn::begin(submit, delay, now);
                self.running = Some(Running::new(order.task, turn, order.text));
                self.step(|turn| turn.tick(now));
            }
            Err(error) => self.fail(&order.task, FailureCode::SubmitFailed, error.to_string()),
        }
    }

    /// Whether the input box holds something that is not ours.
    fn holds_text(&self) -> bool {
        self.watcher
            .input_box()
            .is_some_and(|found| !found.text.is_empty())
    }

    /// The program rests again. A task whose program asked something through the channel and went back
    /// to its prompt is parked: others have their turn until the answer comes.
    pub(super) fn end_turn(&mut self, report: &TurnReport) {
        let asks = |running: &super::Running| {
            running.channel.question.is_some() && running.canceled.is_none()
        };
        if self.running.as_ref().is_some_and(asks) {
            self.tell_question();
            self.running = None;
            return;
        }
        self.step(|turn| turn.finish(report));
    }

    /// A turn is over on the screen. Where the program keeps a record, that has the last word: it
    /// is looked at now, and for a moment if it is late.
    fn wait_for_record(&mut self, ending: Ending) {
        let now = self.now();
        let may_differ = matches!(ending, Ending::Replied(_) | Ending::Failed(_));
        match &mut self.running {
            Some(running) if may_differ && self.record.is_some() => {
                running.late = Some(Late {
                    ending,
                    until: now + RECORD_PATIENCE,
                    look_at: now,
                });
                self.look_for_record(now);
            }
            _ => self.finish(ending, Source::Screen),
        }
    }

    /// A program that looks at rest may be between two of its own steps; where its record says that
    /// the turn is over, there is nothing left to wait for.
    pub(super) fn end_by_record(&mut self, now: Duration) {
        let is_resting = self.watcher.is_about_to_rest();
        let Some(running) = &mut self.running else {
            return;
        };
        let is_open = running.turn.is_running() && !running.is_interrupted;
        if !is_resting || running.late.is_some() || !is_open {
            running.peek_at = None;
            return;
        }
        let Some(record) = &self.record else { return };
        if running.peek_at.is_some_and(|at| now < at) {
            return;
        }
        running.peek_at = Some(now + RECORD_PAUSE);
        if let Some(Recorded::Replied(text)) = record.of_turn(&running.typed) {
            self.finish(Ending::Replied(text), Source::Record);
        }
    }

    /// Looks into the record, if a turn waits for it and it is time.
    pub(super) fn look_for_record(&mut self, now: Duration) {
        let Some(running) = &mut self.running else {
            return;
        };
        let Some(late) = running.late.as_mut().filter(|late| now >= late.look_at) else {
            return;
        };
        late.look_at = now + RECORD_PAUSE;
        let is_due = now >= late.until;
        let found = self
            .record
            .as_ref()
            .and_then(|record| record.of_turn(&running.typed));
        match found {
            Some(Recorded::Replied(text)) => self.finish(Ending::Replied(text), Source::Record),
            Some(Recorded::Failed(why)) => self.finish(Ending::Failed(why), Source::Record),
            None if is_due => {
                if let Some(late) = running.late.take() {
                    self.finish(late.ending, Source::Screen);
                }
            }
            None => {}
        }
    }

    /// A program that rests has done what it was told. Where nobody saw the turn end, it must not stay open
    /// for ever and keep all others waiting.
    pub(super) fn end_unseen(&mut self, now: Duration) {
        let rests = self.watcher.reading() == &Reading::Idle && !self.watcher.has_turn();
        let Some(running) = &mut self.running else {
            return;
        };
        let is_asked = running.channel.question.is_some();
        let is_open = running.turn.is_running() && running.late.is_none() && !is_asked;
        if !rests || !is_open {
            running.unseen_since = None;
            return;
        }
        let since = *running.unseen_since.get_or_insert(now);
        if now >= since + UNSEEN_PATIENCE {
            self.finish(Ending::Broken(TurnError::Unseen), Source::Screen);
        }
    }

    /// The program wrote something: there may be more of the reply to be told.
    pub(super) fn note_output(&mut self, now: Duration) {
        if let Some(running) = &mut self.running {
            running.has_news = true;
            if let Some(at) = &mut running.channel.ask_at {
                *at = now + ASK_PAUSE;
            }
        }
    }

    /// Tells the question of a program that asked through the channel and fell silent: it reads a line.
    pub(super) fn tell_due_question(&mut self, now: Duration) {
        let is_resting = self.watcher.is_about_to_rest();
        let Some(running) = &mut self.running else {
            return;
        };
        if running.channel.ask_at.is_none_or(|at| now < at) {
            return;
        }
        if is_resting {
            // It goes back to its prompt, and will be there before long.
            running.channel.ask_at = Some(now + ASK_PAUSE);
            return;
        }
        self.tell_question();
    }

    fn tell_question(&mut self) {
        let Some(running) = &mut self.running else {
            return;
        };
        if running.channel.ask_at.take().is_none() {
            return;
        }
        let (task, question) = (running.task.clone(), running.channel.question.clone());
        if let Some(question) = question {
            self.move_to(&task, Status::InputRequired { question });
        }
    }

    /// Tells watchers what can be read of the reply by now: one text that grows, or is replaced
    /// where the program painted it anew. The end corrects it.
    pub(super) fn tell_partial(&mut self, now: Duration) {
        let has_marker = self.profile.response_end.is_some();
        // A program that may answer through the channel streams there; its screen would tell it twice.
        let is_streamed = self.ledger.board.is_watched() && !self.profile.channel;
        let is_wanted = is_streamed || has_marker;
        let pause = match self.discipline() {
            Discipline::Canonical => WRITTEN_PAUSE,
            Discipline::Raw => PAINTED_PAUSE,
        };
        let Some(running) = &mut self.running else {
            return;
        };
        let is_enough = running.told > PARTIAL_BUDGET && !has_marker;
        if !is_wanted || running.channel.has_answered || is_enough {
            running.has_news = false;
        }
        if !running.has_news || !running.turn.is_running() || now < running.tell_at {
            return;
        }
        running.has_news = false;
        running.tell_at = now + pause;
        let Some(reply) = self.watcher.partial_reply() else {
            return;
        };
        if let Some(whole) = self.up_to_marker(&reply.text) {
            return self.finish(Ending::Replied(whole), Source::Marker);
        }
        if is_streamed {
            self.tell_reply(reply.text);
        }
    }

    fn tell_reply(&mut self, text: String) {
        let Some(running) = &mut self.running else {
            return;
        };
        if text == running.partial || text.is_empty() {
            return;
        }
        let more = match text.strip_prefix(running.partial.as_str()) {
            Some(more) => more.len(),
            None => text.len(),
        };
        running.told += more;
        if running.told > PARTIAL_BUDGET {
            return;
        }
        let (task, artifact) = (running.task.clone(), artifact_of(&running.task, 0));
        let told = std::mem::replace(&mut running.partial, text.clone());
        let fact = match text.strip_prefix(told.as_str()) {
            Some(more) if !told.is_empty() => Fact::ArtifactGrew {
                artifact,
                text: more.to_owned(),
            },
            _ => Fact::ArtifactOpened {
                artifact,
                body: Body::text(text),
            },
        };
        self.post(&task, fact);
    }

    /// What stands before the marker that ends a reply, if the profile has one and it is there.
    fn up_to_marker(&self, reply: &str) -> Option<String> {
        let marker = self.profile.response_end.as_deref()?;
        let (said, _) = reply.split_once(marker)?;
        Some(said.trim_end().to_owned())
    }

    pub(super) fn finish(&mut self, ending: Ending, source: Source) {
        let Some(running) = self.running.take() else {
            return;
        };
        let Running {
            task,
            canceled,
            channel,
            stop_at_start,
            ..
        } = running;
        if let Some((_, done)) = stop_at_start {
            // It was over before it could be stopped.
            let now = self.watcher.reading().state();
            let _ = done.send(Receipt {
                sent: None,
                was: now,
                now,
            });
        }
        if let Some(reason) = channel.refusal {
            return self.move_to(&task, Status::Rejected { reason });
        }
        if let Some(reason) = canceled {
            return self.move_to(&task, Status::Canceled { reason });
        }
        let (code, message) = match ending {
            Ending::Replied(_) if channel.has_answered => {
                return self.move_to(&task, Status::Completed);
            }
            Ending::Replied(reply) => {
                let reply = self.up_to_marker(&reply).unwrap_or(reply);
                self.reply(&task, reply, source);
                return self.move_to(&task, Status::Completed);
            }
            Ending::Interrupted => (
                FailureCode::Interrupted,
                "the turn was interrupted".to_owned(),
            ),
            Ending::Failed(said) => (code_of(&said), said),
            Ending::Broken(error @ TurnError::Exited) => {
                (FailureCode::AgentExited, error.to_string())
            }
            Ending::Broken(error @ TurnError::Unseen) => {
                (FailureCode::InternalError, error.to_string())
            }
            Ending::Broken(error) => (FailureCode::SubmitFailed, error.to_string()),
        };
        self.fail(&task, code, message);
    }
}
