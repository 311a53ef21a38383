//! What the log of an agent tells: tasks, what the program does, what it asks, who answered. Never the words of a
//! message or a reply.

use synapse_a2a::event::{Event, Fact, Origin, Status};
use synapse_a2a::id::TaskId;

use super::command::Standing;

/// As much of a question or a name as a line of a log has room for, in characters.
const LONGEST: usize = 120;

/// Tells of an event that is on disk, if it is one that a person would tell a friend.
pub(super) fn event(task: &TaskId, event: &Event) {
    let task = task.as_str();
    match &event.fact {
        Fact::Submitted { origin, .. } => {
            let (from, priority) = (cut(&origin.sender), origin.priority);
            tracing::info!(task, from, priority, "task accepted");
        }
        Fact::Moved { status } => moved(task, status),
        Fact::Acted { act } => {
            let rule = act.by.rule.as_deref().map(cut);
            let somebody = rule.is_none().then_some(Origin::SOMEBODY);
            let by = act.by.by.as_deref().or(somebody).map(cut);
            tracing::info!(task, what = act.what.name(), by, rule, "somebody acted");
        }
        Fact::Replied { said } => {
            let (source, bytes) = (said.source.name(), said.text.len());
            tracing::info!(task, source, bytes, "reply known");
        }
        Fact::ArtifactOpened { .. }
        | Fact::ArtifactGrew { .. }
        | Fact::ArtifactExtended { .. }
        | Fact::ArtifactClosed { .. }
        | Fact::Answered { .. }
        | Fact::Noted { .. }
        | Fact::Stepped { .. }
        | Fact::Spoke { .. } => {}
    }
}

fn moved(task: &str, status: &Status) {
    let state = status.state().name();
    match status {
        Status::Failed { failure } => {
            let code = failure.code.name();
            tracing::warn!(task, state, code, why = failure.message, "task ended");
        }
        Status::Canceled { reason, .. } | Status::Rejected { reason } => {
            tracing::info!(task, state, why = reason, "task ended");
        }
        Status::Completed => tracing::info!(task, state, "task ended"),
        Status::Submitted | Status::Working | Status::InputRequired { .. } => {
            tracing::info!(task, state, "task moved");
        }
    }
}

/// Tells what the agent does now, if it is something else than before.
pub(super) fn standing(before: Option<&Standing>, now: &Standing) {
    if before.is_none_or(|before| before.state != now.state) {
        let (state, evidence, queue) = (now.state.word(), &now.evidence, now.queue);
        tracing::info!(state, evidence, queue, "state");
    }
    let asked_before = before.and_then(|before| before.prompt.as_ref());
    if let Some(prompt) = &now.prompt
        && asked_before.is_none_or(|asked| asked.fingerprint != prompt.fingerprint)
    {
        let question = prompt.question.split_whitespace().collect::<Vec<_>>();
        let question = cut(&question.join(" "));
        let options = prompt.options.len();
        tracing::info!(question, options, "question");
    }
    let held_before = before.and_then(|before| before.held.as_ref());
    if let Some(held) = &now.held
        && held_before != Some(held)
    {
        tracing::info!(why = held, "tasks are held");
    }
}

/// Whoever calls says who they are, in as many words as they like.
fn cut(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}
