//! `synapse send`.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use anyhow::{Context as _, Result};
use hyper::Method;
use serde_json::{Value, json};
use synapse::client::Client;
use synapse::config::Config;
use synapse::paths::Paths;

use super::{Failure, reach};
use crate::cli::Send;

/// Runs it.
pub(crate) fn run(args: &Send) -> Result<u8> {
    let message = if args.message == "-" {
        let mut text = String::new();
        std::io::stdin()
            .lock()
            .read_to_string(&mut text)
            .context("cannot read standard input")?;
        text.trim_end_matches('\n').to_owned()
    } else {
        args.message.clone()
    };
    let body = json!({ "message": message, "raw": args.raw });
    let patience = match args.timeout {
        Some(seconds) => Duration::from_secs(seconds),
        None => response_timeout()?,
    };
    reach::ask(&args.agent, async |client| {
        let path = format!("/tasks/send-priority?priority={}", args.priority);
        let sent = client.call(Method::POST, &path, Some(&body)).await?;
        let id = sent
            .pointer("/task/id")
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned();
        warn_if_asking(&client).await?;
        if !args.wait {
            let mut out = std::io::stdout().lock();
            writeln!(out, "{}", if args.json { sent.to_string() } else { id })?;
            return Ok(0);
        }
        let waited = tokio::time::timeout(patience, settled(&client, &id)).await;
        let path = format!("/tasks/{id}");
        let task = client.call(Method::GET, &path, None).await?;
        let task = task.get("task").cloned().unwrap_or_default();
        report(
            &task,
            waited.map_err(|_| ()).map(|done| done.is_ok()),
            args.json,
        )
    })
}

fn response_timeout() -> Result<Duration> {
    let paths = Paths::from_env()?;
    Ok(Config::load(&paths.config())?.config.response_timeout)
}

async fn warn_if_asking(client: &Client) -> Result<()> {
    let now = client.call(Method::GET, "/status", None).await?;
    if now.get("status").and_then(Value::as_str) == Some("INPUT_REQUIRED") {
        eprintln!("synapse: the agent is asking something; the message waits until it is answered");
    }
    Ok(())
}

/// Waits until a task is over or asks something.
async fn settled(client: &Client, id: &str) -> Result<()> {
    let path = format!("/tasks/{id}/subscribe");
    let is_open = |state: &str| matches!(state, "submitted" | "working");
    client
        .follow(&path, |name, data| {
            name != "status"
                || data
                    .get("state")
                    .and_then(Value::as_str)
                    .is_some_and(is_open)
        })
        .await
}

/// Prints what came of a task; `done` is an error if it took too long.
fn report(task: &Value, done: Result<bool, ()>, json: bool) -> Result<u8> {
    let text = |path: &str| task.pointer(path).and_then(Value::as_str);
    let state = text("/status/state").unwrap_or("");
    let code = match (state, done) {
        ("completed", _) => 0,
        ("input_required", _) => Failure::ASKING,
        ("submitted" | "working", Err(())) => Failure::TIMED_OUT,
        _ => 1,
    };
    let mut out = std::io::stdout().lock();
    if json {
        let object = json!({
            "task_id": text("/id"), "state": state, "reply": task.get("reply"),
            "source": task.get("source"), "error": task.pointer("/status/error"), "task": task,
        });
        writeln!(out, "{object}")?;
        return Ok(code);
    }
    match code {
        0 => writeln!(out, "{}", text("/reply").unwrap_or(""))?,
        Failure::ASKING => {
            let question = task.pointer("/status/message").cloned().unwrap_or_default();
            eprintln!(
                "the agent asks: {}",
                text("/status/message/prompt").unwrap_or("")
            );
            for option in question
                .get("options")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                eprintln!("  {}", option.as_str().unwrap_or(""));
            }
            eprintln!("answer it with: synapse answer <agent> <option>");
        }
        Failure::TIMED_OUT => eprintln!(
            "no answer yet; the task {} goes on",
            text("/id").unwrap_or("")
        ),
        _ => {
            let why = text("/status/error/message").or_else(|| text("/status/message"));
            eprintln!("the task is {state}: {}", why.unwrap_or("no reason given"));
        }
    }
    Ok(code)
}
