//! Finding an agent, and asking it something.

use std::future::Future;

use anyhow::{Context as _, Result};
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

/// Waits for something on this thread.
pub(super) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.context("no runtime")?.block_on(work)
}
