//! The cloneable handle through which everybody talks to a running session.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use synapse_a2a::event::{Event, Fact, Origin, Status};
use synapse_a2a::id::{ContextId, TaskId};
use synapse_a2a::message::{Message, Role};
use synapse_a2a::task::{Task, TaskState};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::time::timeout;

use super::arrivals::Arrivals;
use super::files::unpack;
use super::ledger::stopped;
use super::{
    AcceptedTask, Answer, Board, Command, Follow, Ledger, QueueFull, Record, Refusal, timestamp,
};
use synapse_pty::Size;
use synapse_store::StoreError;

/// Requests that may wait for the actor; who comes after waits for a place.
const INBOX: usize = 64;

/// How long a task may take to be over once it was canceled: a key, its repetition, and a breath.
const CANCEL_PATIENCE: Duration = Duration::from_secs(8);

/// A cloneable handle: the only way to talk to a running session.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    commands: mpsc::Sender<Command>,
    ledger: Ledger,
    arrivals: Arc<Arrivals>,
    /// One permit for each task that may still wait.
    places: Arc<Semaphore>,
    queue_limit: usize,
    /// Where the files of tasks are put.
    files: Arc<PathBuf>,
    /// What can be read without asking.
    pub board: Arc<Board>,
    /// Whether the program suspended itself, as on Ctrl-Z.
    pub suspended: watch::Receiver<bool>,
    /// The size of its window.
    pub size: watch::Receiver<Size>,
}

/// A task to be done.
#[derive(Clone, Debug)]
pub struct Submission {
    /// What is asked.
    pub message: Message,
    /// The conversation it belongs to, if it goes on with one.
    pub context: Option<ContextId>,
    /// Who asks, and how.
    pub origin: Origin,
    /// Typed as it is, without the profile's template.
    pub is_raw: bool,
}

impl SessionHandle {
    /// A handle and the inbox it fills.
    pub(super) fn new(
        ledger: Ledger,
        queue_limit: usize,
        files: PathBuf,
        suspended: watch::Receiver<bool>,
        size: watch::Receiver<Size>,
    ) -> (Self, mpsc::Receiver<Command>) {
        let (commands, inbox) = mpsc::channel(INBOX);
        let handle = Self {
            commands,
            board: Arc::clone(&ledger.board),
            ledger,
            arrivals: Arc::default(),
            places: Arc::new(Semaphore::new(queue_limit)),
            queue_limit,
            files: Arc::new(files),
            suspended,
            size,
        };
        (handle, inbox)
    }

    /// Takes a task in. It is on disk when this returns, whatever happens to us afterwards. A message
    /// that was sent before, as clients do that got no answer, is the task it became then.
    ///
    /// # Errors
    /// If too many wait, if it cannot be kept, or if the agent is going away.
    pub async fn send(&self, submission: Submission) -> Result<TaskId, Refusal> {
        let handle = self.clone();
        // Whoever asks may be gone half-way, and with it this future. What is on disk must be queued all the same.
        let taken = tokio::spawn(async move { handle.take_in(submission).await });
        taken.await.unwrap_or(Err(Refusal::Stopping))
    }

