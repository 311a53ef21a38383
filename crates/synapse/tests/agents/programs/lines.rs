//! Programs that read lines: the kernel says when they wait, and every character counts.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use super::send_as;
use super::start;
use super::wrapped;
use crate::world::World;

/// What a program without a profile answers to one message.
fn answer(command: &[&str], message: &str) -> String {
    wrapped("it", command).ok(&["send", "it", message, "--return"])
}

#[test]
fn programs_that_show_no_prompt_are_idle_and_answer() {
    assert_eq!(answer(&["cat"], "hello"), "hello\n");
    let echo = "while read -r line; do echo \"got $line\"; done";
    assert_eq!(answer(&["sh", "-c", echo], "[a] !b /c"), "got [a] !b /c\n");
    let world = wrapped("it", &["cat"]);
    let why = world.ok(&["status", "it", "--why"]);
    assert!(why.contains("asleep in a read of its terminal"), "{why}");
}

#[test]
fn calculators_interpreters_and_shells_are_idle_and_answer() {
    if has("bc") {
        assert_eq!(answer(&["bc", "-q"], "2^40"), "1099511627776\n");
    }
    assert_eq!(answer(&["python3", "-i"], "print(6 * 7)"), "42\n");
    assert_eq!(
        answer(&["bash", "--norc"], "echo $((6 * 7)) [x]"),
        "42 [x]\n"
    );
}

fn has(program: &str) -> bool {
    synapse::launch::probe::find(program, None).is_some()
}

#[test]
fn a_program_that_works_in_silence_is_not_done_before_it_reads_again() {
    let world = World::new();
    let gate = world.home.path().join("gate");
    let wait = "while [ ! -e gate ]; do sleep 0.05; done";
    let script = format!("while read -r line; do {wait}; done");
    start(&world, "it", &["sh", "-c", &script]);
    let id = world.ok(&["send", "it", "go"]);
    world.wait_for_state("it", "BUSY");
    world.wait_until("the kernel was asked", |world| {
        let why = world.ok(&["status", "it", "--why"]);
        why.contains("not reading its terminal")
    });
    assert_eq!(world.state("it"), "BUSY");
    std::fs::write(gate, "").unwrap();
    world.wait_until("it is done", |world| {
        world.ok(&["task", id.trim()]).contains("completed")
    });
}

#[test]
fn a_line_is_streamed_before_the_next_one_is_written() {
    let world = World::new();
    let wait = "while [ ! -e gate ]; do sleep 0.05; done";
    let script = format!("while read -r line; do echo one; {wait}; echo two; done");
    start(&world, "it", &["sh", "-c", &script]);
    let id = world.ok(&["send", "it", "go"]);
    let mut follow = world.command(&["task", id.trim(), "--follow", "--json"]);
    let mut follow = follow.stdout(Stdio::piped()).spawn().unwrap();
    let told = BufReader::new(follow.stdout.take().unwrap()).lines();
    let mut told = told.map(Result::unwrap);
    let is_told = told.any(|line| line.contains(r#""text":"one\n""#));
    assert!(is_told, "told while the program waits");
    std::fs::write(world.home.path().join("gate"), "").unwrap();
    assert!(told.any(|line| line.contains("completed")));
    assert!(follow.wait().unwrap().success());
}

#[test]
fn a_line_goes_into_a_pipe_before_the_next_one_is_written() {
    let world = World::new();
    let wait = "while [ ! -e gate ]; do sleep 0.05; done";
    let script = format!("while read -r line; do echo one; {wait}; echo two; done");
    start(&world, "it", &["sh", "-c", &script]);
    let mut send = world.command(&["send", "it", "go", "--stream", "--timeout", "30"]);
    let mut send = send.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(send.stdout.take().unwrap()).lines();
    // Without the gate the program waits, and the sender would give up with nothing printed.
    assert_eq!(lines.next().unwrap().unwrap(), "one");
    std::fs::write(world.home.path().join("gate"), "").unwrap();
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(rest, ["two"]);
    assert!(send.wait().unwrap().success());
}

#[test]
fn a_pager_opened_in_a_shell_is_not_rest() {
    let world = World::new();
    let text = "a line of many\n".repeat(200);
    std::fs::write(world.home.path().join("text"), text).unwrap();
    start(&world, "it", &["env", "LESS=", "bash", "--norc"]);
    let id = world.ok(&["send", "it", "less text"]);
    world.wait_until("the pager is seen for what it is", |world| {
        let why = world.ok(&["status", "it", "--why"]);
        why.contains("a full screen was opened")
    });
    let task = world.ok(&["task", id.trim()]);
    assert!(task.contains("working"), "{task}");
    world.ok(&["keys", "it", "q"]);
    world.wait_until("the shell is back", |world| {
        world.ok(&["task", id.trim()]).contains("completed")
    });
}

#[test]
fn line_programs_get_the_text_as_it_is_whoever_sends_it() {
    let world = wrapped("it", &["cat"]);
    for sender in ["user", "codex"] {
        for text in ["hello", "!ls", "/quit", "#!"] {
            assert_eq!(send_as(&world, sender, text)["reply"], text, "{sender}");
        }
    }
}

#[test]
fn a_reply_whose_beginning_is_lost_says_so() {
    let world = wrapped("it", &["bash", "--norc"]);
    let output = world.run(&["send", "it", "seq 60000", "--return", "--timeout", "60"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.ends_with("\n59999\n60000\n"),
        "{} characters",
        said.len()
    );
    let note = String::from_utf8(output.stderr).unwrap();
    let first: String = said.chars().take(40).collect();
    assert!(
        note.contains("its beginning is missing"),
        "{first:?} {} {note}",
        said.len()
    );
    let tasks = world.json(&["tasks", "it", "--json"]);
    assert_eq!(tasks["tasks"][0]["truncated"], true);
    let whole = world.json(&["send", "it", "seq 3", "--return", "--json"]);
    assert_eq!(whole["reply"], "1\n2\n3");
    assert_eq!(whole["truncated"], serde_json::Value::Null);
}
