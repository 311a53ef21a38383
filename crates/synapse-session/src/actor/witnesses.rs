//! The witnesses beside the screen: the program's hooks and its transcript. Each report goes to the judge,
//! who weighs it against the screen, and to the running turn.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use synapse_a2a::event::Source;
use synapse_a2a::step::{Step, StepState};
use synapse_term::judge::{Claim, Contradiction, Witness};
use synapse_term::reading::{Reading, State};
use tokio::sync::mpsc;

use super::Session;
use super::questions::HookQuestion;
use crate::cli_hooks::{HookListener, HookMessage, Statement, Tracker, What};
use crate::turn::{HookFact, Input};
use synapse_transcript::{
    Follower, Sighting, Source as TranscriptSource, Transcript, TurnRecord, Verdict,
};

/// How many sightings of a transcript may wait.
const SIGHTINGS: usize = 16;

/// The voice of the program in one launch.
#[derive(Debug)]
pub struct HookSetup {
    /// Where it is heard.
    pub voice: Voice,
    /// Permission requests wait for our answer.
    pub waits: bool,
    /// The user has hooks that can make the program go on after it said that a turn is over.
    pub is_end_unsure: bool,
}

impl HookSetup {
    /// A program that speaks for itself through the Agent Client Protocol: whatever it asks waits, and an end is an end.
    pub fn acp(heard: mpsc::Receiver<HookMessage>) -> Self {
        Self {
            voice: Voice::Acp(heard),
            waits: true,
            is_end_unsure: false,
        }
    }
}

/// How a program speaks for itself.
#[derive(Debug)]
pub enum Voice {
    /// Through its hooks: each is a process of its own, any of which may fail.
    Hooks(HookListener),
    /// Through the Agent Client Protocol, in order and completely. There is no screen to agree with.
    Acp(mpsc::Receiver<HookMessage>),
}

/// All who speak beside the screen.
pub(super) struct Witnesses {
    hooks: Option<mpsc::Receiver<HookMessage>>,
    /// Whose word that is: its hooks', or that of a protocol.
    pub(super) voice: Witness,
    pub(super) waits: bool,
    /// An end that the hooks tell may be taken back, so the screen must agree.
    is_end_unsure: bool,
    /// An end that is believed once the screen agrees, or who speaks against it.
    unsure_end: Option<(HookFact, Doubter)>,
    /// The tools that are at work, by the transcript.
    open_in_transcript: Vec<String>,
    pub(super) tracker: Tracker,
    /// Questions that the program asked through its hooks, oldest first.
    pub(super) questions: Vec<HookQuestion>,
    transcript: Option<Transcript>,
    /// The file of the transcript, once it is known.
    transcript_file: Option<PathBuf>,
    sightings: Option<mpsc::Receiver<Sighting>>,
    /// The number of the turn that is looked out for.
    number: u64,
    /// That of the last turn that was found.
    pub(super) last_found: u64,
    /// The last message that the hooks saw taken, and the reply they told.
    heard: Option<(String, Option<String>)>,
    /// A turn went by in which promised hooks said nothing.
    are_silent: bool,
    /// How often witnesses contradicted each other.
    pub(super) contradictions: u64,
}

/// Who must agree before an end is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doubter {
    Screen,
    /// It has a tool at work.
    Transcript,
}

/// What was said beside the screen.
pub(super) enum Word {
    Hook(HookMessage),
    Sighting(Sighting),
}

impl Witnesses {
    /// Lets the hooks and the transcript of a program be heard.
    pub(super) fn new(
        hooks: Option<HookSetup>,
        source: Option<TranscriptSource>,
        program: i32,
    ) -> Self {
        let waits = hooks.as_ref().is_some_and(|hooks| hooks.waits);
        let is_end_unsure = hooks.as_ref().is_some_and(|hooks| hooks.is_end_unsure);
        let voice = hooks.map(|hooks| hooks.voice);
        let speaks = match voice {
            Some(Voice::Acp(_)) => Witness::Acp,
            Some(Voice::Hooks(_)) | None => Witness::Hook,
        };
        let hooks = voice.map(|voice| match voice {
            Voice::Acp(receiver) => receiver,
            Voice::Hooks(listener) => {
                let _ = listener.program().set(program);
                let (heard, receiver) = HookMessage::channel();
                tokio::spawn(listener.run(heard));
                receiver
            }
        });
        let (transcript, sightings) = source
            .map(|source| {
                let (follower, transcript) = Follower::new(source, program);
                let (told, sightings) = mpsc::channel(SIGHTINGS);
                tokio::spawn(follower.run(told));
                (transcript, sightings)
            })
            .unzip();
        Self {
            hooks,
            voice: speaks,
            waits,
            is_end_unsure,
            unsure_end: None,
            open_in_transcript: Vec::new(),
            tracker: Tracker::default(),
            questions: Vec::new(),
            transcript,
            transcript_file: None,
            sightings,
            number: 0,
            last_found: 0,
            heard: None,
            are_silent: false,
            contradictions: 0,
        }
    }

