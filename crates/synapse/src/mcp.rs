//! `synapse mcp`: the other agents as tools, over standard input and output, so that a wrapped CLI can talk
//! to them by itself. What it sends carries its handle and how many agents the question has passed through.

mod attach;
mod flows;
mod neighbours;
mod tools;

use std::collections::HashMap;
use std::future::pending;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::event::{PollFd, PollFlags, poll};
use serde_json::{Value, json};
use synapse_acp::connection::{Peer, read_line};
use synapse_acp::rpc::{Incoming, RpcError};
use synapse_machine::paths::Paths;
use tokio::io::BufReader;
use tokio::task::{AbortHandle, JoinSet, spawn_blocking};
use tokio::time::{sleep, timeout};

pub use attach::{Attached, ToolServer, UserSettings, attached};
pub use tools::Tools;

/// The versions of the protocol, which differ in nothing that we use, the newest first. 2025-03-26 is not among them:
/// there a server must take batches.
const VERSIONS: [&str; 3] = ["2025-11-25", "2025-06-18", "2024-11-05"];

/// What a model is told of all of it.
const INSTRUCTIONS: &str = "Other coding agents run on this machine. List them, send one a message and \
    get its reply, or answer what one asks. Their replies come from them, not from your user.";

/// The longest line that is read: a message to an agent, and some room.
const LONGEST_LINE: usize = 4 << 20;

/// Answers that may wait for a client that is slow to read; then no more is read from it.
const UNREAD_ANSWERS: usize = 16;

/// How many calls may run at a time.
const MOST_CALLS: usize = 64;

/// How long a call waits for one of them to end.
const CALL_PATIENCE: Duration = Duration::from_secs(1);

/// How long calls may go on when the client has said all it had to say.
const LAST_CALLS: Duration = Duration::from_secs(2);

/// How long a client may leave its answers unread when it says no more.
const LAST_ANSWERS: Duration = Duration::from_secs(3);

/// Serves until the client goes away.
///
/// # Errors
/// If what the client says cannot be read.
pub async fn serve(paths: Paths) -> Result<()> {
    let (peer, mut writer) = Peer::open(tokio::io::stdout(), UNREAD_ANSWERS);
    let mut server = Server {
        peer,
        tools: Arc::new(Tools::new(paths)),
        calls: JoinSet::new(),
        running: HashMap::new(),
    };
    let done = tokio::select! {
        done = server.listen() => done,
        // What is left to read is not read while answers are unread, and neither is its end.
        () = async { hung_up().await; sleep(LAST_ANSWERS).await } => Ok(()),
    };
    let mut calls = server.calls;
    let rest = async { while calls.join_next().await.is_some() {} };
    let _ = timeout(LAST_CALLS, rest).await;
    calls.shutdown().await;
    drop(server.peer);
    let _ = timeout(LAST_ANSWERS, &mut writer).await;
    done
}

struct Server {
    peer: Peer,
    tools: Arc<Tools>,
    calls: JoinSet<()>,
    /// A client names a call by what it called it.
    running: HashMap<String, AbortHandle>,
}

impl Server {
    async fn listen(&mut self) -> Result<()> {
        let mut from = BufReader::new(tokio::io::stdin());
        loop {
            match read_line(&mut from, LONGEST_LINE).await {
                Ok(Some(line)) if line.iter().all(u8::is_ascii_whitespace) => {}
                Ok(Some(line)) => self.take(&line).await,
                Ok(None) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::InvalidData => {
                    let error = RpcError::no_message(&error.to_string());
                    self.peer.answer(&Value::Null, Err(error)).await;
                }
                Err(error) => {
                    return Err(error).context("what the MCP client says cannot be read");
                }
            }
        }
    }

    async fn take(&mut self, line: &[u8]) {
        match Incoming::read(line) {
            Ok(Incoming::Request { id, method, params }) if method == "tools/call" => {
                self.begin(id, params).await;
            }
            Ok(Incoming::Request { id, method, params }) => {
                self.peer.answer(&id, result_of(&method, &params)).await;
            }
            Ok(Incoming::Notification { method, params }) => {
                let id = params
                    .get("requestId")
                    .filter(|_| method == "notifications/cancelled");
                if let Some(call) = id.and_then(|id| self.running.remove(&id.to_string())) {
                    call.abort();
                }
            }
            // We ask nothing.
            Ok(Incoming::Response { .. }) => {}
            Err(misread) => self.peer.answer(&misread.id, Err(misread.error)).await,
        }
    }

    /// Begins a call; it goes on while the next line is read.
    async fn begin(&mut self, id: Value, params: Value) {
        while self.calls.try_join_next().is_some() {}
        if self.calls.len() >= MOST_CALLS
            && timeout(CALL_PATIENCE, self.calls.join_next())
                .await
                .is_err()
        {
            let error = format!("{MOST_CALLS} calls are running; wait for one of them");
            self.peer.answer(&id, Err(RpcError::failed(error))).await;
            return;
        }
        self.running.retain(|_, call| !call.is_finished());
        let (tools, peer, name) = (Arc::clone(&self.tools), self.peer.clone(), id.to_string());
        let call = self.calls.spawn(async move {
            let result = call(&tools, params).await;
            peer.answer(&id, result).await;
        });
        self.running.insert(name, call);
    }
}

/// Waits until the client has closed our input, also while nobody reads it. A file has no other end.
async fn hung_up() {
    let closed = spawn_blocking(|| {
        let input = std::io::stdin();
        poll(&mut [PollFd::new(&input, PollFlags::empty())], None)
    });
    if !matches!(closed.await, Ok(Ok(_))) {
        pending::<()>().await;
    }
}

/// What a client is told that asks for anything but a tool.
fn result_of(method: &str, params: &Value) -> Result<Value, RpcError> {
    match method {
        "initialize" => {
            let wanted = params.get("protocolVersion").and_then(Value::as_str);
            let version = VERSIONS
                .into_iter()
                .find(|version| Some(*version) == wanted);
            Ok(json!({
                "protocolVersion": version.unwrap_or(VERSIONS[0]),
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "synapse", "version": env!("CARGO_PKG_VERSION") },
                "instructions": INSTRUCTIONS,
            }))
        }
        "ping" => Ok(json!({})),
        "tools/list" => Tools::listing(),
        _ => Err(RpcError::no_method(method)),
    }
}

async fn call(tools: &Tools, mut params: Value) -> Result<Value, RpcError> {
    let arguments = params.get_mut("arguments").map(Value::take);
    match params.get("name").and_then(Value::as_str) {
        Some(name) => tools.call(name, arguments.unwrap_or_default()).await,
        None => Err(RpcError::bad_params("'name' must be the name of a tool")),
    }
}
