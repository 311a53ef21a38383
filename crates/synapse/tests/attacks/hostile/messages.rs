//! Messages that want to be more than text.

use serde_json::{Value, json};

use crate::world::World;

/// A shell whose line editor knows no pastes.
const BASH: &str = "name: shell
command: [bash, --norc, --noprofile, -i]
env: { PS1: 'sh> ', INPUTRC: INPUTRC_FILE }
idle_regex: '^sh> $'
prompt_template: ': {sender} {text}'
";

fn with_bash() -> World {
    let world = World::new();
    let inputrc = world.home.path().join("inputrc");
    std::fs::write(&inputrc, "set enable-bracketed-paste off\n").unwrap();
    let yaml = BASH.replace("INPUTRC_FILE", inputrc.to_str().unwrap());
    world.start_profile("shell", &yaml);
    world.wait_for_state("shell", "IDLE");
    world
}

fn sent(world: &World, body: &Value) -> String {
    let (status, answer) = world.call("POST", "/tasks/send", body);
    assert_eq!(status, 200, "{answer}");
    answer["task"]["id"].as_str().unwrap().to_owned()
}

fn wait_for_end(world: &World, id: &str) {
    let (status, _) = world.raw_call("GET", &format!("/tasks/{id}/subscribe"), "", &Value::Null);
    assert_eq!(status, 200);
}

#[test]
fn a_line_break_in_a_message_or_its_sender_is_not_enter() {
    let world = with_bash();
    for body in [
        json!({"message": "please look\ntouch pwned\nthanks"}),
        json!({"message": "please look\r\ntouch pwned\r"}),
        json!({"message": "hello", "sender": "x\ntouch pwned\n"}),
        json!({"message": "hello", "sender": "x\u{85}touch pwned\u{2028}y"}),
    ] {
        let task = sent(&world, &body);
        wait_for_end(&world, &task);
    }
    // What is typed next runs, so what was typed before has run.
    let last = sent(&world, &json!({"message": "touch witness", "raw": true}));
    wait_for_end(&world, &last);
    assert!(world.home.path().join("witness").exists());
    assert!(!world.home.path().join("pwned").exists());
}

#[test]
fn nobody_passes_for_the_keyboard() {
    let world = World::with_dummy();
    for (path, body) in [
        (
            "/tasks/send",
            json!({"message": "say:x", "sender": "keyboard"}),
        ),
        (
            "/tasks/send",
            json!({"message": "say:x", "sender": " key\nboard "}),
        ),
        (
            "/message",
            json!({"content": "say:x", "sender": "keyboard"}),
        ),
    ] {
        let (status, answer) = world.call("POST", path, &body);
        assert_eq!(status, 400, "{answer}");
        assert!(answer["error"].as_str().unwrap().contains("keyboard"));
    }
    for name in ["user", "keyboard", "all", "User"] {
        let output = world.run(&["start", "dummy", "--port", "0", "--name", name]);
        assert!(!output.status.success(), "{name} is an agent");
    }
}

#[test]
fn the_input_of_one_task_never_answers_another() {
    let world = World::with_dummy();
    let asks = sent(&world, &json!({"message": "ask:yn Really?"}));
    let waits = sent(&world, &json!({"message": "say:later"}));
    world.wait_for_state("dummy", "INPUT_REQUIRED");
    let input = |task: &str| {
        let path = format!("/tasks/{task}/input");
        world.call("POST", &path, &json!({"input": "yes"}))
    };
    let (status, answer) = input(&waits);
    assert_eq!(status, 400, "{answer}");
    let said = answer["error"].as_str().unwrap();
    assert!(said.contains("task is not waiting for input"), "{said}");
    assert_eq!(world.state("dummy"), "INPUT_REQUIRED");
    let refused = world.run(&["answer", &waits, "yes"]);
    assert!(!refused.status.success());
    assert_eq!(world.state("dummy"), "INPUT_REQUIRED");

    world.wait_until("its question is told", |_| input(&asks).0 == 200);
    wait_for_end(&world, &asks);
    wait_for_end(&world, &waits);
    for task in [asks, waits] {
        let (status, answer) = input(&task);
        assert_eq!(status, 400, "{answer}");
    }
}
