//! Sends a message to an agent on another machine.

use std::cell::RefCell;
use std::io::{IsTerminal as _, Write as _};

use anyhow::Result;
use jiff::Timestamp;
use serde_json::json;
use synapse_client::client::a2a::{Outgoing, RemoteTask};
use synapse_client::delivery::Outcome;
use synapse_client::external::External;
use synapse_client::message::OutgoingMessage;
use tokio::time::timeout;

use super::super::{Failure, lookup};
use super::Manner;
use super::growth::Screenful;
use super::report::Report;
use super::wait::{SentTask, WaitDisplay, WaitResult};
use crate::verbs::print;

/// Sends it, and waits for what comes of it if that is wanted. With a task, it answers the question of that one.
pub(super) fn deliver(
    external: &External,
    message: &OutgoingMessage,
    task: Option<String>,
    manner: Manner,
) -> Result<u8> {
    let contacts = lookup::contacts()?;
    let client = contacts.client(external)?;
    let outgoing = Outgoing {
        task,
        ..message.outgoing()
    };
    let told =
        |task: &RemoteTask| task.to_native_json(&message.message(), &Timestamp::now().to_string());
    let mut out = print::out();
    lookup::block_on(async {
        let Some(patience) = manner.patience else {
            let task = client.send(&outgoing).await?;
            contacts.seen(external);
            let line = if manner.is_json {
                json!({ "task": told(&task) }).to_string()
            } else {
                task.id
            };
            writeln!(out, "{line}")?;
            return Ok(0);
        };
        let (shown, latest) = (
            RefCell::new(WaitDisplay::new(&external.alias, streaming(manner))),
            RefCell::new(None),
        );
        let followed = client.send_and_follow(&outgoing, |task| {
            let mut shown = shown.borrow_mut();
            shown.state(task.state);
            shown.reply(&task.reply());
            latest.replace(Some(task.clone()));
        });
        let now = || {
            let latest = latest.borrow();
            let seen = |task| SentTask {
                outcome: Outcome::from(task),
                json: told(task),
            };
            latest.as_ref().map(seen)
        };
        let ended = tokio::select! {
            done = timeout(patience, followed) => match (done, now()) {
                (Ok(Ok(task)), _) => {
                    contacts.seen(external);
                    let seen = SentTask { outcome: Outcome::from(&task), json: told(&task) };
                    latest.replace(Some(task));
                    WaitResult::Settled(seen)
                }
                // What was never accepted is told like every other refusal.
                (Ok(Err(error)), None) => return Err(error.into()),
                (Ok(Err(error)), Some(_)) => WaitResult::Lost(error.to_string()),
                (Err(_), Some(seen)) => WaitResult::TimedOut(seen),
                (Err(_), None) => {
                    let error = format!("no answer yet; {} has not accepted the task", external.alias);
                    return Err(Failure::new(Failure::TIMED_OUT, error).into());
                }
            },
            _ = tokio::signal::ctrl_c() => WaitResult::Interrupted(now()),
        };
        let id = latest
            .borrow()
            .as_ref()
            .map_or_else(String::new, |task| task.id.clone());
        let written = shown.into_inner().finish();
        let report = Report::of(&id, ended);
        if manner.is_json {
            writeln!(out, "{}", report.to_json())?;
        } else {
            let answer = format!(
                "synapse external send {} <answer> --task {id}",
                external.alias
            );
            report.print(&mut out, &written, &answer)?;
        }
        Ok(report.code)
    })
}

fn streaming(manner: Manner) -> Option<Screenful> {
    let is_seen = std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
    let way = if is_seen {
        Screenful::Preview
    } else {
        Screenful::Growth
    };
    manner.streams.then_some(way)
}