    async fn take_in(&self, submission: Submission) -> Result<TaskId, Refusal> {
        let Submission {
            message,
            context,
            origin,
            is_raw,
        } = submission;
        let _arrival = self.arrivals.enter(&message.id).await;
        if let Some(known) = self.board.task_of(&message.id)
            && is_repeated(&known.task, &message, context.as_ref())
        {
            return Ok(known.task.id().clone());
        }
        if says_nothing(&message) {
            return Err(Refusal::Empty);
        }
        if origin.hops > Origin::MOST_HOPS {
            return Err(Refusal::TooManyHops(origin.hops));
        }
        if self.commands.is_closed() {
            return Err(Refusal::Stopping);
        }
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| QueueFull {
            limit: self.queue_limit,
        })?;
        let id = TaskId::new(uuid::Uuid::now_v7().to_string());
        let context = context.unwrap_or_else(|| ContextId::new(uuid::Uuid::now_v7().to_string()));
        let folder = self.files.join(id.as_str());
        let text = unpack(&message, &folder)
            .await
            .map_err(|error| Refusal::NotDurable(error.to_string()))?;
        let event = Event {
            at: timestamp(),
            fact: Fact::Submitted {
                task: id.clone(),
                context,
                message,
                origin,
            },
        };
        let task = Task::begin(event.clone()).map_err(|e| Refusal::NotDurable(e.to_string()))?;
        match self.ledger.commit(&id, 1, event).await {
            Ok(()) => {}
            Err(why @ StoreError::Unconfirmed { .. }) => {
                let why = why.to_string();
                self.ledger.withdraw(&id, Status::canceled(&why));
                // Whoever sends the message again must find the task ended.
                self.ledger.flush().await;
                return Err(Refusal::Unconfirmed { task: id, why });
            }
            // Its end closes the store, too.
            Err(_) if self.commands.is_closed() => return Err(Refusal::Stopping),
            Err(why) => return Err(Refusal::NotDurable(why.to_string())),
        }
        let accepted = AcceptedTask {
            task,
            text,
            is_raw,
            place,
        };
        if self
            .commands
            .send(Command::Accept(Box::new(accepted)))
            .await
            .is_err()
        {
            self.ledger.withdraw(&id, stopped());
            return Err(Refusal::Stopping);
        }
        Ok(id)
    }

    /// Answers a question. What the keys bring about shows in the events of the task.
    ///
    /// # Errors
    /// If nothing is asked, if the question is another one by now, or the answer is none of its own.
    pub async fn answer(&self, answer: Answer) -> Result<(), Refusal> {
        self.ask(|done| Command::Answer(answer, done)).await?
    }

    /// Ends a task, and waits until it is over.
    ///
    /// # Errors
    /// If there is no such task, it is over, or the agent does not let itself be interrupted.
    pub async fn cancel(&self, task: &TaskId) -> Result<Arc<Record>, Refusal> {
        let missing = || Refusal::NoSuchTask(task.as_str().to_owned());
        let mut follow = self.board.follow(task, None).ok_or_else(missing)?;
        self.ask(|done| Command::Cancel(task.clone(), done))
            .await??;
        let _ = timeout(CANCEL_PATIENCE, to_the_end(&mut follow)).await;
        let record = self.board.record(task).ok_or_else(missing)?;
        if record.task.state().is_final() {
            return Ok(record);
        }
        let standing = self.board.standing();
        let state = standing.map(|standing| standing.state);
        Err(state.map_or(Refusal::Stopping, Refusal::NoReaction))
    }

    /// Asks something and waits for the answer.
    pub async fn ask<T>(
        &self,
        command: impl FnOnce(oneshot::Sender<T>) -> Command,
    ) -> Result<T, Refusal> {
        let (done, answer) = oneshot::channel();
        self.tell(command(done)).await?;
        answer.await.map_err(|_| Refusal::Stopping)
    }

    /// Asks for something that needs no answer.
    pub async fn tell(&self, command: Command) -> Result<(), Refusal> {
        self.commands
            .send(command)
            .await
            .map_err(|_| Refusal::Stopping)
    }

    /// Why tasks cannot be kept on disk, while they cannot.
    pub fn trouble(&self) -> Option<String> {
        self.ledger.trouble()
    }
}

/// Whether a message is the one that began this task, sent again by somebody who got no answer. Who
/// went on with the task or canceled it had one, so for them it is a message like any other.
fn is_repeated(task: &Task, message: &Message, context: Option<&ContextId>) -> bool {
    let is_same = task.message() == message && context.is_none_or(|known| task.context() == known);
    let mut later = task.history().iter().skip(1);
    let was_answered = later.any(|said| said.role == Role::User);
    is_same && !was_answered && task.state() != TaskState::Canceled
}

async fn to_the_end(follow: &mut Follow) {
    while follow.next().await.is_some() {}
}

/// Whether nothing would be typed but the key that submits it.
fn says_nothing(message: &Message) -> bool {
    let is_blank = |text: &str| text.chars().all(|c| c.is_whitespace() || c.is_control());
    let mut parts = message.parts.iter();
    parts.all(|part| part.as_text().is_some_and(is_blank))
}

#[cfg(test)]
mod tests {
    use synapse_a2a::event::Status;
    use synapse_a2a::id::MessageId;

    use super::*;

    fn task(facts: Vec<Fact>) -> Task {
        let submitted = Fact::Submitted {
            task: TaskId::new("t"),
            context: ContextId::new("c"),
            message: asked("do it"),
            origin: Origin::default(),
        };
        let facts = std::iter::once(submitted).chain(facts);
        let at = timestamp();
        Task::fold(facts.map(|fact| Event { at, fact })).unwrap()
    }

    fn asked(text: &str) -> Message {
        Message::text(MessageId::new("m"), Role::User, text)
    }

    fn moved(status: Status) -> Fact {
        Fact::Moved { status }
    }

    #[test]
    fn a_message_sent_again_is_the_task_it_became() {
        let context = ContextId::new("c");
        let done = task(vec![moved(Status::Working), moved(Status::Completed)]);
        for known in [task(vec![]), done] {
            assert!(is_repeated(&known, &asked("do it"), None));
            assert!(is_repeated(&known, &asked("do it"), Some(&context)));
            assert!(!is_repeated(&known, &asked("do that"), None));
            let other = ContextId::new("other");
            assert!(!is_repeated(&known, &asked("do it"), Some(&other)));
        }
    }

    #[test]
    fn who_went_on_with_a_task_does_not_repeat_its_message() {
        let message = Message::text(MessageId::new("a"), Role::User, "yes");
        let answered = task(vec![moved(Status::Working), Fact::Answered { message }]);
        let canceled = task(vec![moved(Status::canceled("no longer wanted"))]);
        for known in [answered, canceled] {
            assert!(!is_repeated(&known, &asked("do it"), None));
        }
    }
}
