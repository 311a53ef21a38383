//! Agents that are reached by ACP. The CLI behind them is our own agent for editors with the dummy agent behind it; one
//! that is made with the published SDK is in `tests-sdk`.

use serde_json::{Value, json};

use crate::world::World;

/// A world with an agent that is reached by ACP.
fn mirrored() -> World {
    let world = World::with_dummy();
    let binary = assert_cmd::cargo::cargo_bin!("synapse");
    let profile = format!(
        "name: mirror\nbackend: acp\ncommand: ['{}', acp, dummy]\n",
        binary.display()
    );
    world.start_profile("mirror", &profile);
    world.wait_until("it is ready", |world| world.state("mirror") == "IDLE");
    world
}

/// What became of a message.
fn sent(world: &World, to: &str, text: &str) -> Value {
    let done = world.run(&["send", to, text, "--return", "--json"]);
    serde_json::from_slice(&done.stdout).unwrap()
}

#[test]
fn an_agent_that_is_reached_by_acp_has_tasks_and_exact_replies() {
    let world = mirrored();
    let told = sent(&world, "mirror", "multi");
    assert_eq!(told["source"], "acp", "{told}");
    assert_eq!(told["reply"], sent(&world, "dummy", "multi")["reply"]);
    let lines = "say:one\n\ntwo \u{1b}[201~\u{3}three";
    let told = sent(&world, "mirror", lines);
    assert_eq!(told["state"], "completed", "{told}");
    let asked = world.json(&["tasks", "dummy", "--json"]);
    let arrived = &asked["tasks"][0]["message"]["parts"][0]["text"];
    let arrived = arrived.as_str().unwrap();
    assert!(
        arrived.starts_with("say:one\n\ntwo ") && arrived.ends_with("three"),
        "the message is one, and nothing in it is a key: {arrived:?}"
    );
    let told = sent(&world, "mirror", "exit:3");
    assert_eq!(told["state"], "failed", "{told}");
    let told = sent(&world, "mirror", "say:still here");
    assert_eq!(told["state"], "completed", "{told}");
}

#[test]
fn the_questions_of_an_agent_that_is_reached_by_acp_have_their_options() {
    let world = mirrored();
    let told = sent(&world, "mirror", "select:red|green");
    assert_eq!(told["state"], "input_required", "{told}");
    let options = json!(["red", "green"]);
    let asked = &told["task"]["status"]["message"];
    assert_eq!(asked["options"], options, "{told}");
    assert_eq!(world.state("mirror"), "INPUT_REQUIRED");
    let wrong = world.run(&["answer", "mirror", "blue"]);
    let error = String::from_utf8_lossy(&wrong.stderr);
    assert!(error.contains("none of the options"), "{error}");
    world.ok(&["answer", "mirror", "green"]);
    world.wait_for_task("select:red|green", "completed");
    let tasks = world.json(&["tasks", "mirror", "--json"]);
    let reply = tasks["tasks"][0]["reply"].as_str().unwrap();
    assert!(reply.contains("green"), "{reply}");
}

#[test]
fn a_stop_reaches_an_agent_by_acp_and_is_confirmed() {
    let world = mirrored();
    world.ok(&["send", "mirror", "slow:60"]);
    world.wait_until("the agent behind it works", |world| {
        world.state("dummy") == "BUSY" && world.state("mirror") == "BUSY"
    });
    let receipt = world.json(&["interrupt", "mirror", "--json"]);
    assert_eq!(receipt["confirmed"], true, "{receipt}");
    world.wait_until("the agent behind it rests", |world| {
        world.state("dummy") == "IDLE"
    });
    world.wait_for_task("slow:60", "failed");
}

#[test]
fn a_stop_at_an_open_question_withdraws_it() {
    let world = mirrored();
    world.ok(&["send", "mirror", "select:red|green"]);
    world.wait_until("it asks", |world| world.state("mirror") == "INPUT_REQUIRED");
    world.json(&["interrupt", "mirror", "--json"]);
    for name in ["mirror", "dummy"] {
        world.wait_until("it rests", |world| world.state(name) == "IDLE");
    }
}

#[test]
fn an_agent_that_is_reached_by_acp_has_no_terminal_and_says_so() {
    let world = mirrored();
    for args in [
        ["screen", "mirror"].as_slice(),
        &["keys", "mirror", "Escape"],
    ] {
        let done = world.run(args);
        let error = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(!done.status.success(), "{args:?}");
        assert!(
            error.contains("mirror is reached by ACP and has no terminal"),
            "{args:?}: {error}"
        );
    }
    let done = world.run(&["start", "dummy", "--acp"]);
    let error = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(
        error.contains("does not say how its program speaks ACP"),
        "{error}"
    );
    let done = world.run(&["start", "--acp", "--in", "tmux", "--", "true"]);
    let error = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(error.contains("runs in no terminal"), "{error}");
}

#[test]
fn a_program_that_does_not_speak_acp_is_named_with_its_last_words() {
    let world = World::new();
    let script = "echo 'the key is missing' >&2; exit 4";
    let done = world.run(&["start", "--acp", "--name", "odd", "--", "sh", "-c", script]);
    let error = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(!done.status.success());
    assert!(error.contains("does not speak ACP"), "{error}");
    assert!(error.contains("the key is missing"), "{error}");
    let done = world.run(&["start", "--acp", "--", "no-such-program-anywhere"]);
    let error = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(error.contains("command not found"), "{error}");
}

#[test]
fn a_program_that_is_reached_by_acp_ends_with_its_agent() {
    let world = mirrored();
    let pid = |world: &World| {
        let status = world.ok(&["status", "mirror", "--why"]);
        let at = status.find("PID ").unwrap() + 4;
        let digits = status[at..].chars().take_while(char::is_ascii_digit);
        digits.collect::<String>()
    };
    let pid = pid(&world);
    let is_there = || std::path::Path::new(&format!("/proc/{pid}")).exists();
    assert!(is_there());
    world.ok(&["stop", "mirror"]);
    world.wait_until("its program is gone", |_| !is_there());
}
