//! The answers of the native dialect.

use serde::Serialize;
use serde_json::{Value, json};
use synapse_a2a::artifact::native_part;
use synapse_a2a::event::{Status, Timestamp};
use synapse_a2a::message::{Message, Role};
use synapse_term::prompt::{Prompt, ToolCall};
use synapse_term::reading::State;
use utoipa::ToSchema;

use crate::session::{Receipt, Record, Standing};

/// An answer that is a task.
#[derive(Serialize, ToSchema)]
pub(super) struct TaskAnswer {
    task: TaskShape,
}

/// An answer that is many.
#[derive(Serialize, ToSchema)]
pub(super) struct TasksAnswer {
    /// The newest first.
    pub(super) tasks: Vec<TaskShape>,
}

/// A task in the native dialect.
#[derive(Serialize, ToSchema)]
pub(super) struct TaskShape {
    id: String,
    context_id: String,
    status: StatusShape,
    message: MessageShape,
    sender: String,
    /// From 1 to 5.
    priority: u8,
    /// How many agents the question has passed through.
    hops: u8,
    #[schema(value_type = Vec<Object>)]
    artifacts: Vec<Value>,
    created_at: String,
    updated_at: String,
    /// The reply, word for word, once it is known.
    reply: Option<String>,
    /// How it is known: hook, record, channel, screen, marker or timeout.
    source: Option<&'static str>,
    /// Some of the reply had left the screen before it could be read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Why it waits for its turn although the agent is idle.
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<String>,
}

impl TaskAnswer {
    pub(super) fn of(record: &Record, standing: Option<&Standing>) -> Self {
        Self {
            task: TaskShape::of(record, standing),
        }
    }
}

impl TaskShape {
    pub(super) fn of(record: &Record, standing: Option<&Standing>) -> Self {
        let task = &record.task;
        let artifacts = task.artifacts().iter();
        Self {
            id: task.id().as_str().to_owned(),
            context_id: task.context().as_str().to_owned(),
            status: StatusShape::of(task.status(), task.updated_at()),
            message: MessageShape::of(task.message()),
            sender: task.origin().sender.clone(),
            priority: task.origin().priority,
            hops: task.origin().hops,
            artifacts: artifacts.map(|one| one.body.to_native_json()).collect(),
            created_at: time(task.created_at()),
            updated_at: time(task.updated_at()),
            reply: task.reply().map(|said| said.text.clone()),
            source: task.reply().map(|said| said.source.name()),
            truncated: task.reply().is_some_and(|said| said.is_truncated),
            held: standing
                .and_then(|standing| standing.held.clone())
                .filter(|_| *task.status() == Status::Submitted),
        }
    }
}

/// Where a task stands.
#[derive(Serialize, ToSchema)]
pub(super) struct StatusShape {
    /// submitted, working, `input_required`, completed, failed, canceled or rejected.
    state: &'static str,
    /// The question while it asks; the reason if it was canceled or rejected.
    #[schema(value_type = Object, nullable)]
    message: Value,
    /// What went wrong, if it failed.
    #[schema(value_type = Object, nullable)]
    error: Value,
    timestamp: String,
}

