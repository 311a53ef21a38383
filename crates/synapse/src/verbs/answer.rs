//! `synapse answer`: answers the question of an agent or of a task, and says whether it went away.

use std::io::Write as _;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use hyper::{Method, StatusCode};
use jiff::Timestamp;
use serde_json::{Value, json};
use synapse_client::client::{Answer as Said, Client};
use synapse_client::native::StandingShape;
use synapse_machine::registry::Entry;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::lookup::{self, MOMENT};
use super::send::ReplyWait;
use super::spinner::Spinner;
use super::table::short;
use super::{Failure, input, status, texts};
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
    /// Wait for the task that asks, and print its reply, as `send --return` does
    #[arg(long = "return")]
    wait: bool,
    /// How long to wait: 90, 0.5, 5m or 1h; by default as long as `send --return` does
    #[arg(long, value_parser = input::duration, value_name = "TIME", requires = "wait")]
    timeout: Option<Duration>,
    /// Print JSON: what the agent does then, as `status --json` has it; with --return as `send --return` has it
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Answer) -> Result<u8> {
    if !args.wait {
        return lookup::block_on(args.give(None));
    }
    let wait = ReplyWait::new(args.timeout, args.json)?;
    wait.told(lookup::block_on(args.give(Some(&wait))))
}

impl Answer {
    /// Answers, and says what the agent does then or waits for its reply.
    async fn give(&self, wait: Option<&ReplyWait>) -> Result<u8> {
        let (entry, named) = whom(&self.whom).await?;
        let client = Client::of(&entry)?;
        let (path, name) = match &named {
            Some(id) => (format!("/tasks/{id}/input"), "input"),
            None => ("/answer".to_owned(), "value"),
        };
        let before = look(&client).await?;
        let task = named.or_else(|| before.task.clone());
        let waiting = match (wait, &task) {
            (None, _) => None,
            (Some(wait), Some(task)) => Some((wait, task, told_until(&client, task).await?)),
            (Some(_), None) => bail!("{}", texts::no_task_asks(&entry.handle)),
        };
        let body = json!({ name: self.value, "fingerprint": self.fingerprint });
        let call = client.ask(Method::POST, &path, Some(&body));
        let said = lookup::within(MOMENT, call).await?;
        if !said.status.is_success() {
            let asks_nothing = path == "/answer" && before.prompt.is_none();
            return match said.status {
                StatusCode::CONFLICT => changed(&client, &said).await,
                StatusCode::BAD_REQUEST if asks_nothing => {
                    bail!("{}", texts::is_not_asking(texts::state(&before.status)))
                }
                _ => bail!("{}", self.refused(&said)),
            };
        }
        let spinner = Spinner::begin(texts::waiting_for_question());
        let after = settled(&client, &before).await;
        drop(spinner);
        if let Some(after) = &after {
            check_gone(&before, after)?;
        }
        match (waiting, after) {
            (Some((wait, task, asked)), _) => wait.run(&entry, task, asked).await,
            (None, Some(after)) => self.report(&after, task.as_deref()),
            (None, None) => self.report_end(),
        }
    }

    /// Why an answer was not taken.
    fn refused(&self, said: &Said) -> String {
        let error = reason(said);
        let none = format!("'{}' is none of the options: ", self.value);
        match error.strip_prefix(&none) {
            Some(options) => texts::no_such_option(&self.value, options),
            None => error.to_owned(),
        }
    }

    fn report(&self, after: &StandingShape, task: Option<&str>) -> Result<u8> {
        let mut out = print::out();
        let state = texts::state(&after.status);
        match (question(after), task) {
            _ if self.json => writeln!(out, "{}", json!(after))?,
            (Some(_), _) => write!(out, "{}", texts::answered_and_asks(shown(after)))?,
            (None, Some(task)) => {
                writeln!(out, "{}", texts::answered_task(state, short(task)))?;
            }
            (None, None) => writeln!(out, "{}", texts::answered(state))?,
        }
        Ok(0)
    }

    /// An answer may be the last thing that a program reads.
    fn report_end(&self) -> Result<u8> {
        let said = if self.json {
            json!({ "status": "EXITED", "state": "stopped" }).to_string()
        } else {
            texts::answered_and_ended()
        };
        writeln!(print::out(), "{said}")?;
        Ok(0)
    }
}

/// Up to when a task has told what it asks: a question of later is another one.
async fn told_until(client: &Client, task: &str) -> Result<Timestamp> {
    let task = lookup::within(MOMENT, client.task(task)).await?;
    let time = task.updated_at.parse();
    time.with_context(|| format!("the task {} has no time", task.id))
}

/// The agent that is meant, and the task if it was named by one.
pub(crate) async fn whom(word: &str) -> Result<(Entry, Option<String>)> {
    let nobody = match lookup::agent(word) {
        Ok(entry) => return Ok((entry, None)),
        Err(error) => error,
    };
    let may_be_task = |c: char| c.is_ascii_hexdigit() || c == '-';
    if word.len() < SHORTEST_PART || !word.chars().all(may_be_task) {
        return Err(nobody);
    }
    match lookup::task(word).await {
        Ok((entry, id)) => Ok((entry, Some(id))),
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

/// The question must be gone, or it was not answered.
fn check_gone(before: &StandingShape, after: &StandingShape) -> Result<()> {
    if question(before).is_some() && question(before) == question(after) {
        let seconds = PATIENCE.as_secs();
        bail!("{}", texts::question_stays(seconds, shown(after)));
    }
    Ok(())
}

/// Says that the question has changed, and what it is now.
async fn changed(client: &Client, said: &Said) -> Result<u8> {
    let now = look(client).await;
    let now = now.map_or_else(|error| format!("{error:#}"), |now| shown(&now));
    bail!("{}\n{now}", reason(said));
}

fn reason(said: &Said) -> &str {
    let error = said.body.get("error").and_then(Value::as_str);
    error.unwrap_or("no reason given")
}

/// The question with its options and its fingerprint, as a person reads it.
fn shown(status: &StandingShape) -> String {
    let Some(prompt) = &status.prompt else {
        return texts::nothing_is_asked();
    };
    let text = status::readable(prompt);
    format!("{text}  fingerprint {}\n", prompt.fingerprint)
}
