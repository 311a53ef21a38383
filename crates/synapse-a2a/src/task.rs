//! One request to an agent, folded from its events. Owns the rules: which state may follow which, and
//! what may happen to an artifact when. An illegal event is an error and leaves the task as it was.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::act::{Acted, MOST_ACTS};
use crate::artifact::{Artifact, Body};
use crate::event::{Event, Fact, Origin, Said, Status, Timestamp};
use crate::id::{ArtifactId, ContextId, TaskId};
use crate::message::Message;
use crate::step::{MOST_STEPS, Step};

/// A task as its events have made it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    id: TaskId,
    context: ContextId,
    message: Message,
    status: Status,
    artifacts: Vec<Artifact>,
    origin: Origin,
    history: Vec<Message>,
    note: Option<String>,
    spoken: Option<Message>,
    reply: Option<Said>,
    #[serde(default)]
    steps: Vec<Step>,
    #[serde(default)]
    acts: Vec<Acted>,
    created_at: Timestamp,
    updated_at: Timestamp,
    since: Timestamp,
}

impl Task {
    /// Begins a task with its first event.
    ///
    /// # Errors
    /// When that event is not [`Fact::Submitted`].
    pub fn begin(first: Event) -> Result<Self, IllegalEvent> {
        let Fact::Submitted {
            task,
            context,
            message,
            origin,
        } = first.fact
        else {
            return Err(IllegalEvent::NotSubmitted);
        };
        Ok(Self {
            id: task,
            context,
            history: vec![message.clone()],
            message,
            status: Status::Submitted,
            artifacts: Vec::new(),
            origin,
            note: None,
            spoken: None,
            reply: None,
            steps: Vec::new(),
            acts: Vec::new(),
            created_at: first.at,
            updated_at: first.at,
            since: first.at,
        })
    }

    /// Folds a whole history.
    ///
    /// # Errors
    /// At the first event that may not follow those before it, and for no events at all.
    pub fn fold(events: impl IntoIterator<Item = Event>) -> Result<Self, IllegalEvent> {
        let mut events = events.into_iter();
        let mut task = Self::begin(events.next().ok_or(IllegalEvent::NotSubmitted)?)?;
        for event in events {
            task.apply(event)?;
        }
        Ok(task)
    }

    /// Lets one more event happen.
    ///
    /// # Errors
    /// When it may not follow those before it; the task is then unchanged.
    pub fn apply(&mut self, event: Event) -> Result<(), IllegalEvent> {
        self.state().after(&event.fact)?;
        match event.fact {
            Fact::Submitted { .. } => return Err(IllegalEvent::SubmittedTwice),
            Fact::Moved { status } => {
                self.status = status;
                self.note = None;
                self.since = self.since.max(event.at);
            }
            Fact::ArtifactOpened { artifact, body } => self.open(artifact, body)?,
            Fact::ArtifactGrew { artifact, text } => {
                let open = self.open_artifact(&artifact)?;
                let grown = open
                    .body
                    .growing_text()
                    .ok_or(IllegalEvent::NotGrowing(artifact))?;
                grown.push_str(&text);
            }
            Fact::ArtifactExtended { artifact, parts } => {
                let open = self.open_artifact(&artifact)?;
                let grown = open.body.growing_parts();
                grown
                    .ok_or(IllegalEvent::NotGrowing(artifact))?
                    .extend(parts);
            }
            Fact::Answered { message } => self.answer(message),
            Fact::Noted { text } => {
                // While a question is open, the question is what a client must see.
                if self.state() == TaskState::Working {
                    self.note = Some(text);
                    self.since = self.since.max(event.at);
                }
            }
            Fact::Stepped { step } => self.step(*step),
            Fact::Acted { act } if self.acts.len() < MOST_ACTS => {
                self.acts.push(Acted { at: event.at, act });
            }
            Fact::Acted { .. } => {}
            Fact::Spoke { message } => {
                self.history.push(message.clone());
                self.spoken = Some(message);
            }
            Fact::Replied { said } => {
                self.reply = Some(said);
            }
            Fact::ArtifactClosed { artifact } => self.open_artifact(&artifact)?.is_closed = true,
        }
        self.updated_at = self.updated_at.max(event.at);
        Ok(())
    }

    pub fn id(&self) -> &TaskId {
        &self.id
    }

    /// The conversation it belongs to.
    pub fn context(&self) -> &ContextId {
        &self.context
    }

    pub fn message(&self) -> &Message {
        &self.message
    }

    /// Who asked, and how.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// What was said back and forth, the first message included, the reply not.
    pub fn history(&self) -> &[Message] {
        &self.history
    }

    /// What the agent last told of how far it is, in the state it is in.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The message the agent answered with, if it did so instead of writing artifacts.
    pub fn spoken(&self) -> Option<&Message> {
        self.spoken.as_ref()
    }

    /// The reply, once it is known.
    pub fn reply(&self) -> Option<&Said> {
        self.reply.as_ref()
    }

    pub fn status(&self) -> &Status {
        &self.status
    }

    /// The bare state it is in.
    pub fn state(&self) -> TaskState {
        self.status.state()
    }

    /// What has come of it so far, in order.
    pub fn artifacts(&self) -> &[Artifact] {
        &self.artifacts
    }

    /// When it was accepted.
    pub fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// Its place among others by age. Names are made in order, which tells those of one moment apart.
    pub fn place(&self) -> (Timestamp, &TaskId) {
        (self.created_at, &self.id)
    }

