//! What goes over the wire between the hub and the page. `docs/hub-api.md` is its manual; the page's
//! TypeScript is made from these types.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use synapse_term::prompt::ToolCall;
use utoipa::ToSchema;

use super::usage::TurnUsage;

/// What an agent does, in the words of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Starting,
    Working,
    Waiting,
    /// A stop was sent and is not confirmed yet, or the host is going.
    Stopping,
    Idle,
    /// The host does not answer.
    Failed,
    Stopped,
    /// Its machine is not in the mesh at the moment.
    Away,
}

impl Status {
    /// From the word of an agent's `/status`.
    pub(super) fn from_word(word: &str) -> Self {
        match word {
            "IDLE" => Self::Idle,
            "BUSY" => Self::Working,
            "INPUT_REQUIRED" => Self::Waiting,
            "STOPPING" => Self::Stopping,
            "EXITED" => Self::Stopped,
            _ => Self::Starting,
        }
    }
}

/// One running agent.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Agent {
    pub(super) id: String,
    pub(super) handle: String,
    pub(super) profile: String,
    pub(super) dir: String,
    /// The other machine of the mesh that it is on.
    pub(super) machine: Option<String>,
    /// When that machine was last seen, if it is away.
    pub(super) seen: Option<String>,
    /// The worktree, or plain folder, it works in.
    pub(super) worktree: String,
    pub(super) branch: Option<String>,
    /// The folder of the repository that worktree belongs to.
    pub(super) repository: Option<String>,
    pub(super) pid: u32,
    pub(super) port: u16,
    pub(super) version: String,
    /// Whether it has a terminal; one that is reached by ACP has none.
    pub(super) has_terminal: bool,
    pub(super) started_at: Option<String>,
    pub(super) status: Status,
    pub(super) since: String,
    pub(super) evidence: String,
    pub(super) queue: u32,
    /// Why tasks wait although it is idle.
    pub(super) held: Option<String>,
    /// Who tells of the steps of a turn, `hook`, `acp` or `record`; nobody where the screen is all there is.
    pub(super) steps_from: Option<String>,
    pub(super) prompt: Option<Prompt>,
    pub(super) task: Option<TaskLine>,
    /// What the last turn took that anything is known of.
    pub(super) usage: Option<TurnUsage>,
}

/// An agent that is not running any more, and whose tasks are kept.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Former {
    /// The agent's id and its name, since agents of several names may have had one id.
    pub(super) id: String,
    #[serde(skip)]
    #[cfg_attr(test, ts(skip))]
    pub(super) agent: String,
    pub(super) handle: String,
    pub(super) profile: String,
    pub(super) dir: String,
    /// How many of its tasks are kept.
    pub(super) tasks: u32,
    /// When something last happened to one of them.
    pub(super) last_at: String,
    /// Of what its last run died, if it did.
    pub(super) died: Option<String>,
}

/// A question an agent asks.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Prompt {
    /// One opening of the question: the same one asked again has another.
    pub(super) id: String,
    #[serde(flatten)]
    pub(super) asked: Asked,
    pub(super) since: String,
}

/// A question, as the agent tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Asked {
    pub(super) fingerprint: String,
    #[cfg_attr(
        test,
        ts(
            type = "\"confirmation\" | \"selection\" | \"permission\" | \"text\" | \"password\" | \"unknown\""
        )
    )]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) question: String,
    /// What the dialog says beside the question: the command or file it is about.
    #[serde(default)]
    pub(super) detail: String,
    /// What would be done, where that is known by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object, nullable)]
    #[cfg_attr(
        test,
        ts(
            optional,
            type = "{ tool: string, input: string, cwd?: string, is_complete: boolean }"
        )
    )]
    pub(super) call: Option<ToolCall>,
    #[serde(default)]
    pub(super) options: Vec<Choice>,
    #[serde(default)]
    pub(super) selected: Option<u32>,
    #[serde(default)]
    #[cfg_attr(test, ts(type = "string | number | null"))]
    pub(super) default: Value,
}

/// One of the answers on offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Choice {
    pub(super) label: String,
    #[serde(default)]
    pub(super) key: String,
}

/// A task in one line.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct TaskLine {
    pub(super) id: String,
    pub(super) agent: String,
    /// Who was asked: `@codex`.
    pub(super) to: String,
    /// Who asked: `@claude`, or `user`.
    pub(super) from: String,
    pub(super) priority: u8,
    #[cfg_attr(
        test,
        ts(
            type = "\"submitted\" | \"working\" | \"input_required\" | \"completed\" | \"failed\" | \"canceled\" | \"rejected\""
        )
    )]
    pub(super) state: String,
    pub(super) text: String,
    pub(super) at: String,
    pub(super) updated_at: String,
}

/// Who talks to whom, and how much.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Edge {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) count: u32,
    /// Those that are not over.
    pub(super) live: u32,
    pub(super) last_at: String,
    pub(super) last_task: String,
}

/// Who takes part in the mesh.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Node {
    /// `@codex`, or the name of a person.
    pub(super) id: String,
    pub(super) kind: NodeKind,
    pub(super) handle: String,
    pub(super) agent: Option<String>,
    pub(super) profile: Option<String>,
    pub(super) status: Option<Status>,
    #[cfg_attr(test, ts(type = "unknown"))]
    pub(super) card: Value,
}

/// What kind of participant it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub(super) enum NodeKind {
    Agent,
    Person,
    External,
}

/// What became of a stop.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Receipt {
    /// The key that was pressed; nothing where nothing was running.
    pub(super) sent: Option<String>,
    pub(super) was: Status,
    pub(super) now: Status,
    /// Nothing runs there any more.
    pub(super) confirmed: bool,
}

/// Who is asking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Session {
    /// Nothing for a bearer token.
    pub(super) device: Option<String>,
    pub(super) name: String,
    pub(super) read_only: bool,
}

/// A browser that was let in.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Device {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) read_only: bool,
    pub(super) created_at: String,
    pub(super) last_seen_at: String,
    /// Where it was last seen; `proxy` where one is between.
    pub(super) address: Option<String>,
    /// The one that asks.
    pub(super) current: bool,
}
