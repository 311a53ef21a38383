//! An agent that wants to allow itself what a person should.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::world::World;

/// A shell that can be told what to run.
const SHELL: &str = "name: shell
command: [bash, --norc, --noprofile, -i]
env: { PS1: 'sh> ' }
idle_regex: '^sh> $'
prompt_template: '{text}'
";

fn shell(world: &World, flags: &[&str]) {
    let file = world.home.path().join("shell.yaml");
    std::fs::write(&file, SHELL).unwrap();
    let file = file.to_str().unwrap();
    world.ok(&[&["start", file, "--name", "shell", "--port", "0"], flags].concat());
    world.wait_for_state("shell", "IDLE");
}

/// Has the shell run a command of ours; how that ended, and what it said.
fn run_below(world: &World, name: &str, command: &str) -> (String, String) {
    run_line_below(world, name, &format!("{} {command}", program(world)))
}

fn program(world: &World) -> String {
    let command = world.command(&[]);
    command.get_program().to_str().unwrap().to_owned()
}

/// Has the shell run a line; how that ended, and what it said.
fn run_line_below(world: &World, name: &str, line: &str) -> (String, String) {
    let line = format!("{line} > {name}.said 2>&1; echo $? > {name}.code");
    let (status, sent) = world.call(
        "POST",
        "/tasks/send",
        &json!({ "message": line, "raw": true }),
    );
    assert_eq!(status, 200, "{sent}");
    let file = |end: &str| world.home.path().join(format!("{name}.{end}"));
    let read = |end: &str| std::fs::read_to_string(file(end)).unwrap_or_default();
    world.wait_until("it has run", |_| !read("code").is_empty());
    (read("code").trim().to_owned(), read("said"))
}

/// A hub that runs, and a script that presses a key of the shell through it.
fn hub(world: &World) -> Child {
    let hub = world
        .command(&["web", "--port", "0"])
        .env("SYNAPSE_WEB_TOKEN", "hub-token")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut hub = hub.unwrap();
    let mut link = String::new();
    let mut out = BufReader::new(hub.stdout.take().unwrap());
    out.read_line(&mut link).unwrap();
    let port = link.split(['/', ':']).nth(4).unwrap().to_owned();
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port}\nprintf 'POST /api/agents/shell/keys HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n\
         Authorization: Bearer hub-token\\r\\nContent-Type: application/json\\r\\nContent-Length: 15\\r\\n\
         Connection: close\\r\\n\\r\\n{{\"keys\":[\"Up\"]}}' >&3\ncat <&3\n"
    );
    std::fs::write(world.home.path().join("ask.sh"), script).unwrap();
    let knows_shell = || {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        let head = format!(
            "GET /api/agents/shell HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer hub-token\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.contains(" 200 OK")
    };
    world.wait_until("the hub knows the shell", |_| knows_shell());
    hub
}

/// What the script says, run by somebody who is not below the agent.
fn ask_from_outside(world: &World) -> String {
    let asked = std::process::Command::new("bash")
        .arg(world.home.path().join("ask.sh"))
        .output();
    String::from_utf8(asked.unwrap().stdout).unwrap()
}

#[test]
fn the_hub_carries_no_answer_of_an_agent_to_itself() {
    let world = World::new();
    shell(&world, &[]);
    let mut hub = hub(&world);
    let (_, said) = run_line_below(&world, "hub", "bash ask.sh");
    let from_outside = ask_from_outside(&world);
    hub.kill().unwrap();
    hub.wait().unwrap();
    assert!(from_outside.contains(" 200 OK"), "{from_outside}");
    assert!(
        said.contains(" 403 ") && said.contains("answers_itself"),
        "{said}"
    );
}

#[test]
fn the_hub_carries_it_where_the_agent_was_started_so() {
    let world = World::new();
    shell(&world, &["--may-answer-itself"]);
    let mut hub = hub(&world);
    let (_, said) = run_line_below(&world, "hub", "bash ask.sh");
    hub.kill().unwrap();
    hub.wait().unwrap();
    assert!(said.contains(" 200 OK"), "{said}");
}

