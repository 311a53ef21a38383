//! What comes back, where it is shown and kept, and what can be asked for on the way.

use super::desk::{Desk, editor, profile};
use crate::world::World;
use crate::world::terminal::Terminal;

#[test]
fn answers_are_kept_until_they_are_read() {
    let mut desk = Desk::new();
    desk.terminal.press("@target say:first\r");
    desk.terminal.wait_for("[← target] first");
    let replies = desk.world.json(&["replies", "--json"]);
    let reply = &replies["replies"][0];
    assert_eq!(
        (&reply["from"], &reply["to"]),
        (&"target".into(), &"here".into())
    );
    assert_eq!(
        (&reply["text"], &reply["is_seen"]),
        (&"first".into(), &false.into())
    );
    let again = desk.world.run(&["replies"]);
    assert!(again.stdout.is_empty(), "what was shown is not new");
    let all = desk.world.ok(&["replies", "here", "--all"]);
    assert!(
        all.contains("← target to here") && all.contains("\nfirst\n"),
        "{all}"
    );
}

#[test]
fn a_message_that_wants_no_answer_gets_none() {
    let mut desk = Desk::new();
    desk.terminal.press("@target --no-return say:quiet\r");
    desk.terminal.wait_for("[→ target (local)]");
    assert_eq!(desk.wait_for_messages(1), ["say:quiet"]);
    desk.world.wait_until("the target has answered", |world| {
        world.json(&["tasks", "target", "--json"])["tasks"][0]["status"]["state"] == "completed"
    });
    let replies = desk.world.json(&["replies", "--json"]);
    assert_eq!(replies["replies"].as_array().unwrap().len(), 0);
}

#[test]
fn every_step_is_told_to_who_wants_to_know() {
    let world = World::new();
    world.configure("input_routing:\n  feedback: inline\n");
    let mut desk = Desk::with(world, &["dummy"], "dummy>");
    fill(&mut desk);
    desk.terminal.press("@target wait:1\r");
    desk.terminal.wait_for("→ target: Delivered");
    desk.terminal.wait_for("→ target: Answered");
    desk.terminal.wait_for("[← target] waited 1 seconds");
}

#[test]
fn a_question_on_the_way_is_told_with_how_to_answer_it() {
    let mut desk = Desk::new();
    fill(&mut desk);
    desk.terminal.press("@target ask:yn Really?\r");
    desk.terminal.wait_for("[← target] asks: Really?");
    desk.terminal.wait_for("synapse answer");
    desk.world.ok(&["answer", "target", "yes"]);
    desk.terminal.wait_for("[← target]");
    desk.terminal.wait_for("ok: yes");
}

#[test]
fn priority_files_and_the_sender_travel_along() {
    let mut desk = Desk::new();
    std::fs::write(desk.world.home.path().join("notes.txt"), "noted").unwrap();
    desk.terminal
        .press("@target --priority 3 --file notes.txt say:see\r");
    desk.wait_for_messages(1);
    let task = desk.world.json(&["tasks", "target", "--json"])["tasks"][0].clone();
    assert_eq!(
        (&task["sender"], &task["priority"]),
        (&"here".into(), &3.into())
    );
    let file = &task["message"]["parts"][1];
    assert_eq!(file["file"]["name"], "notes.txt", "{task}");
}

#[test]
fn everyone_but_oneself_is_addressed_at_once() {
    let mut desk = Desk::new();
    desk.world
        .ok(&["start", "dummy", "--name", "other", "--port", "0"]);
    fill(&mut desk);
    desk.terminal.press("@all say:hello\r");
    desk.terminal.wait_until("both have answered", |text| {
        text.contains("[← target] hello") && text.contains("[← other] hello")
    });
    assert!(desk.messages("here").is_empty());
}

#[test]
fn a_message_starts_an_agent_that_may_be_started() {
    let world = World::new();
    world.configure("agents:\n  dummy:\n    auto_start: true\n    port: 0\n");
    let profile = editor(&world);
    let mut terminal = Terminal::open(&world, &[&profile, "--port", "0"]);
    terminal.wait_until("the prompt is there", |text| text.ends_with("edit>"));
    world.wait_for_state("editor", "IDLE");
    terminal.press("@dummy say:awake\r");
    terminal.wait_for("[← dummy] awake");
    assert_eq!(
        world.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn an_answer_can_be_typed_into_the_program_as_a_message() {
    let mut desk = Desk::with(World::new(), &["dummy", "--return-to-agent"], "dummy>");
    desk.terminal.press("@target say:say:twice\r");
    desk.terminal.wait_until("the program got it", |text| {
        text.ends_with("\ntwice\ndummy>")
    });
    assert_eq!(desk.messages("here"), ["say:twice"]);
    let task = desk.world.json(&["tasks", "here", "--json"])["tasks"][0].clone();
    assert_eq!(task["sender"], "target");
}

#[test]
fn a_program_can_answer_its_task_in_so_many_words() {
    let world = World::new();
    let synapse = world.command(&[]).get_program().to_owned();
    let script = format!(
        "
import subprocess
while True:
    line = input('work> ')
    print('thinking')
    subprocess.run([{synapse:?}, 'reply', 'exactly: ' + line])
    print('noise')
"
    );
    let profile = profile(&world, "worker", &script, "idle_regex: '^work> $'");
    world.ok(&["start", &profile, "--port", "0"]);
    world.wait_for_state("worker", "IDLE");
    let answer = world.json(&["send", "worker", "a  b", "--return", "--json"]);
    assert_eq!(answer["reply"], "exactly: a  b", "{answer}");
    assert_eq!(
        (&answer["state"], &answer["source"]),
        (&"completed".into(), &"channel".into())
    );
    let outside = world.run(&["reply", "x"]);
    assert!(String::from_utf8_lossy(&outside.stderr).contains("inside an agent"));
    let (status, body) = world.call("POST", "/reply", &serde_json::json!({ "text": "x" }));
    assert_eq!(status, 409, "{body}");
    assert!(body["error"].as_str().unwrap().contains("no current task"));
}

/// Fills the screen, so that there is room for notices above the prompt.
fn fill(desk: &mut Desk) {
    desk.terminal.press("long:30\r");
    desk.terminal.wait_until("the prompt is back", |text| {
        text.contains("line 30 of 30") && text.ends_with("dummy>")
    });
    desk.world.wait_for_state("here", "IDLE");
}

#[test]
fn a_notice_goes_when_the_window_gets_narrow() {
    let mut desk = Desk::new();
    desk.terminal.press("say:before\r");
    desk.terminal.wait_for("\nbefore");
    let wide = "w".repeat(80);
    desk.terminal.press(&format!("@target say:{wide}\r"));
    desk.terminal.wait_for("[← target] www");
    desk.terminal.resize(50, 20);
    desk.terminal.wait_until("no trace of it is left", |text| {
        !text.contains("ww") && text.contains("before") && text.ends_with("dummy>")
    });
}
