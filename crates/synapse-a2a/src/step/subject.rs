//! What a tool call is about, from the names that the programs give their tools and arguments.

use serde_json::Value;

use super::StepKind;

/// The arguments that say what a call is about, the most telling first.
const NAMED: [&str; 19] = [
    "command",
    "cmd",
    "commands",
    "file_path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "path",
    "paths",
    "file",
    "files",
    "dir_path",
    "description",
    "prompt",
    "skill",
    "name",
];

/// Words in the name of a tool, and what they make of it. The first that is found counts.
const WORDS: [(&[&str], StepKind); 6] = [
    (&["subagent", "task", "agent", "delegate"], StepKind::Agent),
    (
        &[
            "edit",
            "write",
            "replace",
            "patch",
            "create_file",
            "insert",
            "save",
        ],
        StepKind::Edit,
    ),
    (
        &["bash", "shell", "command", "exec", "terminal", "run_"],
        StepKind::Command,
    ),
    (&["fetch", "web", "http", "browse"], StepKind::Fetch),
    (
        &["grep", "glob", "search", "find", "list", "tree"],
        StepKind::Search,
    ),
    (&["read", "view", "open", "cat"], StepKind::Read),
];

pub(super) fn kind_of(tool: &str, input: &Value) -> StepKind {
    let has = |name: &str| input.get(name).is_some();
    // Lists of things to do are written too, but no file is.
    let tool = tool.to_lowercase();
    if tool.contains("todo") || tool.contains("plan") {
        return StepKind::Tool;
    }
    if has("old_string") || has("old_str") || has("oldString") {
        return StepKind::Edit;
    }
    let word = WORDS
        .iter()
        .find(|(words, _)| words.iter().any(|word| tool.contains(word)));
    word.map_or(StepKind::Tool, |(_, kind)| *kind)
}

pub(super) fn of(input: &Value) -> String {
    let found = NAMED
        .iter()
        .find_map(|name| input.get(*name).and_then(words));
    found
        .or_else(|| input.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// A text, or a list of texts.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(texts) => {
            let texts: Option<Vec<&str>> = texts.iter().map(Value::as_str).collect();
            texts
                .filter(|texts| !texts.is_empty())
                .map(|texts| texts.join(" "))
        }
        _ => None,
    }
}
