//! An editor that speaks ACP: one JSON-RPC message a line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::World;

/// An editor with a session.
pub struct Editor {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    pub session: String,
    /// The modes it was offered.
    pub modes: Value,
    /// What was told and asked.
    pub heard: Vec<Value>,
    next: u64,
}

impl Editor {
    pub fn open(world: &World, args: &[&str], capabilities: &Value) -> Self {
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
            modes: Value::Null,
            heard: Vec::new(),
            next: 0,
        };
        let hello = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        let hello = editor.request("initialize", &hello);
        assert_eq!(editor.answer(hello)["protocolVersion"], 1);
        let cwd = world.home.path().canonicalize().unwrap();
        let new = editor.request("session/new", &json!({ "cwd": cwd, "mcpServers": [] }));
        let new = editor.answer(new);
        editor.session = new["sessionId"].as_str().unwrap().to_owned();
        editor.modes = new["modes"]["availableModes"].clone();
        editor
    }

    pub fn say(&mut self, message: &Value) {
        writeln!(self.to, "{message}").unwrap();
    }

    pub fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub fn prompt(&mut self, text: &str) -> u64 {
        let prompt = json!([{ "type": "text", "text": text }]);
        let params = json!({ "sessionId": self.session, "prompt": prompt });
        self.request("session/prompt", &params)
    }

    /// Hears what is said until something is so.
    pub fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
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

    pub fn asked(&mut self, method: &str) -> Value {
        self.until(|message| message["method"] == method)
    }

    pub fn answer(&mut self, id: u64) -> Value {
        let answer = self.until(|message| message["id"] == id && message.get("method").is_none());
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// What the agent said in words.
    pub fn words(&self) -> String {
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
