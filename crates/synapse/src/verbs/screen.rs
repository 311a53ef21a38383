//! `synapse screen`.

use std::io::Write as _;

use anyhow::Result;

use super::reach;

/// Runs it.
pub(crate) fn run(agent: &str, ansi: bool) -> Result<u8> {
    let path = if ansi { "/screen?ansi=true" } else { "/screen" };
    let body = reach::ask(agent, async |client| client.text(path).await)?;
    let mut out = std::io::stdout().lock();
    out.write_all(&body)?;
    writeln!(out)?;
    Ok(0)
}
