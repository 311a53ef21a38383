//! Finding an agent, and asking it something.

use std::future::Future;

use anyhow::{Context as _, Result, bail};
use hyper::Method;
use serde_json::Value;
use synapse::client::Client;
use synapse::handle::find;
use synapse::paths::Paths;
use synapse::registry::{Entry, Registry};

use super::Failure;

/// The agents that run.
pub(super) fn agents() -> Result<Vec<Entry>> {
    Ok(Registry::new(Paths::from_env()?.registry()).list()?)
}

/// The agent a word means.
pub(super) fn agent(word: &str) -> Result<Entry> {
    let (entries, here) = (agents()?, std::env::current_dir()?);
    let found = find(&entries, word, &here);
    found
        .cloned()
        .map_err(|error| Failure::new(Failure::NO_SUCH_AGENT, error.to_string()).into())
}

/// Asks an agent something.
pub(super) fn ask<T, F: Future<Output = Result<T>>>(
    word: &str,
    question: impl FnOnce(Client) -> F,
) -> Result<T> {
    let entry = agent(word)?;
    let client = Client::of(&entry)?;
    block_on(question(client))
}

/// The agent whose task has a name that begins or ends so, and the whole name.
pub(super) async fn task(part: &str) -> Result<(Client, String)> {
    let mut found: Vec<(Client, String)> = Vec::new();
    for entry in agents()? {
        let client = Client::of(&entry)?;
        let body = client.call(Method::GET, "/tasks", None).await?;
        let tasks = body
            .get("tasks")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let ids = tasks.filter_map(|task| task.get("id")?.as_str());
        for id in ids.filter(|id| id.starts_with(part) || id.ends_with(part)) {
            found.push((Client::of(&entry)?, id.to_owned()));
        }
    }
    let names: Vec<&str> = found.iter().map(|(_, id)| id.as_str()).collect();
    match names.as_slice() {
        [] => bail!("no agent has a task {part}"),
        [_, _, ..] => bail!("{part} means several tasks: {}", names.join(", ")),
        [_] => found.pop().context("just seen"),
    }
}

/// Waits for something on this thread.
pub(super) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.context("no runtime")?.block_on(work)
}
