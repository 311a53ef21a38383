//! What a tool changed in a file: the lines that went and came, as a diff where it is known.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{beginning, cut};

/// Bytes that are kept of a diff.
const DIFF: usize = 16 << 10;

/// Characters that are kept of a path.
const PATH: usize = 300;

/// A change to a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    pub path: String,
    /// Lines that came.
    pub added: u32,
    /// Lines that went.
    pub removed: u32,
    /// From the first `@@` on, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl Edit {
    /// A change by its diff; the lines before its first hunk are left out.
    pub fn of_diff(path: &str, diff: &str) -> Self {
        let mut hunks = diff
            .lines()
            .skip_while(|line| !line.starts_with("@@"))
            .peekable();
        let is_known = hunks.peek().is_some();
        let (mut added, mut removed, mut text) = (0, 0, String::new());
        for line in hunks {
            added += u32::from(line.starts_with('+'));
            removed += u32::from(line.starts_with('-'));
            text.push_str(line);
            text.push('\n');
        }
        Self {
            path: beginning(path, PATH),
            added,
            removed,
            diff: is_known.then(|| cut(&text, DIFF)),
        }
    }

    /// A change that somebody else has put together, in the sizes that are kept.
    #[must_use]
    pub(super) fn bounded(self) -> Self {
        Self {
            path: beginning(&self.path, PATH),
            diff: self.diff.map(|diff| cut(&diff, DIFF)),
            ..self
        }
    }

    /// What Claude Code says of a tool that changed a file: its hunks, or the text of a file that was not there before.
    pub fn of_claude(result: &Value) -> Option<Self> {
        let path = result.get("filePath")?.as_str()?;
        let hunks = result.get("structuredPatch")?.as_array()?;
        let mut diff = String::new();
        for hunk in hunks {
            let number = |name: &str| hunk.get(name).and_then(Value::as_u64).unwrap_or_default();
            let (old, new) = (number("oldStart"), number("newStart"));
            let (gone, come) = (number("oldLines"), number("newLines"));
            let _ = writeln!(diff, "@@ -{old},{gone} +{new},{come} @@");
            let lines = hunk.get("lines").and_then(Value::as_array);
            for line in lines.into_iter().flatten().filter_map(Value::as_str) {
                diff.push_str(line);
                diff.push('\n');
            }
        }
        let is_new = result.get("type").and_then(Value::as_str) == Some("create");
        if let Some(text) = result.get("content").and_then(Value::as_str)
            && is_new
        {
            let _ = writeln!(diff, "@@ -0,0 +1,{} @@", text.lines().count());
            for line in text.lines() {
                let _ = writeln!(diff, "+{line}");
            }
        }
        Some(Self::of_diff(path, &diff))
    }

    /// What a call would change, by its arguments: a text and what takes its place, a whole file, or a patch. Where in
    /// the file that is, they do not say.
    pub fn planned(input: &Value) -> Option<Self> {
        let text = |names: &[&str]| {
            let mut found = names.iter().filter_map(|name| input.get(*name)?.as_str());
            found.next()
        };
        let whole = text(&["input", "patch", "patchText"]).or_else(|| input.as_str());
        if let Some(whole) = whole.filter(|whole| whole.contains("*** Begin Patch")) {
            return Some(Self::of_patch(whole));
        }
        let path = text(&[
            "file_path",
            "filePath",
            "path",
            "absolute_path",
            "notebook_path",
        ])?;
        let old = text(&["old_string", "old_str", "oldString", "oldText"]).unwrap_or_default();
        let new = text(&[
            "new_string",
            "new_str",
            "newString",
            "newText",
            "content",
            "new_source",
            "file_text",
        ])
        .unwrap_or_default();
        let count = |text: &str| u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        Some(Self {
            path: beginning(path, PATH),
            added: count(new),
            removed: count(old),
            diff: None,
        })
    }

    /// The patch that Codex writes: the files it names, and the lines of their hunks.
    fn of_patch(patch: &str) -> Self {
        let mut paths = Vec::new();
        let mut diff = String::new();
        let (mut added, mut removed) = (0, 0);
        for line in patch.lines() {
            let named = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
            if let Some(path) = named.iter().find_map(|name| line.strip_prefix(name)) {
                paths.push(path);
                diff.push_str("@@ ");
                diff.push_str(path);
                diff.push('\n');
            } else if !line.starts_with("***") && !line.starts_with("@@") {
                added += u32::from(line.starts_with('+'));
                removed += u32::from(line.starts_with('-'));
                diff.push_str(line);
                diff.push('\n');
            }
        }
        Self {
            path: beginning(&paths.join(", "), PATH),
            added,
            removed,
            diff: Some(cut(&diff, DIFF)),
        }
    }

    pub(super) fn weight(&self) -> usize {
        self.path.len() + self.diff.as_ref().map_or(0, String::len)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_diff_is_counted_and_kept_from_its_first_hunk_on() {
        let diff =
            "Index: x\n--- x\tCurrent\n+++ x\tProposed\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+BB\n c\n";
        let edit = Edit::of_diff("x.txt", diff);
        assert_eq!((edit.added, edit.removed), (2, 1));
        assert!(edit.diff.unwrap().starts_with("@@ -1,3 +1,4 @@\n a\n"));
        assert_eq!(Edit::of_diff("x", "").diff, None);
    }

    #[test]
    fn what_claude_says_of_an_edit_is_a_diff() {
        let hunk = json!({"oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 4, "lines": [" a", "-b", "+B", "+BB", " c"]});
        let edit = Edit::of_claude(&json!({"filePath": "/w/x.txt", "structuredPatch": [hunk]}));
        let expected = Edit::of_diff("/w/x.txt", "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+BB\n c\n");
        assert_eq!(edit, Some(expected));
        let made = Edit::of_claude(
            &json!({"type": "create", "filePath": "y", "content": "1\n2\n", "structuredPatch": []}),
        );
        assert_eq!(
            (made.as_ref().unwrap().added, made.unwrap().removed),
            (2, 0)
        );
        assert_eq!(Edit::of_claude(&json!({"stdout": ""})), None);
    }

    #[test]
    fn arguments_say_how_many_lines_go_and_come() {
        let edit =
            Edit::planned(&json!({"file_path": "a.py", "old_string": "b", "new_string": "B\nBB"}));
        let edit = edit.unwrap();
        assert_eq!(
            (edit.path.as_str(), edit.added, edit.removed),
            ("a.py", 2, 1)
        );
        assert_eq!(edit.diff, None);
        assert_eq!(Edit::planned(&json!({"todos": []})), None);
    }

    #[test]
    fn a_patch_names_its_files_and_lines() {
        let patch =
            "*** Begin Patch\n*** Update File: x.txt\n@@\n a\n-b\n+B\n+BB\n c\n*** End Patch\n";
        for input in [json!({ "input": patch }), json!(patch)] {
            let edit = Edit::planned(&input).unwrap();
            assert_eq!(
                (edit.path.as_str(), edit.added, edit.removed),
                ("x.txt", 2, 1)
            );
            assert_eq!(edit.diff.unwrap(), "@@ x.txt\n a\n-b\n+B\n+BB\n c\n");
        }
    }

    #[test]
    fn a_long_diff_is_cut() {
        let diff = format!("@@ -1 +1 @@\n{}", "+x\n".repeat(20_000));
        let edit = Edit::of_diff("x", &diff);
        assert_eq!(edit.added, 20_000);
        assert!(edit.diff.unwrap().len() < DIFF + 8);
    }
}
