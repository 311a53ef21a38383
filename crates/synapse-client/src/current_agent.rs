//! The agent inside which a command runs, and how many agents the message it works on has passed through.

use anyhow::{Result, bail};
use synapse_a2a::event::Origin;

use crate::client::Client;
use synapse_machine::registry::Entry;

/// What a host sets for the program it wraps.
pub const ID: &str = "SYNAPSE_AGENT_ID";

/// Whether we run in this agent.
pub fn is_around(entry: &Entry) -> bool {
    std::env::var_os(ID).is_some_and(|id| id == entry.agent_id.as_str())
}

/// How many agents a message of ours has passed through: one more than what our agent is working on.
///
/// # Errors
/// When it has gone too far already, or our agent does not say.
pub async fn hops(own: &Entry) -> Result<u8> {
    let client = Client::of(own)?;
    // Not by the states of its tasks: a quick program acts before it is seen at work.
    let Some(at_hand) = client.status().await?.task else {
        return Ok(0);
    };
    let hops = client.task(&at_hand).await?.hops.saturating_add(1);
    if hops > Origin::MOST_HOPS {
        bail!(
            "this task has passed through {hops} agents already, and {} is the most; answer it yourself",
            Origin::MOST_HOPS
        );
    }
    Ok(hops)
}
