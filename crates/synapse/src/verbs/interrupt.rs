//! `synapse interrupt`.

use std::io::Write as _;

use anyhow::{Result, bail};
use serde_json::json;

use super::spinner::Spinner;
use super::{lookup, texts};
use crate::verbs::print;

pub(crate) fn run(agent: &str, key: Option<&str>, json: bool) -> Result<u8> {
    let spinner = Spinner::begin(texts::waiting_to_react(agent));
    let receipt = lookup::ask(agent, async |client| client.interrupt(key).await)?;
    drop(spinner);
    let mut out = print::out();
    if json {
        writeln!(out, "{}", json!(receipt))?;
        return Ok(u8::from(!receipt.confirmed));
    }
    let (was, now) = (texts::state(&receipt.was), texts::state(&receipt.now));
    match &receipt.sent {
        Some(key) if !receipt.confirmed && key == "C-c" => {
            bail!("{}", texts::heeds_no_key(key, was, now, agent))
        }
        Some(key) if !receipt.confirmed => {
            bail!("{}", texts::did_not_react(key, was, now, agent))
        }
        Some(key) => writeln!(out, "{}", texts::interrupted(key, was, now))?,
        None => writeln!(out, "{}", texts::nothing_runs(was))?,
    }
    Ok(0)
}
