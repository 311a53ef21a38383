//! `synapse mcp`.

use anyhow::Result;
use synapse::mcp;
use synapse_machine::paths::Paths;

use super::lookup;

/// Runs it until the client goes away.
pub(crate) fn run() -> Result<u8> {
    let paths = Paths::from_env()?;
    lookup::block_on(async { mcp::serve(paths).await })?;
    Ok(0)
}
