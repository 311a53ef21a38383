//! The native dialect of an agent's own HTTP, typed for both ends: the agent writes these shapes, and the command line,
//! the hub, MCP and other agents read the same ones.

mod event;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synapse_a2a::act::Act;
use synapse_a2a::artifact::native_part;
use synapse_a2a::error::Failure;
use synapse_a2a::event::{Question, Source, Status, Timestamp};
use synapse_a2a::message::{Message, Role};
use synapse_a2a::step::Step;
use synapse_a2a::task::{Task, TaskState};
use synapse_a2a::usage::Usage;
use synapse_term::prompt::{Prompt, ToolCall};
use utoipa::ToSchema;

pub use event::{ActEvent, ArtifactEvent, MessageEvent, StatusEvent, StepEvent, TaskEvent};

/// An answer that is one task.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct TaskAnswer {
    pub task: TaskShape,
}

/// An answer that is a list of tasks, the newest first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct TasksAnswer {
    pub tasks: Vec<TaskShape>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TaskShape {
    pub id: String,
    pub context_id: String,
    pub status: StatusShape,
    pub message: MessageShape,
    pub sender: String,
    /// From 1 to 5.
    pub priority: u8,
    /// How many agents the question has passed through.
    pub hops: u8,
    /// The agents that the sender worked for, `name@machine`, where it came from another machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
    #[schema(value_type = Vec<Object>)]
    pub artifacts: Vec<Value>,
    /// What the agent did on the way, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub steps: Vec<Step>,
    /// Who answered its questions and who stopped it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub acts: Vec<ActShape>,
    pub created_at: String,
    pub updated_at: String,
    /// The reply, word for word, once it is known.
    pub reply: Option<String>,
    /// How it is known: hook, record, channel, screen, marker or timeout.
    #[schema(value_type = Option<String>)]
    pub source: Option<Source>,
    /// Some of the reply had left the screen before it could be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Why it waits for its turn although the agent is idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
}

impl TaskShape {
    /// A task, and why it is held if it waits for its turn.
    pub fn of(task: &Task, held: Option<String>) -> Self {
        let artifacts = task.artifacts().iter();
        Self {
            id: task.id().as_str().to_owned(),
            context_id: task.context().as_str().to_owned(),
            status: StatusShape::of(task.status(), task.updated_at()),
            message: MessageShape::of(task.message()),
            sender: task.origin().sender.clone(),
            priority: task.origin().priority,
            hops: task.origin().hops,
            via: task.origin().via.clone(),
            artifacts: artifacts.map(|one| one.body.to_native_json()).collect(),
            steps: task.steps().to_vec(),
            acts: task
                .acts()
                .iter()
                .map(|acted| ActShape::of(&acted.act, acted.at))
                .collect(),
            created_at: time(task.created_at()),
            updated_at: time(task.updated_at()),
            reply: task.reply().map(|said| said.text.clone()),
            source: task.reply().map(|said| said.source),
            truncated: task.reply().is_some_and(|said| said.is_truncated),
            held: held.filter(|_| *task.status() == Status::Submitted),
        }
    }

    /// The task as JSON.
    pub fn json(task: &Task) -> Value {
        serde_json::to_value(Self::of(task, None)).unwrap_or_default()
    }
}

/// Somebody answered, or stopped the agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ActShape {
    pub at: String,
    #[serde(flatten)]
    pub act: Act,
}

impl ActShape {
    pub fn of(act: &Act, at: Timestamp) -> Self {
        Self {
            at: time(at),
            act: act.clone(),
        }
    }
}

/// Where a task stands.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct StatusShape {
    /// submitted, working, `input_required`, completed, failed, canceled or rejected.
    #[schema(value_type = String)]
    pub state: TaskState,
    /// The question while it asks; the reason if it was canceled or rejected.
    #[schema(value_type = Object, nullable)]
    pub message: Value,
    /// What went wrong, if it failed.
    #[schema(value_type = Object, nullable)]
    pub error: Option<Failure>,
    pub timestamp: String,
}

impl StatusShape {
    fn of(status: &Status, at: Timestamp) -> Self {
        let (mut message, mut error) = (Value::Null, None);
        match status {
            Status::InputRequired { question } => message = json!(question),
            Status::Failed { failure } => error = Some(failure.clone()),
            Status::Canceled { reason, .. } | Status::Rejected { reason } => {
                message = json!(reason);
            }
            Status::Submitted | Status::Working | Status::Completed => {}
        }
        Self {
            state: status.state(),
            message,
            error,
            timestamp: time(at),
        }
    }

