//! One exchange with the program: typed, submitted, taken, asked, over. Pure: what the witnesses say
//! and the time go in, effects come out. The session only gathers the inputs and performs the effects.
//!
//! Witnesses may speak late, early, twice, or not at all, and may contradict each other. What never
//! happens, whatever they say: two ends, a submit key into an open question, `completed` while a
//! trusted witness has the turn open, and "the submit key did nothing" for a message that any trusted
//! witness saw taken.

mod channel;
mod stop;
mod submit;
mod unseen;
mod words;

use std::time::Duration;

use synapse_a2a::event::Source;
use synapse_term::prompt::Prompt;
use synapse_term::reading::{Reading, State};
use synapse_term::watch::TurnReport;

pub use channel::{Channel, ChannelInput};
use stop::Stop;
use submit::Typed;
use unseen::{Silence, UNSEEN_PATIENCE};
pub use words::{Effect, Ending, HookFact, Input, Scene, TurnError, Words};
use words::{ending, holds, words};

use synapse_transcript::{TurnRecord, Verdict};

/// How long after the screen's end of a turn its transcript and hooks may still add to it.
const LATE_PATIENCE: Duration = Duration::from_secs(1);

/// The same where the transcript has the turn and not yet its end: that will come.
const OPEN_PATIENCE: Duration = Duration::from_secs(3);

/// A turn in progress.
#[derive(Debug)]
pub struct Turn {
    text: String,
    submit: Vec<u8>,
    phase: Phase,
    /// The input box has shown the text since it was typed.
    was_in_box: bool,
    /// Who, other than the screen, saw the message taken.
    taken: Taken,
    /// The fingerprint of the question last told.
    asked: Option<String>,
    /// What the transcript has of the turn.
    record: Option<TurnRecord>,
    /// What the screen showed of the reply when it saw the turn end.
    shown: Option<Words>,
    /// A transcript is followed, so an end on the screen waits for its words.
    has_transcript: bool,
    stop: Stop,
    /// Since when the program rests although nobody saw the turn end.
    rest_since: Option<Duration>,
    silence: Silence,
    /// What the program says through its channel.
    pub channel: Channel,
}

#[derive(Clone, Debug, PartialEq)]
enum Phase {
    /// The text was written; the submit key is pressed at this time, if the program has come to the text by then.
    Typed(Typed),
    /// The submit key was pressed; nothing has shown yet that it was noticed. At `due` that is looked at.
    Submitted {
        since: Duration,
        due: Duration,
        presses: u8,
    },
    /// The program works on it.
    Running,
    /// The screen says that it is over; the transcript and the hooks may still say so too.
    Ending { ending: Ending, until: Duration },
    /// Nothing more is said about it.
    Over,
}

#[derive(Debug, Default)]
struct Taken {
    by_hook: bool,
    by_record: bool,
    /// The hook's name for the turn, where it gives one.
    id: Option<String>,
    /// The end of a turn that was told before its beginning.
    early: Option<HookFact>,
}

impl Turn {
    /// A turn whose text was just typed; `submit` is pressed after `delay`.
    pub fn begin(
        text: String,
        submit: Vec<u8>,
        delay: Duration,
        has_transcript: bool,
        now: Duration,
    ) -> Self {
        Self {
            text,
            submit,
            phase: Phase::Typed(Typed {
                since: now,
                delay,
                submit_at: now + delay,
                is_behind: false,
            }),
            was_in_box: false,
            taken: Taken::default(),
            asked: None,
            record: None,
            shown: None,
            has_transcript,
            stop: Stop::default(),
            rest_since: None,
            silence: Silence::default(),
            channel: Channel::default(),
        }
    }

    /// Takes in what happened; says what is to be done about it.
    pub fn step(&mut self, input: Input<'_>, scene: Scene, now: Duration) -> Vec<Effect> {
        if self.phase == Phase::Over {
            return Vec::new();
        }
        self.note_box(scene);
        let was_running = self.is_running();
        let mut effects = match input {
            Input::Reading(reading) => self.see(reading, now),
            Input::Screen(report) => self.report(report, scene, now),
            Input::Hook(fact) => self.hear(fact),
            Input::Record(record) => self.read(record),
            Input::Channel(word) => self.converse(word, now),
            Input::Output => {
                self.channel.note_output(now);
                self.silence.begin(now);
                Vec::new()
            }
            Input::Cancel(why) => {
                self.stop.canceled = Some(why.to_owned());
                self.press_stop(None, scene.state, now)
            }
            Input::Abandon(why) => {
                self.stop.canceled = Some(why.to_owned());
                Vec::new()
            }
            Input::Interrupt(key) => self.press_stop(key, scene.state, now),
            Input::Tick => Vec::new(),
        };
        if !was_running {
            self.silence.begin(now);
        }
        effects.extend(self.settle(scene, now));
        effects
    }

