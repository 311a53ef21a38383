//! One run of a flow: the fold over its events. What follows from them by itself (a step that is skipped, a loop that
//! goes round) is found here and never written down, so it is the same whenever it is found.

mod fold;
mod scope;
pub(crate) mod settle;

use serde_json::Value;

use crate::event::{Beginning, Event, Fact, Job, Key, State};
use crate::flow::{Flow, Task};
use crate::problem::Problem;

pub use scope::Values;

/// A run as it stands.
#[derive(Clone, Debug)]
pub struct Run {
    pub flow: Flow,
    pub begin: Beginning,
    pub(crate) state: State,
    pub(crate) why: Option<String>,
    pub(crate) steps: Vec<StepRun>,
    /// Why it fails, once it does.
    pub(crate) failing: Option<String>,
    pub(crate) started_at: u64,
    pub(crate) updated_at: u64,
    /// When it was taken up last, and what it has used since: limits count from there.
    pub(crate) resumed_at: u64,
    pub(crate) turns: u64,
    pub(crate) tokens: u64,
}

/// A step as it stands.
#[derive(Clone, Debug)]
pub(crate) struct StepRun {
    pub(crate) phase: Phase,
    /// How often its work was begun.
    pub(crate) round: u32,
    /// The round from which its loop counts.
    pub(crate) base: u32,
    pub(crate) items: Vec<ItemRun>,
    pub(crate) result: Value,
    pub(crate) why: Option<String>,
    /// The answer to its gate, and whose.
    pub(crate) answer: Option<(String, String)>,
    /// A step failed that names it in `on_error`.
    pub(crate) is_triggered: bool,
    pub(crate) since: u64,
    pub(crate) began_at: Option<u64>,
    pub(crate) ended_at: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Waiting,
    Gate,
    Active,
    /// The steps of its loop are done again.
    Again,
    Done,
    Failed,
    Skipped,
    /// A person said no, here or before.
    Refused,
}

impl Phase {
    pub(crate) fn is_over(self) -> bool {
        matches!(
            self,
            Self::Done | Self::Failed | Self::Skipped | Self::Refused
        )
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ItemRun {
    pub(crate) item: Value,
    /// Which attempt is next or under way, from 1 on.
    pub(crate) attempt: u32,
    pub(crate) failures: u32,
    pub(crate) phase: ItemPhase,
    pub(crate) began_at: Option<u64>,
    pub(crate) ended_at: Option<u64>,
    /// Who had it last, and as which task.
    pub(crate) agent: Option<String>,
    pub(crate) agent_id: Option<String>,
    pub(crate) task: Option<String>,
    /// Why the last attempt failed.
    pub(crate) why: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum ItemPhase {
    Todo { not_before: u64 },
    Open(Box<Open>),
    Done(Value),
    Failed { why: String, result: Value },
}

/// Work that is under way.
#[derive(Clone, Debug)]
pub struct Open {
    pub job: Job,
    pub since: u64,
    /// The last message that was about to be sent: which, to whom.
    pub sending: Option<Sending>,
    pub asking: Option<String>,
    /// Why nobody knows whether it was done.
    pub unknown: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sending {
    pub part: u8,
    pub agent: String,
    pub agent_id: Option<String>,
    /// The task it became, once it was taken.
    pub task: Option<String>,
}

/// Why an event cannot follow those before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    #[error("the run has no beginning")]
    NoBeginning,
    #[error("the flow of this run cannot be read any more: {0}")]
    Flow(String),
    #[error("{0} cannot follow what happened before")]
    Illegal(String),
}

impl Run {
    /// A run that has begun.
    ///
    /// # Errors
    /// When the flow is not in order.
    pub fn new(begin: Beginning, at: u64) -> Result<Self, RunError> {
        let flow = Flow::parse(&begin.text).map_err(|problems: Vec<Problem>| {
            let first = problems.first().map(ToString::to_string);
            RunError::Flow(first.unwrap_or_default())
        })?;
        let steps = flow.steps.iter().map(|_| StepRun::new(at)).collect();
        let mut run = Self {
            flow,
            begin,
            state: State::Running,
            why: None,
            steps,
            failing: None,
            started_at: at,
            updated_at: at,
            resumed_at: at,
            turns: 0,
            tokens: 0,
        };
        run.settle(at);
        Ok(run)
    }

    /// The run that these events tell of.
    ///
    /// # Errors
    /// When they do not follow each other.
    pub fn replay<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<Self, RunError> {
        let mut events = events.into_iter();
        let first = events.next().ok_or(RunError::NoBeginning)?;
        let Fact::Started(begin) = &first.fact else {
            return Err(RunError::NoBeginning);
        };
        let mut run = Self::new((**begin).clone(), first.at)?;
        for event in events {
            run.apply(event)?;
        }
        Ok(run)
    }

    pub fn state(&self) -> State {
        self.state
    }

    /// Why it is over.
    pub fn why(&self) -> Option<&str> {
        self.why.as_deref()
    }

    /// Which gate a person said no to, if any.
    pub(crate) fn refusal(&self) -> Option<String> {
        let mut steps = self.flow.steps.iter().zip(&self.steps);
        let is_refused = |run: &StepRun| run.phase == Phase::Refused && run.answer.is_some();
        let (step, run) = steps.find(|(_, run)| is_refused(run))?;
        let why = run.why.as_deref().unwrap_or("no");
        Some(format!("'{}' was refused: {why}", step.name))
    }

    /// Everything that is under way.
    pub fn open(&self) -> Vec<(Key, Open)> {
        let mut found = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            for (item, one) in step.items.iter().enumerate() {
                if let ItemPhase::Open(open) = &one.phase {
                    found.push((self.key(at, item, one.attempt), (**open).clone()));
                }
            }
        }
        found
    }

    /// What the flow gives in the end: what it says, or what its last step gave.
    pub fn output(&self) -> Value {
        if let Some(output) = &self.flow.output {
            return output.value(&Values::of(self, None));
        }
        let mut steps = self.steps.iter().zip(&self.flow.steps).rev();
        let last = steps.find(|(run, step)| {
            run.phase == Phase::Done
                && !run.result.is_null()
                && step.group.is_none()
                && !matches!(step.task, Task::Gate)
        });
        last.map(|(run, _)| run.result.clone()).unwrap_or_default()
    }

    pub(crate) fn key(&self, at: usize, item: usize, attempt: u32) -> Key {
        let step = self.flow.steps.get(at);
        Key {
            step: step.map(|step| step.name.clone()).unwrap_or_default(),
            round: self.steps.get(at).map_or(0, |step| step.round),
            item: u32::try_from(item).unwrap_or(u32::MAX),
            attempt,
        }
    }
}

impl StepRun {
    fn new(at: u64) -> Self {
        Self {
            phase: Phase::Waiting,
            round: 0,
            base: 0,
            items: Vec::new(),
            result: Value::Null,
            why: None,
            answer: None,
            is_triggered: false,
            since: at,
            began_at: None,
            ended_at: None,
        }
    }
}

impl ItemRun {
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self.phase, ItemPhase::Failed { .. })
    }

    pub(crate) fn new(item: Value) -> Self {
        Self {
            item,
            attempt: 1,
            failures: 0,
            phase: ItemPhase::Todo { not_before: 0 },
            began_at: None,
            ended_at: None,
            agent: None,
            agent_id: None,
            task: None,
            why: None,
        }
    }
}
