//! What others than the screen say about the program, and how their word is weighed against it.
//!
//! A hook is the program's own voice and the transcript its own hand, so their word on "working" and
//! "over" outranks the screen. The screen outranks them on questions, which nobody may announce, and
//! on what they cannot know: most programs report neither an interrupt nor a refused dialog.

use std::time::Duration;

use super::facts::Facts;
use super::{Opinion, View};
use crate::prompt::{Kind, Prompt, ToolCall};
use crate::reading::{Evidence, Reading, State};

/// A program that says it works while its screen looks idle paints something within this span.
const SILENCE: Duration = Duration::from_secs(6);

/// How long signs of work may stay on the screen after the program said that it is done.
const AFTERGLOW: Duration = Duration::from_secs(2);

/// A screen without a sign of rest must be still for this long before the program's word is enough.
const STILL: Duration = Duration::from_millis(700);

/// A disagreement shorter than this is one witness being later than the other.
const LATE: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Witness {
    /// The program itself, through its hooks.
    Hook,
    /// The program itself, through the Agent Client Protocol.
    Acp,
    /// The program's own transcript.
    Record,
}

impl Witness {
    /// The witness as people are told.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Acp => "acp",
            Self::Record => "record",
        }
    }
}

/// What a witness says the program is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It took a message and works on it.
    Working,
    /// It asks this.
    Asking {
        /// The question, as the witness has it.
        prompt: Box<Prompt>,
        /// How long its dialog may take to appear before the witness's own words are the question.
        patience: Duration,
    },
    /// Its turn is over.
    Rest,
}

impl Claim {
    fn state(&self) -> State {
        match self {
            Self::Working => State::Busy,
            Self::Asking { .. } => State::Asking,
            Self::Rest => State::Idle,
        }
    }
}

/// Two witnesses that do not agree, and whom the judge believes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// What the screen shows.
    pub screen: State,
    /// Which rule says so.
    pub evidence: String,
    /// Who says otherwise.
    pub witness: Witness,
    /// What that witness says.
    pub claim: State,
    /// What is believed.
    pub believed: State,
}

/// The last word of the witnesses.
#[derive(Clone, Debug, Default)]
pub(super) struct Testimony {
    last: Option<Statement>,
    /// Since when screen and witness disagree.
    disagree_since: Option<Duration>,
    /// The disagreement was told.
    is_told: bool,
    news: Option<Contradiction>,
}

#[derive(Clone, Debug)]
struct Statement {
    witness: Witness,
    claim: Claim,
    at: Duration,
    /// A question was published since.
    was_asked: bool,
    /// What was claimed was on the screen: the dialog of a question, or a program at rest.
    was_shown: bool,
}

impl Testimony {
    /// Takes down what a witness says. The same claim again is no news, but shows that it still holds.
    pub(super) fn note(&mut self, witness: Witness, claim: Claim, now: Duration) {
        self.last = Some(Statement {
            witness,
            claim,
            at: now,
            was_asked: false,
            was_shown: false,
        });
    }

    /// A witness takes its word back: it knows no more than the screen.
    pub(super) fn retract(&mut self, witness: Witness) {
        self.last.take_if(|last| last.witness == witness);
    }

    /// A reading was published.
    pub(super) fn note_published(&mut self, state: State) {
        if let Some(last) = &mut self.last {
            last.was_asked |= state == State::Asking;
        }
    }

    /// The last word, with its witness.
    pub(super) fn last(&self) -> Option<(Witness, State)> {
        let last = self.last.as_ref()?;
        Some((last.witness, last.claim.state()))
    }

    /// A contradiction that nobody was told of yet.
    pub(super) fn take_news(&mut self) -> Option<Contradiction> {
        self.news.take()
    }

    /// What to believe, given what the screen's rules say.
    pub(super) fn weigh(
        &mut self,
        screen: Opinion,
        facts: &Facts,
        view: &View,
        now: Duration,
    ) -> Opinion {
        let Some(last) = &mut self.last else {
            return screen;
        };
        let asked = screen.verdict.as_ref().map(|verdict| &verdict.reading);
        last.was_shown |= match (&last.claim, asked) {
            (Claim::Rest, asked) => asked == Some(&Reading::Idle),
            (_, Some(Reading::Asking(dialog))) => dialog.kind != Kind::Unknown,
            _ => false,
        };
        // Not all work is announced: what is seen after a rest that was seen, too, is new.
        if last.claim == Claim::Rest && last.was_shown && asked == Some(&Reading::Busy) {
            self.last = None;
            return screen;
        }
        let last = last.clone();
        let shown = screen.verdict.as_ref().map(|verdict| {
            let evidence = verdict.evidence.to_string();
            (verdict.reading.state(), evidence)
        });
        let opinion = match &last.claim {
            Claim::Working => working(&last, screen, facts, now),
            Claim::Asking { prompt, patience } => {
                asking(&last, prompt, last.at + *patience, screen, now)
            }
            Claim::Rest => rest(&last, screen, facts, view, now),
        };
        self.compare(&last, shown, &opinion, now)
    }