    /// The next word; never, where nobody speaks. Safe to cancel.
    pub(super) async fn next(&mut self) -> Word {
        tokio::select! {
            Some(message) = receive(&mut self.hooks) => Word::Hook(message),
            Some(sighting) = receive(&mut self.sightings) => Word::Sighting(sighting),
            else => std::future::pending().await,
        }
    }

    /// Who of them tells of the steps of a turn.
    pub(super) fn tell_steps(&self) -> Option<Source> {
        let hooks = self.hooks.as_ref().filter(|_| !self.are_silent);
        let transcript = self.transcript.as_ref().map(|_| Source::Record);
        hooks.map(|_| self.source()).or(transcript)
    }

    /// Whether the program speaks a protocol, so that there is no screen to be read.
    pub(super) fn is_protocol(&self) -> bool {
        self.voice == Witness::Acp
    }

    /// How a text is known that the program's own voice told.
    pub(super) fn source(&self) -> Source {
        if self.is_protocol() {
            Source::Acp
        } else {
            Source::Hook
        }
    }

    pub(super) fn has_transcript(&self) -> bool {
        self.transcript.is_some()
    }

    /// Looks out for the turn of a message in the transcript; its number.
    pub(super) fn expect(&mut self, message: &str, since: Timestamp) -> u64 {
        self.number += 1;
        self.open_in_transcript.clear();
        if let Some(transcript) = &self.transcript {
            transcript.expect(self.number, message, since);
        }
        self.number
    }

    /// Nobody waits for the transcript any longer.
    pub(super) fn forget(&mut self) {
        self.number += 1;
        if let Some(transcript) = &self.transcript {
            transcript.forget();
        }
    }

    /// Takes down which tools are at work by the transcript. It may be behind the hooks, and know of ends that no hook
    /// tells.
    fn note_tools(&mut self, record: &TurnRecord) {
        let is_open = |step: &&Step| step.state == StepState::Running;
        let (open, ended): (Vec<&Step>, Vec<&Step>) = record.steps.iter().partition(is_open);
        for step in ended {
            self.tracker.note_answered(&step.id);
        }
        self.open_in_transcript = open.into_iter().map(|step| step.id.clone()).collect();
    }

    /// Of a turn that a hook of the user's can make go on, the transcript may have only the first reply by now: the end
    /// is told by the hooks, and the transcript counts once it says that nothing follows.
    fn as_far_as_sure(&self, record: &TurnRecord) -> TurnRecord {
        let is_unsure = self.is_end_unsure && self.tracker.has_spoken() && !record.is_closed;
        let is_reply = |verdict: &Verdict| matches!(verdict, Verdict::Replied(_));
        let mut record = record.clone();
        record
            .verdict
            .take_if(|verdict| is_unsure && is_reply(verdict));
        record
    }

    /// Whether the transcript has a tool at work whose end the hooks have not told.
    fn has_open_tool(&self) -> bool {
        let tools = &self.open_in_transcript;
        tools.iter().any(|tool| !self.tracker.has_ended(tool))
    }

    /// The reply that the hooks told for this message, once they did.
    pub(super) fn heard_reply(&self, message: &str) -> Option<(String, String)> {
        let (prompt, reply) = self.heard.as_ref()?;
        let is_it = super::bare(prompt) == super::bare(message);
        is_it.then(|| Some((prompt.clone(), reply.clone()?)))?
    }

    /// Whether the hooks told another reply to the last message before.
    fn is_other_reply(&self, text: Option<&String>) -> bool {
        let told = self.heard.as_ref().and_then(|(_, reply)| reply.as_ref());
        told.is_some() && told != text
    }

    /// A turn is over. Whether it is now clear that promised hooks say nothing.
    pub(super) fn note_turn_over(&mut self) -> bool {
        let is_news = self.hooks.is_some() && !self.tracker.has_spoken() && !self.are_silent;
        self.are_silent |= is_news;
        is_news
    }

    /// How the transcript stands, in words.
    pub(super) fn transcript_in_words(&self) -> String {
        match (&self.transcript, &self.transcript_file) {
            (None, _) => "none".to_owned(),
            (Some(_), None) => "not seen yet".to_owned(),
            (Some(_), Some(file)) => format!("followed: {}", file.display()),
        }
    }

