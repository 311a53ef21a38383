//! `synapse reply`: inside an agent, the answer to the task at hand.

use anyhow::Result;
use clap::Args;
use hyper::Method;
use serde_json::json;
use synapse_client::client::Client;

use super::{Failure, input, lookup};

/// `synapse reply …`
#[derive(Args)]
pub(crate) struct Reply {
    /// The reply: its words are joined by blanks. Without any, and for a last word -, standard input is read
    #[arg(value_name = "MESSAGE")]
    words: Vec<String>,
}

pub(crate) fn run(args: &Reply) -> Result<u8> {
    let Some(own) = lookup::own()? else {
        let why = "synapse reply answers from inside an agent, and this is none; use synapse send";
        return Err(Failure::new(1, why).into());
    };
    let text = input::message(&args.words)?;
    let client = Client::of(&own)?;
    let body = json!({ "text": text });
    lookup::block_on(lookup::within(
        lookup::MOMENT,
        client.call(Method::POST, "/reply", Some(&body)),
    ))?;
    Ok(0)
}
