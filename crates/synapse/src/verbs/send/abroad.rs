//! Sends a message to an agent on another machine.

use std::cell::RefCell;
use std::io::{IsTerminal as _, Write as _};

use anyhow::Result;
use jiff::Timestamp;
use serde_json::{Value, json};
use synapse_client::client::a2a::{Outgoing, RemoteTask};
use synapse_client::external::External;
use synapse_client::parcel::Parcel;
use tokio::time::timeout;

use super::super::{Failure, reach};
use super::Manner;
use super::growth::Screenful;
use super::report::Report;
use super::wait::{Ended, Shown};
use crate::verbs::print;

/// Sends it, and waits for what comes of it if that is wanted. With a task, it answers the question of that one.
pub(super) fn deliver(
    external: &External,
    parcel: &Parcel,
    task: Option<String>,
    manner: Manner,
) -> Result<u8> {
    let contacts = reach::contacts()?;
    let client = contacts.client(external)?;
    let outgoing = Outgoing {
        task,
        ..parcel.outgoing()
    };
    let told =
        |task: &RemoteTask| task.to_native_json(&parcel.message(), &Timestamp::now().to_string());
    let mut out = print::out();
    reach::block_on(async {
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
            RefCell::new(Shown::new(&external.alias, streaming(manner))),
            RefCell::new(None),
        );
        let followed = client.send_and_follow(&outgoing, |task| {
            let mut shown = shown.borrow_mut();
            shown.state(task.state.name());
            shown.reply(&task.reply());
            latest.replace(Some(task.clone()));
        });
        let now = || latest.borrow().as_ref().map_or(Value::Null, told);
        let ended = tokio::select! {
            done = timeout(patience, followed) => match done {
                Ok(Ok(task)) => {
                    contacts.seen(external);
                    latest.replace(Some(task));
                    Ended::Settled(now())
                }
                // What was never accepted is told like every other refusal.
                Ok(Err(error)) if latest.borrow().is_none() => return Err(error.into()),
                Ok(Err(error)) => Ended::Lost(error.to_string()),
                Err(_) if latest.borrow().is_none() => {
                    let error = format!("no answer yet; {} has not accepted the task", external.alias);
                    return Err(Failure::new(Failure::TIMED_OUT, error).into());
                }
                Err(_) => Ended::TimedOut(now()),
            },
            _ = tokio::signal::ctrl_c() => Ended::Interrupted(now()),
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
