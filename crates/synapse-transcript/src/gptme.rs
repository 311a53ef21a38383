//! The conversation of gptme: one JSON object per line. What a tool gave is a message of the system's. Times have no
//! zone, so a line is as old as the file was when it was read.

use serde_json::Value;

use super::log::Entry;
use super::steps::{Call, Outcome};
use super::{Asked, text};

/// What stands before the folder in a message of the system's.
const FOLDER: &str = "**Working Directory:** ";

/// What stands behind an answer that the user stopped.
const STOPPED: &str = "... ^C Interrupted";

/// What stands before the reason in a message of the system's, where the model could not be asked.
const FAILED: &str = "LLM request failed: ";

/// gptme runs the tools of a message one after the other.
const TOOL: &str = "tool";

pub(super) fn entries(line: &Value) -> Vec<Entry> {
    let content = text(line, "/content").unwrap_or_default();
    match text(line, "/role") {
        Some("user") => vec![Entry::Asked(Asked {
            text: content.to_owned(),
            at: None,
        })],
        Some("assistant") if content.ends_with(STOPPED) => vec![
            Entry::Said {
                text: content.trim_end_matches(STOPPED).to_owned(),
                calls: Vec::new(),
            },
            Entry::Interrupted,
        ],
        Some("assistant") => vec![Entry::Said {
            text: content.to_owned(),
            calls: content.lines().filter_map(call).collect(),
        }],
        Some("system") if content.starts_with(FAILED) => vec![Entry::Failed(content.to_owned())],
        Some("system") if line.get("hide").is_none() => {
            let is_error = content.starts_with("Error");
            vec![Entry::Result(Outcome::ok_unless(TOOL, is_error, None))]
        }
        Some("system") => {
            let folder = content.lines().find_map(|line| line.strip_prefix(FOLDER));
            let folder = folder.map(|folder| Entry::Folder(folder.trim().to_owned()));
            folder.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// A tool call: `@shell(call_1): {…}` on a line of its own.
fn call(line: &str) -> Option<Call> {
    let (name, rest) = line.strip_prefix('@')?.split_once('(')?;
    let (_, input) = rest.split_once("): ")?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| Call::of_text(TOOL, name, input, None))
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
        assert_eq!(turn(5).steps[0].title(), "shell `ls`");
    }

    // Written by gptme 0.35.1 with the scripted model.
    #[test]
    fn a_stopped_answer_and_an_error_are_no_replies() {
        let text = r#"{"role": "user", "content": "slow:20", "timestamp": "2026-11-16T12:53:28.319042"}
{"role": "assistant", "content": "alpha bravo... ^C Interrupted", "timestamp": "2026-11-16T12:53:34.755171"}
{"role": "user", "content": "error:400", "timestamp": "2026-11-16T12:53:38.319042"}
{"role": "system", "content": "LLM request failed: Error code: 400", "timestamp": "2026-11-16T12:53:39.755171"}"#;
        let stopped = turn_of(Kind::Gptme, text, "slow:20").unwrap();
        assert_eq!(stopped.verdict, Some(Verdict::Interrupted));
        assert_eq!(stopped.said, "alpha bravo");
        let failed = turn_of(Kind::Gptme, text, "error:400").unwrap();
        let why = Verdict::Failed("LLM request failed: Error code: 400".to_owned());
        assert_eq!(failed.verdict, Some(why));
    }
}
