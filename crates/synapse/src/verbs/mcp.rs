//! `synapse mcp`.

use anyhow::{Context as _, Result};
use synapse::mcp;
use synapse_machine::paths::Paths;
use tokio::runtime::Builder;

/// Runs it until the client goes away.
pub(crate) fn run() -> Result<u8> {
    let paths = Paths::from_env()?;
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("no runtime")?;
    let served = runtime.block_on(mcp::serve(paths));
    // The thread that writes to a client that reads nothing cannot be ended.
    runtime.shutdown_background();
    served.map(|()| 0)
}
