//! The shapes of ACP 1, as far as they are used here. Fields that nobody here reads are left out; what a client sends
//! beyond them is ignored, as the protocol wants it. Pure.

mod content;
mod update;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use content::{Addressed, ContentBlock, Resource, message_parts};
pub use update::{
    Command, Content, Location, PlainText, ToolCall, ToolCallContent, ToolKind, ToolStatus, Update,
    text,
};

/// The version of the protocol that is spoken here.
pub const VERSION: u16 = 1;

/// What `initialize` brings.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Initialize {
    pub protocol_version: u16,
    pub client_capabilities: ClientCapabilities,
    pub client_info: Option<ClientInfo>,
}

/// Who the editor is.
#[derive(Clone, Debug, Deserialize)]
pub struct ClientInfo {
    pub name: String,
}

/// What the editor can do beyond what it must.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(from = "Capabilities")]
pub struct ClientCapabilities {
    /// It shows a form for a question that wants words.
    pub has_forms: bool,
    /// It shows notices beside the conversation.
    pub has_notices: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Capabilities {
    elicitation: Option<Elicitation>,
    session: Option<SessionCapabilities>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Elicitation {
    form: Option<serde_json::Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SessionCapabilities {
    notices: Option<serde_json::Value>,
}

impl From<Capabilities> for ClientCapabilities {
    fn from(told: Capabilities) -> Self {
        let is_on = |value: serde_json::Value| value != serde_json::Value::Bool(false);
        Self {
            has_forms: told.elicitation.and_then(|e| e.form).is_some_and(is_on),
            has_notices: told.session.and_then(|s| s.notices).is_some_and(is_on),
        }
    }
}

/// What `session/new` brings.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewSession {
    pub cwd: PathBuf,
    #[serde(default)]
    pub mcp_servers: Vec<serde_json::Value>,
}

/// What `session/load` and `session/resume` bring.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OldSession {
    pub session_id: String,
    pub cwd: PathBuf,
}

/// What names a session and nothing else.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OneSession {
    pub session_id: String,
}

/// What `session/list` brings.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ListSessions {
    pub cwd: Option<PathBuf>,
}

/// What `session/set_mode` brings.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetMode {
    pub session_id: String,
    pub mode_id: String,
}

/// What `session/prompt` brings.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    pub session_id: String,
    pub prompt: Vec<ContentBlock>,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    EndTurn,
    Refusal,
    Cancelled,
}

/// One answer that is offered to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionOption {
    pub option_id: String,
    pub name: String,
    pub kind: PermissionKind,
}

/// How far an answer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionKind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
}

/// What the editor answers to `session/request_permission`.
#[derive(Debug, Deserialize)]
pub struct PermissionAnswer {
    pub outcome: Outcome,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    Cancelled,
    Selected {
        #[serde(rename = "optionId")]
        option_id: String,
    },
}

/// What the editor answers to `elicitation/create`.
#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum FormAnswer {
    Accept {
        #[serde(default)]
        content: serde_json::Map<String, serde_json::Value>,
    },
    Decline,
    #[serde(other)]
    Cancel,
}

/// One conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    pub session_id: String,
    pub cwd: PathBuf,
    pub title: String,
    pub updated_at: String,
}

/// What can be talked to in one session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Modes {
    pub current_mode_id: String,
    pub available_modes: Vec<Mode>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mode {
    pub id: String,
    pub name: String,
    pub description: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_client_can_do_is_off_until_it_says_so() {
        let read = |capabilities: serde_json::Value| {
            let hello = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
            let hello: Initialize = serde_json::from_value(hello).unwrap();
            let can = hello.client_capabilities;
            (can.has_forms, can.has_notices)
        };
        assert_eq!(read(json!({})), (false, false));
        let all = json!({ "elicitation": { "form": {} }, "session": { "notices": {} } });
        assert_eq!(read(all), (true, true));
        let null = json!({ "elicitation": null, "session": { "notices": null } });
        assert_eq!(read(null), (false, false));
    }

    #[test]
    fn an_answer_names_an_option_or_none() {
        let read = |outcome| {
            let answer: PermissionAnswer =
                serde_json::from_value(json!({ "outcome": outcome })).unwrap();
            answer.outcome
        };
        assert_eq!(read(json!({ "outcome": "cancelled" })), Outcome::Cancelled);
        let chosen = Outcome::Selected {
            option_id: "2".to_owned(),
        };
        assert_eq!(
            read(json!({ "outcome": "selected", "optionId": "2" })),
            chosen
        );
    }
}