    /// When something last happened to it; never earlier than before, even if a clock was set back.
    pub fn updated_at(&self) -> Timestamp {
        self.updated_at
    }

    /// Since when it stands where it stands; a note of the agent counts as a new standing.
    pub fn since(&self) -> Timestamp {
        self.since
    }

    /// What the agent did on the way, in order; of the first ones, where they are many.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Who answered and who stopped it, in order.
    pub fn acts(&self) -> &[Acted] {
        &self.acts
    }

    /// A step as it stands with what was just told of it; nothing if that is no news or one too many.
    pub fn news_of(&self, told: &Step) -> Option<Step> {
        match self.steps.iter().find(|step| step.id == told.id) {
            Some(known) => Some(known.with(told)).filter(|step| step != known),
            None => (self.steps.len() < MOST_STEPS).then(|| told.clone()),
        }
    }

    fn step(&mut self, step: Step) {
        let is_full = self.steps.len() >= MOST_STEPS;
        match self.steps.iter_mut().find(|known| known.id == step.id) {
            Some(known) => *known = step,
            None if is_full => {}
            None => self.steps.push(step),
        }
    }

    /// Keeps the question that was open, in the agent's words, and the answer behind it.
    fn answer(&mut self, message: Message) {
        if let Status::InputRequired { question } = &self.status {
            self.history.push(question.to_message(&self.id));
        }
        self.history.push(message);
    }

    fn open(&mut self, id: ArtifactId, body: Body) -> Result<(), IllegalEvent> {
        match self.artifacts.iter_mut().find(|artifact| artifact.id == id) {
            Some(known) if known.is_closed => return Err(IllegalEvent::ClosedArtifact(id)),
            Some(known) => known.body = body,
            None => self.artifacts.push(Artifact {
                id,
                body,
                is_closed: false,
            }),
        }
        Ok(())
    }

    fn open_artifact(&mut self, id: &ArtifactId) -> Result<&mut Artifact, IllegalEvent> {
        match self
            .artifacts
            .iter_mut()
            .find(|artifact| artifact.id == *id)
        {
            None => Err(IllegalEvent::UnknownArtifact(id.clone())),
            Some(known) if known.is_closed => Err(IllegalEvent::ClosedArtifact(id.clone())),
            Some(known) => Ok(known),
        }
    }
}

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    Submitted,
    /// Its turn is running.
    Working,
    /// The agent asks something.
    InputRequired,
    Completed,
    /// Not done, and it will not be.
    Failed,
    /// Stopped by someone.
    Canceled,
    /// Refused by the agent.
    Rejected,
}

impl TaskState {
    /// Every state, in the order a task may see them.
    pub const ALL: [Self; 7] = [
        Self::Submitted,
        Self::Working,
        Self::InputRequired,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
        Self::Rejected,
    ];

    /// Whether a task in this state may move to that one. A question may give way to the next question;
    /// no other state follows itself, and nothing follows an end.
    pub fn can_become(self, next: Self) -> bool {
        match self {
            // A queued task has no turn yet, so it can neither ask nor be done.
            Self::Submitted => {
                matches!(
                    next,
                    Self::Working | Self::Failed | Self::Canceled | Self::Rejected
                )
            }
            Self::Working => next == Self::InputRequired || next.is_final(),
            Self::InputRequired => {
                matches!(next, Self::Working | Self::InputRequired) || next.is_final()
            }
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected => false,
        }
    }

    /// The state after something more has happened, if that may happen now. Whoever folds events asks here; which
    /// artifacts there are is known to the task alone.
    ///
    /// # Errors
    /// When it may not follow.
    pub fn after(self, fact: &Fact) -> Result<Self, IllegalEvent> {
        match fact {
            Fact::Submitted { .. } => Err(IllegalEvent::SubmittedTwice),
            Fact::Moved { status } => {
                let next = status.state();
                if self.can_become(next) {
                    Ok(next)
                } else {
                    Err(IllegalEvent::Move {
                        from: self,
                        to: next,
                    })
                }
            }
            _ if matches!(self, Self::Working | Self::InputRequired) => Ok(self),
            _ => Err(IllegalEvent::ArtifactOutOfTurn(self)),
        }
    }

    /// Whether the task is over.
    pub fn is_final(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected
        )
    }

    /// The state as the native dialect spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::Rejected => "rejected",
        }
    }
}

impl fmt::Display for TaskState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An event that may not follow those before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalEvent {
    /// The history does not begin with a submission.
    #[error("the first event of a task must be its submission")]
    NotSubmitted,
    /// A second submission.
    #[error("the task was submitted already")]
    SubmittedTwice,
    /// A state that may not follow.
    #[error("a task that is {from} cannot become {to}")]
    Move {
        /// Where the task stands.
        from: TaskState,
        /// Where it was to go.
        to: TaskState,
    },
    /// Output of a task that has no turn.
    #[error("a task that is {0} has no turn that could write artifacts")]
    ArtifactOutOfTurn(TaskState),
    /// More of an artifact that never began.
    #[error("artifact {0} has not been opened")]
    UnknownArtifact(ArtifactId),
    /// More of an artifact that got its last chunk.
    #[error("artifact {0} is closed")]
    ClosedArtifact(ArtifactId),
    /// Text for a file or for data.
    #[error("artifact {0} comes whole and cannot grow")]
    NotGrowing(ArtifactId),
}

#[cfg(test)]
pub(crate) mod tests;
