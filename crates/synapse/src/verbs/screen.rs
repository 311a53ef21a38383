//! `synapse screen`.

use std::io::Write as _;

use anyhow::Result;

use super::{lookup, print};

pub(crate) fn run(agent: &str, ansi: bool) -> Result<u8> {
    let path = if ansi { "/screen?ansi=true" } else { "/screen" };
    let body = lookup::ask(agent, async |client| client.text(path).await)?;
    if ansi {
        // Made from the cells of the screen: it paints, and does nothing else.
        let mut painted = print::painted();
        painted.write_all(&body)?;
        writeln!(painted)?;
    } else {
        let mut out = print::out();
        out.write_all(&body)?;
        writeln!(out)?;
    }
    Ok(0)
}
