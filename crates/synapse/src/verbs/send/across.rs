//! Sends a message to an agent of another machine of the mesh, or keeps it while that is away.

use std::io::Write as _;

use anyhow::Result;
use serde_json::json;
use synapse_client::client::Client;
use synapse_client::mesh::{Found, Handed, Kept, hand_over};
use synapse_client::message::OutgoingMessage;
use synapse_machine::paths::Paths;

use super::super::{Failure, lookup};
use super::{Manner, after};
use crate::verbs::print;

pub(super) fn deliver(
    found: &Found,
    message: &OutgoingMessage,
    manner: Manner,
    left: &mut Vec<String>,
) -> Result<u8> {
    let paths = Paths::from_env()?;
    lookup::block_on(async {
        match hand_over(&paths, found, message, manner.expires).await? {
            Handed::Task(task) => {
                let client = Client::of(&found.entry)?;
                after(&found.entry, &client, *task, manner, left).await
            }
            Handed::Kept(kept) => tell(&kept, manner),
        }
    })
}

/// Says that a message waits. Whoever wanted the reply does not get it now.
fn tell(kept: &Kept, manner: Manner) -> Result<u8> {
    let mut out = print::out();
    if manner.is_json {
        writeln!(out, "{}", json!({ "kept": kept }))?;
    } else {
        let (to, id) = (&kept.to, &kept.id);
        note!(
            "{to} is away; kept until {}; to cancel it: synapse cancel {id}",
            kept.until
        );
        writeln!(out, "{id}")?;
    }
    Ok(if manner.patience.is_some() {
        Failure::TIMED_OUT
    } else {
        0
    })
}
