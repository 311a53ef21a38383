//! The agents of this machine as the tools see them, and what is asked of them.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use hyper::Method;
use serde_json::{Value, json};
use synapse_a2a::event::Origin;

use super::tools::{Brief, Outcome};
use synapse_client::client::Client;
use synapse_client::own;
use synapse_client::parcel::Parcel;
use synapse_client::wake;
use synapse_machine::config::Config;
use synapse_machine::handle::{AddressError, find};
use synapse_machine::paths::Paths;
use synapse_machine::registry::{Entry, Registry};

/// Everybody who can be spoken to, and who speaks.
pub(super) struct Neighbours {
    pub(super) others: Vec<Entry>,
    own: Option<Entry>,
}

impl Neighbours {
    pub(super) fn look(paths: &Paths) -> Result<Self> {
        let entries = Registry::new(paths.registry()).list()?;
        let (own, others): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(own::is_around);
        Ok(Self {
            others,
            own: own.into_iter().next(),
        })
    }

    /// The agent a word means.
    pub(super) fn find(&self, word: &str) -> Result<Entry> {
        let here = std::env::current_dir()?;
        Ok(find(&self.others, word, &here)?.clone())
    }

    /// The agent a word means. One that is not running, and that a message may start, is started.
    pub(super) async fn find_awake(&self, word: &str, paths: &Paths) -> Result<Entry> {
        let here = std::env::current_dir()?;
        let missing = match find(&self.others, word, &here) {
            Ok(entry) => return Ok(entry.clone()),
            Err(missing) => missing,
        };
        let is_ourselves = find(self.own.as_slice(), word, &here).is_ok();
        let settings = Config::load(&paths.config())?.config.agents;
        let word = word.strip_prefix('@').unwrap_or(word);
        let startable = settings.iter().find(|(name, settings)| {
            settings.auto_start && name.eq_ignore_ascii_case(word) && !is_ourselves
        });
        match (startable, &missing) {
            (Some((name, _)), AddressError::Nobody { .. }) => {
                wake::start(name, &here).await?;
                Self::look(paths)?.find(word)
            }
            _ => Err(missing.into()),
        }
    }

    /// Who speaks: our own agent, or whoever runs us.
    pub(super) fn sender(&self) -> String {
        let own = self.own.as_ref().map(|entry| entry.handle.to_string());
        own.unwrap_or_else(|| Origin::SOMEBODY.to_owned())
    }

    /// How many agents a message of ours has passed through: one more than what we are working on.
    pub(super) async fn hops(&self) -> Result<u8> {
        match &self.own {
            Some(own) => own::hops(own).await,
            None => Ok(0),
        }
    }
}

/// How an agent stands, in a line.
pub(super) async fn brief(entry: &Entry) -> Brief {
    let status = async { Client::of(entry)?.call(Method::GET, "/status", None).await };
    let status = status.await.unwrap_or_default();
    let text = |path: &str| {
        status
            .pointer(path)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    Brief {
        handle: entry.handle.to_string(),
        profile: entry.profile.clone(),
        state: text("/status").unwrap_or_else(|| "UNREACHABLE".to_owned()),
        asks: text("/prompt/question"),
        directory: entry.working_dir.display().to_string(),
    }
}

/// What is sent, and how.
#[derive(Clone)]
pub(super) struct Letter {
    pub(super) text: String,
    pub(super) priority: u8,
    pub(super) sender: String,
    pub(super) hops: u8,
    /// How long to wait for the answer; not at all without.
    pub(super) patience: Option<Duration>,
}

/// Sends a message, and waits for what comes of it if that is wanted.
pub(super) async fn send(entry: &Entry, letter: &Letter) -> Result<Outcome> {
    let client = Client::of(entry)?;
    let parcel = Parcel::pack(&letter.text, &[], Path::new(""))?
        .sent_by(Some(letter.sender.clone()), letter.hops)
        .with_priority(Some(letter.priority));
    let id = parcel.deliver(&client).await?.id;
    if let Some(patience) = letter.patience {
        let path = format!("/tasks/{id}/subscribe");
        let settled = client.follow(&path, |name, data| {
            let state = data.get("state").and_then(Value::as_str);
            name != "status" || matches!(state, Some("submitted" | "working"))
        });
        // A task that takes longer goes on; it is shown as it stands.
        let _ = tokio::time::timeout(patience, settled).await;
    }
    task(entry, &id).await
}

/// A task as it stands.
pub(super) async fn task(entry: &Entry, id: &str) -> Result<Outcome> {
    let path = format!("/tasks/{id}");
    let body = Client::of(entry)?.call(Method::GET, &path, None).await?;
    let text = |path: &str| {
        body.pointer(path)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let options = body.pointer("/task/status/message/options");
    let options = options.and_then(Value::as_array).into_iter().flatten();
    Ok(Outcome {
        agent: entry.handle.to_string(),
        task: id.to_owned(),
        state: text("/task/status/state").unwrap_or_default(),
        reply: text("/task/reply"),
        question: text("/task/status/message/prompt"),
        options: options
            .filter_map(|one| one.as_str().map(str::to_owned))
            .collect(),
        error: text("/task/status/error/message"),
    })
}

/// Answers what an agent asks.
pub(super) async fn answer(entry: &Entry, value: &str, fingerprint: Option<&str>) -> Result<()> {
    let body = json!({ "value": value, "fingerprint": fingerprint });
    let client = Client::of(entry)?;
    client.call(Method::POST, "/answer", Some(&body)).await?;
    Ok(())
}
