//! What a program says through a hook: one JSON object. Claude Code and Codex use the same names.

use std::path::PathBuf;

use serde_json::Value;
use synapse_a2a::step::{Edit, Step, StepState};
use synapse_term::prompt::ToolCall;

/// One thing that a program said.
#[derive(Clone, Debug, PartialEq)]
pub struct HookEvent {
    /// The conversation it belongs to.
    pub session: String,
    /// The file in which the program keeps that conversation.
    pub transcript: Option<PathBuf>,
    /// The program's name for the turn.
    pub turn: Option<String>,
    /// It comes from a subagent, which has turns of its own.
    pub is_aside: bool,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A conversation begins, or goes on under another name.
    SessionStart,
    /// A message was taken.
    Prompt(String),
    /// A tool is about to be used.
    ToolBegins(ToolUse),
    /// A tool was used.
    ToolEnds(ToolUse, ToolEnd),
    /// More of the reply, word for word. Only a protocol tells it before the end.
    Said(String),
    /// A step, or what is news of one, as a protocol tells it.
    Step(Box<Step>),
    /// The program asks whether it may use a tool.
    Permission(Box<Permission>),
    /// The turn is over; with the reply, word for word.
    Over(Option<String>),
    /// The turn failed; with the program's own words.
    Failed(String),
    /// The user stopped the turn.
    Interrupted,
    /// The conversation is over.
    SessionEnd,
    /// Something that says nothing about a turn.
    Other,
}

impl What {
    /// As it stands in the log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SessionStart => "session start",
            Self::Prompt(_) => "prompt taken",
            Self::ToolBegins(_) => "tool begins",
            Self::ToolEnds(..) => "tool ends",
            Self::Said(_) => "text",
            Self::Step(_) => "step",
            Self::Permission(_) => "permission request",
            Self::Over(_) => "turn over",
            Self::Failed(_) => "turn failed",
            Self::Interrupted => "interrupted",
            Self::SessionEnd => "session end",
            Self::Other => "other",
        }
    }
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse {
    /// The name of the call.
    pub id: String,
    pub tool: String,
    /// What it was called with.
    pub input: Value,
}

/// How a call of a tool ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolEnd {
    pub state: StepState,
    pub duration_ms: Option<u64>,
    /// What it changed in a file, if it says so.
    pub edit: Option<Edit>,
}

impl ToolUse {
    /// The call as a step of the turn, and how it ended once it has.
    pub fn step(&self, end: Option<&ToolEnd>) -> Step {
        let step = Step::call(self.id.as_str(), &self.tool, &self.input);
        match end {
            None => step,
            Some(end) => step.with(&Step {
                state: end.state,
                duration_ms: end.duration_ms,
                edit: end.edit.clone(),
                ..step.clone()
            }),
        }
    }
}

/// A tool call that waits for a permission, or a question in the shape of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Permission {
    pub tool: String,
    /// What it was called with.
    pub input: Value,
    /// Where the program works.
    pub cwd: Option<String>,
    /// The question in the program's own words, where it has some.
    pub question: Option<String>,
    /// None of the options refuses: it is a choice and no permission.
    pub is_choice: bool,
    /// The options that can be chosen, where the program names them; else it is yes or no.
    pub options: Vec<String>,
    /// The name of the call, where a step is told of it.
    pub call_id: Option<String>,
}

