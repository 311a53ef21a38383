//! `synapse interrupt`.

use std::io::Write as _;

use anyhow::Result;
use hyper::Method;
use serde_json::{Value, json};

use super::lookup;
use super::spinner::Spinner;
use crate::verbs::print;

pub(crate) fn run(agent: &str, key: Option<&str>, json: bool) -> Result<u8> {
    let body = json!({ "key": key });
    let spinner = Spinner::begin(format!("waiting for {agent} to react"));
    let receipt = lookup::ask(agent, async |client| {
        client.call(Method::POST, "/interrupt", Some(&body)).await
    })?;
    drop(spinner);
    let mut out = print::out();
    if json {
        writeln!(out, "{receipt}")?;
        return Ok(0);
    }
    let text = |name: &str| receipt.get(name).and_then(Value::as_str).map(str::to_owned);
    let (was, now) = (
        text("was").unwrap_or_default(),
        text("now").unwrap_or_default(),
    );
    match text("sent") {
        Some(key) => writeln!(out, "sent {key}: was {was}, is {now}")?,
        None => writeln!(out, "nothing is running: the agent is {was}")?,
    }
    Ok(0)
}
