//! What the session knows, in the shapes of the native dialect.

use synapse_client::native::{
    PromptShape, ReceiptShape, StandingShape, TaskAnswer, TaskShape, UsageShape, WitnessShape,
    state_word,
};
use synapse_session::{Receipt, Record, Standing};
use synapse_term::reading::State;

/// A task, and why it is held if it waits for its turn.
pub(super) fn task(record: &Record, standing: Option<&Standing>) -> TaskShape {
    TaskShape::of(
        &record.task,
        standing.and_then(|standing| standing.held.clone()),
    )
}

pub(super) fn task_answer(record: &Record, standing: Option<&Standing>) -> TaskAnswer {
    TaskAnswer {
        task: task(record, standing),
    }
}

pub(super) fn standing(standing: &Standing) -> StandingShape {
    StandingShape {
        status: state(standing.state).to_owned(),
        state: state_word(state(standing.state)).to_owned(),
        since: Some(standing.since.to_string()),
        evidence: standing.evidence.clone(),
        queue: standing.queue,
        prompt: standing.prompt.as_ref().map(PromptShape::of),
        task: standing.task.as_ref().map(ToString::to_string),
        held: standing.held.clone(),
        steps_from: standing.steps_from,
        usage: usage(standing),
    }
}

/// What the last turn took that anything is known of.
fn usage(standing: &Standing) -> Option<UsageShape> {
    standing.usage.as_ref().map(|turn| UsageShape {
        task: turn.task.to_string(),
        usage: turn.usage.clone(),
    })
}

/// An agent that is going away asks nothing and takes nothing.
pub(super) fn stopping(standing: &Standing) -> StandingShape {
    StandingShape {
        status: "STOPPING".to_owned(),
        state: state_word("STOPPING").to_owned(),
        since: None,
        evidence: standing.evidence.clone(),
        queue: 0,
        prompt: None,
        task: None,
        held: None,
        steps_from: standing.steps_from,
        usage: usage(standing),
    }
}

pub(super) fn witness((witness, says): &(String, String)) -> WitnessShape {
    WitnessShape {
        witness: witness.clone(),
        says: says.clone(),
    }
}

pub(super) fn receipt(receipt: Receipt) -> ReceiptShape {
    ReceiptShape {
        sent: receipt.sent,
        was: state(receipt.was).to_owned(),
        now: state(receipt.now).to_owned(),
        confirmed: receipt.confirmed,
    }
}

/// A state as `/status` spells it.
pub(super) fn state(state: State) -> &'static str {
    match state {
        State::Starting => "STARTING",
        State::Idle => "IDLE",
        State::Busy => "BUSY",
        State::Asking => "INPUT_REQUIRED",
        State::Exited => "EXITED",
    }
}
