//! `synapse reply`: inside an agent, the answer to the task at hand.

use std::io::Read as _;

use anyhow::{Context as _, Result};
use clap::Args;
use hyper::Method;
use serde_json::json;
use synapse::client::Client;

use super::{Failure, reach};

/// `synapse reply …`
#[derive(Args)]
pub(crate) struct Reply {
    /// What to answer, or - for standard input
    message: String,
}

/// Runs it.
pub(crate) fn run(args: &Reply) -> Result<u8> {
    let Some(own) = reach::own()? else {
        let why = "synapse reply answers from inside an agent, and this is none; use synapse send";
        return Err(Failure::new(1, why).into());
    };
    let text = if args.message == "-" {
        let mut text = String::new();
        let read = std::io::stdin().lock().read_to_string(&mut text);
        read.context("cannot read standard input")?;
        text.trim_end_matches('\n').to_owned()
    } else {
        args.message.clone()
    };
    let client = Client::of(&own)?;
    let body = json!({ "text": text });
    reach::block_on(reach::within(
        reach::MOMENT,
        client.call(Method::POST, "/reply", Some(&body)),
    ))?;
    Ok(0)
}
