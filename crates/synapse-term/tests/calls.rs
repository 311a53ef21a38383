//! What a dialog would do: the command or file it is about, told from the words around it.
#![cfg(test)]

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use synapse_term::cast::{Cast, What};
use synapse_term::keys::KeyboardMode;
use synapse_term::profile::Profile;
use synapse_term::prompt::{ToolCall, read};
use synapse_term::reading::Reading;
use synapse_term::screen::{Screen, Size};
use synapse_term::watch::Watcher;

/// A dialog of Claude with these rows between its title and its question; grey ones are remarks.
fn bash_dialog(rows: &[(&str, bool)]) -> String {
    let mut screen = format!("{}\r\n Bash command\r\n\r\n", "─".repeat(100));
    for (row, is_grey) in rows {
        let colour = if *is_grey {
            "\x1b[38;2;153;153;153m"
        } else {
            ""
        };
        let _ = write!(screen, "   {colour}{row}\x1b[39m\r\n");
    }
    screen + "\r\n Do you want to proceed?\r\n ❯ 1. Yes\r\n   2. No\r\n\r\n Esc to cancel\x1b[?25l"
}

fn call_on(profile: &str, screen: &str) -> Option<ToolCall> {
    let profile = Profile::builtin(profile).unwrap();
    let mut terminal = Screen::new(Size::new(100, 30).unwrap());
    terminal.feed(screen.as_bytes(), Duration::ZERO, |_| {});
    let (prompt, _) = read(&terminal.frame(), &profile, None)?;
    prompt.call
}

#[test]
fn a_command_is_told_from_its_description() {
    let dialog = bash_dialog(&[("cargo test", false), ("rm -rf ~ first", true)]);
    let call = call_on("claude", &dialog).unwrap();
    assert_eq!(
        (&*call.tool, &*call.input, call.is_complete),
        ("Bash", "cargo test", true)
    );
    assert_eq!(
        call_on("generic", &dialog),
        None,
        "its dialogs are not known"
    );
    for rows in [
        // A second line of the command, with and without a description, and behind an empty one.
        vec![("cargo test", false), ("rm -rf ~/work", false)],
        vec![
            ("cargo test", false),
            ("rm -rf ~/work", false),
            ("Run", true),
        ],
        vec![
            ("cargo test", false),
            ("", false),
            ("rm", false),
            ("Run", true),
        ],
        vec![("Run cargo test first", true), ("rm -rf ~", false)],
        vec![("Run cargo test first", true)],
    ] {
        let call = call_on("claude", &bash_dialog(&rows));
        assert!(!call.is_some_and(|call| call.is_complete), "{rows:?}");
    }
    let long = format!("cargo test {}", "x".repeat(90));
    let call = call_on("claude", &bash_dialog(&[(&long, false), ("Run", true)])).unwrap();
    assert!(!call.is_complete, "it may have been wrapped");
    // The top is out of sight.
    let (_, cut) = dialog.split_once(" Bash command").unwrap();
    assert_eq!(call_on("claude", cut), None);
}

#[test]
fn the_dialogs_of_the_recordings_tell_their_command() {
    for (name, tool) in [("claude", "Bash"), ("codex", "shell"), ("gemini", "Shell")] {
        let file = format!("../../fixtures/recordings/{name}/06_tool_yes.cast");
        let text = std::fs::read_to_string(file).unwrap();
        let cast = Cast::parse(&text).unwrap();
        let mut watcher = Watcher::new(Arc::new(Profile::builtin(name).unwrap()), cast.size);
        for event in &cast.events {
            if let What::Output(text) = &event.what {
                watcher.feed(text.as_bytes(), event.at);
            }
        }
        let mut calls = watcher
            .take_events()
            .into_iter()
            .filter_map(|event| match event {
                synapse_term::watch::Event::Reading(change) => match change.reading {
                    Reading::Asking(prompt) => prompt.call,
                    _ => None,
                },
                _ => None,
            });
        let call = calls.next_back().unwrap();
        assert_eq!(call.tool, tool);
        assert_eq!(call.input, "touch made.txt && echo made-it");
        assert!(call.is_complete, "{name}");
    }
}

#[test]
fn a_command_that_draws_a_dialog_is_not_taken_for_it() {
    for edge in ["---------".to_owned(), "─".repeat(99), "─".repeat(96)] {
        let drawn = [
            ("rm -rf /work", false),
            (edge.as_str(), false),
            ("Bash command", false),
            ("cargo clean", false),
        ];
        let call = call_on("claude", &bash_dialog(&drawn));
        assert!(!call.is_some_and(|call| call.is_complete), "{edge}");
    }
    let codex = "  Would you like to run the following command?\r\n\r\n  $ rm -rf /work\r\n\
                 \u{20}   Would you like to run the following command?\r\n    $ cargo clean\r\n\r\n\
                 › 1. Yes, proceed (y)\r\n  2. No (esc)\r\n\x1b[?25l";
    let call = call_on("codex", codex);
    assert!(!call.is_some_and(|call| call.is_complete));
}

#[test]
fn a_command_between_dashed_rules_is_told_from_a_tip() {
    let rule = "╌".repeat(100);
    let dialog = |above: &str, inside: &str| {
        format!(
            "{}\r\n Bash command\r\n{above}{rule}\r\n {inside}\r\n{rule}\r\n Do you want to proceed?\r\n\
             \u{20}❯ 1. Yes\r\n   2. No\r\n\r\n Esc to cancel\x1b[?25l",
            "─".repeat(100)
        )
    };
    let tip = " Tip: auto mode handles these prompts for you\r\n Run cargo build\r\n";
    let call = call_on("claude", &dialog(tip, "cargo test")).unwrap();
    assert_eq!((&*call.input, call.is_complete), ("cargo test", true));
    let prompt = {
        let mut terminal = Screen::new(Size::new(100, 30).unwrap());
        terminal.feed(dialog(tip, "cargo test").as_bytes(), Duration::ZERO, |_| {});
        read(
            &terminal.frame(),
            &Profile::builtin("claude").unwrap(),
            None,
        )
        .unwrap()
        .0
    };
    assert!(prompt.detail.contains("cargo test"), "{}", prompt.detail);
    // Two rows of a command, and a description that brings rules along.
    let two = call_on("claude", &dialog(tip, "cargo test\r\n rm -rf ~")).unwrap();
    assert!(!two.is_complete);
    let fake = format!("{rule}\r\n cargo test\r\n");
    let call = call_on("claude", &dialog(&fake, "rm -rf ~")).unwrap();
    assert!(!call.is_complete);
    // A tip without rules: what is the command is not sure.
    let old = bash_dialog(&[("Tip: try auto mode", false), ("cargo test", false)]);
    let call = call_on("claude", &old).unwrap();
    assert_eq!((&*call.input, call.is_complete), ("cargo test", false));
}

#[test]
fn an_option_that_names_escape_is_picked_by_it() {
    let output = "\x1b[?25lDo you want to run this command?\r\n\r\n❯ 1. Yes\r\n  2. No, and tell it what to do (Esc to stop)\r\n\r\n↑/↓ to navigate · enter to select · esc to cancel";
    let mut screen = Screen::new(Size::new(80, 24).unwrap());
    screen.feed(output.as_bytes(), Duration::ZERO, |_| {});
    let profile = Profile::builtin("generic").unwrap();
    let (prompt, _) = read(&screen.frame(), &profile, None).unwrap();
    let keys: Vec<&str> = prompt.options.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(keys, ["1", "Escape"]);
    let typed = prompt.keys_for("no", &KeyboardMode::default()).unwrap();
    assert_eq!(typed.concat(), b"\x1b");
}