    /// When a tick must come next, if at all.
    pub fn deadline(&self) -> Option<Duration> {
        let phase = match &self.phase {
            Phase::Typed(typed) => Some(typed.submit_at),
            Phase::Submitted { due, .. } => Some(*due),
            Phase::Ending { until, .. } => Some(*until),
            Phase::Running => self.rest_since.map(|since| since + UNSEEN_PATIENCE),
            Phase::Over => return None,
        };
        let others = [self.stop.again_at, self.channel.deadline(), self.timeout()];
        let all = [phase].into_iter().chain(others);
        all.flatten().min()
    }

    /// The message as it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the program works on it and asks nothing.
    pub fn is_running(&self) -> bool {
        self.phase == Phase::Running && self.asked.is_none()
    }

    /// Whether a prompt that the program took is this message. Programs change white space in what
    /// is pasted, and may have something of their own around it.
    pub fn is_own_prompt(&self, prompt: &str) -> bool {
        holds(prompt, &self.text)
    }

    /// What the program does now.
    fn see(&mut self, reading: &Reading, now: Duration) -> Vec<Effect> {
        match (&self.phase, reading) {
            (_, Reading::Exited) => self.end(Ending::Broken(TurnError::Exited)),
            // Pressing submit here would accept whatever the question offers first.
            (Phase::Typed(_), Reading::Asking(_)) => {
                self.end(Ending::Broken(TurnError::QuestionOpen))
            }
            (Phase::Submitted { .. }, Reading::Busy | Reading::Asking(_)) => {
                let mut effects = self.start();
                effects.extend(self.see(reading, now));
                effects
            }
            (Phase::Running | Phase::Ending { .. }, Reading::Asking(prompt)) => {
                self.phase = Phase::Running;
                let mut effects = self.ask(prompt);
                effects.extend(self.stop_at_start(State::Asking, now));
                effects
            }
            (Phase::Running | Phase::Ending { .. }, Reading::Busy) => {
                self.phase = Phase::Running;
                let mut effects = Vec::new();
                if self.asked.take().is_some() {
                    effects.push(Effect::Resumed);
                }
                effects.extend(self.stop_at_start(State::Busy, now));
                effects
            }
            _ => Vec::new(),
        }
    }

    /// The screen's turn is over: ours, since nobody else may type meanwhile.
    fn report(&mut self, report: &TurnReport, scene: Scene, now: Duration) -> Vec<Effect> {
        let mut effects = match self.phase {
            Phase::Typed(_) | Phase::Ending { .. } | Phase::Over => return Vec::new(),
            Phase::Submitted { .. } => self.start(),
            Phase::Running => Vec::new(),
        };
        if self.channel.is_asking() && self.stop.canceled.is_none() {
            effects.extend(self.channel.tell().map(Effect::AskedByChannel));
            effects.push(Effect::Parked);
            self.phase = Phase::Over;
            return effects;
        }
        self.shown = Some(Words::shown(&report.reply)).filter(|words| !words.is_empty());
        let ending = ending(report, scene);
        let may_differ = matches!(ending, Ending::Replied(_) | Ending::Failed(_));
        if may_differ && (self.has_transcript || self.taken.by_hook) {
            let is_open = |record: &TurnRecord| record.verdict.is_none() && !record.is_closed;
            let is_open = self.record.as_ref().is_some_and(is_open);
            let until = now
                + if is_open {
                    OPEN_PATIENCE
                } else {
                    LATE_PATIENCE
                };
            self.phase = Phase::Ending { ending, until };
        } else {
            effects.extend(self.end(ending));
        }
        effects
    }

    /// What the program says of itself.
    fn hear(&mut self, fact: &HookFact) -> Vec<Effect> {
        match fact {
            HookFact::Taken { prompt, id } => {
                if !self.is_own_prompt(prompt) || matches!(self.phase, Phase::Typed(_)) {
                    return Vec::new();
                }
                self.taken.by_hook = true;
                self.taken.id.clone_from(id);
                let mut effects = self.start();
                // Each hook is a process of its own, so the end can overtake the beginning.
                if let Some(early) = self.taken.early.take_if(|early| early.id() == id.as_ref()) {
                    effects.extend(self.hear(&early));
                }
                effects
            }
            HookFact::Over { id, .. } if !self.taken.by_hook => {
                if id.is_some() {
                    self.taken.early = Some(fact.clone());
                }
                Vec::new()
            }
            // The end of another turn, told late, or made up: a program that names its turns names them always.
            HookFact::Over { id, .. } | HookFact::Failed { id, .. }
                if self.taken.id.is_some() && *id != self.taken.id =>
            {
                Vec::new()
            }
            HookFact::Over {
                text: Some(text), ..
            } => self.end(Ending::Replied(Words::whole(text, Source::Hook))),
            HookFact::Failed { text, .. } if self.taken.by_hook => {
                self.end(Ending::Failed(text.clone()))
            }
            HookFact::Interrupted if self.taken.by_hook => self.end(Ending::Interrupted(None)),
            HookFact::Over { text: None, .. } | HookFact::Failed { .. } | HookFact::Interrupted => {
                Vec::new()
            }
        }
    }

