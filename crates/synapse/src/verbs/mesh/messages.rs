//! `synapse mesh messages`: what waits for machines that are away.

use anyhow::{Result, bail};
use hyper::Method;
use serde_json::{Value, json};
use synapse_client::mesh::{Kept, bridge_entry};
use synapse_machine::paths::Paths;

use super::bridge;
use crate::verbs::print;
use crate::verbs::table::{Table, short};

pub(super) fn list(paths: &Paths, json: bool) -> Result<u8> {
    let kept = all(paths)?;
    if json {
        print::json(&json!({ "messages": kept }))?;
        return Ok(0);
    }
    let mut table =
        Table::new(["ID", "TO", "STATE", "UNTIL", "TASK", "MESSAGE"].map(str::to_owned));
    for kept in kept {
        let task = kept.task.as_deref().or(kept.reason.as_deref());
        let cells = [
            short(&kept.id).to_owned(),
            kept.to,
            kept.state,
            kept.until.to_string(),
            task.unwrap_or_default().to_owned(),
            kept.text,
        ];
        table.push(cells, [None; 6], &[]);
    }
    table.print()?;
    Ok(0)
}

fn all(paths: &Paths) -> Result<Vec<Kept>> {
    let told = bridge::ask(paths, Method::GET, "/messages", &Value::Null)?;
    let messages = told.get("messages").cloned().unwrap_or_default();
    Ok(serde_json::from_value(messages)?)
}

/// Cancels the message whose id begins or ends so, if one waits.
pub(in crate::verbs) fn cancel_kept(part: &str) -> Result<Option<Kept>> {
    let paths = Paths::from_env()?;
    if bridge_entry(&paths)?.is_none() {
        return Ok(None);
    }
    let kept = all(&paths)?.into_iter();
    let waits = |kept: &Kept| kept.state == "kept";
    let mut meant =
        kept.filter(|kept| waits(kept) && (kept.id.starts_with(part) || kept.id.ends_with(part)));
    match (meant.next(), meant.next()) {
        (Some(kept), None) => {
            let path = format!("/messages/{}", kept.id);
            bridge::ask(&paths, Method::DELETE, &path, &json!({}))?;
            Ok(Some(kept))
        }
        (Some(_), Some(_)) => bail!("{part} means several messages; see: synapse mesh messages"),
        (None, _) => Ok(None),
    }
}
