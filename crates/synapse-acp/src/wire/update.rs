//! What an editor is told of a turn (`session/update`).

use serde::Serialize;
use serde_json::Value;

/// One thing that happened in a session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "sessionUpdate", rename_all = "snake_case")]
pub enum Update {
    UserMessageChunk {
        content: PlainText,
    },
    #[serde(rename_all = "camelCase")]
    AgentMessageChunk {
        content: PlainText,
        #[serde(skip_serializing_if = "Option::is_none")]
        message_id: Option<String>,
    },
    AgentThoughtChunk {
        content: PlainText,
    },
    ToolCall(ToolCall),
    ToolCallUpdate(ToolCall),
    #[serde(rename_all = "camelCase")]
    AvailableCommandsUpdate {
        available_commands: Vec<Command>,
    },
    #[serde(rename_all = "camelCase")]
    CurrentModeUpdate {
        current_mode_id: String,
    },
    Notice {
        severity: &'static str,
        title: String,
    },
}

impl Update {
    pub fn said(words: impl Into<String>) -> Self {
        Self::AgentMessageChunk {
            content: text(words),
            message_id: None,
        }
    }

    pub fn thought(words: impl Into<String>) -> Self {
        Self::AgentThoughtChunk {
            content: text(words),
        }
    }
}

/// A content block that is text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlainText {
    #[serde(rename = "type")]
    kind: &'static str,
    pub text: String,
}

pub fn text(words: impl Into<String>) -> PlainText {
    PlainText {
        kind: "text",
        text: words.into(),
    }
}

/// A tool call, or what is news of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    pub tool_call_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<ToolKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ToolStatus>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<ToolCallContent>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_input: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    Read,
    Edit,
    Search,
    Execute,
    Think,
    Fetch,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    Pending,
    InProgress,
    Completed,
    Failed,
}

/// What a tool call shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToolCallContent {
    Content(Content),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Content {
    pub content: PlainText,
}

impl ToolCallContent {
    pub fn text(words: impl Into<String>) -> Self {
        Self::Content(Content {
            content: text(words),
        })
    }
}

/// A file that a tool call is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    pub path: String,
}

/// A command that can be typed as `/name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Command {
    pub name: String,
    pub description: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn updates_are_spelled_as_the_protocol_spells_them() {
        let shape = |update: Update| serde_json::to_value(update).unwrap();
        assert_eq!(
            shape(Update::said("hi")),
            json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "hi" } })
        );
        let call = ToolCall {
            tool_call_id: "1".to_owned(),
            title: Some("Bash `ls`".to_owned()),
            kind: Some(ToolKind::Execute),
            status: Some(ToolStatus::InProgress),
            content: vec![ToolCallContent::text("x")],
            ..ToolCall::default()
        };
        assert_eq!(
            shape(Update::ToolCall(call)),
            json!({
                "sessionUpdate": "tool_call", "toolCallId": "1", "title": "Bash `ls`", "kind": "execute",
                "status": "in_progress",
                "content": [{ "type": "content", "content": { "type": "text", "text": "x" } }],
            })
        );
    }
}
