//! What a program says through its channel (OSC 7710) during one turn.

use std::time::Duration;

use synapse_a2a::event::Question;

/// How long a program that asked through the channel may go on writing before it is taken to read a line:
/// an answer means one thing there, and another at its prompt, so nobody may answer before it is clear.
const ASK_PAUSE: Duration = Duration::from_millis(500);

/// Something said through the channel, as far as the turn is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChannelInput {
    /// A part of the answer: the screen has nothing to add.
    Answer,
    Ask(Box<Question>),
    /// It refuses the task, and says why.
    Refuse(String),
    Note,
}

/// What was said until now.
#[derive(Debug, Default)]
pub struct Channel {
    /// The program gave its answer there.
    pub has_answered: bool,
    question: Option<Box<Question>>,
    /// When to tell the question, if the program is silent until then.
    ask_at: Option<Duration>,
    /// Why it refuses the task.
    pub(super) refusal: Option<String>,
}

impl Channel {
    pub(super) fn take(&mut self, word: &ChannelInput, now: Duration) {
        match word {
            ChannelInput::Answer => self.has_answered = true,
            ChannelInput::Ask(question) => {
                self.question = Some(question.clone());
                self.ask_at = Some(now + ASK_PAUSE);
            }
            ChannelInput::Refuse(reason) => self.refusal = Some(reason.clone()),
            ChannelInput::Note => {}
        }
    }

    /// A question is open, told or not.
    pub fn is_asking(&self) -> bool {
        self.question.is_some()
    }

    /// A question is open and was told.
    pub fn has_told(&self) -> bool {
        self.question.is_some() && self.ask_at.is_none()
    }

    /// The question was answered.
    pub fn settle_question(&mut self) {
        self.question = None;
    }

    pub(super) fn deadline(&self) -> Option<Duration> {
        self.ask_at
    }

    /// The program wrote something, so it may not read a line yet.
    pub(super) fn note_output(&mut self, now: Duration) {
        if let Some(at) = &mut self.ask_at {
            *at = now + ASK_PAUSE;
        }
    }

    /// The question of a program that asked and fell silent: it reads a line.
    pub(super) fn due(&mut self, is_about_to_rest: bool, now: Duration) -> Option<Box<Question>> {
        if self.ask_at.is_none_or(|at| now < at) {
            return None;
        }
        if is_about_to_rest {
            // It goes back to its prompt, and will be there before long.
            self.ask_at = Some(now + ASK_PAUSE);
            return None;
        }
        self.tell()
    }

    /// The question, if it was not told yet.
    pub(super) fn tell(&mut self) -> Option<Box<Question>> {
        self.ask_at.take()?;
        self.question.clone()
    }
}