#[test]
fn the_tools_of_an_agent_do_not_answer_it() {
    let world = World::new();
    shell(&world, &[]);
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" },
    } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let answer = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "answer", "arguments": { "agent": "shell", "value": "yes" },
    } });
    let said = format!("{hello}\n{ready}\n{answer}\n");
    std::fs::write(world.home.path().join("mcp.in"), said).unwrap();
    // It says that it is nobody's: as itself it would not even find itself.
    let script = format!(
        "coproc MCP {{ env -u SYNAPSE_AGENT_ID {} mcp; }}\ncat mcp.in >&${{MCP[1]}}\nread -r one <&${{MCP[0]}}\nread -r two <&${{MCP[0]}}\necho \"$two\"\n",
        program(&world)
    );
    std::fs::write(world.home.path().join("mcp.sh"), script).unwrap();
    let (_, said) = run_line_below(&world, "mcp", "bash mcp.sh");
    assert!(said.contains("does not answer its own questions"), "{said}");
}

#[test]
fn what_an_agent_starts_neither_answers_it_nor_presses_its_keys() {
    let world = World::new();
    shell(&world, &[]);
    for (name, command) in [
        ("keys", "keys shell Up"),
        ("answer", "answer shell yes"),
        ("interrupt", "interrupt shell --key 1"),
    ] {
        let (code, said) = run_below(&world, name, command);
        assert_ne!(code, "0", "{said}");
        assert!(said.contains("does not answer its own questions"), "{said}");
    }
    // It may still look, and a person may do all of it.
    assert_eq!(run_below(&world, "status", "status shell").0, "0");
    world.ok(&["keys", "shell", "Up"]);
    let (status, _) = world.call("POST", "/keys", &json!({ "keys": ["Up"] }));
    assert_eq!(status, 200);
    let (status, _) = world.call("GET", "/status", &Value::Null);
    assert_eq!(status, 200);
}

#[test]
fn an_agent_may_where_it_was_started_so() {
    let world = World::new();
    shell(&world, &["--may-answer-itself"]);
    let (code, said) = run_below(&world, "keys", "keys shell Up");
    assert_eq!(code, "0", "{said}");
}

/// A script that sends a request to a port, and may leave before it is answered.
fn write_request(world: &World, name: &str, port: u64, request: &str, behind: &str) {
    let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port}\nprintf '{request}' >&3\n{behind}\n");
    std::fs::write(world.home.path().join(format!("{name}.sh")), script).unwrap();
}

#[test]
fn an_answer_in_a_body_that_comes_late_or_from_who_has_left_is_refused() {
    let world = World::new();
    shell(&world, &[]);
    let port = world.entry()["port"].as_u64().unwrap();
    let head = "Host: 127.0.0.1\\r\\nContent-Type: application/json\\r\\n";
    // The head of a message, before anything is asked.
    let message = format!("POST /a2a HTTP/1.1\\r\\n{head}Content-Length: 500\\r\\n\\r\\n");
    write_request(
        &world,
        "late",
        port,
        &message,
        "read -r line <&3; echo \"$line\"",
    );
    let (_, said) = run_line_below(&world, "late", "bash late.sh");
    assert!(said.contains(" 403 "), "{said}");
    // Keys of somebody who closes at once: whoever it was, nobody can tell.
    let keys = format!(
        "POST /keys HTTP/1.1\\r\\n{head}Content-Length: 14\\r\\n\\r\\n{{\"keys\":[\"X\"]}}"
    );
    write_request(&world, "gone", port, &keys, "exec 3>&-");
    let line = "for i in 1 2 3 4 5 6 7 8 9 10; do bash gone.sh; done";
    run_line_below(&world, "gone", line);
    let screen = world.ok(&["screen", "shell"]);
    let typed = screen.lines().last().unwrap_or_default();
    assert!(!typed.contains('X'), "{screen}");
}

#[test]
fn an_agent_makes_no_rules_for_itself() {
    let world = World::new();
    shell(&world, &[]);
    let mut hub = hub(&world);
    let asked = std::fs::read_to_string(world.home.path().join("ask.sh")).unwrap();
    let mut answers = Vec::new();
    for path in [
        "/api/auto-answer/rules",
        "/api/devices",
        "/api/auth/exchange",
        "/api/agents/shell/interrupt",
    ] {
        let script = asked.replace("/api/agents/shell/keys", path);
        std::fs::write(world.home.path().join("rule.sh"), script).unwrap();
        std::fs::remove_file(world.home.path().join("rule.code")).unwrap_or_default();
        answers.push((path, run_line_below(&world, "rule", "bash rule.sh").1));
    }
    hub.kill().unwrap();
    hub.wait().unwrap();
    for (path, said) in answers {
        assert!(said.contains("answers_itself"), "{path}: {said}");
    }
}
