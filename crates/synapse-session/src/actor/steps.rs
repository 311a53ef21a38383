//! Tells what the program does on the way to its reply: each tool call and thought, as its hooks and its transcript know
//! it.

use synapse_a2a::event::Fact;
use synapse_a2a::id::TaskId;
use synapse_a2a::step::{MOST_STEPS, Step, StepState};
use synapse_a2a::task::TaskState;
use synapse_transcript::TurnRecord;

use super::Session;

impl Session {
    /// The hooks, or the transcript, told of a step of the running turn.
    pub(super) fn tell_step(&mut self, told: &Step) {
        let Some(running) = &mut self.running else {
            return;
        };
        let task = running.task.clone();
        let state = self.open.get(&task).map(|open| open.task.state());
        if state != Some(TaskState::Submitted) {
            return self.keep_step(&task, told);
        }
        if running.early_steps.len() < MOST_STEPS {
            running.early_steps.push(told.clone());
        }
    }

    /// The message was seen taken.
    pub(super) fn tell_early_steps(&mut self) {
        let running = self.running.as_mut();
        let early = running.map(|running| std::mem::take(&mut running.early_steps));
        for step in early.unwrap_or_default() {
            self.tell_step(&step);
        }
    }

    /// What the transcript has of the running turn.
    pub(super) fn tell_steps(&mut self, record: &TurnRecord) {
        for step in &record.steps {
            self.tell_step(step);
        }
    }

    /// Keeps a step of a task, if there is news in it.
    pub(super) fn keep_step(&mut self, task: &TaskId, told: &Step) {
        let open = self.open.get(task);
        if let Some(step) = open.and_then(|open| open.task.news_of(told)) {
            let step = Box::new(step);
            self.post(task, Fact::Stepped { step });
        }
    }

    /// The turn is over: nobody will tell how the steps that are still open did.
    pub(super) fn close_steps(&mut self, task: &TaskId) {
        let open = self.open.get(task);
        let steps = open.map(|open| open.task.steps()).unwrap_or_default();
        let running = steps.iter().filter(|step| step.state == StepState::Running);
        let unknown: Vec<Step> = running
            .map(|step| Step {
                state: StepState::Unknown,
                ..step.clone()
            })
            .collect();
        for step in unknown {
            self.keep_step(task, &step);
        }
    }
}
