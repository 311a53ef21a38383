//! Outsiders reach every agent of the mesh through one address.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::machines::Machine;

struct Gateway {
    child: Child,
    address: String,
    token: String,
}

impl Gateway {
    fn open(machine: &Machine) -> Self {
        let mut command = machine.command(&["mesh", "gateway", "--listen", "127.0.0.1:0"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line.trim().strip_prefix("http://").unwrap();
        let file = machine.home.path().join("synapse/mesh/gateway-token");
        Self {
            child,
            address: address.trim_end_matches("/agents").to_owned(),
            token: std::fs::read_to_string(file).unwrap(),
        }
    }

    fn call(&self, method: &str, path: &str, token: Option<&str>, body: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (host, length) = (&self.address, body.len());
        let auth = token
            .map(|token| format!("Authorization: Bearer {token}\r\n"))
            .unwrap_or_default();
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{auth}A2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let begin = answer.find('{').unwrap_or(answer.len());
        let end = answer.rfind('}').map_or(answer.len(), |end| end + 1);
        (
            status,
            serde_json::from_str(&answer[begin..end]).unwrap_or(Value::Null),
        )
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_agent_has_a_card_and_a_url_behind_one_door() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "send");
    desk.start("codex");
    laptop.start("claude");
    desk.wait_for_agent("claude@laptop");
    desk.wait_for_agent("codex@desk");
    let gateway = Gateway::open(&desk);
    let token = Some(gateway.token.as_str());
    let (status, listed) = gateway.call("GET", "/agents", token, "");
    assert_eq!(
        (status, listed["agents"].as_array().unwrap().len()),
        (200, 2),
        "{listed}"
    );
    for (place, agent) in [("desk", "codex"), ("laptop", "claude")] {
        let base = format!("/agents/{place}/{agent}");
        let (status, card) = gateway.call(
            "GET",
            &format!("{base}/.well-known/agent-card.json"),
            None,
            "",
        );
        assert_eq!(status, 200, "{card}");
        let url = format!("http://{}{base}", gateway.address);
        assert!(card.to_string().contains(&url), "{card}");
        // Without the token nothing is done.
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "SendMessage",
            "params": { "message": { "messageId": format!("m-{agent}"), "role": "ROLE_USER", "parts": [{ "text": "hello" }] } },
        });
        let (status, _) = gateway.call("POST", &format!("{base}/a2a"), None, &body.to_string());
        assert_eq!(status, 401);
        let (status, answer) =
            gateway.call("POST", &format!("{base}/a2a"), token, &body.to_string());
        assert_eq!(status, 200, "{answer}");
        assert!(answer.to_string().contains("ok: hello"), "{answer}");
    }
    // Over A2A, too, a task says from which machine it came.
    let tasks = laptop.json(&["tasks", "--json"]);
    assert_eq!(tasks["tasks"][0]["sender"], "a2a-client@desk", "{tasks}");
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "SendMessage",
        "params": { "message": {
            "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "mine" }],
            "metadata": { "synapse/sender": "codex@server" },
        } },
    });
    gateway.call(
        "POST",
        "/agents/laptop/claude/a2a",
        token,
        &body.to_string(),
    );
    let tasks = laptop.json(&["tasks", "--json"]);
    assert_eq!(tasks["tasks"][0]["sender"], "codexserver@desk", "{tasks}");
    for path in [
        "/agents/desk/codex/status",
        "/agents/desk/codex/keys",
        "/agents/moon/x/a2a",
    ] {
        let (status, _) = gateway.call("GET", path, token, "");
        assert_eq!(status, 404, "{path}");
    }
}

#[test]
fn an_agent_does_not_answer_through_the_gateway_of_its_machine() {
    let desk = Machine::begin("desk");
    desk.start_shell("shell");
    desk.wait_for_agent("shell@desk");
    let gateway = Gateway::open(&desk);
    let (host, port) = gateway.address.split_once(':').unwrap();
    let token = gateway.token.trim();
    let script = format!(
        "exec 3<>/dev/tcp/{host}/{port}\nprintf 'POST /agents/desk/shell/a2a HTTP/1.1\\r\\nHost: {host}:{port}\\r\\nAuthorization: Bearer {token}\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\n{{}}' >&3\ncat <&3 > said.part\nmv said.part said\n"
    );
    std::fs::write(desk.home.path().join("ask.sh"), script).unwrap();
    let line = format!("cd {} && bash ask.sh", desk.home.path().display());
    desk.ok(&["send", "shell", &line, "--no-return"]);
    let said = || std::fs::read_to_string(desk.home.path().join("said")).unwrap_or_default();
    desk.wait_until("it was answered", |_| !said().is_empty());
    assert!(said().contains(" 403 "), "{}", said());
    assert!(said().contains("is for outsiders"), "{}", said());
}
