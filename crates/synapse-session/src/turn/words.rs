//! The inputs and effects of a turn.

use std::time::Duration;

use synapse_a2a::event::{Question, Source};
use synapse_term::keys::Key;
use synapse_term::prompt::Prompt;
use synapse_term::reading::{Reading, State};
use synapse_term::reply::{self, Speaker};
use synapse_term::watch::TurnReport;
use thiserror::Error;

use super::ChannelInput;
use synapse_transcript::TurnRecord;

/// How long an agent may take to show that it noticed our submit key.
pub(super) const SUBMIT_PATIENCE: Duration = Duration::from_millis(1_500);

/// The same after the key was pressed once more: on a busy machine a program may take seconds, and a message that it
/// takes after all must not have been called lost.
pub(super) const REPEATED_PATIENCE: Duration = Duration::from_secs(6);

/// What is to be seen of the program at the time of a step.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Scene {
    /// What the program does, for all that is known.
    pub state: State,
    /// It looks at rest, though it is too early to believe it.
    pub is_about_to_rest: bool,
    /// The screen reader follows a turn.
    pub has_screen_turn: bool,
    /// The input box is in sight and empty.
    pub is_box_empty: bool,
    /// The input box is in sight and holds something.
    pub is_box_filled: bool,
    /// It painted something a moment ago.
    pub is_painting: bool,
    /// The input box holds more than what was typed by us. Looked at only where keys reach the program past us.
    pub has_foreign_words: bool,
    /// It has not read the last keys. Looked at only until it shows a reaction to the submit key.
    pub has_unread_keys: bool,
}

/// What a witness reports, or what somebody wants.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// The reading changed.
    Reading(&'a Reading),
    /// The screen's account of the turn is complete.
    Screen(&'a TurnReport),
    /// The program said something through its hooks.
    Hook(&'a HookFact),
    /// The transcript has something of this turn.
    Record(&'a TurnRecord),
    /// The program said something through its channel.
    Channel(&'a ChannelInput),
    /// The program wrote something.
    Output,
    /// End the task.
    Cancel(&'a str),
    /// The program is about to be ended, and the task with it.
    Abandon(&'a str),
    /// Stop the turn, with this key or the usual one.
    Interrupt(Option<Key>),
    /// Time has passed.
    Tick,
}

/// What the program's hooks say about the turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookFact {
    /// It took this message.
    Taken {
        /// The message, word for word.
        prompt: String,
        /// The hook's name for the turn.
        id: Option<String>,
    },
    /// The turn is over.
    Over {
        /// The reply, word for word.
        text: Option<String>,
        /// The hook's name for the turn.
        id: Option<String>,
    },
    /// The turn failed.
    Failed {
        /// The program's own words.
        text: String,
        /// The hook's name for the turn.
        id: Option<String>,
    },
    /// The user stopped the turn.
    Interrupted,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Write these bytes to the program.
    Write(Vec<u8>),
    /// Press the key that stops the program, this one or the usual one.
    Press(Option<Key>),
    /// The program works on it.
    Started,
    /// The program asks something.
    Asked(Box<Prompt>),
    /// The program asks something through its channel.
    AskedByChannel(Box<Question>),
    /// The question is answered.
    Resumed,
    /// The program asked through its channel and went back to its prompt: others have their turn.
    Parked,
    /// It is over.
    Ended(Ending),
}

/// A text and how it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    pub text: String,
    /// How it is known.
    pub source: Source,
    /// Some of it had left the screen before it could be read.
    pub is_truncated: bool,
}

impl Words {
    /// A text that is complete.
    pub fn whole(text: impl Into<String>, source: Source) -> Self {
        Self {
            text: text.into(),
            source,
            is_truncated: false,
        }
    }

    /// A reply as the screen shows it.
    pub fn shown(reply: &reply::Reply) -> Self {
        Self {
            text: reply.text.clone(),
            source: Source::Screen,
            is_truncated: reply.is_truncated,
        }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a reply.
    Replied(Words),
    /// The program fell silent; the reply is what the screen shows.
    TimedOut,
    /// It was interrupted, or refused what it wanted to do; with what was said until then.
    Interrupted(Option<Words>),
    /// The program said that it failed.
    Failed(String),
    /// Its task was canceled; with what was said until then.
    Canceled(String, Option<Words>),
    /// The program refused the task through its channel.
    Rejected(String),
    /// It could not be had.
    Broken(TurnError),
}

/// Why a turn could not be had.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum TurnError {
    /// A question opened before the submit key was pressed.
    #[error(
        "a question opened before the message could be submitted; it is still in the input box"
    )]
    QuestionOpen,
    /// Somebody typed into the box at the same time.
    #[error(
        "somebody typed into the input box at the same time, so the message was not submitted; it is still there"
    )]
    ForeignWords,
    /// The submit key did nothing.
    #[error(
        "the agent did not react to the submit key within {:?}",
        SUBMIT_PATIENCE + REPEATED_PATIENCE
    )]
    NoReaction,
    /// The program rests, and nobody saw it work.
    #[error("the agent is idle again, but its reply could not be found on the screen")]
    Unseen,
    /// The program is gone.
    #[error("the agent exited before it answered")]
    Exited,
}

impl HookFact {
    /// The hook's name for the turn.
    pub fn id(&self) -> Option<&String> {
        match self {
            Self::Taken { id, .. } | Self::Over { id, .. } | Self::Failed { id, .. } => id.as_ref(),
            Self::Interrupted => None,
        }
    }
}

pub(super) fn words(said: &str) -> Option<Words> {
    (!said.trim().is_empty()).then(|| Words::whole(said, Source::Record))
}

/// Whether `whole` holds `part`, white space aside.
pub(super) fn holds(whole: &str, part: &str) -> bool {
    let bare = |text: &str| -> String { text.split_whitespace().collect() };
    let (whole, part) = (bare(whole), bare(part));
    !part.is_empty() && whole.contains(&part)
}

pub(super) fn ending(report: &TurnReport, scene: Scene) -> Ending {
    let text = || Words::shown(&report.reply);
    match report.outcome {
        reply::Outcome::Interrupted => {
            Ending::Interrupted(Some(text()).filter(|words| !words.is_empty()))
        }
        reply::Outcome::Failed => {
            // Warnings may stand before it.
            let mut said = report.reply.blocks.iter().rev();
            let said = said.find(|block| block.speaker == Speaker::Program);
            let said = said.map_or("the agent reported an error", |block| block.text.as_str());
            Ending::Failed(said.to_owned())
        }
        reply::Outcome::Open if scene.state == State::Exited => Ending::Broken(TurnError::Exited),
        // A chat that shows its empty box and no reply was not understood; a line program may have nothing to say.
        reply::Outcome::Open if scene.is_box_empty => Ending::Broken(TurnError::Unseen),
        reply::Outcome::Completed | reply::Outcome::Open => Ending::Replied(text()),
    }
}
