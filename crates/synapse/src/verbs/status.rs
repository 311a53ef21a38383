//! `synapse status`.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::Result;
use hyper::Method;
use synapse_client::native::{OptionShape, PromptShape, StandingShape, StatusAnswer, WitnessShape};

use super::{lookup, picture, texts};
use crate::verbs::print;

pub(crate) fn run(agent: &str, why: bool, json: bool) -> Result<u8> {
    let body = lookup::ask(agent, async |client| {
        client.call(Method::GET, "/status", None).await
    })?;
    let mut out = print::out();
    if json {
        print::json(&body)?;
        return Ok(0);
    }
    let StatusAnswer {
        standing,
        witnesses,
        ..
    } = serde_json::from_value(body)?;
    writeln!(out, "{}", summary(&standing))?;
    if let Some(held) = &standing.held {
        writeln!(out, "{}", texts::held(held))?;
    }
    if let Some(prompt) = &standing.prompt {
        write!(out, "{}", readable(prompt))?;
    }
    if why {
        for WitnessShape { witness, says } in &witnesses {
            writeln!(out, "  {witness:<14} {says}")?;
        }
        drop(out);
        let picture = lookup::ask(agent, async |client| {
            client.call(Method::GET, "/explain", None).await
        })?;
        picture::print(&picture)?;
    }
    Ok(0)
}

/// What it does, why we think so, and what waits, on one line.
pub(super) fn summary(standing: &StandingShape) -> String {
    let queue = match standing.queue {
        0 => texts::queue_is_empty(),
        count => texts::queue_has(count),
    };
    let state = texts::state(&standing.status);
    format!("{state} ({}), {queue}", standing.evidence)
}

/// A question with its options, as a person reads it.
pub(super) fn readable(prompt: &PromptShape) -> String {
    let mut out = format!("{}\n", prompt.question);
    for OptionShape { label, key } in &prompt.options {
        let _ = writeln!(out, "  {:>8}  {label}", key.as_str().unwrap_or(""));
    }
    out
}
