//! `synapse status`.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::Result;
use hyper::Method;
use serde_json::Value;

use super::{picture, reach};
use crate::verbs::print;

pub(crate) fn run(agent: &str, why: bool, json: bool) -> Result<u8> {
    let body = reach::ask(agent, async |client| {
        client.call(Method::GET, "/status", None).await
    })?;
    let mut out = print::out();
    if json {
        serde_json::to_writer_pretty(&mut out, &body)?;
        writeln!(out)?;
        return Ok(0);
    }
    let text = |name: &str| {
        body.get(name)
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned()
    };
    let queue = body.get("queue").and_then(Value::as_u64).unwrap_or(0);
    writeln!(
        out,
        "{} ({}), {queue} waiting",
        text("status"),
        text("evidence")
    )?;
    if let Some(held) = body.get("held").and_then(Value::as_str) {
        writeln!(out, "{held}")?;
    }
    if let Some(prompt) = body.get("prompt").filter(|prompt| !prompt.is_null()) {
        write!(out, "{}", readable(prompt))?;
    }
    if why {
        for (witness, says) in super::doctor::witnesses(&body) {
            writeln!(out, "  {witness:<14} {says}")?;
        }
        drop(out);
        let picture = reach::ask(agent, async |client| {
            client.call(Method::GET, "/explain", None).await
        })?;
        picture::print(&picture)?;
    }
    Ok(0)
}

/// A question with its options, as a person reads it.
pub(super) fn readable(prompt: &Value) -> String {
    let text = |value: &Value, name: &str| {
        value
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned()
    };
    let mut out = format!("{}\n", text(prompt, "question"));
    for option in prompt
        .get("options")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let (key, label) = (text(option, "key"), text(option, "label"));
        let _ = writeln!(out, "  {key:>8}  {label}");
    }
    out
}