    /// How the hooks stand, in words.
    pub(super) fn hooks_in_words(&self) -> &'static str {
        match (
            &self.hooks,
            self.tracker.has_spoken(),
            self.tracker.is_working(),
        ) {
            (None, ..) => "not used",
            (Some(_), false, _) if self.are_silent => "promised, but silent",
            (Some(_), false, _) => "not heard yet",
            (Some(_), true, true) => "a turn is open",
            (Some(_), true, false) => "no turn is open",
        }
    }
}

async fn receive<T>(receiver: &mut Option<mpsc::Receiver<T>>) -> Option<T> {
    match receiver {
        Some(receiver) => receiver.recv().await,
        None => None,
    }
}

impl Session {
    /// Takes in what somebody said beside the screen.
    pub(super) fn take_word(&mut self, word: Word) {
        let now = self.now();
        match word {
            Word::Hook(message) => self.take_hook(message, now),
            Word::Sighting(sighting) => self.take_sighting(&sighting, now),
        }
        self.advance(now);
    }

    fn take_hook(&mut self, message: HookMessage, now: Duration) {
        let HookMessage { event, answer } = message;
        tracing::debug!(what = event.what.name(), "hook");
        match &event.what {
            What::ToolEnds(used, _) => self.drop_answered(&used.tool, &used.input),
            What::ToolBegins(_) if !event.is_aside => self.note_work_after_end(),
            What::Over(text) if !event.is_aside && self.witnesses.is_other_reply(text.as_ref()) => {
                self.note_work_after_end();
            }
            What::Step(step) if step.state != StepState::Running => self.drop_ended(&step.id),
            What::Said(text) => self.hear_more(text),
            _ => {}
        }
        // What a subagent does is one step of the agent: the call that put it to work.
        let step = match &event.what {
            What::ToolBegins(used) => Some(used.step(None)),
            What::ToolEnds(used, end) => Some(used.step(Some(end))),
            What::Step(step) => Some((**step).clone()),
            _ => None,
        };
        let step = step.filter(|step| !event.is_aside && !step.id.is_empty());
        let statements = self.witnesses.tracker.note(&event);
        // Those of another conversation say nothing of ours.
        if let Some(step) = step.filter(|_| !statements.is_empty()) {
            self.tell_step(&step);
        }
        for statement in statements {
            // A conversation without a message is none that can be continued.
            if matches!(statement, Statement::Turn(HookFact::Taken { .. })) {
                self.ledger.board.note_conversation(&event.session);
            }
            self.take_statement(statement, now);
        }
        if let What::Permission(permission) = event.what {
            self.ask_by_hook(*permission, event.turn, answer, now);
        }
    }

    fn take_statement(&mut self, statement: Statement, now: Duration) {
        match statement {
            Statement::Bound(path) => {
                if let Some(transcript) = &self.witnesses.transcript {
                    transcript.bind(&path);
                    self.witnesses.transcript_file = Some(path);
                }
            }
            Statement::Goes => {
                self.witnesses.unsure_end = None;
                self.testify_working(self.witnesses.voice, now);
            }
            Statement::Doubt => {
                tracing::warn!("the hooks say that the turn is over while a tool is at work");
                self.witnesses.contradictions += 1;
            }
            Statement::Unsure(fact) => self.doubt(fact, Doubter::Screen, now),
            Statement::Turn(fact) => self.take_fact(&fact, false, now),
        }
    }

    /// Takes in what the hooks say about the turn. `is_agreed` where the screen agrees.
    fn take_fact(&mut self, fact: &HookFact, is_agreed: bool, now: Duration) {
        match fact {
            HookFact::Taken { prompt, id } => {
                self.witnesses.unsure_end = None;
                self.witnesses.heard = Some((prompt.clone(), None));
                // Each hook is a process of its own: a question of this turn may have been faster.
                self.witnesses
                    .questions
                    .retain(|question| question.turn == *id);
                self.testify_working(self.witnesses.voice, now);
            }
            HookFact::Over { .. } if self.witnesses.is_end_unsure && !is_agreed => {
                return self.doubt(fact.clone(), Doubter::Screen, now);
            }
            HookFact::Over { .. } | HookFact::Failed { .. }
                if self.witnesses.has_open_tool() && !is_agreed =>
            {
                return self.doubt(fact.clone(), Doubter::Transcript, now);
            }
            HookFact::Over { text, .. } => {
                if let Some((_, reply)) = &mut self.witnesses.heard {
                    reply.clone_from(text);
                }
                self.testify_rest(self.witnesses.voice, now);
            }
            HookFact::Failed { .. } | HookFact::Interrupted => {
                self.testify_rest(self.witnesses.voice, now);
            }
        }
        self.step(Input::Hook(fact), now);
    }

