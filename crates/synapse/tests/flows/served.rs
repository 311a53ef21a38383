//! A flow as an agent, and flows as tools of agents.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::world::World;

fn own_flow(world: &World, name: &str, text: &str) {
    let folder = world.home.path().join("synapse/flows");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
}

const ECHO: &str = "name: echo\ninputs: {word: {}}\nsteps: {a: {agent: dummy, prompt: 'say:heard ${inputs.word}'}}\noutput: '${a.reply}'\n";

#[test]
fn a_flow_is_an_agent_that_takes_tasks_and_gives_artifacts() {
    let world = World::new();
    own_flow(&world, "echo", ECHO);
    world.ok(&[
        "start", "flow", "--name", "echo", "--port", "0", "--", "echo",
    ]);
    let (status, card) = world.call("GET", "/.well-known/agent-card.json", &Value::Null);
    assert_eq!((status, &card["name"]), (200, &json!("echo")), "{card}");
    let sent = world.run(&[
        "send",
        "echo",
        "milk",
        "--return",
        "--json",
        "--timeout",
        "60",
    ]);
    let sent: Value = serde_json::from_slice(&sent.stdout).unwrap();
    assert_eq!(sent["state"], "completed", "{sent}");
    assert!(
        sent["task"]["artifacts"].to_string().contains("heard milk"),
        "{sent}"
    );
    let sent = world.run(&[
        "send",
        "echo",
        r#"{"nothing": 1}"#,
        "--return",
        "--json",
        "--timeout",
        "60",
    ]);
    let sent: Value = serde_json::from_slice(&sent.stdout).unwrap();
    assert_eq!(sent["state"], "rejected", "{sent}");
}

struct Tools {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    count: u64,
}

impl Tools {
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.count += 1;
        let id = self.count;
        let asked = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(self.input, "{asked}").unwrap();
        loop {
            let mut line = String::new();
            assert!(
                self.output.read_line(&mut line).unwrap() > 0,
                "the server is gone"
            );
            let said: Value = serde_json::from_str(&line).unwrap();
            if said["id"] == id {
                return said["result"].clone();
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.ask(
            "tools/call",
            &json!({ "name": name, "arguments": arguments }),
        )
    }
}

#[test]
fn an_agent_lists_starts_and_looks_at_flows() {
    let world = World::new();
    own_flow(&world, "echo", ECHO);
    own_flow(
        &world,
        "cmd",
        "name: cmd\nsteps: {a: {run: [touch, never]}}",
    );
    let mut server = world
        .command(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut tools = Tools {
        input: server.stdin.take().unwrap(),
        output: BufReader::new(server.stdout.take().unwrap()),
        count: 0,
    };
    tools.ask("initialize", &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }));
    writeln!(
        tools.input,
        "{}",
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
    )
    .unwrap();
    let listed = tools.call("list_flows", &json!({}))["structuredContent"].clone();
    let names: Vec<&str> = listed["flows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|flow| flow["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"echo") && names.contains(&"debate") && !names.contains(&"cmd"),
        "{names:?}"
    );
    let refused = tools.call("start_flow", &json!({ "flow": "cmd" }));
    assert!(
        refused["isError"] == true && refused.to_string().contains("agents: true"),
        "{refused}"
    );
    let by_text = tools.call("start_flow", &json!({ "flow": "./x.yaml" }));
    assert!(by_text["isError"] == true, "{by_text}");
    let started = tools.call(
        "start_flow",
        &json!({ "flow": "echo", "inputs": { "word": "milk" } }),
    );
    let run = started["structuredContent"]["run"]
        .as_str()
        .unwrap_or_else(|| panic!("{started}"))
        .to_owned();
    world.wait_until("it is done", |world| {
        world.json(&["flow", "show", &run, "--json"])["state"] == "done"
    });
    let state = tools.call("get_flow", &json!({ "run": run }))["structuredContent"].clone();
    assert_eq!(
        (&state["state"], &state["output"]),
        (&json!("done"), &json!("heard milk"))
    );
    assert!(!world.home.path().join("never").exists());
    drop(tools);
    server.wait().unwrap();
}
