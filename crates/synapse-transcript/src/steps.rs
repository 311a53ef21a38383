//! The tool calls and thoughts of one turn, put together from what a transcript writes when a tool is called and when it
//! has answered.

use jiff::Timestamp;
use serde_json::Value;
use synapse_a2a::step::{Edit, MOST_STEPS, Step, StepState};

use super::text;

/// A tool that was called.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) step: Step,
    at: Option<Timestamp>,
}

impl Call {
    pub(super) fn new(id: &str, tool: &str, input: &Value, at: Option<Timestamp>) -> Self {
        Self {
            step: Step::call(id, tool, input),
            at,
        }
    }

    /// A call whose arguments are JSON in a text.
    pub(super) fn of_text(id: &str, tool: &str, input: &str, at: Option<Timestamp>) -> Self {
        let input = serde_json::from_str(input).unwrap_or_else(|_| Value::from(input));
        Self::new(id, tool, &input, at)
    }
}

/// A tool that has answered.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) id: String,
    pub(super) state: StepState,
    at: Option<Timestamp>,
    edit: Option<Edit>,
}

impl Outcome {
    pub(super) fn new(id: &str, state: StepState, at: Option<Timestamp>) -> Self {
        Self {
            id: id.to_owned(),
            state,
            at,
            edit: None,
        }
    }

    /// How it ended, where the transcript says no more than whether there was an error.
    pub(super) fn ok_unless(id: &str, is_error: bool, at: Option<Timestamp>) -> Self {
        let state = if is_error {
            StepState::Failed
        } else {
            StepState::Ok
        };
        Self::new(id, state, at)
    }

    /// With what it changed in a file, if that is known.
    pub(super) fn with_edit(self, edit: Option<Edit>) -> Self {
        Self { edit, ..self }
    }
}

/// The steps of one turn, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    list: Vec<Told>,
}

#[derive(Clone, Debug)]
struct Told {
    step: Step,
    /// What the transcript calls it; some use a name again once the step is over.
    name: String,
    since: Option<Timestamp>,
}

impl Steps {
    /// A tool was called; one that is at work was told again with more.
    pub(super) fn begin(&mut self, call: &Call) {
        let Call { step, at } = call;
        let name = step.id.clone();
        match self.find(&name) {
            Some(known) if known.step.state == StepState::Running => {
                known.step = known.step.with(step);
            }
            Some(_) => {
                let id = format!("{name}-{}", self.list.len());
                self.push(Step { id, ..step.clone() }, name, *at);
            }
            None => self.push(step.clone(), name, *at),
        }
    }

    pub(super) fn end(&mut self, outcome: &Outcome) {
        let Some(known) = self.find(&outcome.id) else {
            return;
        };
        let took = known.since.zip(outcome.at);
        let took = took.map(|(since, at)| at.duration_since(since).as_millis());
        let told = Step {
            state: outcome.state,
            duration_ms: took.and_then(|took| u64::try_from(took).ok()),
            edit: outcome.edit.clone(),
            ..known.step.clone()
        };
        known.step = known.step.with(&told);
    }

    pub(super) fn think(&mut self, words: &str) {
        if !words.trim().is_empty() {
            let id = format!("thought-{}", self.list.len());
            self.push(Step::thought(id.clone(), words), id, None);
        }
    }

    pub(super) fn into_list(self) -> Vec<Step> {
        self.list.into_iter().map(|told| told.step).collect()
    }

    fn find(&mut self, name: &str) -> Option<&mut Told> {
        self.list.iter_mut().rev().find(|told| told.name == name)
    }

    fn push(&mut self, step: Step, name: String, since: Option<Timestamp>) {
        if self.list.len() < MOST_STEPS {
            self.list.push(Told { step, name, since });
        }
    }
}

/// When a line was written.
pub(super) fn time(line: &Value) -> Option<Timestamp> {
    text(line, "/timestamp").and_then(|at| at.parse().ok())
}
