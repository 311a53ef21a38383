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
