//! `synapse mcp`: the other agents as tools, over standard input and output, so that a wrapped CLI can talk
//! to them by itself. What it sends carries its handle and how many agents the question has passed through.

mod attach;
mod flows;
mod neighbours;
mod tools;

use anyhow::{Context as _, Result};
use rmcp::ServiceExt as _;

pub use attach::{Attached, ToolServer, UserSettings, attached};
pub use tools::Tools;

use synapse_machine::paths::Paths;

/// Serves until the client goes away.
///
/// # Errors
/// If the two cannot agree on how to talk.
pub async fn serve(paths: Paths) -> Result<()> {
    let service = Tools::new(paths).serve(rmcp::transport::stdio()).await;
    let service = service.context("the MCP client did not introduce itself as expected")?;
    service.waiting().await.context("the MCP server failed")?;
    Ok(())
}