    /// Notes a disagreement between screen and witness that lasts.
    fn compare(
        &mut self,
        last: &Statement,
        shown: Option<(State, String)>,
        opinion: &Opinion,
        now: Duration,
    ) -> Opinion {
        let mut opinion = opinion.clone();
        let believed = opinion.verdict.as_ref().map(|v| v.reading.state());
        let claim = last.claim.state();
        let differs = |(state, _): &(State, String)| {
            *state != claim && matches!((*state, claim), (State::Idle | State::Busy, _))
        };
        let Some((screen, evidence)) = shown.filter(differs) else {
            self.disagree_since = None;
            self.is_told = false;
            return opinion;
        };
        let since = *self.disagree_since.get_or_insert(now);
        if self.is_told {
            return opinion;
        }
        if now < since + LATE {
            let at = opinion
                .ask_again
                .map_or(since + LATE, |at| at.min(since + LATE));
            opinion.ask_again = Some(at);
            return opinion;
        }
        self.is_told = true;
        self.news = Some(Contradiction {
            screen,
            evidence,
            witness: last.witness,
            claim,
            believed: believed.unwrap_or(claim),
        });
        opinion
    }
}

/// The program works, for all a witness knows. Neither an interrupt nor a dialog that was refused is
/// reported by every program, so after these the screen is believed.
fn working(last: &Statement, screen: Opinion, facts: &Facts, now: Duration) -> Opinion {
    let is_interrupted = facts.last_interrupt.is_some_and(|at| at > last.at);
    let silent_at = facts.last_change.max(last.at) + SILENCE;
    let is_outdated = is_interrupted || last.was_asked || now >= silent_at;
    let Some(verdict) = &screen.verdict else {
        // Whoever was not believed when the program came to rest does not undo that.
        return if is_outdated {
            screen
        } else {
            busy(
                last,
                Some(screen.ask_again.map_or(silent_at, |at| at.min(silent_at))),
            )
        };
    };
    match &verdict.reading {
        Reading::Asking(prompt) if prompt.kind != Kind::Unknown => screen,
        // Announced by the program's title, or shown in the place of its box; not guessed from its silence.
        Reading::Asking(_) if matches!(verdict.evidence.rule, "title" | "menu on screen") => screen,
        Reading::Asking(_) | Reading::Starting => busy(last, None),
        Reading::Idle if is_outdated => screen,
        Reading::Idle => busy(last, Some(silent_at)),
        Reading::Busy | Reading::Exited => screen,
    }
}

fn busy(last: &Statement, ask_again: Option<Duration>) -> Opinion {
    let evidence = Evidence::new(last.witness.name(), "working");
    Opinion {
        ask_again,
        ..Opinion::certain(Reading::Busy, evidence, Duration::ZERO)
    }
}

/// A question that the program announced. Its dialog has better words for the options; where none
/// appears that anybody recognises, the announcement is the question.
fn asking(
    last: &Statement,
    prompt: &Prompt,
    due: Duration,
    screen: Opinion,
    now: Duration,
) -> Opinion {
    let shown = screen.verdict.as_ref().map(|verdict| &verdict.reading);
    // A survey has its own words; a permission has a dialog with more options than yes and no.
    if let Some(Reading::Asking(dialog)) = shown
        && dialog.kind != Kind::Unknown
        && prompt.kind == Kind::Permission
    {
        let mut dialog = (**dialog).clone();
        if let Some(told) = &prompt.call {
            take_call(&mut dialog, told);
        }
        let evidence = Evidence::new(last.witness.name(), dialog.question.clone());
        let hold = screen.verdict.as_ref().map_or(Duration::ZERO, |v| v.hold);
        return Opinion::certain(Reading::Asking(Box::new(dialog)), evidence, hold);
    }
    // A dialog that was there and is gone was answered at the keyboard.
    if last.was_shown && matches!(shown, Some(Reading::Idle | Reading::Busy)) {
        return screen;
    }
    if now < due && !last.was_shown {
        return busy(last, Some(due));
    }
    let evidence = Evidence::new(last.witness.name(), prompt.question.clone());
    let reading = Reading::Asking(Box::new(prompt.clone()));
    Opinion::certain(reading, evidence, Duration::ZERO)
}

/// Gives a dialog the call that was announced: what the program wants to do, in full, not what fits the screen. Where
/// the dialog itself names another command, a tool may have made the announcement up, since its processes stand below
/// the program as the hooks do. Then what is on the screen stays, and nobody takes it for all there is to know.
fn take_call(dialog: &mut Prompt, told: &ToolCall) {
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    match &mut dialog.call {
        Some(shown) if !bare(&told.input).starts_with(bare(&shown.input).trim_end_matches('…')) =>
        {
            shown.is_complete = false;
        }
        call => {
            dialog.detail.clone_from(&told.input);
            *call = Some(told.clone());
        }
    }
}

/// The program says that it is done. The screen may be late, or of a kind nobody has seen; work that
/// goes on for longer is work.
fn rest(last: &Statement, screen: Opinion, facts: &Facts, view: &View, now: Duration) -> Opinion {
    let idle = || {
        let evidence = Evidence::new(last.witness.name(), "turn over");
        Opinion::certain(Reading::Idle, evidence, Duration::ZERO)
    };
    let still_at = facts.last_change.max(last.at) + STILL;
    match screen.verdict.as_ref().map(|verdict| &verdict.reading) {
        Some(Reading::Idle) => idle(),
        Some(Reading::Busy) => {
            let over_at = last.at + AFTERGLOW;
            if now < over_at {
                return Opinion::later(over_at);
            }
            if now < still_at { screen } else { idle() }
        }
        // Silence after the end of a turn is rest, not a question that nobody recognised, unless
        // something else than the program's usual screen is in sight.
        Some(Reading::Asking(prompt))
            if prompt.kind == Kind::Unknown && view.input_box.is_some() =>
        {
            idle()
        }
        None if now < still_at => Opinion {
            ask_again: Some(screen.ask_again.map_or(still_at, |at| at.min(still_at))),
            verdict: None,
        },
        None if view.input_box.is_some() => idle(),
        _ => screen,
    }
}
