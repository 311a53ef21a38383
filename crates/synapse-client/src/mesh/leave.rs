//! Leaves a message for an agent of another machine: with the agent if it is there, else in the store of this machine, by
//! way of the bridge.

use std::io;
use std::time::Duration;

use anyhow::{Result, bail};
use hyper::{Method, StatusCode};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synapse_machine::lock::is_held;
use synapse_machine::paths::Paths;
use synapse_machine::private_file;
use synapse_machine::registry::Entry;
use tokio::time::timeout;

use super::{Found, Machine, MeshAgent, MeshView};
use crate::client::Client;
use crate::message::{ACCEPTANCE, OutgoingMessage};
use crate::native::{TaskAnswer, TaskShape};

/// What became of a message that was handed over.
#[derive(Debug)]
pub enum Handed {
    /// The agent has it.
    Task(Box<TaskShape>),
    /// Its machine is away, and it is kept here.
    Kept(Kept),
}

/// A message that waits for its machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// The id of the message.
    pub id: String,
    pub to: String,
    pub text: String,
    pub until: Timestamp,
    /// kept, delivered, refused, expired or canceled.
    pub state: String,
    /// The task it became.
    pub task: Option<String>,
    pub reason: Option<String>,
}

/// How long a message waits for a machine, unless somebody says otherwise.
pub const WAITS: Duration = Duration::from_hours(24);

/// Hands a message to an agent of another machine. If that is away, or goes away meanwhile, the message is kept; since it
/// has an id, it is taken once even if both happen. A time says that it is to be kept also where the machine is there
/// and the agent is not.
///
/// # Errors
/// When the agent refuses it, or it can neither be sent nor kept.
pub async fn hand_over(
    paths: &Paths,
    found: &Found,
    message: &OutgoingMessage,
    expires: Option<Duration>,
) -> Result<Handed> {
    if found.is_here {
        let client = Client::of(&found.entry)?;
        let path = format!("/tasks/send-priority?priority={}", message.priority());
        let body = message.body();
        let sent = timeout(ACCEPTANCE, client.ask(Method::POST, &path, Some(&body))).await;
        if let Ok(Ok(answer)) = sent {
            let is_away = matches!(answer.status.as_u16(), 502..=504);
            let is_unknown = answer.status == StatusCode::NOT_FOUND && expires.is_some();
            if answer.status.is_success() {
                let task: TaskAnswer = serde_json::from_value(answer.body)?;
                return Ok(Handed::Task(Box::new(task.task)));
            }
            if !is_away && !is_unknown {
                let said = answer.body.get("error").and_then(Value::as_str);
                bail!("{}", said.unwrap_or("no reason given"));
            }
        }
    }
    let Some(bridge) = bridge_entry(paths)? else {
        bail!("the mesh is not up here: synapse mesh up");
    };
    let until = Timestamp::now() + expires.unwrap_or(WAITS);
    let handle = found.entry.handle.as_str();
    let (agent, _) = handle.rsplit_once('@').unwrap_or((handle, ""));
    let body = json!({
        "machine": found.machine, "agent": agent, "priority": message.priority(),
        "until": until, "body": message.body(),
    });
    let kept = Client::of(&bridge)?
        .call(Method::POST, "/messages", Some(&body))
        .await?;
    Ok(Handed::Kept(serde_json::from_value(kept)?))
}

/// The bridge of this machine itself, if it runs.
///
/// # Errors
/// When its file cannot be read.
pub fn bridge_entry(paths: &Paths) -> io::Result<Option<Entry>> {
    let lock = paths.mesh().join("bridge.lock");
    if !is_held(&lock)? {
        return Ok(None);
    }
    let text: Value = serde_json::from_slice(&private_file::read(&lock)?)?;
    let url = text.get("url").and_then(Value::as_str).unwrap_or_default();
    let unseen = MeshAgent::unseen("bridge");
    let view = MeshView {
        own: String::new(),
        endpoint: url.to_owned(),
        trouble: None,
        machines: Vec::new(),
    };
    let machine = Machine {
        name: String::new(),
        is_here: true,
        seen: None,
        role: String::new(),
        version: String::new(),
        agents: Vec::new(),
    };
    let entry = view.entry(&machine, &unseen);
    Ok(Some(Entry {
        endpoint: url.to_owned(),
        ..entry
    }))
}
