//! `synapse tasks` and `synapse cancel`.

use std::io::Write as _;

use anyhow::{Result, bail};
use hyper::Method;
use serde_json::{Value, json};
use synapse::client::Client;

use super::reach;

/// Lists the tasks of an agent.
pub(crate) fn list(agent: &str, json: bool) -> Result<u8> {
    let body = reach::ask(agent, async |client| {
        client.call(Method::GET, "/tasks", None).await
    })?;
    let mut out = std::io::stdout().lock();
    if json {
        serde_json::to_writer_pretty(&mut out, &body)?;
        writeln!(out)?;
        return Ok(0);
    }
    for task in body
        .get("tasks")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
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

/// Cancels a task.
pub(crate) fn cancel(agent: &str, task: &str) -> Result<u8> {
    reach::ask(agent, async |client| {
        let id = whole(&client, task).await?;
        client
            .call(
                Method::POST,
                &format!("/tasks/{id}/cancel"),
                Some(&json!({})),
            )
            .await
    })?;
    Ok(0)
}

/// The task whose name begins so.
async fn whole(client: &Client, start: &str) -> Result<String> {
    let body = client.call(Method::GET, "/tasks", None).await?;
    let tasks = body
        .get("tasks")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let ids = tasks.filter_map(|task| task.get("id")?.as_str());
    let found: Vec<&str> = ids.filter(|id| id.starts_with(start)).collect();
    match found.as_slice() {
        [id] => Ok((*id).to_owned()),
        [] => bail!("there is no task {start}"),
        several => bail!(
            "{start} means {} tasks: {}",
            several.len(),
            several.join(", ")
        ),
    }
}
