//! A hub that runs, and a browser that is logged in to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, WebSocket};

use crate::repository::Repository;
use crate::world::World;
pub use crate::world::socket::Socket;

pub use crate::world::socket::PATIENCE;

/// How often something is looked at that cannot be waited for.
const LOOK: Duration = Duration::from_millis(10);
/// The token that programs show to the hubs of these tests.
pub const TOKEN: &str = "a-token-of-the-environment";

/// A process of `synapse web`; ended with it.
pub struct Hub {
    process: Child,
    /// Host and port.
    pub address: String,
    pub link: String,
}

impl Hub {
    /// Starts one in the repository of the world.
    pub fn start(world: &World, args: &[&str]) -> Self {
        let mut command = world.command(&["web"]);
        let folder = world.home.path().join("repo");
        if folder.is_dir() {
            command.current_dir(folder);
        }
        Self::run(command.args(args))
    }

    pub fn run(command: &mut Command) -> Self {
        Self::spawn(command.env("SYNAPSE_WEB_TOKEN", TOKEN))
    }

    /// Starts one with the environment that the command has.
    pub fn spawn(command: &mut Command) -> Self {
        let process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut process = process.unwrap();
        let mut link = String::new();
        let stdout = process.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut link).unwrap();
        let link = link.trim().to_owned();
        let address = link.split('/').nth(2).unwrap().to_owned();
        Self {
            process,
            address,
            link,
        }
    }

    pub fn port(&self) -> &str {
        self.address.rsplit(':').next().unwrap()
    }

    /// Ends it as a crash would.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Ends it as Ctrl-C does.
    pub fn interrupt(&mut self) -> i32 {
        let pid = self.process.id().to_string();
        Command::new("kill").args(["-INT", &pid]).status().unwrap();
        self.process.wait().unwrap().code().unwrap()
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An answer over HTTP.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    }

    /// What it says if it went well.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(self.status < 300, "{}: {}", self.status, self.text);
        self.json()
    }

    /// That it is a refusal with this status and code.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Value {
        let body = self.json();
        assert_eq!(
            (self.status, &body["code"]),
            (status, &json!(code)),
            "{body}"
        );
        assert!(
            body["error"]
                .as_str()
                .is_some_and(|error| !error.is_empty()),
            "{body}"
        );
        body
    }
}

/// Sends bytes and reads the whole answer.
pub fn exchange(address: &str, head: &str, body: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = body.len();
    // A refusal may come before all is sent.
    let _ = write!(
        stream,
        "{head}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let _ = stream.write_all(body);
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, text) = text.split_once("\r\n\r\n").unwrap();
    Answer {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: head.to_owned(),
        text: text.to_owned(),
    }
}

/// A browser with its cookie.
pub struct Browser {
    pub address: String,
    pub cookie: String,
    pub key: String,
}

impl Browser {
    /// Opens the link of a hub.
    pub fn open(hub: &Hub) -> Self {
        Self::with_link(&hub.link)
    }

    pub fn with_link(link: &str) -> Self {
        let address = link.split('/').nth(2).unwrap().to_owned();
        let (_, code) = link.split_once("#code=").unwrap();
        let answer = redeem(&address, code);
        let cookie = answer.header("set-cookie").unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let key = answer.ok()["key"].as_str().unwrap().to_owned();
        Self {
            address,
            cookie,
            key,
        }
    }

