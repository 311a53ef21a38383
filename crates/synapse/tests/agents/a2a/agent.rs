//! One agent in a world of its own, and a client that shows everything it gets.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::world::World;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// An agent that runs.
pub(crate) struct Agent {
    pub(crate) world: World,
    port: u16,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}

impl Agent {
    /// The dummy agent.
    pub(crate) fn dummy() -> Self {
        Self::started(&["start", "dummy", "--port", "0"])
    }

    /// An agent that was started like this.
    pub(crate) fn started(args: &[&str]) -> Self {
        let world = World::new();
        world.ok(args);
        Self::of(world)
    }

    /// The dummy agent, with these settings.
    pub(crate) fn configured(settings: &str) -> Self {
        Self::of(World::configured(settings))
    }

    /// A program in Bash that may speak on the channel: `say '{"progress":"x"}'`.
    pub(crate) fn speaking(obey: &str) -> Self {
        let world = World::new();
        let script = format!(
            "say() {{ printf '\\033]7710;%s\\033\\\\' \"$(printf %s \"$1\" | base64 -w0)\"; }}\n\
             trap 'echo' INT\n\
             while read -rp '> ' id line || [ $? -gt 128 ]; do\n{obey}\ndone\n"
        );
        let file = world.home.path().join("program.sh");
        std::fs::write(&file, script).unwrap();
        let profile = format!(
            "name: speaker\ncommand: [bash, {}]\nidle_regex: '^> $'\n\
             prompt_template: '{{message_id}} {{text}}'\nchannel: true\n",
            file.display()
        );
        world.start_profile("speaker", &profile);
        Self::of(world)
    }

    /// The dummy agent, started again in the same world.
    pub(crate) fn restarted(self) -> Self {
        self.world.ok(&["start", "dummy", "--port", "0"]);
        Self::of(self.world)
    }

    fn of(world: World) -> Self {
        let port = world.entry()["port"].as_u64().unwrap();
        let port = u16::try_from(port).unwrap();
        Self { world, port }
    }

