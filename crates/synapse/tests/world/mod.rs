//! A home of its own for agents, driven through the built binary.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::missing_panics_doc,
    reason = "this is a test"
)]

pub mod editor;
#[cfg(feature = "grpc")]
pub mod grpc;
pub mod receiver;
pub mod socket;
pub mod terminal;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;
use synapse_store::{Filter, Reader};
use tempfile::TempDir;

/// A home of its own, and what runs in it; everything is stopped at the end.
pub struct World {
    pub home: TempDir,
}

impl World {
    pub fn new() -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
        }
    }

    /// A world with one dummy agent in it.
    pub fn with_dummy() -> Self {
        let world = Self::new();
        world.ok(&["start", "dummy", "--port", "0"]);
        world
    }

    /// A world with these settings and one dummy agent in it.
    pub fn configured(settings: &str) -> Self {
        let world = Self::new();
        world.configure(settings);
        world.ok(&["start", "dummy", "--port", "0"]);
        world
    }

    /// Writes the settings of this home.
    pub fn configure(&self, settings: &str) {
        let folder = self.home.path().join("synapse");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.yaml"), settings).unwrap();
    }

    /// The command, in this world; what is around the tests themselves is kept out.
    pub fn command(&self, args: &[&str]) -> Command {
        let home = self.home.path();
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("synapse"));
        command
            .args(args)
            .env("SYNAPSE_HOME", home.join("synapse"))
            .env("A2A_HOME", home.join("a2a"))
            .env_remove("SYNAPSE_AGENT_ID")
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR")
            .env_remove("CLICOLOR_FORCE")
            .env_remove("ACCESSIBLE")
            .env_remove("LC_ALL")
            .env_remove("LC_MESSAGES")
            .env("LANG", "C.UTF-8")
            .current_dir(home);
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs a command that must succeed; what it printed.
    pub fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?} failed: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(args)).unwrap()
    }

    /// Waits until something is so.
    pub fn wait_until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !is_so(self) {
            assert!(Instant::now() < deadline, "{what}: not within 20 s");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn state(&self, agent: &str) -> String {
        self.json(&["status", agent, "--json"])["status"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// The state of the task whose message is this, as the store has it.
    pub fn task_state(&self, message: &str) -> String {
        self.kept_state(message).unwrap()
    }

    fn kept_state(&self, message: &str) -> Option<String> {
        let store = Reader::open(self.home.path().join("synapse/synapse.db")).unwrap();
        let tasks = store.page(&Filter::default()).unwrap().tasks;
        let mut tasks = tasks.iter().map(|kept| &kept.task);
        let task = tasks.find(|task| task.message().words() == message);
        task.map(|task| task.state().name().to_owned())
    }

    #[track_caller]
    pub fn wait_for_task(&self, message: &str, state: &str) {
        self.wait_until(&format!("the task '{message}' is {state}"), |world| {
            world.kept_state(message).as_deref() == Some(state)
        });
    }

    pub fn entry(&self) -> Value {
        self.json(&["list", "--json"])["agents"][0].clone()
    }

    /// What is published of the agent of this handle.
    pub fn entry_of(&self, handle: &str) -> Value {
        let list = self.json(&["list", "--json"])["agents"].clone();
        let mut entries = list.as_array().unwrap().iter();
        let entry = entries.find(|entry| entry["handle"] == handle);
        entry.unwrap_or_else(|| panic!("{handle}: {list}")).clone()
    }

    /// Kills the host of the agent, and waits until it is gone.
    pub fn kill_host(&self) {
        let pid = self.entry()["pid"].to_string();
        Command::new("kill").args(["-KILL", &pid]).status().unwrap();
        self.wait_until("the host is gone", |_| is_gone(&pid));
    }

    /// A connection to the agent.
    pub fn connect(&self) -> TcpStream {
        let port = self.entry()["port"].as_u64().unwrap();
        let stream = TcpStream::connect(("127.0.0.1", u16::try_from(port).unwrap())).unwrap();
        let patience = Some(Duration::from_secs(20));
        stream.set_read_timeout(patience).unwrap();
        stream
    }

    /// A bare HTTP exchange: status and body.
    pub fn http(&self, head: &str, body: &str) -> (u16, String) {
        let mut stream = self.connect();
        let length = body.len();
        write!(
            stream,
            "{head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer)
    }

    /// A request with the token; status and JSON.
    pub fn call(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let (status, answer) = self.raw_call(method, path, "", body);
        let (_, json) = answer.split_once("\r\n\r\n").unwrap();
        (status, serde_json::from_str(json).unwrap_or(Value::Null))
    }

    /// A request with the token and more headers; status and the whole answer.
    pub fn raw_call(&self, method: &str, path: &str, more: &str, body: &Value) -> (u16, String) {
        let token = self.token();
        let kind = "Content-Type: application/json";
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n{kind}{more}"
        );
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        self.http(&head, &body)
    }

    /// Makes the agent of another world known here by an alias, with its token.
    pub fn discover(&self, there: &Self, alias: &str) {
        let entry = there.entry();
        let [url, token] = ["endpoint", "token_path"].map(|name| entry[name].as_str().unwrap());
        let args = ["external", "discover", url, "--alias", alias];
        self.ok(&[&args[..], &["--token-file", token]].concat());
    }

    /// Writes a profile and starts an agent of it.
    pub fn start_profile(&self, name: &str, yaml: &str) {
        let file = self.home.path().join(format!("{name}.yaml"));
        std::fs::write(&file, yaml).unwrap();
        self.ok(&[
            "start",
            file.to_str().unwrap(),
            "--name",
            name,
            "--port",
            "0",
        ]);
    }

    /// Makes `cert.pem` and `key.pem` for localhost in this home. Whether it worked.
    pub fn make_certificate(&self) -> bool {
        let curve = ["-pkeyopt", "ec_paramgen_curve:P-256"];
        let name = [
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
        ];
        let kind = ["-addext", "basicConstraints=critical,CA:FALSE"];
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"])
            .args(curve)
            .args(name)
            .args(kind)
            .args(["-keyout", "key.pem", "-out", "cert.pem"])
            .current_dir(self.home.path())
            .output();
        made.is_ok_and(|made| made.status.success())
    }

    /// The file with the token that the hub and the commands show.
    pub fn launch_token_file(&self) -> std::path::PathBuf {
        let id = self.entry()["agent_id"].as_str().unwrap().to_owned();
        let tokens = self.home.path().join("synapse/tokens");
        tokens.join(format!("{id}.launch"))
    }

    pub fn token(&self) -> String {
        std::fs::read_to_string(self.entry()["token_path"].as_str().unwrap()).unwrap()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.run(&["stop", "--all"]);
    }
}

/// Whether a process has ended; its parent may not have noticed yet. The first of its threads may be dead
/// while others still hold its files.
pub fn is_gone(pid: &str) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
    threads.into_iter().flatten().flatten().all(|thread| {
        let stat = std::fs::read_to_string(thread.path().join("stat"));
        stat.map_or(true, |stat| stat.contains(") Z ") || stat.contains(") X "))
    })
}
