//! `synapse send`: to one, to all, with files, streamed, interrupted.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;
use synapse_pty::Exit;

use crate::world::World;
use crate::world::terminal::Terminal;

/// A world with agents of these names.
fn crowd(names: &[&str]) -> World {
    let world = World::new();
    for name in names {
        world.ok(&["start", "dummy", "--port", "0", "--name", name]);
    }
    world
}

fn pid_of(world: &World, handle: &str) -> String {
    let entries = world.json(&["list", "--json"])["agents"].clone();
    let mut entries = entries.as_array().unwrap().iter();
    let entry = entries.find(|entry| entry["handle"] == handle).unwrap();
    entry["pid"].to_string()
}

fn signal(signal: &str, pid: &str) {
    let done = Command::new("kill").args([signal, pid]).status();
    assert!(done.unwrap().success());
}

/// What `long:` says.
fn numbered(count: usize) -> String {
    let lines: Vec<String> = (1..=count)
        .map(|n| format!("line {n} of {count}\n"))
        .collect();
    lines.concat()
}

#[test]
fn all_get_it_and_each_has_a_row() {
    let world = crowd(&["ada", "bob", "cleo"]);
    let said = world.ok(&["send", "@ALL", "say:hello", "--return"]);
    let mut rows: Vec<&str> = said.lines().collect();
    rows.sort_unstable();
    assert_eq!(
        rows,
        [
            "ada   completed       hello",
            "bob   completed       hello",
            "cleo  completed       hello"
        ]
    );
    let sent = world.ok(&["send", "all", "say:later", "--json"]);
    let sent: Vec<Value> = sent
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(sent.len(), 3);
    assert!(
        sent.iter()
            .all(|row| row["task_id"].is_string() && row["agent"].is_string())
    );
}

#[test]
fn an_agent_sends_to_all_but_itself_and_says_who_it_is() {
    let world = crowd(&["ada", "bob"]);
    let id = world.json(&["list", "--json"])["agents"][0]["agent_id"].clone();
    let output = world
        .command(&["send", "all", "say:hi", "--return"])
        .env("SYNAPSE_AGENT_ID", id.as_str().unwrap())
        .output()
        .unwrap();
    let rows = String::from_utf8(output.stdout).unwrap();
    assert_eq!(rows, "bob  completed       hi\n");
    let output = world
        .command(&["send", "ada", "say:hi", "--return"])
        .env("SYNAPSE_AGENT_ID", id.as_str().unwrap())
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("its own answer"), "{error}");
}

#[test]
fn the_sender_is_named_in_what_is_typed() {
    let world = World::new();
    let profile = world.home.path().join("named.yaml");
    let text = "name: named\nextends: dummy\nprompt_template: '[A2A:{sender}] {text}'\n";
    std::fs::write(&profile, text).unwrap();
    world.ok(&["start", profile.to_str().unwrap(), "--port", "0"]);
    world.ok(&["start", "dummy", "--port", "0", "--name", "ada"]);
    let entries = world.json(&["list", "--json"])["agents"].clone();
    let mut entries = entries.as_array().unwrap().iter();
    let ada = entries.find(|entry| entry["handle"] == "ada").unwrap();
    let output = world
        .command(&["send", "named", "echo:", "--return"])
        .env("SYNAPSE_AGENT_ID", ada["agent_id"].as_str().unwrap())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("[A2A:ada] echo:"), "{said}");
}

