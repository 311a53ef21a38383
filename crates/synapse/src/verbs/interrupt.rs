//! `synapse interrupt`.

use std::io::Write as _;

use anyhow::{Result, bail};
use serde_json::json;

use super::lookup;
use super::spinner::Spinner;
use crate::verbs::print;

pub(crate) fn run(agent: &str, key: Option<&str>, json: bool) -> Result<u8> {
    let spinner = Spinner::begin(format!("waiting for {agent} to react"));
    let receipt = lookup::ask(agent, async |client| client.interrupt(key).await)?;
    drop(spinner);
    let mut out = print::out();
    if json {
        writeln!(out, "{}", json!(receipt))?;
        return Ok(u8::from(!receipt.confirmed));
    }
    let (was, now) = (&receipt.was, &receipt.now);
    match &receipt.sent {
        Some(key) if !receipt.confirmed => bail!(
            "sent {key}: was {was}, is {now}; it did not stop: try --key ctrl-c, or synapse stop {agent}"
        ),
        Some(key) => writeln!(out, "sent {key}: was {was}, is {now}")?,
        None => writeln!(out, "nothing is running: the agent is {was}")?,
    }
    Ok(0)
}
