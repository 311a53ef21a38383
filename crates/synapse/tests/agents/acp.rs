//! An agent in an editor, spoken as an editor speaks: one JSON-RPC message a line. The published SDK and acpx are in
//! `tests-sdk`; here is what an editor and a terminal do at the same time.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::world::World;

/// An editor with a session.
struct Editor {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: String,
    /// What was told and asked.
    heard: Vec<Value>,
    next: u64,
}

impl Editor {
    fn open(world: &World, args: &[&str], capabilities: &Value) -> Self {
        let mut command = world.command(&[&["acp"], args].concat());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut editor = Self {
            to: child.stdin.take().unwrap(),
            from: BufReader::new(child.stdout.take().unwrap()),
            child,
            session: String::new(),
            heard: Vec::new(),
            next: 0,
        };
        let hello = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        let hello = editor.request("initialize", &hello);
        assert_eq!(editor.answer(hello)["protocolVersion"], 1);
        let cwd = world.home.path().canonicalize().unwrap();
        let new = editor.request("session/new", &json!({ "cwd": cwd, "mcpServers": [] }));
        let id = editor.answer(new)["sessionId"].clone();
        editor.session = id.as_str().unwrap().to_owned();
        editor
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.to, "{message}").unwrap();
    }

    fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn prompt(&mut self, text: &str) -> u64 {
        let prompt = json!([{ "type": "text", "text": text }]);
        let params = json!({ "sessionId": self.session, "prompt": prompt });
        self.request("session/prompt", &params)
    }

    /// Hears what is said until something is so.
    fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            assert!(
                self.from.read_line(&mut line).unwrap() > 0,
                "it is gone: {:?}",
                self.heard
            );
            let message: Value = serde_json::from_str(&line).unwrap();
            self.heard.push(message.clone());
            if is_it(&message) {
                return message;
            }
        }
    }

    fn asked(&mut self, method: &str) -> Value {
        self.until(|message| message["method"] == method)
    }

    fn answer(&mut self, id: u64) -> Value {
        let answer = self.until(|message| message["id"] == id && message.get("method").is_none());
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// What the agent said in words.
    fn words(&self) -> String {
        let updates = self
            .heard
            .iter()
            .map(|message| &message["params"]["update"]);
        let said = updates.filter(|update| update["sessionUpdate"] == "agent_message_chunk");
        said.map(|update| update["content"]["text"].as_str().unwrap())
            .collect()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

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

/// A world with an agent that is reached by ACP: our own agent for editors, with the dummy agent behind it.
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

#[test]
fn an_agent_that_is_reached_by_acp_has_tasks_and_exact_replies() {
    let world = mirrored();
    let sent = world.json(&["send", "mirror", "multi", "--return", "--json"]);
    let direct = world.json(&["send", "dummy", "multi", "--return", "--json"]);
    assert_eq!(sent["source"], "channel", "{sent}");
    assert_eq!(sent["reply"], direct["reply"]);
    let lines = "say:one\ntwo";
    let sent = world.json(&["send", "mirror", lines, "--return", "--json"]);
    assert_eq!(sent["state"], "completed", "{sent}");
    let asked = world.json(&["tasks", "dummy", "--json"]);
    let arrived = &asked["tasks"][0]["message"]["parts"][0]["text"];
    assert_eq!(arrived, lines, "the message is one, with its line break");
    let sent = world.json(&["send", "mirror", "exit:3", "--return", "--json"]);
    assert_eq!(sent["state"], "failed", "{sent}");
}

#[test]
fn the_questions_of_an_agent_that_is_reached_by_acp_have_their_options() {
    let world = mirrored();
    let sent = world.json(&["send", "mirror", "select:red|green", "--return", "--json"]);
    assert_eq!(sent["state"], "input_required", "{sent}");
    assert_eq!(
        sent["question"]["options"],
        json!(["red", "green"]),
        "{sent}"
    );
    world.ok(&["answer", sent["task_id"].as_str().unwrap(), "green"]);
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
}

#[test]
fn an_agent_that_is_reached_by_acp_has_no_terminal_and_says_so() {
    let world = mirrored();
    for args in [
        vec!["screen", "mirror"],
        vec!["keys", "mirror", "Escape"],
        vec!["attach", "mirror"],
    ] {
        let done = world.run(&args);
        let error = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(!done.status.success(), "{args:?}");
        let is_said = error.contains("has no terminal") || error.contains("terminal");
        assert!(is_said, "{args:?}: {error}");
    }
    let done = world.run(&["start", "dummy", "--acp"]);
    let error = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(
        error.contains("does not say how its program speaks ACP"),
        "{error}"
    );
}
