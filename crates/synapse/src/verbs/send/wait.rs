//! Waits for a task and shows its progress, until it ends, asks something, times out, or Ctrl-C is pressed.

use std::cell::RefCell;
use std::convert::Infallible;
use std::io::Write as _;
use std::time::Duration;

use anyhow::Result;
use jiff::Timestamp;
use serde_json::{Value, json};
use synapse_a2a::step::{Step, StepState};
use synapse_a2a::task::TaskState;
use synapse_client::client::Client;
use synapse_client::delivery::Outcome;
use synapse_client::growth::{Lines, ReplyPieces};
use synapse_client::native::{ArtifactEvent, MessageEvent, StatusEvent, TaskEvent, TaskShape};
use synapse_hub::answers_by_rule;
use synapse_machine::handle::Handle;
use synapse_machine::paths::Paths;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::super::lookup::{self, MOMENT};
use super::super::{tasks, texts};
use super::Spinner;
use super::growth::{Screenful, tail};
use super::report::note_choices;
use crate::verbs::print;

/// How long a rule of the hub may take to answer a question.
const RULE_PATIENCE: Duration = Duration::from_secs(3);

/// How often is asked why a task waits.
const HOLD_PACE: Duration = Duration::from_secs(1);

/// As much of a step as a line has room for, in characters.
const LONGEST_STEP: usize = 120;

/// How a wait ended, each with the task as it stands.
pub(super) enum WaitResult {
    /// It is over, or asks something.
    Settled(SentTask),
    /// It took too long; the task goes on.
    TimedOut(SentTask),
    /// Somebody pressed Ctrl-C; the task goes on.
    Interrupted(Option<SentTask>),
    /// The agent is gone.
    Lost(String),
}

/// A task as its sender sees it: what matters, and all of it as JSON.
pub(super) struct SentTask {
    pub(super) outcome: Outcome,
    pub(super) json: Value,
}

impl From<TaskShape> for SentTask {
    fn from(task: TaskShape) -> Self {
        Self {
            json: json!(task),
            outcome: task.into(),
        }
    }
}

/// Whether the agent waits for an answer. One that does not say counts as not.
pub(super) async fn is_asking(client: &Client) -> bool {
    let status = lookup::within(MOMENT, client.status()).await;
    status.is_ok_and(|now| now.is_asking())
}

/// What a wait is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// The end of a task, or a question that nobody but the sender answers.
    Settled,
    /// The same, where what was asked up to this time has been answered.
    SettledAfter(Timestamp),
    /// Its end alone.
    Over,
}

/// Waits until a task is over or asks something.
pub(super) async fn until_settled(
    client: &Client,
    id: &str,
    until: Until,
    patience: Duration,
    each: impl FnMut(&TaskEvent),
) -> WaitResult {
    let end = tokio::select! {
        end = timeout(patience, settle(client, id, until, each)) => match end {
            Ok(Ok(task)) => return WaitResult::Settled(task.into()),
            Ok(Err(_)) => FollowEnd::Over,
            Err(_) => FollowEnd::Late,
        },
        _ = tokio::signal::ctrl_c() => FollowEnd::Interrupted,
    };
    let task = lookup::within(MOMENT, client.task(id)).await;
    match (end, task) {
        (FollowEnd::Late, Ok(task)) if is_open(task.status.state) => {
            WaitResult::TimedOut(task.into())
        }
        (FollowEnd::Late | FollowEnd::Over, Ok(task)) => WaitResult::Settled(task.into()),
        (FollowEnd::Interrupted, task) => WaitResult::Interrupted(task.ok().map(SentTask::from)),
        // What it could not tell any more, it or whoever found it dead has written down.
        (FollowEnd::Late | FollowEnd::Over, Err(error)) => match tasks::ended(id) {
            Some(task) => WaitResult::Settled(task.into()),
            None => WaitResult::Lost(format!("{error:#}")),
        },
    }
}

enum FollowEnd {
    Over,
    Late,
    Interrupted,
}

/// Tells of each event until there is nothing more to wait for. A question is such an end, unless a rule answers
/// it.
async fn settle(
    client: &Client,
    id: &str,
    until: Until,
    mut each: impl FnMut(&TaskEvent),
) -> Result<TaskShape> {
    if until == Until::Over {
        let settled = client.settle(id, |event| {
            each(event);
            true
        });
        return settled.await;
    }
    let has_rules = Paths::from_env().is_ok_and(|paths| answers_by_rule(&paths));
    let (asked, mut is_asked) = watch::channel(false);
    let settled = client.settle(id, |event| {
        each(event);
        let Some(state) = event.state() else {
            return true;
        };
        let asks = state == TaskState::InputRequired && !is_answered(event, until);
        asked.send_replace(asks);
        !asks || has_rules
    });
    tokio::select! {
        task = settled => task,
        () = stays(&mut is_asked) => client.task(id).await,
    }
}

