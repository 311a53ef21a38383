//! The programs we wrap, and those that are of use beside them.

use std::path::PathBuf;

use synapse::launch::probe;

use super::check::{Check, Level};
use crate::verbs::texts::doctor as texts;

/// A CLI with a profile of its own.
#[derive(Clone, Copy)]
struct KnownCli {
    name: &'static str,
    /// The package that brings it.
    package: &'static str,
    /// The oldest and the newest version that docs/real-clis.md has a column for.
    verified: (&'static str, &'static str),
    /// Who tells what it does, besides its screen.
    witnesses: &'static str,
    /// The first version that also tells its terminal.
    tells_terminal: Option<&'static str>,
    /// How its questions are answered, and what cannot be had with it.
    remarks: &'static str,
    /// What versions before this one lack.
    lacked_before: Option<(&'static str, &'static str)>,
}

impl KnownCli {
    /// The witnesses of one version.
    fn witnesses(self, version: &str) -> String {
        let tells = self
            .tells_terminal
            .is_some_and(|first| parts(version) >= parts(first));
        let osc = if tells { ", OSC 7501" } else { "" };
        format!("{}{osc}", self.witnesses)
    }

    /// What one version lacks.
    fn remarks(self, version: &str) -> String {
        match self.lacked_before {
            Some((first, lack)) if parts(version) < parts(first) => {
                format!("{}; {lack}", self.remarks)
            }
            _ => self.remarks.to_owned(),
        }
    }
}

const WRAPPED: [KnownCli; 3] = [
    KnownCli {
        name: "claude",
        package: "@anthropic-ai/claude-code",
        verified: ("2.1.131", "2.1.326"),
        witnesses: "hooks, transcript",
        tells_terminal: Some("2.1.295"),
        remarks: "permissions are answered through its hooks; no hook for interrupts: the transcript and the screen tell",
        lacked_before: Some(("2.1.120", "its hooks were not tried")),
    },
    KnownCli {
        name: "codex",
        package: "@openai/codex",
        verified: ("0.147.0", "0.169.0"),
        witnesses: "hooks, transcript",
        tells_terminal: Some("0.163.0"),
        remarks: "permissions are answered by keys",
        lacked_before: Some((
            "0.155.0",
            "no hook for interrupts: the transcript and the screen tell",
        )),
    },
    KnownCli {
        name: "gemini",
        package: "@google/gemini-cli",
        verified: ("0.40.1", "0.61.0"),
        witnesses: "title, transcript",
        tells_terminal: None,
        remarks: "no hooks by argument; permissions are answered by keys; --mcp only for root",
        lacked_before: None,
    },
];

/// What is of use, and for what.
const USEFUL: [(&str, &str, &str); 3] = [
    ("git", "--version", "agents that work on code want it"),
    ("tmux", "-V", "the tests want it"),
    ("node", "--version", "most CLIs run on it"),
];

/// Looks for all of them at once.
pub(super) fn look() -> Vec<Check> {
    let looks: Vec<Check> = std::thread::scope(|scope| {
        let wrapped =
            WRAPPED.map(|cli| scope.spawn(move || wrapped(cli, version(cli.name, "--version"))));
        let useful = USEFUL
            .map(|(name, flag, why)| scope.spawn(move || useful(name, why, version(name, flag))));
        let all = wrapped.into_iter().chain(useful);
        all.filter_map(|look| look.join().ok()).collect()
    });
    looks
}

fn wrapped(cli: KnownCli, found: VersionResult) -> Check {
    let KnownCli {
        name,
        package,
        verified: (oldest, newest),
        ..
    } = cli;
    match found {
        VersionResult::Nothing => Check::ok(name, texts::not_installed(package)),
        VersionResult::Silent(path) => Check::warn(
            name,
            texts::no_version(path.display()),
            texts::try_version(name),
        ),
        VersionResult::Version(path, text) => {
            let path = path.display();
            let number = number(&text).unwrap_or(&text);
            let about = texts::cli_is(number, path, cli.witnesses(number), cli.remarks(number));
            let is_older = parts(number) < parts(oldest);
            if !is_older && parts(number) <= parts(newest) {
                return Check::ok(name, texts::is_verified(about, oldest, newest));
            }
            let advice = if is_older {
                texts::is_older(package)
            } else {
                texts::is_newer(name)
            };
            Check {
                level: if is_older { Level::Warn } else { Level::Ok },
                advice: Some(advice),
                ..Check::ok(name, texts::were_verified(about, oldest, newest))
            }
        }
    }
}

fn useful(name: &str, why: &str, found: VersionResult) -> Check {
    match found {
        VersionResult::Version(path, text) => {
            let number = number(&text).unwrap_or(&text);
            Check::ok(name, format!("{number}, {}", path.display()))
        }
        VersionResult::Silent(path) => Check::ok(name, path.display().to_string()),
        VersionResult::Nothing => Check::ok(name, texts::not_installed_why(why)),
    }
}

/// What became of asking for a version.
enum VersionResult {
    Nothing,
    /// It is there and does not say.
    Silent(PathBuf),
    Version(PathBuf, String),
}

fn version(name: &str, flag: &str) -> VersionResult {
    let Some(path) = probe::find(name, None) else {
        return VersionResult::Nothing;
    };
    let answer = probe::ask(&path, flag).unwrap_or_default();
    match answer.lines().find(|line| !line.trim().is_empty()) {
        Some(line) => VersionResult::Version(path, line.trim().to_owned()),
        None => VersionResult::Silent(path),
    }
}

/// The first word of a line that is a version.
fn number(line: &str) -> Option<&str> {
    line.split_whitespace()
        .map(|word| word.trim_start_matches('v').trim_end_matches([',', ';']))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
}

/// A version as numbers that can be compared.
fn parts(version: &str) -> Vec<u64> {
    let numbers = version.split(|c: char| !c.is_ascii_digit());
    numbers.filter_map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_in_what_programs_say() {
        for (line, expected) in [
            ("2.1.197 (Claude Code)", Some("2.1.197")),
            ("codex-cli 0.166.0", Some("0.166.0")),
            ("v22.1.0", Some("22.1.0")),
            ("git version 2.47.3", Some("2.47.3")),
            ("tmux 3.5a", Some("3.5a")),
            ("no number here", None),
        ] {
            assert_eq!(number(line), expected, "{line}");
        }
        assert!(parts("2.1.9") < parts("2.1.197") && parts("2.2.0") > parts("2.1.197"));
    }

    #[test]
    fn what_a_version_lacks_is_said_of_that_version_alone() {
        let [claude, codex, gemini] = WRAPPED;
        assert_eq!(claude.witnesses("2.1.294"), "hooks, transcript");
        assert_eq!(claude.witnesses("2.1.295"), "hooks, transcript, OSC 7501");
        assert!(codex.remarks("0.150.0").contains("no hook for interrupts"));
        assert!(!codex.remarks("0.155.0").contains("interrupts"));
        assert_eq!(gemini.witnesses("0.61.0"), "title, transcript");
    }

    #[test]
    fn what_was_measured_is_what_the_page_says() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/real-clis.md");
        let page = std::fs::read_to_string(page).unwrap();
        for cli in WRAPPED {
            for version in [cli.verified.0, cli.verified.1] {
                let name = cli.name;
                let mut sections = page.split("\n## ").filter(|one| one.starts_with(name));
                assert!(
                    sections.any(|one| one.contains(&format!("| {version}"))),
                    "{name} {version}"
                );
            }
        }
    }
}
