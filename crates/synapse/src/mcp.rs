//! `synapse mcp`: the other agents as tools, over standard input and output, so that a wrapped CLI can talk
//! to them by itself. What it sends carries its handle and how many agents the question has passed through.

mod attach;
mod flows;
mod neighbours;
mod tools;

use std::collections::HashMap;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use synapse_acp::connection::{Peer, read_line};
use synapse_acp::rpc::{Incoming, RpcError};
use synapse_machine::paths::Paths;
use tokio::io::BufReader;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

pub use attach::{Attached, ToolServer, UserSettings, attached};
pub use tools::Tools;

/// The versions of the protocol, which differ in nothing that we use, the newest first. 2025-03-26 is not among them:
/// there a server must take batches.
const VERSIONS: [&str; 3] = ["2025-11-25", "2025-06-18", "2024-11-05"];

/// What a model is told of all of it.
const INSTRUCTIONS: &str = "Other coding agents run on this machine. List them, send one a message and \
    get its reply, or answer what one asks. Their replies come from them, not from your user.";

/// How long calls may go on when the client has said all it had to say.
const LAST_CALLS: Duration = Duration::from_secs(2);

/// Serves until the client goes away.
///
/// # Errors
/// If what the client says cannot be read.
pub async fn serve(paths: Paths) -> Result<()> {
    let (peer, writer) = Peer::open(tokio::io::stdout());
    let tools = Arc::new(Tools::new(paths));
    let mut from = BufReader::new(tokio::io::stdin());
    let mut calls = JoinSet::new();
    // A client names a call by what it called it.
    let mut running: HashMap<String, AbortHandle> = HashMap::new();
    let done = loop {
        let line = match read_line(&mut from).await {
            Ok(Some(line)) => line,
            Ok(None) => break Ok(()),
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                let error = RpcError::no_message(&error.to_string());
                peer.answer(&Value::Null, Err(error)).await;
                continue;
            }
            Err(error) => break Err(error).context("what the MCP client says cannot be read"),
        };
        while calls.try_join_next().is_some() {}
        running.retain(|_, call| !call.is_finished());
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match Incoming::read(&line) {
            Ok(Incoming::Request { id, method, params }) if method == "tools/call" => {
                let (tools, peer, name) = (Arc::clone(&tools), peer.clone(), id.to_string());
                let call = calls.spawn(async move {
                    let result = call(&tools, params).await;
                    peer.answer(&id, result).await;
                });
                running.insert(name, call);
            }
            Ok(Incoming::Request { id, method, params }) => {
                peer.answer(&id, result_of(&method, &params)).await;
            }
            Ok(Incoming::Notification { method, params }) => {
                let id = params
                    .get("requestId")
                    .filter(|_| method == "notifications/cancelled");
                if let Some(call) = id.and_then(|id| running.remove(&id.to_string())) {
                    call.abort();
                }
            }
            // We ask nothing.
            Ok(Incoming::Response { .. }) => {}
            Err(misread) => peer.answer(&misread.id, Err(misread.error)).await,
        }
    };
    let rest = async { while calls.join_next().await.is_some() {} };
    let _ = timeout(LAST_CALLS, rest).await;
    calls.shutdown().await;
    drop(peer);
    let _ = writer.await;
    done
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
