//! What can be asked of an agent, and the handle to ask it by.

use std::sync::Arc;

use synapse_a2a::id::TaskId;
use synapse_a2a::message::Message;
use synapse_term::frame::Frame;
use synapse_term::keys::Key;
use synapse_term::prompt::Prompt;
use synapse_term::reading::State;
use thiserror::Error;
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use super::{Board, Priority};
use crate::pty::Size;

/// Requests that may wait for the actor; who comes after waits for a place.
const INBOX: usize = 64;

/// A request to the actor.
#[derive(Debug)]
pub enum Command {
    /// Somebody at a terminal pressed these keys.
    Keys(Vec<u8>),
    /// A task.
    Send(Submission, oneshot::Sender<Result<TaskId, Refusal>>),
    /// An answer to the open question.
    Answer {
        /// The task that asks, or whatever is asked.
        task: Option<TaskId>,
        /// What to answer.
        value: String,
        /// Which question is meant; by default the one last told.
        fingerprint: Option<String>,
        /// Whether it was given.
        done: oneshot::Sender<Result<(), Refusal>>,
    },
    /// End a task.
    Cancel(TaskId, oneshot::Sender<Result<(), Refusal>>),
    /// Stop what runs.
    Interrupt(Option<Key>, oneshot::Sender<Receipt>),
    /// The window changed.
    Resize(Size),
    /// What is to be seen.
    Look(oneshot::Sender<Look>),
    /// Answered as soon as the program has been ready, asks something, or is gone.
    Ready(oneshot::Sender<Look>),
    /// Everything that is painted from now on.
    Attach(oneshot::Sender<Attached>),
    /// Let a suspended program go on.
    Continue,
    /// End the agent.
    Stop,
}

/// A task to be done.
#[derive(Debug)]
pub struct Submission {
    /// What is asked.
    pub message: Message,
    /// How urgent it is.
    pub priority: Priority,
    /// Who asks, as the agent will see it.
    pub sender: String,
    /// Typed as it is, without the profile's template.
    pub is_raw: bool,
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
    #[error("the agent is not asking anything; it is {0}")]
    NotAsking(State),
    /// The question is another one by now.
    #[error("the question has changed: it is now «{now}» ({fingerprint})")]
    Changed {
        /// What is asked now.
        now: String,
        /// Its fingerprint.
        fingerprint: String,
    },
    /// The answer cannot be given.
    #[error("{0}")]
    BadAnswer(String),
    /// The task is over.
    #[error("the task is {0} already")]
    Over(&'static str),
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
}

/// What is to be seen of an agent.
#[derive(Clone, Debug)]
pub struct Look {
    /// What it does.
    pub state: State,
    /// How we know.
    pub evidence: String,
    /// What it asks.
    pub prompt: Option<Prompt>,
    /// How many tasks wait.
    pub queue: usize,
    /// Its screen.
    pub frame: Frame,
    /// Its screen as ANSI bytes.
    pub snapshot: Vec<u8>,
}

/// A view of an agent's terminal: the screen, then what is painted on it.
#[derive(Debug)]
pub struct Attached {
    /// The screen as ANSI bytes.
    pub snapshot: Vec<u8>,
    /// What follows.
    pub live: broadcast::Receiver<Arc<[u8]>>,
}

/// By which everybody asks.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    commands: mpsc::Sender<Command>,
    /// What can be read without asking.
    pub board: Arc<Board>,
    /// Whether the program suspended itself, as on Ctrl-Z.
    pub suspended: watch::Receiver<bool>,
}

impl SessionHandle {
    /// A handle and the inbox it fills.
    pub(super) fn new(
        board: Arc<Board>,
        suspended: watch::Receiver<bool>,
    ) -> (Self, mpsc::Receiver<Command>) {
        let (commands, inbox) = mpsc::channel(INBOX);
        let handle = Self {
            commands,
            board,
            suspended,
        };
        (handle, inbox)
    }

    /// Asks something and waits for the answer.
    ///
    /// # Errors
    /// If the agent is gone.
    pub async fn ask<T>(
        &self,
        command: impl FnOnce(oneshot::Sender<T>) -> Command,
    ) -> Result<T, Refusal> {
        let (done, answer) = oneshot::channel();
        self.tell(command(done)).await?;
        answer.await.map_err(|_| Refusal::Stopping)
    }

    /// Asks for something that needs no answer.
    ///
    /// # Errors
    /// If the agent is gone.
    pub async fn tell(&self, command: Command) -> Result<(), Refusal> {
        self.commands
            .send(command)
            .await
            .map_err(|_| Refusal::Stopping)
    }
}
