//! `@alias message` typed into a wrapped program reaches an agent elsewhere: here one of another home, which
//! asks everybody for its token.

use serde_json::Value;

use super::desk::Desk;
use crate::world::World;

/// A desk whose home knows the agent of another as `peer`.
fn desk() -> (World, Desk) {
    let there = World::configured("auth: token\n");
    let here = World::new();
    here.discover(&there, "peer");
    (there, Desk::with(here, &["dummy"], "dummy>"))
}

fn task(there: &World) -> Value {
    there.json(&["tasks", "dummy", "--json"])["tasks"][0].clone()
}

#[test]
fn an_agent_elsewhere_gets_the_message_and_its_answer_comes_back() {
    let (there, mut desk) = desk();
    std::fs::write(desk.world.home.path().join("notes.txt"), "noted").unwrap();
    let line = "@Peer --priority 3 --file notes.txt say:hello  日本";
    desk.terminal.press(&format!("{line}\r"));
    desk.terminal.wait_for("[← peer] hello  日本");
    let task = task(&there);
    assert_eq!(task["message"]["parts"][0]["text"], "say:hello  日本");
    assert_eq!(task["message"]["parts"][1]["file"]["name"], "notes.txt");
    // What is not part of A2A itself travels along, to those who can read it.
    assert_eq!(
        (&task["sender"], &task["priority"]),
        (&"here".into(), &3.into())
    );
    let replies = desk.world.json(&["replies", "--json"]);
    let reply = &replies["replies"][0];
    assert!(
        reply["from"] == "peer" && reply["text"].as_str().unwrap().contains("hello  日本"),
        "{reply}"
    );
    assert!(desk.log().contains("to=peer delivered"), "{}", desk.log());
}

#[test]
fn a_question_from_elsewhere_is_told_and_the_answer_to_it_waited_for() {
    let (_there, mut desk) = desk();
    desk.terminal.press("long:30\r");
    desk.terminal.wait_until("the prompt is back", |text| {
        text.contains("line 30 of 30") && text.ends_with("dummy>")
    });
    desk.world.wait_for_state("here", "IDLE");
    desk.terminal.press("@peer ask:yn Really?\r");
    let text = desk.terminal.wait_until("the question is told", |text| {
        text.contains("[← peer] asks:") && text.contains("Really?") && text.contains("--task ")
    });
    let (_, id) = text.split_once("--task ").unwrap();
    let id = id.split_whitespace().next().unwrap();
    let answer = ["external", "send", "peer", "yes", "--task", id];
    desk.world.ok(&answer);
    desk.terminal.wait_until("the end of it is told", |text| {
        text.contains("[← peer]") && text.contains("ok: yes")
    });
}

#[test]
fn an_agent_of_this_machine_comes_first() {
    let (there, mut desk) = desk();
    desk.world
        .ok(&["start", "dummy", "--name", "peer", "--port", "0"]);
    desk.terminal.press("@peer say:near\r");
    desk.terminal.wait_for("[← peer] near");
    assert_eq!(desk.messages("peer"), ["say:near"]);
    assert!(task(&there).is_null());
    desk.world.ok(&["stop", "peer"]);
    desk.terminal.press("@peer say:far\r");
    desk.terminal.wait_for("[← peer] far");
    assert_eq!(task(&there)["message"]["parts"][0]["text"], "say:far");
}

#[test]
fn a_name_nobody_has_is_told_with_those_that_are_near_it() {
    let (_there, mut desk) = desk();
    desk.terminal.press("@peeer say:hi\r");
    desk.terminal.wait_for("no agent is called 'peeer'");
    desk.terminal.wait_for("@peer");
}