impl StatusShape {
    fn of(status: &Status, at: Timestamp) -> Self {
        let (mut message, mut error) = (Value::Null, Value::Null);
        match status {
            Status::InputRequired { question } => message = json!(question),
            Status::Failed { failure } => error = json!(failure),
            Status::Canceled { reason } | Status::Rejected { reason } => message = json!(reason),
            Status::Submitted | Status::Working | Status::Completed => {}
        }
        Self {
            state: status.state().name(),
            message,
            error,
            timestamp: time(at),
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(super) struct MessageShape {
    /// user or agent.
    role: &'static str,
    #[schema(value_type = Vec<Object>)]
    parts: Vec<Value>,
}

impl MessageShape {
    pub(super) fn of(message: &Message) -> Self {
        let role = match message.role {
            Role::User => "user",
            Role::Agent => "agent",
        };
        let parts = message.parts.iter().map(native_part).collect();
        Self { role, parts }
    }
}

/// What came of a task, as `/response` tells it and a callback gets it.
#[derive(Serialize, ToSchema)]
pub(super) struct ResponseShape {
    request_id: String,
    status: &'static str,
    /// The reply; nothing while it is not known.
    response: Option<String>,
}

impl ResponseShape {
    pub(super) fn of(record: &Record) -> Self {
        let task = &record.task;
        Self {
            request_id: task.id().as_str().to_owned(),
            status: task.state().name(),
            response: task.reply().map(|said| said.text.clone()),
        }
    }
}

/// How an agent stands, as `/status` tells it.
#[derive(Serialize, ToSchema)]
pub(super) struct StandingShape {
    /// STARTING, BUSY, IDLE, `INPUT_REQUIRED`, STOPPING or EXITED.
    status: &'static str,
    evidence: String,
    /// How many tasks wait.
    queue: usize,
    prompt: Option<PromptShape>,
    /// The task at hand.
    task: Option<String>,
    /// Why tasks wait although it is idle.
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<String>,
}

impl StandingShape {
    pub(super) fn of(standing: &Standing) -> Self {
        Self {
            status: state(standing.state),
            evidence: standing.evidence.clone(),
            queue: standing.queue,
            prompt: standing.prompt.as_ref().map(PromptShape::of),
            task: standing.task.as_ref().map(ToString::to_string),
            held: standing.held.clone(),
        }
    }
}

impl StandingShape {
    /// An agent that is going away asks nothing and takes nothing.
    pub(super) fn stopping(standing: &Standing) -> Self {
        Self {
            status: "STOPPING",
            evidence: standing.evidence.clone(),
            queue: 0,
            prompt: None,
            task: None,
            held: None,
        }
    }
}

/// What one witness says about the agent.
#[derive(Serialize, ToSchema)]
pub(super) struct WitnessShape {
    /// screen, hook, record, hooks, transcript or contradictions.
    witness: String,
    says: String,
}

impl WitnessShape {
    pub(super) fn of((witness, says): &(String, String)) -> Self {
        Self {
            witness: witness.clone(),
            says: says.clone(),
        }
    }
}

#[derive(Serialize, ToSchema)]
struct PromptShape {
    /// confirmation, selection, permission, text, password or unknown.
    #[schema(value_type = String)]
    kind: Value,
    question: String,
    /// What the dialog says beside it: the command or file it is about. Empty where it says nothing.
    detail: String,
    /// What would be done, where the program tells: `tool`, `input`, `cwd`, `is_complete`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object, nullable)]
    call: Option<ToolCall>,
    options: Vec<OptionShape>,
    /// The one under the cursor, from 0.
    selected: Option<usize>,
    default: Option<String>,
    /// What an answer carries to be sure it answers this question.
    fingerprint: String,
}

/// One answer a question offers.
#[derive(Serialize, ToSchema)]
struct OptionShape {
    label: String,
    /// The key that picks it.
    #[schema(value_type = Object, nullable)]
    key: Value,
}

impl PromptShape {
    fn of(prompt: &Prompt) -> Self {
        let options = prompt.options.iter().map(|option| OptionShape {
            label: option.label.clone(),
            key: json!(option.key),
        });
        Self {
            kind: json!(prompt.kind),
            question: prompt.question.clone(),
            detail: prompt.detail.clone(),
            call: prompt.call.clone(),
            options: options.collect(),
            selected: prompt.selected,
            default: prompt.default.clone(),
            fingerprint: prompt.fingerprint.to_string(),
        }
    }
}

/// What became of an interrupt.
#[derive(Serialize, ToSchema)]
pub(super) struct ReceiptShape {
    /// The key that was pressed, if any.
    sent: Option<String>,
    was: &'static str,
    now: &'static str,
}

impl ReceiptShape {
    pub(super) fn of(receipt: Receipt) -> Self {
        Self {
            sent: receipt.sent,
            was: state(receipt.was),
            now: state(receipt.now),
        }
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

/// A time as it goes over the wire.
pub(super) fn time(at: Timestamp) -> String {
    let millis = i64::try_from(at.0).unwrap_or_default();
    jiff::Timestamp::from_millisecond(millis)
        .unwrap_or_default()
        .to_string()
}
