//! The commands of a CLI that a person can type as `/name` in an editor: those that it is known to have and that end in
//! a reply, and those that people have written for it, which lie in files. Commands that open a dialog are for the
//! terminal.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::wire::Command;

/// How many are offered.
const MOST: usize = 100;
/// How much of a file is read for its description.
const HEAD: u64 = 4 << 10;

/// Names, and what belongs to each.
type Pairs = &'static [(&'static str, &'static str)];

/// The commands of a profile's program, for somebody who works in `dir`.
pub(crate) fn known(profile: &str, dir: &Path, home: Option<&Path>) -> Vec<Command> {
    let (built_in, places): (Pairs, Pairs) = match profile {
        "claude" => (
            &[
                ("compact", "Summarise the conversation to make room"),
                ("init", "Write a CLAUDE.md for this project"),
                ("review", "Review a pull request"),
            ],
            &[(".claude/commands", "md")],
        ),
        "codex" => (
            &[
                ("compact", "Summarise the conversation to make room"),
                ("init", "Write an AGENTS.md for this project"),
            ],
            &[],
        ),
        "gemini" | "qwen" => (
            &[
                ("compress", "Summarise the conversation to make room"),
                ("init", "Write a context file for this project"),
            ],
            if profile == "gemini" {
                &[(".gemini/commands", "toml")]
            } else {
                &[(".qwen/commands", "toml")]
            },
        ),
        "opencode" => (
            &[("init", "Write an AGENTS.md for this project")],
            &[(".opencode/command", "md")],
        ),
        _ => (&[], &[]),
    };
    let mut found: BTreeMap<String, String> = built_in
        .iter()
        .map(|(name, what)| ((*name).to_owned(), (*what).to_owned()))
        .collect();
    // What is nearer to the work comes last, and wins.
    for root in home.into_iter().chain([dir]) {
        for (place, ending) in places {
            collect(&root.join(place), "", ending, &mut found);
        }
    }
    let commands = found.into_iter();
    commands
        .map(|(name, description)| Command { name, description })
        .take(MOST)
        .collect()
}

/// Whether a prompt is one of these commands.
pub(crate) fn is_command(text: &str, known: &[Command]) -> bool {
    let name = text
        .strip_prefix('/')
        .map(|rest| rest.split_whitespace().next());
    let name = name.flatten().unwrap_or_default();
    known.iter().any(|command| command.name == name)
}

/// The commands in a folder; those of folders below are called `folder:name`.
fn collect(folder: &Path, prefix: &str, ending: &str, found: &mut BTreeMap<String, String>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths.into_iter().take(MOST) {
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else {
            continue;
        };
        let is_typed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        if !name.chars().all(is_typed) {
            continue;
        }
        if path.is_dir() && prefix.is_empty() {
            collect(&path, &format!("{name}:"), ending, found);
        } else if path.extension().is_some_and(|known| known == ending) && path.is_file() {
            let what = description(&path).unwrap_or_else(|| format!("From {}", path.display()));
            found.insert(format!("{prefix}{name}"), what);
        }
    }
}

/// What a file says that its command does.
fn description(path: &Path) -> Option<String> {
    let mut head = Vec::new();
    let file = fs::File::open(path).ok()?;
    file.take(HEAD).read_to_end(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    let mut lines = head.lines();
    let said = lines.find_map(|line| {
        let (name, value) = line.split_once([':', '='])?;
        (name.trim() == "description").then(|| value.trim().trim_matches(['"', '\'']).to_owned())
    });
    said.filter(|said| !said.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote_for_a_cli_is_offered_beside_what_it_has() {
        let (home, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |root: &Path, path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(home.path(), ".claude/commands/init.md", "say hello");
        write(
            dir.path(),
            ".claude/commands/git/tidy.md",
            "---\ndescription: \"Tidy the branch\"\n---\n",
        );
        write(dir.path(), ".claude/commands/a b.md", "no name");
        write(dir.path(), ".claude/commands/notes.txt", "no command");
        let known = known("claude", dir.path(), Some(home.path()));
        let names: Vec<&str> = known.iter().map(|command| command.name.as_str()).collect();
        assert_eq!(names, ["compact", "git:tidy", "init", "review"]);
        assert_eq!(known[1].description, "Tidy the branch");
        assert!(known[2].description.starts_with("From "));
        assert!(is_command("/git:tidy now", &known));
        assert!(!is_command("/etc/passwd", &known) && !is_command("init", &known));
        assert!(super::known("dummy", dir.path(), None).is_empty());
    }
}