/// Shows why a task waits for its turn, for as long as it does. Events do not tell.
pub(super) async fn show_what_holds(
    client: &Client,
    id: &str,
    display: &RefCell<WaitDisplay>,
) -> Infallible {
    let mut pace = interval(HOLD_PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_held = false;
    loop {
        pace.tick().await;
        match lookup::within(MOMENT, client.task(id)).await {
            Ok(task) if task.status.state != TaskState::Submitted => break,
            Ok(TaskShape {
                held: Some(why), ..
            }) => {
                display.borrow().say(texts::held(&why));
                is_held = true;
            }
            Ok(_) if is_held => {
                display.borrow().state(TaskState::Submitted);
                is_held = false;
            }
            Ok(_) | Err(_) => {}
        }
    }
    std::future::pending().await
}

/// Whether an event tells of a question that has been answered since.
fn is_answered(event: &TaskEvent, until: Until) -> bool {
    let (TaskEvent::Status(event), Until::SettledAfter(answered)) = (event, until) else {
        return false;
    };
    let asked: Option<Timestamp> = event.timestamp.parse().ok();
    asked.is_some_and(|asked| asked <= answered)
}

/// Returns when something has been so for as long as a rule may take.
async fn stays(is_so: &mut watch::Receiver<bool>) {
    loop {
        let was_so = *is_so.borrow_and_update();
        let change = is_so.changed();
        if !was_so {
            if change.await.is_err() {
                return std::future::pending().await;
            }
        } else if timeout(RULE_PATIENCE, change).await.is_err() {
            return;
        }
    }
}

fn is_open(state: TaskState) -> bool {
    matches!(state, TaskState::Submitted | TaskState::Working)
}

/// Where a task stands, as a person reads it.
fn state_words(handle: &str, state: TaskState) -> String {
    match state {
        TaskState::Submitted => texts::in_queue(handle),
        TaskState::Working => texts::is_working(handle),
        TaskState::InputRequired => texts::asks_something(handle),
        over => texts::is_over(handle, texts::task_state(over)),
    }
}

/// What a person sees of a wait.
pub(super) struct WaitDisplay {
    handle: String,
    spinner: Spinner,
    way: Option<Screenful>,
    told: ReplyPieces,
    lines: Lines,
    /// The reply is known: what follows are its pieces.
    is_whole: bool,
}

impl WaitDisplay {
    pub(super) fn new(handle: &Handle, way: Option<Screenful>) -> Self {
        let handle = handle.to_string();
        Self {
            spinner: Spinner::begin(texts::has_message(&handle)),
            handle,
            way,
            told: ReplyPieces::default(),
            lines: Lines::default(),
            is_whole: false,
        }
    }

    /// Takes an event of the task.
    pub(super) fn take(&mut self, event: &TaskEvent) {
        match event {
            TaskEvent::Status(event) => self.state(event.state),
            // From here on the reply is taken apart; what is shown to a person is the whole.
            TaskEvent::Message(event) if event.reply.is_some() => self.is_whole = true,
            TaskEvent::Artifact(event) if !self.is_whole => self.grow(event),
            TaskEvent::Step(event) => self.step(&event.step),
            TaskEvent::Message(MessageEvent {
                note: Some(note), ..
            }) => {
                let words: Vec<&str> = note.split_whitespace().collect();
                self.doing(&words.join(" "));
            }
            TaskEvent::Artifact(_) | TaskEvent::Message(_) | TaskEvent::Act(_) => {}
        }
    }

    /// Says in a line where the task stands, and what is asked.
    pub(super) fn tell(&self, event: &StatusEvent) {
        self.spinner.aside(|| {
            note!("{}", state_words(&self.handle, event.state));
            if let Some(question) = event.question() {
                note!("{}", question.prompt);
                note_choices(&self.handle, &question);
            }
        });
    }

    /// Shows what is waited for.
    fn say(&self, what: String) {
        self.spinner.say(what);
    }

    /// Takes where the task stands.
    pub(super) fn state(&self, state: TaskState) {
        self.spinner.say(state_words(&self.handle, state));
    }

    /// Shows what the agent does at this moment.
    fn step(&self, step: &Step) {
        if step.state == StepState::Running {
            self.doing(&step.title());
        } else {
            self.state(TaskState::Working);
        }
    }

    fn doing(&self, what: &str) {
        let line: String = what.chars().take(LONGEST_STEP).collect();
        self.say(format!("{}: {line}", self.handle));
    }

    fn grow(&mut self, event: &ArtifactEvent) {
        if self.way.is_some() {
            self.told.take(event);
            self.reply(&self.told.text());
        }
    }

    /// Takes the reply as far as it is known.
    pub(super) fn reply(&mut self, text: &str) {
        match self.way {
            None => {}
            Some(Screenful::Preview) => {
                if let Some((cols, rows)) = self.spinner.room() {
                    self.spinner.show(&tail(text, cols, rows));
                }
            }
            Some(Screenful::Growth) => {
                let more = self.lines.grow(text);
                let mut out = print::out();
                // Whoever has stopped reading shows when the rest is written.
                let _ = self.spinner.aside(|| out.write_all(more.as_bytes()));
                let _ = out.flush();
            }
        }
    }

    /// Ends it; what was written of the reply.
    pub(super) fn finish(self) -> String {
        self.lines.written()
    }
}
