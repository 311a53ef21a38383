//! `synapse logs`.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::world::World;
use crate::world::terminal::Terminal;

#[test]
fn following_survives_a_rotation() {
    let world = World::with_dummy();
    let log = world.home.path().join("synapse/logs/dummy.log");
    let mut following = world
        .command(&["logs", "dummy", "-f", "-n", "99"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert!(next().contains("agent started"));
    while !next().contains("state=\"idle\"") {}
    std::fs::rename(&log, log.with_extension("log.1")).unwrap();
    std::fs::write(&log, "the first line of the next\n").unwrap();
    assert_eq!(next(), "the first line of the next");
    world.ok(&["stop", "dummy"]);
    let told = world.ok(&["logs", "dummy", "-n", "9"]);
    assert!(
        told.contains("agent ended") && told.ends_with("of the next\n"),
        "{told}"
    );
    following.kill().unwrap();
    following.wait().unwrap();
}

#[test]
fn it_tells_tasks_states_questions_and_who_came_in_but_not_what_was_said() {
    let world = World::with_dummy();
    world.run(&["send", "dummy", "ask:yn Delete a.txt?", "--return"]);
    world.ok(&["answer", "dummy", "yes"]);
    world.ok(&["send", "dummy", "say:a-secret", "--return"]);
    let id = world.json(&["tasks", "--json"])["tasks"][0]["id"].clone();
    world.wait_until("the end is written", |world| {
        let told = world.ok(&["logs", "dummy", "-n", "99"]);
        told.matches("task ended").count() == 2
    });
    let told = world.ok(&["logs", "dummy", "-n", "99"]);
    for word in [
        "task accepted",
        "from=\"user\"",
        "state=\"working\"",
        "state=\"waiting\"",
        "question question=\"Delete a.txt? (y/n):\" options=2",
        "what=\"answered\" by=\"user\"",
        "state=\"completed\"",
        "reply known",
        id.as_str().unwrap(),
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
    assert!(!told.contains("a-secret"), "{told}");
    let lines = world.ok(&["logs", "dummy", "-n", "99", "--json"]);
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(
        lines.iter().all(|line| line["level"] == "info"),
        "{lines:?}"
    );
    assert!(lines.iter().any(|line| {
        line["said"].as_str().unwrap().starts_with("task accepted") && line["at"].is_string()
    }));
}

#[test]
fn a_wrapped_agent_has_a_log_too() {
    let world = World::new();
    let mut terminal = Terminal::open(&world, &["dummy", "--port", "0"]);
    terminal.wait_for("dummy>");
    world.wait_until("it is known", |world| {
        !world.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .is_empty()
    });
    world.ok(&["send", "dummy", "say:hi", "--return"]);
    let told = world.ok(&["logs", "dummy", "-n", "99"]);
    assert!(told.contains("task accepted"), "{told}");
    world.ok(&["stop", "dummy"]);
    terminal.end();
}

#[test]
fn a_log_can_be_read_when_the_agent_is_gone() {
    let world = World::with_dummy();
    world.ok(&["stop", "dummy"]);
    assert!(world.ok(&["logs", "@dummy"]).contains("agent ended"));
    let nobody = world.run(&["logs", "nobody"]);
    assert_eq!(nobody.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&nobody.stderr).contains("no agent is called 'nobody'"));
}

#[test]
fn an_agent_whose_log_cannot_be_written_starts_all_the_same() {
    let world = World::new();
    let home = world.home.path().join("synapse");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("logs"), "a file where the folder should be").unwrap();
    let output = world.run(&["start", "dummy", "--port", "0"]);
    assert!(output.status.success());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("the log cannot be written"), "{error}");
    assert_eq!(world.ok(&["send", "dummy", "say:hi", "--return"]), "hi\n");
}

#[test]
fn a_last_line_without_an_end_is_a_line_too() {
    let world = World::new();
    let logs = world.home.path().join("synapse/logs");
    std::fs::create_dir_all(&logs).unwrap();
    std::fs::write(logs.join("gone.log"), "one\ntwo").unwrap();
    assert_eq!(world.ok(&["logs", "gone"]), "one\ntwo\n");
    let told = world.ok(&["logs", "gone", "--json"]);
    let said = told
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["said"].clone());
    assert_eq!(said.collect::<Vec<_>>(), ["one", "two"]);
}

#[test]
fn nobody_fills_a_log_with_a_name() {
    let world = World::with_dummy();
    world.ok(&["send", "dummy", "wait:600"]);
    world.wait_for_task("wait:600", "working");
    let name = "\u{1b}".repeat(100_000);
    world.call("POST", "/interrupt", &serde_json::json!({ "by": name }));
    world.wait_until("it is told who did it", |world| {
        world.ok(&["logs", "dummy", "-n", "99"]).contains("by=\"")
    });
    for line in world.ok(&["logs", "dummy", "-n", "99"]).lines() {
        assert!(line.len() < 2_000, "{} bytes", line.len());
    }
}