    fn request(&self, method: &str, path: &str, more: &str, body: &[u8]) -> Answer {
        let (address, cookie) = (&self.address, &self.cookie);
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nCookie: {cookie}\r\n{more}"
        );
        exchange(address, &head, body)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, "", b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let kind = "Content-Type: application/json\r\n";
        self.request("POST", path, kind, body.to_string().as_bytes())
    }

    /// A POST without a body.
    pub fn press(&self, path: &str) -> Answer {
        self.request("POST", path, "", b"")
    }

    pub fn delete(&self, path: &str) -> Answer {
        self.request("DELETE", path, "", b"")
    }

    /// Waits until something can be seen at an address.
    #[track_caller]
    pub fn wait_for(&self, path: &str, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let seen = self.get(path).json();
            if is_so(&seen) {
                return seen;
            }
            assert!(
                Instant::now() < deadline,
                "{what}: not within {PATIENCE:?}: {seen}"
            );
            // Between two looks the others need the processor.
            std::thread::park_timeout(LOOK);
        }
    }

    /// Waits until an agent has a status.
    #[track_caller]
    pub fn wait_for_status(&self, agent: &str, status: &str) -> Value {
        let path = format!("/api/agents/{agent}");
        let what = format!("{agent} is {status}");
        let seen = self.wait_for(&path, &what, |seen| seen["agent"]["status"] == status);
        seen["agent"].clone()
    }

    /// A WebSocket.
    pub fn socket(&self, path: &str) -> Socket {
        let origin = format!("http://{}", self.address);
        Socket(dial(&self.address, path, Some(&self.cookie), Some(&origin)).unwrap())
    }
}

/// Uses up a code.
pub fn redeem(address: &str, code: &str) -> Answer {
    let head = format!(
        "POST /api/auth/exchange HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n"
    );
    exchange(
        address,
        &head,
        json!({ "code": code }).to_string().as_bytes(),
    )
}

/// Opens a WebSocket as somebody may try to.
pub fn dial(
    address: &str,
    path: &str,
    cookie: Option<&str>,
    origin: Option<&str>,
) -> Result<WebSocket<TcpStream>, u16> {
    let mut request = format!("ws://{address}{path}")
        .into_client_request()
        .unwrap();
    let headers = request.headers_mut();
    if let Some(cookie) = cookie {
        headers.insert("cookie", cookie.parse().unwrap());
    }
    if let Some(origin) = origin {
        headers.insert("origin", origin.parse().unwrap());
    }
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    match tungstenite::client(request, stream) {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
            Err(answer.status().as_u16())
        }
        Err(error) => panic!("{error}"),
    }
}

/// A world with a repository, a hub that was started in it, and a browser.
pub struct Desk {
    pub browser: Browser,
    pub hub: Hub,
    pub repository: Repository,
    pub world: World,
}

impl Desk {
    pub fn new() -> Self {
        let world = World::new();
        let repository = Repository::new(world.home.path(), "repo");
        let hub = Hub::start(&world, &["--port", "0"]);
        let browser = Browser::open(&hub);
        Self {
            browser,
            hub,
            repository,
            world,
        }
    }

    /// A desk with one dummy agent in the repository, ready.
    pub fn with_dummy() -> Self {
        let desk = Self::new();
        desk.start("dummy", &desk.repository.path);
        desk
    }

    /// Starts a dummy agent of this name in a folder; its id.
    pub fn start(&self, name: &str, dir: &std::path::Path) -> String {
        let dir = dir.to_str().unwrap();
        self.world.ok(&[
            "start", "dummy", "--port", "0", "--name", name, "--cwd", dir,
        ]);
        let what = format!("{name} appears");
        let path = format!("/api/agents/{name}");
        self.browser
            .wait_for(&path, &what, |seen| seen["agent"].is_object());
        let agent = self.browser.wait_for_status(name, "idle");
        agent["id"].as_str().unwrap().to_owned()
    }

    /// The id of the worktree the repository itself is in.
    pub fn worktree(&self) -> String {
        let listed = self.browser.get("/api/worktrees").ok();
        let tree = &listed["repositories"][0]["worktrees"][0];
        tree["id"].as_str().unwrap().to_owned()
    }

    pub fn send(&self, agent: &str, text: &str) -> Value {
        let path = format!("/api/agents/{agent}/send");
        let answer = self.browser.post(&path, &json!({ "text": text }));
        answer.ok()["task"].clone()
    }
}
