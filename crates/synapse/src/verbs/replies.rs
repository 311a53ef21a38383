//! `synapse replies`: the answers that came back to messages typed in wrapped terminals.

use std::io::Write as _;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use synapse_machine::paths::Paths;
use synapse_store::replies::{Reply, ReplyFilter, list, mark_seen};

use super::{lookup, texts};
use crate::cli::complete;
use crate::verbs::print;

/// How many are listed.
const LISTED: usize = 200;

/// `synapse replies …`
#[derive(Args)]
pub(crate) struct Replies {
    /// Only replies to this agent; inside an agent, by default to that one
    #[arg(add = complete::agents())]
    agent: Option<String>,
    /// Also replies that were shown before
    #[arg(long)]
    all: bool,
    /// Print JSON; the replies count as seen
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Replies) -> Result<u8> {
    let store = Paths::from_env()?.store();
    let to = match &args.agent {
        // It may be gone and its replies still here.
        Some(word) => Some(match lookup::agent(word) {
            Ok(entry) => entry.handle.to_string(),
            Err(_) => word.trim_start_matches('@').to_owned(),
        }),
        None => lookup::own()?.map(|own| own.handle.to_string()),
    };
    let wanted = if args.all {
        ReplyFilter::All
    } else {
        ReplyFilter::Unseen
    };
    let mut replies = list(&store, to.as_deref(), wanted, LISTED)?;
    replies.reverse();
    let mut out = print::out();
    if args.json {
        let shown: Vec<Value> = replies.iter().map(shown).collect();
        print::json(&json!({ "replies": shown }))?;
    } else if replies.is_empty() {
        let none = if args.all {
            texts::no_replies()
        } else {
            texts::no_new_replies()
        };
        note!("{none}");
    }
    for reply in replies.iter().filter(|_| !args.json) {
        let (from, to, text) = (&reply.from, &reply.to, &reply.text);
        writeln!(out, "[← {from} to {to}, {}]\n{text}\n", time(reply))?;
    }
    out.flush()?;
    for reply in replies.iter().filter(|reply| !reply.is_seen) {
        mark_seen(&store, &reply.to, std::slice::from_ref(&reply.task))?;
    }
    Ok(0)
}

fn shown(reply: &Reply) -> Value {
    json!({
        "from": reply.from, "to": reply.to, "task_id": reply.task.as_str(), "text": reply.text,
        "at": time(reply), "is_seen": reply.is_seen,
    })
}

fn time(reply: &Reply) -> String {
    let millis = i64::try_from(reply.at.0).unwrap_or_default();
    jiff::Timestamp::from_millisecond(millis)
        .unwrap_or_default()
        .to_string()
}