    /// Sends a request and reads the whole answer.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Reply {
        let mut open = self.open(method, path, headers, body);
        let mut body = Vec::new();
        while let Some(piece) = open.piece() {
            body.extend(piece);
        }
        Reply {
            status: open.status,
            headers: open.headers,
            body: String::from_utf8(body).unwrap(),
        }
    }

    /// Sends a request and reads the begin of the answer.
    pub(crate) fn open(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Open {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        if !body.is_empty() {
            let length = format!("Content-Length: {}\r\n", body.len());
            head.push_str(&length);
            if !headers
                .iter()
                .any(|header| header.starts_with("Content-Type"))
            {
                head.push_str("Content-Type: application/json\r\n");
            }
        }
        write!(stream, "{head}\r\n{body}").unwrap();
        Open::read(BufReader::new(stream))
    }

    /// A call of 1.0: the whole answer.
    pub(crate) fn rpc(&self, method: &str, params: &Value) -> Value {
        self.rpc_as(Some("1.0"), method, params)
    }

    /// A call of 1.0 that must succeed: its result.
    pub(crate) fn call(&self, method: &str, params: &Value) -> Value {
        let mut answer = self.rpc(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// A call of 1.0 that must fail: its code.
    pub(crate) fn code(&self, method: &str, params: &Value) -> i64 {
        let answer = self.rpc(method, params);
        let code = answer["error"]["code"].as_i64();
        code.unwrap_or_else(|| panic!("{method} succeeded: {answer}"))
    }

    /// A call of 0.3.
    pub(crate) fn old(&self, method: &str, params: &Value) -> Value {
        self.rpc_as(None, method, params)
    }

    fn rpc_as(&self, version: Option<&str>, method: &str, params: &Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let version = version.map(|version| format!("A2A-Version: {version}"));
        let headers: Vec<&str> = version.iter().map(String::as_str).collect();
        let reply = self.ask("POST", "/a2a", &headers, &body.to_string());
        assert_eq!(reply.status, 200, "{reply:?}");
        let answer = reply.json();
        assert_eq!(
            (&answer["jsonrpc"], &answer["id"]),
            (&json!("2.0"), &json!(7))
        );
        answer
    }

    /// A message of 1.0 that is answered with a task: that task.
    pub(crate) fn send(&self, text: &str) -> Value {
        self.call("SendMessage", &json!({ "message": message(text) }))["task"].take()
    }

    /// A message of 1.0 that nobody waits for: its task.
    pub(crate) fn send_now(&self, text: &str) -> Value {
        let params = json!({
            "message": message(text),
            "configuration": { "returnImmediately": true },
        });
        self.call("SendMessage", &params)["task"].take()
    }

    /// The frames of a JSON-RPC stream of 1.0.
    pub(crate) fn stream(&self, method: &str, params: &Value) -> Frames {
        self.stream_with(method, params, &["A2A-Version: 1.0"])
    }

    pub(crate) fn stream_with(&self, method: &str, params: &Value, headers: &[&str]) -> Frames {
        let body = json!({ "jsonrpc": "2.0", "id": "s", "method": method, "params": params });
        Frames::new(self.open("POST", "/a2a", headers, &body.to_string()))
    }

    /// The task, as it stands.
    pub(crate) fn task(&self, id: &Value) -> Value {
        self.call("GetTask", &json!({ "id": id }))
    }
}

/// An answer that is being read.
pub(crate) struct Open {
    stream: BufReader<TcpStream>,
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    rest: Option<usize>,
}

impl Open {
    fn read(mut stream: BufReader<TcpStream>) -> Self {
        let mut line = || {
            let mut line = String::new();
            stream.read_line(&mut line).unwrap();
            line.trim_end().to_owned()
        };
        let status = line().split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = HashMap::new();
        loop {
            let header = line();
            let Some((name, value)) = header.split_once(": ") else {
                break;
            };
            headers.insert(name.to_lowercase(), value.to_owned());
        }
        let rest = headers
            .get("content-length")
            .map(|size| size.parse().unwrap());
        Self {
            stream,
            status,
            headers,
            rest,
        }
    }

    /// The next piece of the body; nothing when it is over.
    fn piece(&mut self) -> Option<Vec<u8>> {
        let is_chunked = self.headers.contains_key("transfer-encoding");
        let size = if is_chunked {
            let mut line = String::new();
            self.stream.read_line(&mut line).unwrap();
            usize::from_str_radix(line.trim(), 16).unwrap()
        } else {
            self.rest.take().unwrap_or(0)
        };
        if size == 0 {
            return None;
        }
        let mut piece = vec![0; size];
        self.stream.read_exact(&mut piece).unwrap();
        if is_chunked {
            self.stream.read_exact(&mut [0; 2]).unwrap();
        }
        Some(piece)
    }
}

/// The frames of a stream, as they come.
pub(crate) struct Frames {
    open: Open,
    text: String,
}

/// One frame: its number and what it says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) number: u64,
    pub(crate) said: Value,
}

impl Frames {
    pub(crate) fn new(open: Open) -> Self {
        let kind = open.headers.get("content-type").map(String::as_str);
        assert_eq!((open.status, kind), (200, Some("text/event-stream")));
        Self {
            open,
            text: String::new(),
        }
    }

    /// The next frame; nothing when the stream is over.
    pub(crate) fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some((frame, rest)) = self.text.split_once("\n\n") {
                let (frame, rest) = (frame.to_owned(), rest.to_owned());
                self.text = rest;
                if let Some(data) = field(&frame, "data") {
                    assert_eq!(field(&frame, "event"), None, "frames have no names");
                    let number = field(&frame, "id").unwrap_or("0").parse().unwrap();
                    let said = serde_json::from_str(data).unwrap();
                    return Some(Frame { number, said });
                }
                continue;
            }
            let piece = self.open.piece()?;
            self.text.push_str(&String::from_utf8(piece).unwrap());
        }
    }

    /// All frames to the end.
    pub(crate) fn all(mut self) -> Vec<Frame> {
        std::iter::from_fn(|| self.next()).collect()
    }
}

fn field<'a>(frame: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = frame.lines();
    lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// A message of 1.0.
pub(crate) fn message(text: &str) -> Value {
    json!({
        "messageId": format!("m-{}", fresh()),
        "role": "ROLE_USER",
        "parts": [{ "text": text }],
    })
}

/// A message of 1.0 for a task.
pub(crate) fn message_for(task: &Value, text: &str) -> Value {
    let mut message = message(text);
    message["taskId"] = task["id"].clone();
    message
}

/// The words of all artifacts of a task.
pub(crate) fn words(task: &Value) -> String {
    let artifacts = task["artifacts"].as_array().cloned().unwrap_or_default();
    let parts = artifacts
        .iter()
        .flat_map(|one| one["parts"].as_array().unwrap());
    parts.filter_map(|part| part["text"].as_str()).collect()
}

/// The task that the results of a stream add up to.
pub(crate) fn fold(frames: &[Value]) -> Value {
    let mut task = Value::Null;
    for frame in frames {
        if let Some(first) = frame.get("task") {
            task = first.clone();
        } else if let Some(update) = frame.get("statusUpdate") {
            task["status"] = update["status"].clone();
        } else if let Some(update) = frame.get("artifactUpdate") {
            if task.get("artifacts").is_none() {
                task["artifacts"] = json!([]);
            }
            let artifacts = task["artifacts"].as_array_mut().unwrap();
            let chunk = &update["artifact"];
            let known = artifacts
                .iter_mut()
                .find(|one| one["artifactId"] == chunk["artifactId"]);
            match known {
                Some(known) if update["append"] == true => {
                    let parts = chunk["parts"].as_array().unwrap().clone();
                    known["parts"].as_array_mut().unwrap().extend(parts);
                }
                Some(known) => *known = chunk.clone(),
                None => artifacts.push(chunk.clone()),
            }
        }
    }
    task
}

fn fresh() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