    /// The turn has ended in this way if somebody else agrees.
    fn doubt(&mut self, fact: HookFact, doubter: Doubter, now: Duration) {
        self.witnesses.unsure_end = Some((fact, doubter));
        self.watcher.retract(self.witnesses.voice, now);
    }

    /// A tool or another reply after the end of a turn, and no message in between: a hook of the user's made the program
    /// go on.
    fn note_work_after_end(&mut self) {
        let witnesses = &mut self.witnesses;
        let is_after_end = witnesses.heard.is_some() && !witnesses.tracker.is_working();
        if is_after_end && !witnesses.is_end_unsure {
            witnesses.is_end_unsure = true;
            tracing::warn!(
                "the program went on after its hooks said that the turn was over; from here on the screen must agree"
            );
        }
    }

    fn take_sighting(&mut self, sighting: &Sighting, now: Duration) {
        if let Some(usage) = &sighting.record.usage {
            self.note_usage(sighting.number, usage);
        }
        self.note_conversation_of(sighting);
        if sighting.number != self.witnesses.number {
            return;
        }
        self.witnesses.transcript_file.clone_from(&sighting.file);
        let record = &self.witnesses.as_far_as_sure(&sighting.record);
        let is_over = record.verdict.is_some();
        let is_interrupted = record.verdict == Some(Verdict::Interrupted);
        if is_interrupted {
            self.witnesses.tracker.close_turn();
        }
        self.witnesses.note_tools(record);
        let is_for_it = !self.witnesses.has_open_tool();
        let unsure = &mut self.witnesses.unsure_end;
        let agreed = unsure.take_if(|(_, doubter)| is_for_it && *doubter == Doubter::Transcript);
        if let Some((fact, _)) = agreed {
            self.take_fact(&fact, true, now);
        }
        // The hooks speak first; the transcript speaks where they are silent, and where they know nothing.
        if record.is_closed && !record.has_open_tool || is_interrupted {
            self.testify_rest(Witness::Record, now);
        } else if is_over {
            // An answer may be the last one or not: from here on the screen tells.
            self.watcher.retract(Witness::Record, now);
        } else if !self.witnesses.tracker.has_spoken() {
            self.testify_working(Witness::Record, now);
        }
        if self.running.is_some() {
            self.tell_steps(record);
            self.step(Input::Record(record), now);
        } else {
            self.take_human_record(record);
        }
    }

    /// The program works, unless it waits for an answer that only the hooks can give.
    pub(super) fn testify_working(&mut self, witness: Witness, now: Duration) {
        let claim = match self.witnesses.questions.as_slice() {
            [] => Claim::Working,
            [question] => question.claim(true),
            [question, ..] => question.claim(false),
        };
        self.watcher.testify(witness, claim, now);
    }

    fn testify_rest(&mut self, witness: Witness, now: Duration) {
        self.witnesses.questions.clear();
        self.watcher.testify(witness, Claim::Rest, now);
    }

    /// The reading changed: what follows for those who speak beside the screen.
    pub(super) fn note_reading(&mut self, reading: &Reading, now: Duration) {
        let state = reading.state();
        if state == State::Idle
            && let Some((fact, _)) = self.witnesses.unsure_end.take()
        {
            self.take_fact(&fact, true, now);
        }
        for question in &mut self.witnesses.questions {
            question.was_shown |= state == State::Asking;
        }
        if matches!(state, State::Idle | State::Busy) {
            // What was asked on the screen and is gone was answered at the keyboard.
            self.witnesses
                .questions
                .retain(|question| !question.was_shown);
        }
        if state == State::Idle {
            // Neither an interrupt nor a refusal is reported by every program.
            self.witnesses.tracker.close_turn();
        }
    }

    /// Witnesses disagree: told once, with whom is believed.
    pub(super) fn note_contradiction(&mut self, contradiction: &Contradiction) {
        let Contradiction {
            screen,
            evidence,
            witness,
            claim,
            believed,
        } = contradiction;
        self.witnesses.contradictions += 1;
        self.ledger.board.add_contradiction();
        let witness = witness.name();
        tracing::warn!(
            "the screen says {screen} ({evidence}), the {witness} says {claim}; believed: {believed}"
        );
    }
}