    /// What the transcript has of the turn.
    fn read(&mut self, record: &TurnRecord) -> Vec<Effect> {
        if matches!(self.phase, Phase::Typed(_)) {
            return Vec::new();
        }
        self.taken.by_record = true;
        self.record = Some(record.clone());
        self.start()
    }

    fn converse(&mut self, word: &ChannelInput, now: Duration) -> Vec<Effect> {
        // Who speaks has noticed the message, whatever the screen shows.
        let effects = self.start();
        self.channel.take(word, now);
        effects
    }

    /// What follows from all that is known, and from the time.
    fn settle(&mut self, scene: Scene, now: Duration) -> Vec<Effect> {
        let mut effects = self.end_by_record(scene);
        match &self.phase {
            Phase::Typed(typed) if now >= typed.submit_at => {
                let typed = *typed;
                effects.extend(self.submit(typed, scene, now));
            }
            Phase::Submitted {
                since,
                due,
                presses,
            } if now >= *due => {
                let (since, presses) = (*since, *presses);
                effects.extend(self.submit_again(since, presses, scene, now));
            }
            Phase::Ending { ending, until } if now >= *until => {
                let ending = ending.clone();
                effects.extend(self.end(ending));
            }
            _ => {}
        }
        if self.phase == Phase::Over {
            return effects;
        }
        if self.stop.again_at.is_some_and(|at| now >= at) {
            self.stop.again_at = None;
            self.stop.was_repeated = true;
            effects.push(Effect::Press(None));
        }
        if let Some(question) = self.channel.due(scene.is_about_to_rest, now) {
            effects.push(Effect::AskedByChannel(question));
        }
        effects.extend(self.end_unseen(scene, now));
        effects.extend(self.end_silent(now));
        effects
    }

    /// Ends a turn of which the transcript has the end, once nothing speaks against it.
    fn end_by_record(&mut self, scene: Scene) -> Vec<Effect> {
        let (Some(record), Phase::Running | Phase::Ending { .. }) = (&self.record, &self.phase)
        else {
            return Vec::new();
        };
        let Some(verdict) = &record.verdict else {
            return Vec::new();
        };
        let is_ending = matches!(self.phase, Phase::Ending { .. });
        let rests = is_ending || scene.is_about_to_rest || scene.state == State::Idle;
        let ending = match verdict {
            Verdict::Interrupted => Ending::Interrupted(words(&record.said)),
            // What a program writes after it was stopped may be the torso of a reply.
            _ if self.stop.is_pressed && !record.is_closed => return Vec::new(),
            // A tool that is at work speaks against an end, until the screen has seen one.
            _ if record.has_open_tool && !is_ending => return Vec::new(),
            _ if !record.is_closed && !rests => return Vec::new(),
            // An answered question that is still on the screen is not asked again; an open one stays, until the screen has
            // seen the turn end.
            _ if self.asked.is_some() && !record.is_closed && !is_ending => return Vec::new(),
            Verdict::Replied(text) => Ending::Replied(Words::whole(text, Source::Record)),
            Verdict::Failed(why) => Ending::Failed(why.clone()),
        };
        self.end(ending)
    }

    /// Somebody saw the program take the message.
    fn start(&mut self) -> Vec<Effect> {
        if !matches!(self.phase, Phase::Submitted { .. }) {
            return Vec::new();
        }
        self.phase = Phase::Running;
        vec![Effect::Started]
    }

    fn ask(&mut self, prompt: &Prompt) -> Vec<Effect> {
        let fingerprint = prompt.fingerprint.to_string();
        if self.asked.as_ref() == Some(&fingerprint) {
            return Vec::new();
        }
        self.asked = Some(fingerprint);
        vec![Effect::Asked(Box::new(prompt.clone()))]
    }

    /// Ends the turn. Why its task was canceled or refused outranks how the program ended it. One that was stopped keeps
    /// what was said: in the transcript, or on the screen, which may have shown the end before the program told it.
    fn end(&mut self, ending: Ending) -> Vec<Effect> {
        let is_broken = matches!(ending, Ending::Broken(_));
        let mut effects = if is_broken { Vec::new() } else { self.start() };
        self.phase = Phase::Over;
        let said = self.record.as_ref().and_then(|record| words(&record.said));
        let shown = self.shown.take();
        let ending = match (
            self.channel.refusal.take(),
            self.stop.canceled.take(),
            ending,
        ) {
            (Some(reason), _, _) => Ending::Rejected(reason),
            (None, Some(reason), Ending::Replied(words)) => Ending::Canceled(reason, Some(words)),
            (None, Some(reason), Ending::Interrupted(words)) => {
                Ending::Canceled(reason, words.or(said).or(shown))
            }
            (None, Some(reason), _) => Ending::Canceled(reason, said.or(shown)),
            (None, None, Ending::Interrupted(words)) => {
                Ending::Interrupted(said.or(words).or(shown))
            }
            (None, None, ending) => ending,
        };
        effects.push(Effect::Ended(ending));
        effects
    }
}

#[cfg(test)]
mod tests;
