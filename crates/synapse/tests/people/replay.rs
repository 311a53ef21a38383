//! `synapse profile …` and `synapse demo` as a user runs them.

use std::path::PathBuf;
use std::process::Stdio;

use assert_cmd::Command;
use serde_json::Value;

use crate::world::{World, is_gone};

fn synapse() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("synapse"))
}

fn recording(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/recordings")
        .join(name)
}

/// The JSON lines of a replay.
fn replay(name: &str, profile: &str) -> Vec<Value> {
    let out = synapse()
        .args(["profile", "replay", "--profile", profile, "--json"])
        .arg(recording(name))
        .assert()
        .success();
    let text = String::from_utf8(out.get_output().stdout.clone()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn states(lines: &[Value]) -> Vec<&str> {
    lines
        .iter()
        .filter_map(|line| line["reading"].as_str())
        .collect()
}

/// Fails, and says these things.
fn fails(args: &[&str], code: i32, said: &[&str]) {
    let out = synapse().args(args).assert().code(code);
    let text = String::from_utf8(out.get_output().stderr.clone()).unwrap();
    for part in said {
        assert!(
            text.contains(part),
            "{args:?} said {text:?}, without {part:?}"
        );
    }
    assert!(out.get_output().stdout.is_empty(), "results only on stdout");
}

#[test]
fn a_permission_dialog_is_replayed_as_json_lines() {
    let lines = replay("claude/06_tool_yes.cast", "claude");
    assert_eq!(
        states(&lines),
        ["starting", "idle", "busy", "asking", "busy", "idle"]
    );
    let asking = lines
        .iter()
        .find(|line| line["reading"] == "asking")
        .unwrap();
    let prompt = &asking["prompt"];
    assert_eq!(prompt["kind"], "permission");
    assert_eq!(prompt["question"], "Do you want to proceed?");
    assert_eq!(
        prompt["options"][2],
        serde_json::json!({"label": "No", "key": "3"})
    );
    assert_eq!(prompt["selected"], 0);
    assert_eq!(prompt["fingerprint"].as_str().unwrap().len(), 16);
    let turn = &lines.last().unwrap()["turn"];
    assert_eq!(turn["typed"], "tool:touch made.txt && echo made-it");
    assert_eq!(turn["reply"], "tool done: made-it");
    assert_eq!(turn["outcome"], "completed");
}

#[test]
fn outcomes_are_told_apart() {
    for (name, outcome) in [
        ("claude/05_interrupt_esc.cast", "interrupted"),
        ("codex/06_tool_no_key.cast", "interrupted"),
        ("codex/09_error_400.cast", "failed"),
        ("gemini/02_short.cast", "completed"),
    ] {
        let lines = replay(name, name.split('/').next().unwrap());
        let turn = lines.iter().find_map(|line| line.get("turn")).unwrap();
        assert_eq!(turn["outcome"], outcome, "{name}");
    }
}

#[test]
fn a_queued_message_is_a_turn_of_its_own() {
    let lines = replay("gemini/11_busy_queue.cast", "gemini");
    let turns: Vec<&Value> = lines.iter().filter_map(|line| line.get("turn")).collect();
    assert_eq!(turns.len(), 2);
    assert_eq!(turns[1]["typed"], "say:second message");
    assert_eq!(turns[1]["reply"], "second message");
}

#[test]
fn an_exit_ends_the_replay() {
    let lines = replay("codex/12_exit_ctrlc.cast", "codex");
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["reading"], &last["evidence"]),
        (&"exited".into(), &"exit: 130".into())
    );
}

#[test]
fn without_json_the_screen_is_shown_as_text() {
    let out = synapse()
        .args(["profile", "replay", "--profile", "gemini"])
        .arg(recording("gemini/06_tool_yes.cast"))
        .assert()
        .success();
    let text = String::from_utf8(out.get_output().stdout.clone()).unwrap();
    assert!(
        text.contains("waiting  menu on screen: Allow execution of [Shell]?"),
        "{text}"
    );
    assert!(
        text.contains("1  Allow once") && text.contains("│ ● 1. Allow once"),
        "{text}"
    );
    assert!(
        !text.contains('\x1b'),
        "no escape sequences without a terminal"
    );
}

