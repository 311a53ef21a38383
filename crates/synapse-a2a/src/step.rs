//! What an agent did on the way to its reply: one tool call or thought each, as its hooks or its own record tell. A step
//! is told when it begins and again when more is known of it; the last telling counts. Sizes are bounded here, so that
//! nobody who keeps steps has to.

use serde::{Deserialize, Serialize};
use serde_json::Value;

mod edit;
mod subject;

pub use edit::Edit;

/// Steps a task keeps; what comes after them is not told.
pub const MOST_STEPS: usize = 500;

/// Characters that are kept of the name of a call.
const ID: usize = 100;

/// Characters that are kept of what a tool was called with.
const SUBJECT: usize = 300;

/// Bytes that are kept of a thought.
const THOUGHT: usize = 4 << 10;

/// One tool call, or one thought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The program's name for the call; unique within the task.
    pub id: String,
    pub kind: StepKind,
    /// The tool as the program calls it; empty for a thought.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// What it was used on: a command, a path, a pattern, an address.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    pub state: StepState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<Edit>,
    /// The words of a thought.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// What sort of thing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    Command,
    Edit,
    Read,
    Search,
    Fetch,
    /// Another agent was put to work.
    Agent,
    Thought,
    Tool,
}

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    Running,
    Ok,
    Failed,
    /// The user, or a rule, did not allow it.
    Refused,
    /// The turn ended, and nobody told how the step did.
    Unknown,
}

impl Step {
    /// A tool that was just called.
    pub fn call(id: impl Into<String>, tool: &str, input: &Value) -> Self {
        let kind = subject::kind_of(tool, input);
        let edit = (kind == StepKind::Edit).then(|| Edit::planned(input));
        let edit = edit.flatten();
        let subject = match &edit {
            Some(edit) => edit.path.clone(),
            None => subject::of(input),
        };
        Self {
            id: id.into(),
            kind,
            tool: beginning(tool, SUBJECT),
            subject: beginning(&subject, SUBJECT),
            state: StepState::Running,
            duration_ms: None,
            edit,
            text: String::new(),
        }
    }

    /// Something the model thought.
    pub fn thought(id: impl Into<String>, text: &str) -> Self {
        Self {
            id: id.into(),
            kind: StepKind::Thought,
            tool: String::new(),
            subject: String::new(),
            state: StepState::Ok,
            duration_ms: None,
            edit: None,
            text: cut(text.trim(), THOUGHT),
        }
    }

    /// A step that somebody else has put together, in the sizes that are kept.
    #[must_use]
    pub fn bounded(self) -> Self {
        Self {
            id: beginning(&self.id, ID),
            tool: beginning(&self.tool, SUBJECT),
            subject: beginning(&self.subject, SUBJECT),
            edit: self.edit.map(Edit::bounded),
            text: cut(self.text.trim(), THOUGHT),
            ..self
        }
    }

    /// The step in one line: ``Bash `touch a.txt` ``, `Edit src/cart.py`.
    pub fn title(&self) -> String {
        match self.kind {
            StepKind::Thought => beginning(self.text.lines().next().unwrap_or_default(), SUBJECT),
            _ if self.subject.is_empty() => self.tool.clone(),
            StepKind::Command => format!("{} `{}`", self.tool, self.subject),
            _ => format!("{} {}", self.tool, self.subject),
        }
    }

    /// The step with what another telling of it adds. Witnesses overtake each other: what has ended does not run again,
    /// and what one of them knows stays known.
    #[must_use]
    pub fn with(&self, told: &Self) -> Self {
        let is_new = told.state != StepState::Running
            && (self.state == StepState::Running || told.state != StepState::Unknown);
        let knows_more = |edit: &&Edit| edit.diff.is_some();
        let edits = [told.edit.as_ref(), self.edit.as_ref()];
        let best = edits.into_iter().flatten().find(knows_more);
        Self {
            state: if is_new { told.state } else { self.state },
            // The first to tell how long it took is the hook, which knows it without the wait for a permission.
            duration_ms: self.duration_ms.or(told.duration_ms),
            edit: best.or(told.edit.as_ref()).or(self.edit.as_ref()).cloned(),
            ..self.clone()
        }
    }

