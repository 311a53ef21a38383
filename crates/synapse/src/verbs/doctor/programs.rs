//! The programs we wrap, and those that are of use beside them.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::check::{Check, Level};

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// A CLI with a profile of its own, what it was measured with (docs/real-clis.md), and the package
/// that brings it.
const WRAPPED: [(&str, &str, &str); 3] = [
    ("claude", "2.1.197", "@anthropic-ai/claude-code"),
    ("codex", "0.166.0", "@openai/codex"),
    ("gemini", "0.61.0", "@google/gemini-cli"),
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
        let wrapped = WRAPPED.map(|(name, measured, package)| {
            scope.spawn(move || wrapped(name, measured, package, version(name, "--version")))
        });
        let useful = USEFUL
            .map(|(name, flag, why)| scope.spawn(move || useful(name, why, version(name, flag))));
        let all = wrapped.into_iter().chain(useful);
        all.filter_map(|look| look.join().ok()).collect()
    });
    looks
}

fn wrapped(name: &str, measured: &str, package: &str, found: Found) -> Check {
    match found {
        Found::Nothing => Check::ok(
            name,
            format!("not installed (npm install -g {package} would)"),
        ),
        Found::Silent(path) => Check::warn(
            name,
            format!("{} does not say its version", path.display()),
            format!("does `{name} --version` work in a shell?"),
        ),
        Found::Version(path, text) => {
            let path = path.display();
            let number = number(&text).unwrap_or(&text);
            if number == measured {
                return Check::ok(name, format!("{number}, {path}; the version measured"));
            }
            let level = if is_near(number, measured) {
                Level::Ok
            } else {
                Level::Warn
            };
            let advice = format!(
                "if states are read wrong, install {package}@{measured}, or record it: synapse record {name} -o session.cast"
            );
            Check {
                level,
                advice: (level == Level::Warn).then_some(advice),
                ..Check::ok(name, format!("{number}, {path}; measured was {measured}"))
            }
        }
    }
}

fn useful(name: &str, why: &str, found: Found) -> Check {
    match found {
        Found::Version(path, text) => {
            let number = number(&text).unwrap_or(&text);
            Check::ok(name, format!("{number}, {}", path.display()))
        }
        Found::Silent(path) => Check::ok(name, path.display().to_string()),
        Found::Nothing => Check::ok(name, format!("not installed; {why}")),
    }
}

/// What became of asking for a version.
enum Found {
    Nothing,
    /// It is there and does not say.
    Silent(PathBuf),
    Version(PathBuf, String),
}

fn version(name: &str, flag: &str) -> Found {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&folders).map(|folder| folder.join(name));
    let Some(path) = places.find(|path| is_program(path)) else {
        return Found::Nothing;
    };
    let asked = Command::new(&path)
        .arg(flag)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    match asked.ok().and_then(first_line) {
        Some(line) => Found::Version(path, line),
        None => Found::Silent(path),
    }
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// The first line a program says before it ends; nothing if it does not end in time.
fn first_line(mut child: Child) -> Option<String> {
    let is_over = has_ended(&child, PATIENCE);
    if is_over != Some(true) {
        let _ = child.kill();
    }
    let code = child.wait().ok()?;
    let mut text = [0; 4_096];
    // It is over: whatever it said is there already, and what it left running is not waited for.
    let length = match (is_over, code.success()) {
        (Some(true), true) => child.stdout.as_mut()?.read(&mut text).ok()?,
        _ => return None,
    };
    let text = String::from_utf8_lossy(text.get(..length)?);
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    Some(line.trim().to_owned())
}

fn has_ended(child: &Child, patience: Duration) -> Option<bool> {
    let pid = Pid::from_raw(i32::try_from(child.id()).ok()?)?;
    let process = pidfd_open(pid, PidfdFlags::empty()).ok()?;
    let patience = Timespec::try_from(patience).ok()?;
    let mut fds = [PollFd::new(&process, PollFlags::IN)];
    Some(poll(&mut fds, Some(&patience)).ok()? > 0)
}

/// The first word of a line that is a version.
fn number(line: &str) -> Option<&str> {
    line.split_whitespace()
        .map(|word| word.trim_start_matches('v').trim_end_matches([',', ';']))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
}

/// Whether two versions differ only in what is meant to change nothing.
fn is_near(one: &str, two: &str) -> bool {
    let minor = |version: &str| {
        let mut parts = version.split('.').map(str::to_owned);
        (parts.next(), parts.next())
    };
    minor(one) == minor(two)
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
        assert!(is_near("2.1.9", "2.1.197") && !is_near("2.2.0", "2.1.197"));
    }

    #[test]
    fn what_was_measured_is_what_the_page_says() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/real-clis.md");
        let page = std::fs::read_to_string(page).unwrap();
        for (name, version, _) in WRAPPED {
            assert!(
                page.contains(&format!("| {name} {version} ")),
                "{name} {version}"
            );
        }
    }

    #[test]
    fn a_program_that_hangs_or_fails_is_not_waited_for() {
        let sh = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]).stdout(Stdio::piped());
            command.spawn().unwrap()
        };
        assert_eq!(
            first_line(sh("echo; echo ' 1.2.3 '")),
            Some("1.2.3".to_owned())
        );
        assert_eq!(first_line(sh("echo 1; exit 3")), None);
        let left = first_line(sh("sleep 600 & echo $!")).unwrap();
        let killed = Command::new("kill").arg(left).status();
        assert!(killed.unwrap().success(), "what it left is not waited for");
        let hanging = sh("exec sleep 600");
        assert_eq!(has_ended(&hanging, Duration::from_millis(10)), Some(false));
        let mut hanging = hanging;
        hanging.kill().unwrap();
        hanging.wait().unwrap();
    }
}