#[test]
fn a_recording_may_come_from_standard_input() {
    let text = std::fs::read_to_string(recording("claude/02_short.cast")).unwrap();
    synapse()
        .args(["profile", "replay", "-", "--profile", "claude"])
        .write_stdin(text)
        .assert()
        .success();
}

#[test]
fn bad_files_are_named_with_the_place() {
    let dir = std::env::temp_dir().join(format!("synapse-replay-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let path = |name: &str| dir.join(name).to_string_lossy().into_owned();
    let (cut, profile) = (path("cut.cast"), path("bad.yaml"));
    std::fs::write(
        &cut,
        "{\"version\": 2, \"width\": 80, \"height\": 24}\n[0.1, \"o\", \"x",
    )
    .unwrap();
    std::fs::write(&profile, "name: toy\nidle_regex: '('\n").unwrap();
    fails(&["profile", "replay", &cut], 1, &["cut.cast", "line 2"]);
    fails(
        &["profile", "replay", "no-such.cast"],
        1,
        &["cannot read no-such.cast"],
    );
    fails(
        &["profile", "replay", &cut, "--profile", "nobody"],
        2,
        &["no profile 'nobody'", "aider, claude"],
    );
    fails(
        &["profile", "check", &profile],
        1,
        &["bad.yaml:2:13: ", "unclosed group"],
    );
    fails(&["profile", "replay"], 2, &["FILE"]);
    fails(
        &["profile", "replay", &cut, "--speed", "0"],
        2,
        &["not a speed"],
    );
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn profiles_are_listed_shown_and_checked() {
    let out = synapse()
        .args(["profile", "list", "--json"])
        .assert()
        .success();
    let rows: Value = serde_json::from_slice(&out.get_output().stdout).unwrap();
    let names: Vec<_> = rows["profiles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "aider", "claude", "cline", "cn", "codex", "copilot", "dummy", "flow", "gemini",
            "generic", "gptme", "kimi", "opencode", "pi", "qwen", "vibe"
        ]
    );
    let out = synapse()
        .args(["profile", "show", "claude"])
        .assert()
        .success();
    assert!(String::from_utf8_lossy(&out.get_output().stdout).contains("name: claude"));
}

#[test]
fn the_demo_runs_without_a_terminal_and_ends_by_itself() {
    let out = synapse().arg("demo").write_stdin("").assert().success();
    let text = String::from_utf8(out.get_output().stdout.clone()).unwrap();
    assert!(
        text.contains("waiting") && text.contains("tool done: made-it"),
        "{text}"
    );
}

#[test]
fn a_demo_that_is_interrupted_takes_its_agents_with_it() {
    let world = World::new();
    let place = tempfile::tempdir().unwrap();
    let mut demo = world
        .command(&["demo"])
        .env("TMPDIR", place.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let home = place.path().join(format!("synapse-demo-{}", demo.id()));
    let hosts = || -> Vec<String> {
        let entries = std::fs::read_dir(home.join("a2a/registry"))
            .into_iter()
            .flatten();
        let files = entries.map(|entry| entry.unwrap().path());
        let files = files.filter(|file| file.extension().is_some_and(|end| end == "json"));
        let texts = files.filter_map(|file| std::fs::read_to_string(file).ok());
        let entries = texts.filter_map(|text| serde_json::from_str::<Value>(&text).ok());
        entries.map(|entry| entry["pid"].to_string()).collect()
    };
    world.wait_until("both of its agents are there", |_| hosts().len() == 2);
    let hosts = hosts();
    let pid = demo.id().to_string();
    Command::new("kill").args(["-INT", &pid]).unwrap();
    assert_eq!(demo.wait().unwrap().code(), Some(130));
    assert!(hosts.iter().all(|host| is_gone(host)), "{hosts:?}");
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}