    /// About how many bytes it takes when it is written.
    pub fn weight(&self) -> usize {
        let edit = self.edit.as_ref().map_or(0, Edit::weight);
        self.id.len() + self.tool.len() + self.subject.len() + self.text.len() + edit
    }
}

/// The first characters of a text, on one line.
fn beginning(text: &str, most: usize) -> String {
    let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = line.char_indices().nth(most) {
        line.truncate(at);
        line.push('…');
    }
    line
}

/// The first bytes of a text, in whole characters.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most);
    format!("{}…", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_title_names_the_tool_and_what_it_was_used_on() {
        let title = |tool: &str, input: Value| Step::call("1", tool, &input).title();
        assert_eq!(
            title(
                "Bash",
                json!({"command": "touch a.txt\n", "description": "x"})
            ),
            "Bash `touch a.txt`"
        );
        assert_eq!(
            title("exec_command", json!({"cmd": "ls"})),
            "exec_command `ls`"
        );
        assert_eq!(
            title("shell", json!({"command": ["bash", "-lc", "ls"]})),
            "shell `bash -lc ls`"
        );
        assert_eq!(
            title("Read", json!({"file_path": "/w/a.rs"})),
            "Read /w/a.rs"
        );
        assert_eq!(
            title("Grep", json!({"pattern": "fn main", "path": "src"})),
            "Grep fn main"
        );
        assert_eq!(title("TodoWrite", json!({"todos": [1]})), "TodoWrite");
        let long = title("Bash", json!({"command": "x".repeat(5_000)}));
        assert!(long.chars().count() < 320, "{}", long.len());
    }

    #[test]
    fn what_a_call_is_about_decides_its_kind() {
        let kind = |tool: &str, input: Value| Step::call("1", tool, &input).kind;
        assert_eq!(
            kind("run_shell_command", json!({"command": "ls"})),
            StepKind::Command
        );
        assert_eq!(
            kind("run_commands", json!({"commands": ["ls"]})),
            StepKind::Command
        );
        assert_eq!(
            kind(
                "str_replace",
                json!({"path": "a", "old_str": "x", "new_str": "y"})
            ),
            StepKind::Edit
        );
        assert_eq!(
            kind("read_many_files", json!({"paths": ["a"]})),
            StepKind::Read
        );
        assert_eq!(kind("glob", json!({"pattern": "*.rs"})), StepKind::Search);
        assert_eq!(
            kind("WebFetch", json!({"url": "https://a.b"})),
            StepKind::Fetch
        );
        assert_eq!(
            kind("Task", json!({"subagent_type": "x", "prompt": "y"})),
            StepKind::Agent
        );
        assert_eq!(kind("mcp__x__y", json!({})), StepKind::Tool);
    }

    #[test]
    fn a_step_that_has_ended_does_not_run_again_and_loses_nothing() {
        let begun = Step::call("1", "Bash", &json!({"command": "ls"}));
        let ended = Step {
            state: StepState::Failed,
            duration_ms: Some(30),
            ..begun.clone()
        };
        assert_eq!(begun.with(&ended), ended);
        assert_eq!(ended.with(&begun), ended);
        let unknown = Step {
            state: StepState::Unknown,
            ..begun.clone()
        };
        assert_eq!(ended.with(&unknown), ended);
        assert_eq!(unknown.with(&ended).state, StepState::Failed);
        let later = Step {
            duration_ms: Some(4_000),
            ..ended.clone()
        };
        assert_eq!(ended.with(&later).duration_ms, Some(30));
    }

    #[test]
    fn what_others_put_together_is_cut_to_size() {
        let step = Step {
            id: "i".repeat(1_000),
            subject: "s".repeat(9_000),
            text: "t".repeat(90_000),
            edit: Some(Edit {
                path: "p".repeat(9_000),
                diff: Some("d".repeat(90_000)),
                ..Edit::default()
            }),
            ..Step::call("1", "Bash", &json!({}))
        };
        assert!(step.bounded().weight() < 30_000);
    }

    #[test]
    fn a_thought_is_cut_between_characters() {
        let step = Step::thought("t", &"日".repeat(3_000));
        assert!(step.text.len() <= THOUGHT + 4 && step.text.ends_with('…'));
    }
}
