//! `synapse acp`.

use anyhow::Result;
use synapse_acp::Reach;
use synapse_machine::paths::Paths;

use super::{lookup, profile};

/// Runs it until the editor goes away.
pub(crate) fn run(agent: Option<String>) -> Result<u8> {
    let is_profile = |word: &str| profile::is_known(word).unwrap_or(false);
    let reach = Reach::new(Paths::from_env()?, agent, is_profile)?;
    let (from, to) = (tokio::io::stdin(), tokio::io::stdout());
    lookup::block_on(synapse_acp::serve(reach, from, to))?;
    Ok(0)
}
