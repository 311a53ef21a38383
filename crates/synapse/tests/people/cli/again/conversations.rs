//! `start --resume`, `synapse conversations`, and the conversation of an agent that comes back.

use super::{TELLER, crash, folder, teller, told};
use crate::world::World;
use crate::world::terminal::Terminal;

#[test]
fn a_conversation_is_continued_by_its_name() {
    let world = World::new();
    let file = teller(&world);
    let output = world.run(&["start", &file, "--port", "0", "--resume"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("no conversation of teller"), "{said}");
    let output = world.run(&["start", &file, "--port", "0", "--resume=--all"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("'--all' is no name of a conversation"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(2));
    world.ok(&[
        "start", &file, "--port", "0", "--resume", "talk-1", "--", "-v",
    ]);
    let shown = |world: &World| {
        world
            .ok(&["screen", "teller"])
            .contains("started with: --continue talk-1 -v")
    };
    world.wait_until("it was told", shown);
    // It is known from then on.
    let said = world.ok(&["restart", "teller"]);
    assert!(
        said.starts_with("teller is back with its conversation (talk-1)"),
        "{said}"
    );
    world.wait_until("it was told again", shown);
    world.ok(&["stop", "teller"]);
    world.ok(&["start", &file, "--port", "0", "--resume", "--", "-v"]);
    world.wait_until("it was told once more", shown);
    let said = world.ok(&["restart", "teller", "--fresh"]);
    assert!(
        said.starts_with("teller is back, with a new conversation"),
        "{said}"
    );
}

#[test]
fn a_profile_of_the_project_is_found_from_anywhere() {
    let world = World::new();
    let dir = folder(&world, "project");
    let profiles = folder(&world, "project/.synapse/profiles");
    let file = format!("{profiles}/ours.yaml");
    std::fs::write(&file, TELLER.replace("name: teller", "name: ours")).unwrap();
    world.ok(&["profile", "trust", &file]);
    let start = ["start", "ours", "--port", "0", "--resume=talk-1"];
    let started = world.command(&start).current_dir(&dir).output().unwrap();
    assert!(started.status.success(), "{started:?}");
    let said = world.ok(&["restart", "ours"]);
    assert!(
        said.starts_with("ours is back with its conversation (talk-1)"),
        "{said}"
    );
    crash(&world);
    let said = world.ok(&["up"]);
    assert!(
        said.starts_with("ours is back with its conversation (talk-1)"),
        "{said}"
    );
}

#[test]
fn a_conversation_that_cannot_be_continued_is_not_said_to_be() {
    let world = World::new();
    let flag = world.home.path().join("lost");
    let profile = format!(
        "name: loser
command: sh
args: [-c, 'if [ \"$1\" = --continue ] && [ -e {} ]; then exit 1; fi; echo ready; exec cat', loser]
resume: [--continue, '{{session}}']
",
        flag.display()
    );
    let file = world.home.path().join("loser.yaml");
    std::fs::write(&file, profile).unwrap();
    let start = ["start", file.to_str().unwrap(), "--port", "0"];
    world.ok(&[&start[..], &["--resume=talk-1"]].concat());
    world.ok(&["stop", "--all"]);
    let planned = world.json(&["up", "--dry-run", "--json"]);
    assert_eq!(planned["conversation"], "talk-1");
    let planned = world.ok(&["up", "--dry-run"]);
    assert!(
        planned.contains("with its conversation (talk-1)"),
        "{planned}"
    );
    std::fs::write(&flag, "").unwrap();
    let back = world.json(&["up", "--json"]);
    assert_eq!(back["conversation"], serde_json::Value::Null);
    let warning = back["warning"].as_str().unwrap();
    assert!(
        warning.contains("talk-1 could not be continued"),
        "{warning}"
    );
    world.ok(&["stop", "--all"]);
    let planned = world.ok(&["up", "--dry-run"]);
    assert!(planned.contains("with a new conversation"), "{planned}");
}

#[test]
fn the_last_conversation_is_that_of_the_latest_words_and_one_that_nobody_has_open() {
    let world = World::new();
    let profile = rememberer(&world);
    let start = |name: &str| {
        world.ok(&["start", &profile, "--port", "0", "--name", name, "--resume"]);
        world.wait_until("it says how it was started", |world| {
            world.ok(&["screen", name]).contains("started with:")
        });
        world.ok(&["screen", name])
    };
    // What is written down of a start says less than a file that was written to since.
    world.ok(&[
        "start",
        &profile,
        "--port",
        "0",
        "--name",
        "one",
        "--resume=older",
    ]);
    world.ok(&["stop", "one"]);
    let file = world.home.path().join("claude/projects/-here/newer.jsonl");
    let file = std::fs::File::options().write(true).open(file).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(10);
    file.set_modified(later).unwrap();
    let shown = start("two");
    assert!(shown.contains("--continue newer"), "{shown}");
    let shown = start("three");
    assert!(shown.contains("--continue older"), "{shown}");
    let args = [
        "start", &profile, "--port", "0", "--name", "four", "--resume",
    ];
    let (said, code) = told(&world, &args);
    assert!(
        code == Some(1) && said.contains("open in another agent"),
        "{said}"
    );
}

/// A profile whose program keeps its conversations as Claude Code does, and two of them in this folder.
fn rememberer(world: &World) -> String {
    let home = world.home.path().canonicalize().unwrap();
    let folder = home.join("claude/projects/-here");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, words, age) in [("older", "fix the cart", 100), ("newer", "add a test", 10)] {
        let line = serde_json::json!({
            "type": "user", "cwd": home, "uuid": "u", "message": { "role": "user", "content": words },
        });
        let path = folder.join(format!("{name}.jsonl"));
        std::fs::write(&path, format!("{line}\n")).unwrap();
        let file = std::fs::File::options().write(true).open(path).unwrap();
        let at = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        file.set_modified(at).unwrap();
    }
    let file = world.home.path().join("rememberer.yaml");
    let place = home.join("claude");
    let text = format!(
        "{TELLER}record: claude\nhooks: false\nenv: {{CLAUDE_CONFIG_DIR: {}}}\n",
        place.display()
    );
    std::fs::write(&file, text.replace("name: teller", "name: rememberer")).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn older_conversations_of_the_folder_are_listed_and_continued() {
    let world = World::new();
    let profile = rememberer(&world);
    let past = world.json(&["conversations", &profile, "--json"])["conversations"].clone();
    assert_eq!(past[0]["id"], "newer");
    assert_eq!(past[1]["begins"], "fix the cart");
    let listed = world.ok(&["conversations", &profile]);
    let first: Vec<&str> = listed.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(
        (first[0], &first[2..]),
        ("newer", &["add", "a", "test"][..])
    );
    let elsewhere = world.home.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let none = world.json(&[
        "conversations",
        &profile,
        "--json",
        "--cwd",
        elsewhere.to_str().unwrap(),
    ]);
    assert_eq!(none["conversations"], serde_json::json!([]));
    // Without a terminal it is the last one.
    world.ok(&["start", &profile, "--port", "0", "--resume"]);
    world.wait_until("it says how it was started", |world| {
        world
            .ok(&["screen", "rememberer"])
            .contains("started with: --continue newer")
    });
}

#[test]
fn a_person_at_a_terminal_chooses_the_conversation() {
    let world = World::new();
    let profile = rememberer(&world);
    let mut terminal = Terminal::open(&world, &["start", &profile, "--port", "0", "--resume"]);
    let shown = terminal.wait_for("which one? 1 to 2, Enter for the first:");
    assert!(
        shown.contains('1') && shown.contains("fix the cart"),
        "{shown}"
    );
    terminal.press("7\r");
    terminal.press("2\r");
    terminal.wait_for("rememberer (PID");
    terminal.end();
    world.wait_until("it says how it was started", |world| {
        world
            .ok(&["screen", "rememberer"])
            .contains("started with: --continue older")
    });
}

#[test]
fn a_conversation_that_an_agent_has_open_is_opened_by_no_second_one() {
    let world = World::new();
    let file = teller(&world);
    let start = ["start", &file, "--port", "0", "--resume", "talk-1"];
    world.ok(&start);
    let (said, code) = told(&world, &start);
    assert!(
        code == Some(1) && said.contains("talk-1 is open in another agent, teller"),
        "{said}"
    );
    let mut terminal = Terminal::open(&world, &[&file, "--resume", "talk-1"]);
    terminal.wait_for("talk-1 is open in another agent, teller");
    terminal.end();
    let listed = world.json(&["list", "--json"])["agents"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    // A program that continues none begins its own.
    world.ok(&["start", "dummy", "--port", "0", "--resume", "talk-1"]);
    world.ok(&["stop", "teller"]);
    world.ok(&start);
}