#[test]
fn one_that_is_stuck_or_fails_holds_nobody_else() {
    let world = crowd(&["ada", "bob", "stuck"]);
    let stuck = pid_of(&world, "stuck");
    signal("-STOP", &stuck);
    let mut sending = world
        .command(&["send", "all", "say:hi", "--return"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(sending.stdout.take().unwrap()).lines();
    let mut rows: Vec<String> = lines.by_ref().take(2).map(Result::unwrap).collect();
    rows.sort_unstable();
    assert!(
        rows[0].starts_with("ada") && rows[1].starts_with("bob"),
        "{rows:?}"
    );
    assert!(
        sending.try_wait().unwrap().is_none(),
        "the third is waited for"
    );
    signal("-KILL", &stuck);
    let last = lines.next().unwrap().unwrap();
    assert!(last.starts_with("stuck  failed"), "{last}");
    assert_eq!(sending.wait().unwrap().code(), Some(1));
}

#[test]
fn all_needs_somebody() {
    let world = World::new();
    let output = world.run(&["send", "all", "hello"]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_pipe_gets_the_reply_as_it_grows_and_exactly() {
    let world = World::with_dummy();
    world.ok(&["send", "dummy", "say:ready", "--return"]);
    let whole = world.ok(&["send", "dummy", "long:12 0.1", "--stream"]);
    assert_eq!(whole, numbered(12));
    let mut sending = world
        .command(&["send", "dummy", "long:1000 0.1", "--stream"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut out = BufReader::new(sending.stdout.take().unwrap());
    out.read_line(&mut first).unwrap();
    assert_eq!(first, "line 1 of 1000\n", "it comes before the end");
    assert_eq!(world.state("dummy"), "BUSY");
    sending.kill().unwrap();
    sending.wait().unwrap();
}

#[test]
fn a_terminal_shows_the_reply_growing_and_then_whole() {
    let world = World::with_dummy();
    let mut terminal = Terminal::open(&world, &["send", "dummy", "long:30 0.05", "--stream"]);
    let shown = terminal.wait_for("line 3 of 30");
    assert!(shown.contains("dummy is working"), "{shown}");
    let (exit, painted) = terminal.end();
    assert_eq!(exit, Exit::Code(0));
    let expected = numbered(30).replace('\n', "\r\n");
    assert!(painted.ends_with(&expected), "{painted}");
}

#[test]
fn ctrl_c_stops_waiting_and_the_task_goes_on() {
    let world = World::with_dummy();
    let mut terminal = Terminal::open(&world, &["send", "dummy", "wait:60", "--return"]);
    terminal.wait_for("dummy is working");
    terminal.press("\x03");
    let (exit, painted) = terminal.end();
    assert_eq!(exit, Exit::Code(130));
    assert!(painted.contains("goes on"), "{painted}");
    assert_eq!(world.task_state("wait:60"), "working");
}

#[test]
fn whoever_asks_for_json_gets_an_object_whatever_happens() {
    let world = World::with_dummy();
    let object = |args: &[&str], code: i32| {
        let output = world.run(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        for key in ["task_id", "state", "reply", "source", "error", "task"] {
            assert!(object.get(key).is_some(), "{key} is not in {object}");
        }
        object
    };
    let nobody = object(&["send", "nobody", "hi", "--return", "--json"], 3);
    assert_eq!(nobody["error"]["code"], "SUBMIT_FAILED");
    let late = object(
        &[
            "send",
            "dummy",
            "wait:60",
            "--return",
            "--json",
            "--timeout",
            "1",
        ],
        5,
    );
    assert_eq!(late["state"], "working");
    let pid = pid_of(&world, "dummy");
    let waiting = world
        .command(&["send", "dummy", "say:never", "--return", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    world.wait_until("it waits", |w| {
        w.json(&["status", "dummy", "--json"])["queue"] == 1
    });
    signal("-KILL", &pid);
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let lost: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(lost["error"]["code"], "HOST_CRASHED", "{lost}");
}

#[test]
fn what_cannot_be_sent_is_refused_before_anybody_hears_of_it() {
    let world = World::with_dummy();
    let large = world.home.path().join("large.bin");
    std::fs::File::create(&large)
        .unwrap()
        .set_len((16 << 20) + 1)
        .unwrap();
    let large = large.to_str().unwrap();
    for (args, code, said) in [
        (vec!["send", "dummy", " "], 2, "empty"),
        (vec!["send", "dummy", "hi", "--file", large], 1, "16 MiB"),
        (
            vec!["send", "dummy", "hi", "--file", "/no/such"],
            1,
            "/no/such",
        ),
        (
            vec!["send", "all", "hi", "--stream"],
            2,
            "follows one agent",
        ),
        (
            vec!["send", "dummy", "hi", "--stream", "--json"],
            2,
            "cannot be used",
        ),
    ] {
        let output = world.run(&args);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
        assert!(error.contains(said), "{args:?}: {error}");
    }
    let tasks = world.json(&["tasks", "--json"]);
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 0);
}

#[test]
fn files_arrive_whole() {
    let world = World::with_dummy();
    let home = world.home.path();
    let bytes: Vec<u8> = (0..=255).cycle().take(3 << 20).collect();
    std::fs::write(home.join("large.bin"), &bytes).unwrap();
    std::fs::write(home.join("note.txt"), "read me").unwrap();
    let said = world.ok(&[
        "send",
        "dummy",
        "say:here",
        "--return",
        "--file",
        "note.txt",
        "--file",
        "large.bin",
    ]);
    let found: Vec<&str> = said
        .split("[File: ")
        .filter_map(|part| part.split_once(']').map(|(path, _)| path))
        .collect();
    assert_eq!(found.len(), 2, "{said}");
    assert_eq!(std::fs::read_to_string(found[0]).unwrap(), "read me");
    assert!(std::fs::read(found[1]).unwrap() == bytes);
}

#[test]
fn the_configuration_says_whether_send_waits() {
    let world = World::with_dummy();
    let config = world.home.path().join("synapse/config.yaml");
    std::fs::write(config, "default_response_mode: return\n").unwrap();
    assert_eq!(world.ok(&["send", "dummy", "say:hello"]), "hello\n");
    assert_ne!(
        world.ok(&["send", "dummy", "say:hello", "--no-return"]),
        "hello\n"
    );
}

#[test]
fn a_prompt_of_ones_own_is_sent_by_its_name() {
    let world = World::with_dummy();
    let folder = world.home.path().join("synapse/prompts");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("greet.md"), "say:hello $1 and $2").unwrap();
    std::fs::write(folder.join("plain.md"), "say:as it is").unwrap();
    let send = |more: &[&str]| {
        let args = [&["send", "dummy", "--return", "--template"], more].concat();
        world.run(&args)
    };
    let said = |more: &[&str]| String::from_utf8(send(more).stdout).unwrap();
    assert_eq!(
        said(&["greet", "Ada", "Bob Smith"]).trim(),
        "hello Ada and Bob Smith"
    );
    assert_eq!(said(&["plain"]).trim(), "as it is");
    let refused = |more: &[&str], why: &str| {
        let output = send(more);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(why), "{error}");
    };
    refused(&["greet", "Ada"], "wants 2 words");
    refused(&["nothing"], "(there are greet, plain); write it to ");
    refused(&["../config"], "is no name of a prompt");
}
