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
        let (status, answer) = self.text(method, path, token, "A2A-Version: 1.0\r\n", body);
        let begin = answer.find('{').unwrap_or(answer.len());
        let end = answer.rfind('}').map_or(answer.len(), |end| end + 1);
        (
            status,
            serde_json::from_str(&answer[begin..end]).unwrap_or(Value::Null),
        )
    }

    /// The same without a body.
    fn bare(&self, method: &str, path: &str, token: Option<&str>) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (host, token) = (&self.address, token.unwrap_or_default());
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nA2A-Version: 1.0\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer)
    }

    /// The status and the whole answer, with headers that say how to speak.
    fn text(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        headers: &str,
        body: &str,
    ) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (host, length) = (&self.address, body.len());
        let auth = token
            .map(|token| format!("Authorization: Bearer {token}\r\n"))
            .unwrap_or_default();
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{auth}{headers}Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer)
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
fn both_dialects_are_spoken_to_an_agent_of_another_machine() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "send");
    laptop.start("claude");
    desk.wait_for_agent("claude@laptop");
    let gateway = Gateway::open(&desk);
    let token = Some(gateway.token.as_str());
    let (v1, v03) = ("A2A-Version: 1.0\r\n", "");
    let base = "/agents/laptop/claude";
    let old = |id: &str| {
        json!({ "message": {
            "kind": "message", "messageId": id, "role": "user", "parts": [{ "kind": "text", "text": id }],
        } })
    };
    let new = |id: &str| json!({ "message": { "messageId": id, "role": "ROLE_USER", "parts": [{ "text": id }] } });
    let rpc = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    // Its binding to REST has the words of Protocol Buffers.
    let rest_old = json!({ "message": { "messageId": "c", "role": "ROLE_USER", "content": [{ "text": "c" }] } });
    for (path, headers, id, body) in [
        ("/a2a", v03, "a", rpc("message/send", old("a"))),
        ("/a2a", v03, "b", rpc("message/stream", old("b"))),
        ("/a2a/rest/v1/message:send", v03, "c", rest_old),
        ("/a2a", v1, "d", rpc("SendStreamingMessage", new("d"))),
        ("/a2a/rest/message:send", v1, "e", new("e")),
        ("/a2a/rest/message:stream", v1, "f", new("f")),
    ] {
        let path = format!("{base}{path}");
        let (status, answer) = gateway.text("POST", &path, token, headers, &body.to_string());
        assert_eq!(status, 200, "{path}: {answer}");
        assert!(answer.contains(&format!("ok: {id}")), "{path}: {answer}");
        // The words of 0.3, which only its REST does not have.
        let is_old = answer.contains("\"completed\"");
        assert_eq!(is_old, headers == v03 && !path.contains("rest"), "{answer}");
    }
    // A request without a body has no type of one, on the other machine, too.
    let task = laptop.json(&["tasks", "--json"])["tasks"][0]["id"].clone();
    let path = format!("{base}/a2a/rest/tasks/{}:cancel", task.as_str().unwrap());
    let (status, answer) = gateway.bare("POST", &path, token);
    assert!(status == 409 || status == 400, "{status} {answer}");
    assert!(
        !answer.contains("Content-Type application/json"),
        "{answer}"
    );
    // A role of the mesh is the gateway's role, too: it is its machine.
    let server = desk.join_with("server", "send", "mesh:\n  allow: send\n");
    server.start("shy");
    desk.wait_for_agent("shy@server");
    let body = rpc("SendMessage", new("g")).to_string();
    let (status, answer) = gateway.call("POST", "/agents/server/shy/a2a", token, &body);
    assert_eq!(status, 403, "{answer}");
    assert!(answer.to_string().contains("needs 'answer'"), "{answer}");
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
