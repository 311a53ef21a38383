//! `synapse open`: the page at one agent, in a browser.

use anyhow::Result;
use clap::Args;

use super::{lookup, web};
use crate::cli::complete;

/// `synapse open …`
#[derive(Args)]
pub(crate) struct Open {
    /// The agent: its handle, profile or id; without one, the page itself
    #[arg(add = complete::agents())]
    agent: Option<String>,
    /// Print the link and open nothing; it works once, within five minutes
    #[arg(long)]
    print: bool,
}

pub(crate) fn run(args: &Open) -> Result<u8> {
    let agent = args.agent.as_deref().map(lookup::agent).transpose()?;
    let path = agent.map_or(String::new(), |entry| {
        format!("a/{}", entry.agent_id.as_str())
    });
    web::open_at(&path, args.print)
}
