//! An agent in an editor, spoken as an editor speaks: one JSON-RPC message a line. The published SDK and acpx are in
//! `tests-sdk`; here is what an editor and a terminal do at the same time.

use std::io::Write as _;

use serde_json::{Value, json};

use crate::world::World;
use crate::world::editor::Editor;

#[test]
fn a_question_that_is_answered_elsewhere_is_withdrawn_in_the_editor() {
    let world = World::with_dummy();
    let mut editor = Editor::open(&world, &["dummy"], &json!({}));
    let turn = editor.prompt("ask:yn Shall I?");
    let asked = editor.asked("session/request_permission");
    world.ok(&["answer", "dummy", "yes"]);
    let withdrawn = editor.asked("$/cancel_request");
    assert_eq!(withdrawn["params"]["requestId"], asked["id"]);
    assert_eq!(editor.answer(turn)["stopReason"], "end_turn");
    // What the editor says now is for a question that is gone, and harms nobody.
    let late = json!({ "outcome": { "outcome": "selected", "optionId": "2" } });
    editor.say(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": late }));
    let turn = editor.prompt("say:still here");
    assert_eq!(editor.answer(turn)["stopReason"], "end_turn");
    assert!(editor.words().ends_with("still here"), "{}", editor.words());
}

#[test]
fn who_answered_in_the_editor_is_kept_with_the_task() {
    let world = World::with_dummy();
    let mut editor = Editor::open(&world, &["dummy"], &json!({}));
    let turn = editor.prompt("ask:yn Shall I?");
    let asked = editor.asked("session/request_permission");
    let no = json!({ "outcome": { "outcome": "selected", "optionId": "2" } });
    editor.say(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": no }));
    assert_eq!(editor.answer(turn)["stopReason"], "end_turn");
    let is_call = |update: &&Value| update["sessionUpdate"] == "tool_call_update";
    let updates = editor.heard.iter().map(|said| &said["params"]["update"]);
    let call = updates.filter(is_call).next_back().unwrap();
    assert_eq!(call["status"], "failed", "{call}");
    assert!(call["title"].as_str().unwrap().contains("Shall I?"));
    let task = &world.json(&["tasks", "--json"])["tasks"][0];
    assert_eq!(task["context_id"], editor.session);
    assert_eq!(task["acts"][0]["by"], "editor");
}

#[test]
fn a_password_is_asked_for_in_the_terminal_alone() {
    let world = World::with_dummy();
    let can = json!({ "elicitation": { "form": {} } });
    let mut editor = Editor::open(&world, &["dummy"], &can);
    let turn = editor.prompt("ask:password");
    editor.until(|message| {
        let text = message["params"]["update"]["content"]["text"].as_str();
        text.is_some_and(|text| text.contains("synapse attach dummy"))
    });
    world.ok(&["answer", "dummy", "secret"]);
    assert_eq!(editor.answer(turn)["stopReason"], "end_turn");
    let is_question = |message: &&Value| message["id"].is_u64() && !message["method"].is_null();
    assert_eq!(editor.heard.iter().find(is_question), None);
}

/// A program that asks for words.
const ASKING: &str = r#"
name: poet
command: [bash, -c, 'while read -p "poet> " line; do read -p "Your name? " name; echo "hello $name"; done']
idle_regex: '^poet> $'
input_detection:
  additional_patterns: [{ pattern: 'Your name\?', type: text }]
"#;

#[test]
fn a_question_in_words_is_answered_by_a_form_or_by_the_next_prompt() {
    let world = World::new();
    world.start_profile("poet", ASKING);
    let mut editor = Editor::open(&world, &["poet"], &json!({}));
    let turn = editor.prompt("go");
    assert_eq!(editor.answer(turn)["stopReason"], "end_turn");
    assert!(editor.words().contains("Your name?"), "{}", editor.words());
    let turn = editor.prompt("Basho");
    assert_eq!(editor.answer(turn)["stopReason"], "end_turn");
    assert!(
        editor.words().trim_end().ends_with("hello Basho"),
        "{}",
        editor.words()
    );
    let can = json!({ "elicitation": { "form": {} } });
    let mut editor = Editor::open(&world, &["poet"], &can);
    let turn = editor.prompt("go");
    let asked = editor.asked("elicitation/create");
    assert_eq!(asked["params"]["mode"], "form");
    let form = json!({ "action": "accept", "content": { "answer": "Issa" } });
    editor.say(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": form }));
    assert_eq!(editor.answer(turn)["stopReason"], "end_turn");
    assert!(editor.words().contains("hello Issa"), "{}", editor.words());
}

#[test]
fn a_profile_that_runs_nowhere_near_is_started_in_the_project() {
    let world = World::new();
    let mut editor = Editor::open(&world, &["dummy"], &json!({}));
    let turn = editor.prompt("say:started");
    assert_eq!(editor.answer(turn)["stopReason"], "end_turn");
    assert_eq!(editor.words(), "started");
    let dir = world.home.path().canonicalize().unwrap();
    assert_eq!(world.entry()["working_dir"], dir.to_str().unwrap());
}

#[test]
fn a_prompt_to_an_agent_that_is_just_ending_is_for_the_one_started_after_it() {
    let world = World::new();
    let mut editor = Editor::open(&world, &["dummy"], &json!({}));
    let before = world.entry()["pid"].clone();
    // Half a request keeps the host there for a while when its program is gone.
    let mut open = world.connect();
    write!(open, "GET /status HTTP/1.1\r\n").unwrap();
    let turn = editor.prompt("exit:3");
    editor.until(|message| message["id"] == turn && message.get("method").is_none());
    let turn = editor.prompt("say:still here");
    assert_eq!(editor.answer(turn)["stopReason"], "end_turn");
    assert!(editor.words().ends_with("still here"), "{}", editor.words());
    assert_ne!(world.entry()["pid"], before);
}

#[test]
fn what_runs_goes_on_when_the_editor_is_closed() {
    let world = World::with_dummy();
    let mut editor = Editor::open(&world, &["dummy"], &json!({}));
    editor.prompt("wait:1");
    world.wait_until("it is at work", |world| {
        world.json(&["tasks", "--json"])["tasks"][0]["status"]["state"] == "working"
    });
    drop(editor);
    world.wait_for_task("wait:1", "completed");
}