impl HookEvent {
    /// What stands in a payload, if it is one.
    pub fn parse(payload: &[u8]) -> Option<Self> {
        let payload: Value = serde_json::from_slice(payload).ok()?;
        let text = |name: &str| payload.get(name).and_then(Value::as_str);
        let owned = |name: &str| text(name).map(str::to_owned);
        let session = owned("session_id")?;
        let said = || owned("last_assistant_message");
        let input = || payload.get("tool_input").cloned().unwrap_or_default();
        let tool = || ToolUse {
            id: owned("tool_use_id").unwrap_or_default(),
            tool: owned("tool_name").unwrap_or_default(),
            input: input(),
        };
        let ended = |state| {
            let response = payload.get("tool_response");
            let end = ToolEnd {
                state,
                duration_ms: payload.get("duration_ms").and_then(Value::as_u64),
                edit: response.and_then(Edit::of_claude),
            };
            What::ToolEnds(tool(), end)
        };
        let what = match text("hook_event_name")? {
            "SessionStart" => What::SessionStart,
            "UserPromptSubmit" => What::Prompt(owned("prompt")?),
            "PreToolUse" => What::ToolBegins(tool()),
            "PostToolUse" => ended(StepState::Ok),
            "PostToolUseFailure" => ended(StepState::Failed),
            "PermissionDenied" => ended(StepState::Refused),
            "PermissionRequest" => What::Permission(Box::new(Permission {
                tool: owned("tool_name")?,
                input: input(),
                cwd: owned("cwd"),
                question: None,
                is_choice: false,
                options: Vec::new(),
                call_id: None,
            })),
            "Stop" => What::Over(said()),
            "StopFailure" => {
                let error = || payload.get("error").map(ToString::to_string);
                What::Failed(said().or_else(error).unwrap_or_default())
            }
            "Interrupt" => What::Interrupted,
            "SessionEnd" => What::SessionEnd,
            _ => What::Other,
        };
        Some(Self {
            session,
            transcript: owned("transcript_path").map(PathBuf::from),
            turn: owned("prompt_id").or_else(|| owned("turn_id")),
            is_aside: text("agent_id").is_some_and(|id| !id.is_empty()),
            what,
        })
    }
}

impl Permission {
    /// The tool whose "permission" is a question to the user.
    pub const QUESTION_TOOL: &str = "AskUserQuestion";

    /// What the program wants to do, in full.
    pub fn call(&self) -> ToolCall {
        let text = |name: &str| self.input.get(name).and_then(Value::as_str);
        let named = [
            "command",
            "file_path",
            "path",
            "url",
            "notebook_path",
            "pattern",
        ];
        let input = named.into_iter().find_map(text).map(str::to_owned);
        let input = input.or_else(|| {
            // Codex gives a command as a list of words.
            let words = self.input.get("command")?.as_array()?;
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            Some(words?.join(" "))
        });
        ToolCall {
            tool: self.tool.clone(),
            is_complete: true,
            input: input.unwrap_or_else(|| self.input.to_string()),
            cwd: self.cwd.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_read_by_its_names() {
        let stop = br#"{"session_id":"s","transcript_path":"/t.jsonl","prompt_id":"p","hook_event_name":"Stop","last_assistant_message":"done"}"#;
        let event = HookEvent::parse(stop).unwrap();
        assert_eq!(event.what, What::Over(Some("done".to_owned())));
        assert_eq!(
            (event.session.as_str(), event.turn.as_deref()),
            ("s", Some("p"))
        );
        let unknown = br#"{"session_id":"s","hook_event_name":"NewInNextYear"}"#;
        assert_eq!(HookEvent::parse(unknown).unwrap().what, What::Other);
        for broken in ["", "{", "[]", "{\"hook_event_name\":\"Stop\"}"] {
            assert_eq!(HookEvent::parse(broken.as_bytes()), None, "{broken}");
        }
    }

    #[test]
    fn a_permission_names_the_whole_command() {
        let asked = br#"{"session_id":"s","cwd":"/w","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"cargo test\nrm -rf ~","description":"Run cargo test"}}"#;
        let What::Permission(permission) = HookEvent::parse(asked).unwrap().what else {
            panic!("it is a permission request");
        };
        let call = permission.call();
        assert_eq!(
            (call.tool.as_str(), call.input.as_str()),
            ("Bash", "cargo test\nrm -rf ~")
        );
        assert!(call.is_complete && call.cwd.as_deref() == Some("/w"));
    }
}
