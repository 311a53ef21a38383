//! The commands that a session accepts, and their results.

use std::sync::Arc;

use synapse_a2a::act::Actor;
use synapse_a2a::event::{Origin, Source};
use synapse_a2a::id::TaskId;
use synapse_a2a::message::Message;
use synapse_a2a::task::Task;
use synapse_a2a::usage::Usage;
use synapse_term::frame::Frame;
use synapse_term::keys::Key;
use synapse_term::prompt::Prompt;
use synapse_term::reading::State;
use synapse_term::watch::RowPart;
use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, broadcast, oneshot};

use super::{LineTarget, Notice};
use synapse_pty::Size;

/// A request to the actor.
#[derive(Debug)]
pub enum Command {
    /// Somebody at a terminal pressed these keys.
    Keys(Vec<u8>),
    /// A program pressed these keys.
    Press(Vec<Key>),
    /// Whether the line of this number can be sent.
    Found(u64, LineTarget),
    /// Tell the person something.
    Notice(Notice),
    /// The program submits the reply to its current task itself.
    Reply(String, oneshot::Sender<Result<TaskId, Refusal>>),
    /// A task that is on disk and wants its turn.
    Accept(Box<AcceptedTask>),
    /// An answer to the open question.
    Answer(Answer, oneshot::Sender<Result<(), Refusal>>),
    /// End a task.
    Cancel(TaskId, oneshot::Sender<Result<(), Refusal>>),
    /// Stop what runs.
    Interrupt(
        Option<Key>,
        Actor,
        oneshot::Sender<Result<Receipt, Refusal>>,
    ),
    /// The window changed.
    Resize(Size),
    /// What is to be seen.
    Look(oneshot::Sender<Arc<Look>>),
    /// How the screen is read.
    Explain(oneshot::Sender<Explanation>),
    /// Answered as soon as the program has been ready, asks something, or is gone. One that continues a conversation is
    /// ready once it has been at rest.
    Ready(oneshot::Sender<Arc<Look>>),
    /// Everything that is painted from now on.
    Attach(oneshot::Sender<TerminalView>),
    /// Let a suspended program go on.
    Continue,
    /// End the agent.
    Stop,
}

/// A task that is on disk.
#[derive(Debug)]
pub struct AcceptedTask {
    /// As it was submitted.
    pub task: Task,
    /// What to type, before the profile's template.
    pub text: String,
    /// Typed as it is, without the profile's template.
    pub is_raw: bool,
    /// Its place in the queue.
    pub place: OwnedSemaphorePermit,
}

/// An answer to a question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The task that asks, or whatever is asked.
    pub task: Option<TaskId>,
    pub value: String,
    /// Which question is meant; by default the one last told.
    pub fingerprint: Option<String>,
    /// The message it came in, if it came in one.
    pub message: Option<Message>,
    pub by: Actor,
}

/// Why something was not done.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// Too many tasks wait.
    #[error(transparent)]
    QueueFull(#[from] super::QueueFull),
    /// There is no such task.
    #[error("there is no task {0}")]
    NoSuchTask(String),
    /// Nothing is asked.
    #[error("the agent is not asking anything; it is {}", .0.word())]
    NotAsking(State),
    /// The task asks nothing.
    #[error("the task is not waiting for input; it is {0}")]
    NotWaiting(&'static str),
    /// The question is another one by now.
    #[error("the question has changed: it is now «{now}» ({fingerprint})")]
    Changed {
        /// What is asked now.
        now: String,
        fingerprint: String,
    },
    /// The answer cannot be given.
    #[error("{0}")]
    BadAnswer(String),
    /// The task is over.
    #[error("the task is {0} already")]
    Over(&'static str),
    /// The agent did not do what it was told.
    #[error(
        "the agent did not react to the interrupt and is still {}; another key may stop it (synapse interrupt AGENT --key ctrl-c), or end it: synapse stop AGENT",
        .0.word()
    )]
    NoReaction(State),
    /// Nobody knows which key stops the program, and a wrong one may end it.
    #[error(
        "the key that interrupts this program is not known, because its screen names none; give one, as in --key Escape or --key ctrl-c"
    )]
    NoKey,
    /// It says nothing.
    #[error("the message is empty: it has no text, no file and no data")]
    Empty,
    /// It has passed through too many agents.
    #[error("the message has already passed through {0} agents; the limit is {most}", most = Origin::MOST_HOPS)]
    TooManyHops(u8),
    /// It cannot be kept, so it is not taken.
    #[error("the task was not accepted because it cannot be written to disk: {0}")]
    NotDurable(String),
    /// It may be kept or not, and is not done.
    #[error(
        "it is unknown whether task {task} is kept: {why}; the agent does not get it. Ask for the task, or send the message again"
    )]
    Unconfirmed { task: TaskId, why: String },
    /// Nobody waits for a reply.
    #[error("there is no current task to reply to")]
    NoTaskAtHand,
    /// A task has one reply.
    #[error("the current task already has its reply")]
    Replied,
    /// The agent is going away.
    #[error("the agent is stopping")]
    Stopping,
}

/// What became of an interrupt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The key that was pressed, if any.
    pub sent: Option<String>,
    /// What the agent did before.
    pub was: State,
    /// What it does since.
    pub now: State,
    /// Nothing runs and nothing is asked: it was seen.
    pub confirmed: bool,
}

/// What is to be seen of an agent.
#[derive(Clone, Debug)]
pub struct Look {
    /// How it stands.
    pub standing: Standing,
    /// What each witness says: who, and what.
    pub why: Vec<(String, String)>,
    pub frame: Frame,
    /// Its screen as ANSI bytes.
    pub snapshot: Vec<u8>,
}

/// How an agent's screen is read: its rows, each with what it was taken for.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// How the agent stands.
    pub standing: Standing,
    /// What each witness says: who, and what.
    pub why: Vec<(String, String)>,
    /// The rows of the screen, from top to bottom.
    pub rows: Vec<(String, RowPart)>,
}

/// How an agent stands: what of a look is news when it changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// What it does.
    pub state: State,
    /// Since when it does that, or asks what it asks.
    pub since: jiff::Timestamp,
    pub evidence: String,
    pub prompt: Option<Prompt>,
    /// How many tasks wait.
    pub queue: usize,
    /// Why tasks wait although it is idle, once they have waited for a few seconds.
    pub held: Option<String>,
    /// Who tells of the steps of a turn; nobody where the screen is all there is.
    pub steps_from: Option<Source>,
    /// What the last turn took that anything is known of.
    pub usage: Option<Arc<TurnUsage>>,
    /// The task at hand: what the program was given to work on, even if it has not been seen at work.
    pub task: Option<TaskId>,
}

/// What a turn took of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnUsage {
    pub task: TaskId,
    pub usage: Usage,
}

/// A view of an agent's terminal: the screen, then what is painted on it.
#[derive(Debug)]
pub struct TerminalView {
    /// The screen as ANSI bytes.
    pub snapshot: Vec<u8>,
    pub live: broadcast::Receiver<Arc<[u8]>>,
}