    /// What it asks, if it does.
    pub fn question(&self) -> Option<Question> {
        let is_asking = self.state == TaskState::InputRequired;
        is_asking
            .then(|| serde_json::from_value(self.message.clone()).ok())
            .flatten()
    }

    /// Why it ended without a reply, in words.
    pub fn reason(&self) -> Option<&str> {
        let failure = self.error.as_ref().map(|failure| failure.message.as_str());
        failure.or(self.message.as_str())
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct MessageShape {
    /// user or agent.
    #[schema(value_type = String)]
    pub role: Role,
    #[schema(value_type = Vec<Object>)]
    pub parts: Vec<Value>,
}

impl MessageShape {
    pub fn of(message: &Message) -> Self {
        Self {
            role: message.role,
            parts: message.parts.iter().map(native_part).collect(),
        }
    }
}

/// What came of a task, as `/response` tells it and a callback gets it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ResponseShape {
    pub request_id: String,
    #[schema(value_type = String)]
    pub status: TaskState,
    /// The reply; nothing while it is not known.
    pub response: Option<String>,
}

impl ResponseShape {
    pub fn of(task: &Task) -> Self {
        Self {
            request_id: task.id().as_str().to_owned(),
            status: task.state(),
            response: task.reply().map(|said| said.text.clone()),
        }
    }
}

/// How an agent stands, as `/status` tells it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct StandingShape {
    /// STARTING, BUSY, IDLE, `INPUT_REQUIRED`, STOPPING or EXITED.
    pub status: String,
    /// The same in the word of lists and of the page: starting, working, idle, waiting, stopping or stopped.
    #[serde(default)]
    pub state: String,
    /// Since when, in ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    pub evidence: String,
    /// How many tasks wait.
    pub queue: usize,
    pub prompt: Option<PromptShape>,
    /// The task at hand.
    pub task: Option<String>,
    /// Why tasks wait although it is idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
    /// Who tells of the steps of a turn, hook or record; nobody where the screen is all there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub steps_from: Option<Source>,
    /// What the last turn took that anything is known of; nothing where the program writes nothing down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object, nullable)]
    pub usage: Option<UsageShape>,
}

/// What a turn took of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsageShape {
    pub task: String,
    #[serde(flatten)]
    pub usage: Usage,
}

/// What an agent does, in the word that lists, messages, JSON and the page share, by the word of its `/status`.
pub fn state_word(status: &str) -> &'static str {
    match status {
        "STARTING" => "starting",
        "BUSY" => "working",
        "IDLE" => "idle",
        "INPUT_REQUIRED" => "waiting",
        "STOPPING" => "stopping",
        "EXITED" => "stopped",
        _ => "no answer",
    }
}

impl StandingShape {
    pub fn is_asking(&self) -> bool {
        self.status == "INPUT_REQUIRED"
    }
}

/// What one witness says about the agent.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WitnessShape {
    /// screen, hook, record, hooks, transcript or contradictions.
    pub witness: String,
    pub says: String,
}

/// What `/status` answers.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct StatusAnswer {
    #[serde(flatten)]
    pub standing: StandingShape,
    /// What each witness says: the screen, the program's hooks, its transcript.
    pub witnesses: Vec<WitnessShape>,
    /// The last 2,000 characters of the screen.
    pub context: String,
    /// Why tasks cannot be kept on disk, while they cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// A question on the agent's screen.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PromptShape {
    /// confirmation, selection, permission, text, password or unknown.
    #[schema(value_type = String)]
    pub kind: Value,
    pub question: String,
    /// What the dialog says beside it: the command or file it is about. Empty where it says nothing.
    pub detail: String,
    /// What would be done, where the program tells: `tool`, `input`, `cwd`, `is_complete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object, nullable)]
    pub call: Option<ToolCall>,
    pub options: Vec<OptionShape>,
    /// The one under the cursor, from 0.
    pub selected: Option<usize>,
    pub default: Option<String>,
    /// What an answer carries to be sure it answers this question.
    pub fingerprint: String,
}

/// One answer that a question offers.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct OptionShape {
    pub label: String,
    /// The key that picks it.
    #[schema(value_type = Object, nullable)]
    pub key: Value,
}

impl PromptShape {
    pub fn of(prompt: &Prompt) -> Self {
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
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReceiptShape {
    /// The key that was pressed, if any.
    pub sent: Option<String>,
    pub was: String,
    pub now: String,
    /// Nothing runs and nothing is asked: it was seen.
    #[serde(default)]
    pub confirmed: bool,
}

/// A time as it goes over the wire.
pub fn time(at: Timestamp) -> String {
    let millis = i64::try_from(at.0).unwrap_or_default();
    jiff::Timestamp::from_millisecond(millis)
        .unwrap_or_default()
        .to_string()
}
