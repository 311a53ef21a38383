//! The conversation of gptme: one JSON object per line. What a tool gave is a message of the system's. Times have no
//! zone, so a line is as old as the file was when it was read.

use serde_json::Value;

use super::log::Entry;
use super::{Asked, text};

/// What stands before the folder in a message of the system's.
const FOLDER: &str = "**Working Directory:** ";

/// gptme runs the tools of a message one after the other.
const TOOL: &str = "tool";

pub(super) fn entries(line: &Value) -> Vec<Entry> {
    let content = text(line, "/content").unwrap_or_default();
    match text(line, "/role") {
        Some("user") => vec![Entry::Asked(Asked {
            text: content.to_owned(),
            at: None,
        })],
        Some("assistant") => vec![Entry::Said {
            text: content.to_owned(),
            calls: calls_tool(content)
                .then(|| TOOL.to_owned())
                .into_iter()
                .collect(),
        }],
        Some("system") if line.get("hide").is_none() => vec![Entry::Result(TOOL.to_owned())],
        Some("system") => {
            let folder = content.lines().find_map(|line| line.strip_prefix(FOLDER));
            let folder = folder.map(|folder| Entry::Folder(folder.trim().to_owned()));
            folder.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a message calls a tool: `@shell(call_1): {…}` on a line of its own.
fn calls_tool(content: &str) -> bool {
    content.lines().any(|line| {
        let name = line.strip_prefix('@').and_then(|line| line.split_once('('));
        name.is_some_and(|(name, rest)| {
            name.chars().all(|c| c.is_alphanumeric() || c == '_') && rest.contains("): ")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Verdict, turn_of};

    #[test]
    fn what_is_said_after_the_tool_is_the_reply() {
        let text = r###"{"role":"system","content":"## System\n\n**Working Directory:** /w","hide":true}
{"role":"user","content":"a","timestamp":"2026-11-16T10:01:42.751745"}
{"role":"assistant","content":"looking\n\n@shell(call_1): {\"command\": \"ls\"}"}
{"role":"system","content":"Ran command: `ls`"}
{"role":"assistant","content":"done"}"###;
        let turn = |lines: usize| {
            let text: Vec<&str> = text.lines().take(lines).collect();
            turn_of(Kind::Gptme, &text.join("\n"), "a").unwrap()
        };
        assert!(turn(3).has_open_tool);
        assert_eq!(turn(4).verdict, None);
        assert_eq!(turn(5).verdict, Some(Verdict::Replied("done".to_owned())));
    }
}
