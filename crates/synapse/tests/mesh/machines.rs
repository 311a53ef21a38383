//! Machines of a mesh: a home each.

#![allow(unreachable_pub, clippy::missing_panics_doc, reason = "this is a test")]

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::world::{World, is_gone};

/// A shell that can be told what to run.
const SHELL: &str = "name: shell
command: [bash, --norc, --noprofile, -i]
env: { PS1: 'sh> ' }
idle_regex: '^sh> $'
prompt_template: '{text}'
";

/// One machine: a home, and its bridge.
pub struct Machine {
    pub world: World,
}

impl std::ops::Deref for Machine {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Machine {
    pub fn new() -> Self {
        Self {
            world: World::new(),
        }
    }

    /// A machine that begins a mesh, with a server on a free port.
    pub fn begin(name: &str) -> Self {
        Self::configured(name, "")
    }

    pub fn configured(name: &str, settings: &str) -> Self {
        let machine = Self::new();
        machine.configure(settings);
        let port = free_port().to_string();
        let args = ["mesh", "up", "--name", name, "--listen", "127.0.0.1"];
        machine.ok(&[&args[..], &["--port", &port]].concat());
        machine
    }

    /// The words of `synapse mesh join …` that let a machine in.
    pub fn invitation(&self, name: &str, role: &str) -> Vec<String> {
        let line = self.ok(&["mesh", "invite", name, "--role", role]);
        let words = line.split_whitespace().skip(1);
        words.map(str::to_owned).collect()
    }

    /// A machine that joins.
    pub fn join(&self, name: &str, role: &str) -> Self {
        self.join_with(name, role, "")
    }

    pub fn join_with(&self, name: &str, role: &str, settings: &str) -> Self {
        let machine = Self::new();
        machine.configure(settings);
        let words = self.invitation(name, role);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        machine.ok(&words);
        machine
    }

    pub fn start(&self, handle: &str) {
        self.ok(&["start", "dummy", "--name", handle, "--port", "0"]);
    }

    /// Starts an agent that runs what it is sent.
    pub fn start_shell(&self, handle: &str) {
        let file = self.home.path().join("shell.yaml");
        std::fs::write(&file, SHELL).unwrap();
        let file = file.to_str().unwrap();
        self.ok(&["start", file, "--name", handle, "--port", "0"]);
        self.wait_for_state(handle, "IDLE");
    }

    /// Writes a script; the line that runs it.
    pub fn script(&self, name: &str, text: &str) -> String {
        let program = self.command(&[]).get_program().to_owned();
        let file = self.home.path().join(name);
        let text = text.replace("synapse ", &format!("{} ", program.display()));
        let home = self.home.path().display();
        std::fs::write(&file, format!("cd {home}\n{text}\n")).unwrap();
        format!("bash {}", file.display())
    }

    /// What a script has written into a file here, once it is whole.
    #[track_caller]
    pub fn written(&self, name: &str) -> String {
        let read = || std::fs::read_to_string(self.home.path().join(name)).unwrap_or_default();
        self.wait_until(&format!("{name} is written"), |_| read().ends_with("end\n"));
        read()
    }

    /// What this machine sees of another.
    pub fn sees(&self, machine: &str) -> Value {
        let told = self.json(&["mesh", "status", "--json"]);
        let machines = told["machines"].as_array().unwrap().iter();
        let mut named = machines.filter(|seen| seen["name"] == machine);
        named.next().cloned().unwrap_or(Value::Null)
    }

    #[track_caller]
    pub fn wait_for_machine(&self, machine: &str, is_here: bool) {
        self.wait_until(&format!("{machine} is here: {is_here}"), |_| {
            self.sees(machine)["is_here"] == is_here
        });
    }

    #[track_caller]
    pub fn wait_for_agent(&self, address: &str) {
        let (handle, machine) = address.split_once('@').unwrap();
        self.wait_until(&format!("{address} is seen"), |_| {
            let agents = self.sees(machine)["agents"].clone();
            let mut agents = agents.as_array().into_iter().flatten();
            agents.any(|agent| agent["handle"] == handle)
        });
    }

    /// The process of the bridge.
    pub fn bridge(&self) -> String {
        let file = self.home.path().join("synapse/mesh/bridge.lock");
        let text = std::fs::read(file).unwrap();
        let told: Value = serde_json::from_slice(&text).unwrap();
        told["pid"].to_string()
    }

    /// Ends the bridge on purpose, and waits until it is gone.
    pub fn stop_bridge(&self) {
        let pid = self.bridge();
        kill("-TERM", &pid);
        self.wait_until("the bridge has ended", |_| is_gone(&pid));
    }

    /// The process of the server.
    pub fn engine(&self) -> String {
        let file = self.home.path().join("synapse/mesh/nats/pid");
        std::fs::read_to_string(file).unwrap().trim().to_owned()
    }

    /// Runs a command that must fail; its exit code and what it said.
    #[track_caller]
    pub fn fails(&self, args: &[&str]) -> (i32, String) {
        let output: Output = self.run(args);
        assert!(!output.status.success(), "{args:?} worked");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap_or(-1), said)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.run(&["stop", "--all"]);
        let lock = std::fs::read(self.home.path().join("synapse/mesh/bridge.lock"));
        // The one that began it ends it, another leaves it.
        let is_over = self.run(&["mesh", "leave"]).status.success()
            || self.run(&["mesh", "leave", "--end"]).status.success();
        if !is_over && let Ok(text) = lock {
            // A server that is gone cannot be tidied up.
            let told: Value = serde_json::from_slice(&text).unwrap_or_default();
            kill("-KILL", &told["pid"].to_string());
        }
    }
}

pub fn kill(signal: &str, pid: &str) {
    Command::new("kill").args([signal, pid]).status().unwrap();
}

pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// A server that somebody else has set up.
pub struct Server {
    child: Child,
    port: u16,
}

impl Server {
    pub fn start(args: &[&str]) -> Self {
        Self::start_on(free_port(), args)
    }

    pub fn start_on(port: u16, args: &[&str]) -> Self {
        let child = Command::new(synapse_mesh::engine::program().unwrap())
            .args(["-a", "127.0.0.1", "-p", &port.to_string()])
            .args(args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { child, port };
        let deadline = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "nats-server does not listen");
            std::thread::sleep(Duration::from_millis(10));
        }
        server
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
