//! An agent that wants to allow itself what a person should.

use serde_json::{Value, json};

use crate::world::World;

/// A shell that can be told what to run.
const SHELL: &str = "name: shell
command: [bash, --norc, --noprofile, -i]
env: { PS1: 'sh> ' }
idle_regex: '^sh> $'
prompt_template: '{text}'
";

fn shell(world: &World, flags: &[&str]) {
    let file = world.home.path().join("shell.yaml");
    std::fs::write(&file, SHELL).unwrap();
    let file = file.to_str().unwrap();
    world.ok(&[&["start", file, "--name", "shell", "--port", "0"], flags].concat());
    world.wait_for_state("shell", "IDLE");
}

/// Has the shell run a command of ours; how that ended, and what it said.
fn run_below(world: &World, name: &str, command: &str) -> (String, String) {
    let program = world
        .command(&[])
        .get_program()
        .to_str()
        .unwrap()
        .to_owned();
    let line = format!("{program} {command} > {name}.said 2>&1; echo $? > {name}.code");
    let (status, sent) = world.call(
        "POST",
        "/tasks/send",
        &json!({ "message": line, "raw": true }),
    );
    assert_eq!(status, 200, "{sent}");
    let file = |end: &str| world.home.path().join(format!("{name}.{end}"));
    let read = |end: &str| std::fs::read_to_string(file(end)).unwrap_or_default();
    world.wait_until("it has run", |_| !read("code").is_empty());
    (read("code").trim().to_owned(), read("said"))
}

#[test]
fn what_an_agent_starts_neither_answers_it_nor_presses_its_keys() {
    let world = World::new();
    shell(&world, &[]);
    for (name, command) in [("keys", "keys shell Up"), ("answer", "answer shell yes")] {
        let (code, said) = run_below(&world, name, command);
        assert_ne!(code, "0", "{said}");
        assert!(said.contains("does not answer its own questions"), "{said}");
    }
    // It may still look, and a person may do all of it.
    assert_eq!(run_below(&world, "status", "status shell").0, "0");
    world.ok(&["keys", "shell", "Up"]);
    let (status, _) = world.call("POST", "/keys", &json!({ "keys": ["Up"] }));
    assert_eq!(status, 200);
    let (status, _) = world.call("GET", "/status", &Value::Null);
    assert_eq!(status, 200);
}

#[test]
fn an_agent_may_where_it_was_started_so() {
    let world = World::new();
    shell(&world, &["--may-answer-itself"]);
    let (code, said) = run_below(&world, "keys", "keys shell Up");
    assert_eq!(code, "0", "{said}");
}
