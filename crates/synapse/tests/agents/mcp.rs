//! The tools an agent has for the others, spoken as an MCP client speaks: one JSON-RPC message a line.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::world::World;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};

/// A client that has introduced itself.
struct Client {
    child: Child,
    from: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    /// The tools as `agent` has them, or as somebody without an agent.
    fn of(world: &World, agent: Option<&str>) -> Self {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("synapse"));
        command
            .arg("mcp")
            .env("SYNAPSE_HOME", world.home.path().join("synapse"))
            .env("A2A_HOME", world.home.path().join("a2a"))
            .env_remove("SYNAPSE_AGENT_ID")
            .current_dir(world.home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        if let Some(handle) = agent {
            let agents = world.json(&["list", "--json"])["agents"].clone();
            let agents = agents.as_array().unwrap();
            let own = agents.iter().find(|one| one["handle"] == handle).unwrap();
            command.env("SYNAPSE_AGENT_ID", own["agent_id"].as_str().unwrap());
        }
        let mut child = command.spawn().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self {
            child,
            from,
            next: 0,
        };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "0" },
        });
        let met = client.ask("initialize", &hello);
        assert_eq!(met["serverInfo"]["name"], "synapse");
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn to(&mut self) -> &mut ChildStdin {
        self.child.stdin.as_mut().unwrap()
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.to(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(
                self.from.read_line(&mut line).unwrap() > 0,
                "the server is gone"
            );
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer["result"].clone();
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        )
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn two_agents() -> World {
    let world = World::new();
    for name in ["ada", "bob"] {
        world.ok(&["start", "dummy", "--name", name, "--port", "0"]);
    }
    world
}

#[test]
fn an_agent_sees_the_others_and_talks_to_them_under_its_own_name() {
    let world = two_agents();
    let mut client = Client::of(&world, Some("ada"));
    let tools = client.ask("tools/list", &json!({}));
    let mut names: Vec<&str> = tools["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["name"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "answer",
            "broadcast",
            "get_flow",
            "get_task",
            "list_agents",
            "list_flows",
            "send_message",
            "start_flow"
        ]
    );

    let agents = client.call("list_agents", &json!({}));
    let agents = agents["structuredContent"]["agents"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(agents.len(), 1, "not itself: {agents:?}");
    assert_eq!(agents[0]["handle"], "bob");
    assert_eq!(agents[0]["state"], "idle");

    let said = client.call(
        "send_message",
        &json!({ "agent": "bob", "message": "say:hello" }),
    );
    let said = &said["structuredContent"];
    assert_eq!(
        (&said["state"], &said["reply"]),
        (&json!("completed"), &json!("hello"))
    );
    let kept = world.json(&["task", said["task"].as_str().unwrap(), "--json"]);
    assert_eq!((&kept["sender"], &kept["hops"]), (&json!("ada"), &json!(0)));

    let all = client.call("broadcast", &json!({ "message": "say:all" }));
    assert_eq!(all["structuredContent"]["outcomes"][0]["reply"], "all");
}

#[test]
fn a_question_is_given_back_and_answered() {
    let world = two_agents();
    let mut client = Client::of(&world, None);
    let asked = client.call(
        "send_message",
        &json!({ "agent": "bob", "message": "ask:yn Really?" }),
    );
    let asked = asked["structuredContent"].clone();
    assert_eq!(asked["state"], "input_required");
    assert_eq!(asked["options"], json!(["y", "n"]));
    let done = client.call("answer", &json!({ "agent": "bob", "value": "yes" }));
    assert_eq!(done["structuredContent"]["done"], true);
    world.wait_until("the task is over", |_| {
        let task = json!({ "agent": "bob", "task": asked["task"] });
        client_state(&world, &task) == "completed"
    });
}

fn client_state(world: &World, task: &Value) -> String {
    let shown = world.json(&["task", task["task"].as_str().unwrap(), "--json"]);
    shown["status"]["state"].as_str().unwrap().to_owned()
}

#[test]
fn what_cannot_be_done_says_why() {
    let world = two_agents();
    let mut client = Client::of(&world, None);
    let nobody = client.call("send_message", &json!({ "agent": "bod", "message": "hi" }));
    assert_eq!(nobody["isError"], true);
    assert!(
        nobody["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("bob"),
        "{nobody}"
    );
    let odd = client.call(
        "send_message",
        &json!({ "agent": "bob", "message": "hi", "priority": 9 }),
    );
    assert_eq!(odd["isError"], true);
}

#[test]
fn a_question_that_has_gone_round_too_often_is_refused() {
    let world = World::with_dummy();
    let message = json!({ "parts": [{ "text": "say:x" }], "metadata": { "hops": 5 } });
    let (status, answer) = world.call("POST", "/tasks/send", &json!({ "message": message }));
    assert_eq!(status, 400);
    assert!(
        answer["error"]
            .as_str()
            .unwrap()
            .contains("passed through 5 agents")
    );
}

#[test]
fn what_a_client_gets_wrong_it_is_told_and_the_next_call_is_served() {
    let world = two_agents();
    let mut client = Client::of(&world, None);
    writeln!(client.to(), "garbage").unwrap();
    writeln!(client.to()).unwrap();
    client.say(&json!({ "jsonrpc": "2.0", "id": "a", "method": "resources/list" }));
    client.say(&json!({ "jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": { "name": "sing" } }));
    let mut errors = Vec::new();
    for _ in 0..3 {
        let mut line = String::new();
        client.from.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        errors.push((answer["id"].clone(), answer["error"]["code"].clone()));
    }
    errors.sort_by_key(|(id, _)| id.to_string());
    let expected = [("a", -32_601), ("b", -32_602)].map(|(id, code)| (json!(id), json!(code)));
    assert_eq!(
        errors,
        [&expected[..], &[(Value::Null, json!(-32_700))]].concat()
    );
    let refused = client.call("get_task", &json!({ "agent": "bob", "tsak": "x" }));
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(
        refused["isError"] == true && text.contains("tsak"),
        "{text}"
    );
    assert_eq!(client.ask("ping", &json!({})), json!({}));

    let arguments = json!({ "agent": "bob", "message": "say:kept" });
    let sent = client.call("send_message", &arguments);
    let task = sent["structuredContent"]["task"].as_str().unwrap();
    for odd in [
        format!("{task}?y=1"),
        format!("{task}/cancel"),
        "\n".to_owned(),
    ] {
        let refused = client.call("get_task", &json!({ "agent": "bob", "task": odd }));
        let text = refused["content"][0]["text"].as_str().unwrap();
        assert!(
            refused["isError"] == true && text.contains("no task"),
            "{text}"
        );
    }
}

#[test]
fn a_version_whose_batches_are_not_served_is_not_offered() {
    let world = World::new();
    let mut client = Client::of(&world, None);
    for (wanted, given) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-11-25"),
        ("2024-11-05", "2024-11-05"),
        ("1", "2025-11-25"),
    ] {
        let met = client.ask("initialize", &json!({ "protocolVersion": wanted }));
        assert_eq!(met["protocolVersion"], given, "{wanted}");
    }
}

#[test]
fn calls_run_side_by_side_and_one_that_was_canceled_is_not_answered() {
    let world = two_agents();
    let mut client = Client::of(&world, None);
    let wait = |id: &str| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "send_message", "arguments": { "agent": "bob", "message": "wait:600" },
        } })
    };
    client.say(&wait("long"));
    world.wait_for_task("wait:600", "working");
    let agents = client.call("list_agents", &json!({}));
    assert_eq!(agents["isError"], false, "a call that waits holds no other");
    client.say(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "long" },
    }));
    world.ok(&["interrupt", "bob"]);
    world.wait_until("bob rests", |world| world.state("bob") == "IDLE");
    // All that comes until the next answer would have been the answer to the call.
    client.say(&json!({ "jsonrpc": "2.0", "id": "last", "method": "ping" }));
    let mut line = String::new();
    client.from.read_line(&mut line).unwrap();
    assert!(line.contains("\"last\""), "{line}");
}

#[test]
fn a_client_that_reads_nothing_is_read_no_further_and_its_end_is_the_servers() {
    let world = World::new();
    let mut client = Client::of(&world, None);
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "list_flows" },
    });
    let calls = format!("{call}\n").repeat(100);
    rustix::io::ioctl_fionbio(client.to(), true).unwrap();
    let mut taken = 0;
    // It takes no more when there is no room for a second.
    while is_writable(client.to()) {
        let rest = &calls.as_bytes()[taken % calls.len()..];
        taken += client.to().write(rest).unwrap();
        assert!(taken < 1 << 20, "all is taken, and no answer is read");
    }
    client.child.stdin = None;
    let client = RefCell::new(client);
    world.wait_until("the server has ended", |_| {
        client.borrow_mut().child.try_wait().unwrap().is_some()
    });
}

fn is_writable(to: &ChildStdin) -> bool {
    let mut polled = [PollFd::new(to, PollFlags::OUT)];
    let second = Timespec {
        tv_sec: 1,
        tv_nsec: 0,
    };
    poll(&mut polled, Some(&second)).unwrap() > 0
}
