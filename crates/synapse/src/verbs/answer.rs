//! `synapse answer`: answers the question of an agent or of a task, and says whether it went away.

use std::io::Write as _;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use hyper::{Method, StatusCode};
use serde_json::{Value, json};
use synapse_client::client::{Answer as Said, Client};
use synapse_client::native::StandingShape;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::lookup::{self, MOMENT};
use super::spinner::Spinner;
use super::{Failure, status, texts};
use crate::cli::complete;
use crate::verbs::print;

/// How long a question may stay on the screen after it was answered.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often we look whether it is still there.
const PACE: Duration = Duration::from_millis(50);

/// A word shorter than this is no part of a task's name.
const SHORTEST_PART: usize = 4;

/// `synapse answer …`
#[derive(Args)]
pub(crate) struct Answer {
    /// The agent; or the task, by its id or the beginning or end of it
    #[arg(value_name = "AGENT|TASK", add = complete::agents())]
    whom: String,
    /// yes, no, an option's label, number or key; at a line prompt any text
    #[arg(add = complete::options())]
    value: String,
    /// Answer only if it is still this question
    #[arg(long)]
    fingerprint: Option<String>,
    /// Print JSON: what the agent does then, as `status --json` has it
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Answer) -> Result<u8> {
    lookup::block_on(async {
        let (client, task) = whom(&args.whom).await?;
        let (path, name) = match &task {
            Some(id) => (format!("/tasks/{id}/input"), "input"),
            None => ("/answer".to_owned(), "value"),
        };
        let before = look(&client).await?;
        let body = json!({ name: args.value, "fingerprint": args.fingerprint });
        let call = client.ask(Method::POST, &path, Some(&body));
        let said = lookup::within(MOMENT, call).await?;
        if !said.status.is_success() {
            return refused(&client, &said).await;
        }
        let spinner = Spinner::begin(texts::waiting_for_question());
        let after = settled(&client, &before).await;
        drop(spinner);
        let Some(after) = after else {
            // An answer may be the last thing that a program reads.
            let said = if args.json {
                json!({ "status": "EXITED", "state": "stopped" }).to_string()
            } else {
                texts::answered_and_ended()
            };
            writeln!(print::out(), "{said}")?;
            return Ok(0);
        };
        report(&before, &after, args.json)
    })
}

/// The agent that is meant, and the task if it was named by one.
async fn whom(word: &str) -> Result<(Client, Option<String>)> {
    let nobody = match lookup::agent(word) {
        Ok(entry) => return Ok((Client::of(&entry)?, None)),
        Err(error) => error,
    };
    let may_be_task = |c: char| c.is_ascii_hexdigit() || c == '-';
    if word.len() < SHORTEST_PART || !word.chars().all(may_be_task) {
        return Err(nobody);
    }
    match lookup::task(word).await {
        Ok((client, id)) => Ok((client, Some(id))),
        Err(error) => {
            let error = format!("{nobody}; {error}");
            Err(Failure::new(Failure::NO_SUCH_AGENT, error).into())
        }
    }
}

async fn look(client: &Client) -> Result<StandingShape> {
    lookup::within(MOMENT, client.status()).await
}

/// Waits until something else is on the screen than this question, for a while. Nothing if the agent is gone.
async fn settled(client: &Client, before: &StandingShape) -> Option<StandingShape> {
    let deadline = Instant::now() + PATIENCE;
    let mut pace = interval(PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        pace.tick().await;
        let now = look(client).await.ok()?;
        let has_ended = now.status == "EXITED";
        if !has_ended && question(&now) != question(before) || Instant::now() >= deadline {
            return Some(now);
        }
    }
}

/// The fingerprint of what is asked, if something is.
fn question(status: &StandingShape) -> Option<&str> {
    Some(&status.prompt.as_ref()?.fingerprint)
}

fn report(before: &StandingShape, after: &StandingShape, json: bool) -> Result<u8> {
    let mut out = print::out();
    match (question(before), question(after)) {
        (Some(old), Some(new)) if old == new => bail!(
            "the answer was typed, but after {} s the question is still there:\n{}",
            PATIENCE.as_secs(),
            shown(after)
        ),
        _ if json => writeln!(out, "{}", json!(after))?,
        (_, Some(_)) => write!(out, "{}", texts::answered_and_asks(shown(after)))?,
        (_, None) => writeln!(out, "{}", texts::answered(texts::state(&after.status)))?,
    }
    Ok(0)
}

/// Says why an answer was not given; if the question has changed, what it is now.
async fn refused(client: &Client, said: &Said) -> Result<u8> {
    let error = said.body.get("error").and_then(Value::as_str);
    let error = error.unwrap_or("no reason given");
    if said.status == StatusCode::CONFLICT {
        let now = look(client).await;
        let now = now.map_or_else(|error| format!("{error:#}"), |now| shown(&now));
        bail!("{error}\n{now}");
    }
    bail!("{error}");
}

/// The question with its options and its fingerprint, as a person reads it.
fn shown(status: &StandingShape) -> String {
    let Some(prompt) = &status.prompt else {
        return texts::nothing_is_asked();
    };
    let text = status::readable(prompt);
    format!("{text}  fingerprint {}\n", prompt.fingerprint)
}
