//! `synapse tasks`, `synapse task` and `synapse cancel`.

use std::io::Write as _;

use anyhow::Result;
use hyper::Method;
use serde_json::{Value, json};
use synapse::client::Client;

use super::reach;

/// Lists tasks, of one agent or of all.
pub(crate) fn list(agent: Option<&str>, json: bool) -> Result<u8> {
    let entries = match agent {
        Some(word) => vec![reach::agent(word)?],
        None => reach::agents()?,
    };
    let mut tasks: Vec<Value> = Vec::new();
    for entry in entries {
        let client = Client::of(&entry)?;
        let body = reach::block_on(client.call(Method::GET, "/tasks", None))?;
        tasks.extend(
            body.get("tasks")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .cloned(),
        );
    }
    let created = |task: &Value| {
        task.get("created_at")
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    tasks.sort_by_key(|task| std::cmp::Reverse(created(task)));
    let mut out = std::io::stdout().lock();
    if json {
        writeln!(out, "{}", json!({ "tasks": tasks }))?;
        return Ok(0);
    }
    for task in &tasks {
        let text = |path: &str| {
            task.pointer(path)
                .and_then(Value::as_str)
                .unwrap_or("")
                .to_owned()
        };
        let message = text("/message/parts/0/text").replace('\n', " ");
        let message: String = message.chars().take(60).collect();
        writeln!(
            out,
            "{} {:14} {message}",
            text("/id"),
            text("/status/state")
        )?;
    }
    Ok(0)
}

/// Shows a task, or follows it to its end.
pub(crate) fn show(task: &str, follow: bool, json: bool) -> Result<u8> {
    reach::block_on(async {
        let (client, id) = reach::task(task).await?;
        let mut out = std::io::stdout().lock();
        if follow {
            let mut written = Ok(());
            let path = format!("/tasks/{id}/subscribe");
            client
                .follow(&path, |name, data| {
                    written = writeln!(out, "{name} {data}");
                    written.is_ok()
                })
                .await?;
            written?;
            return Ok(0);
        }
        let body = client
            .call(Method::GET, &format!("/tasks/{id}"), None)
            .await?;
        let task = body.get("task").cloned().unwrap_or_default();
        if json {
            writeln!(out, "{task}")?;
            return Ok(0);
        }
        let text = |path: &str| task.pointer(path).and_then(Value::as_str).unwrap_or("");
        writeln!(out, "{} {}", text("/id"), text("/status/state"))?;
        writeln!(out, "{}", text("/message/parts/0/text"))?;
        for line in [
            text("/reply"),
            text("/status/error/message"),
            text("/status/message/prompt"),
        ] {
            if !line.is_empty() {
                writeln!(out, "\n{line}")?;
            }
        }
        Ok(0)
    })
}

/// Cancels a task.
pub(crate) fn cancel(task: &str) -> Result<u8> {
    reach::block_on(async {
        let (client, id) = reach::task(task).await?;
        client
            .call(
                Method::POST,
                &format!("/tasks/{id}/cancel"),
                Some(&json!({})),
            )
            .await?;
        Ok(0)
    })
}
