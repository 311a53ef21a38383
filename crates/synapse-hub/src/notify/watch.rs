//! Notices what somebody should be called for: an open question, a failure, the end of a long turn, a death.

use std::collections::HashMap;
use std::time::Duration;

use jiff::{Timestamp, Zoned};
use serde_json::Value;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::notice::{Kind, Notice};
use super::sender::Sender;
use crate::Hub;
use crate::live::{Delta, Gone};

/// A question that is answered this soon, by a rule or by whoever sits there, calls nobody.
const PATIENCE: Duration = Duration::from_secs(2);

/// Failures that are told as something else: a stop is somebody's wish, a death has a notice of its own.
const TOLD_OTHERWISE: [&str; 3] = ["INTERRUPTED", "AGENT_EXITED", "HOST_CRASHED"];

/// Calls whoever wants to be called until it is ended.
pub(crate) async fn watch(hub: Hub) {
    let mut news = hub.live.news();
    let mut began: HashMap<String, Instant> = HashMap::new();
    let mut calls = JoinSet::new();
    let mut removals = hub.logins.removals();
    loop {
        let heard = tokio::select! {
            heard = news.recv() => heard,
            Ok(()) = removals.changed() => {
                let hub = hub.clone();
                let forget = move || hub.notify.forget_devices(|id| hub.logins.name_of(id).is_some());
                let _ = tokio::task::spawn_blocking(forget).await;
                continue;
            }
        };
        let delta = match heard {
            Ok(delta) => delta,
            Err(RecvError::Lagged(_)) => continue,
            Err(RecvError::Closed) => return,
        };
        while calls.try_join_next().is_some() {}
        if let Some(notice) = notice_of(&hub, &delta, &mut began) {
            calls.spawn(call(hub.clone(), notice));
        }
    }
}

/// Calls whoever wants to be called for this, if it is still so and nobody wants to be left alone.
async fn call(hub: Hub, notice: Notice) {
    if let Some(prompt) = &notice.prompt {
        sleep(PATIENCE).await;
        let is_open = |known: &crate::shapes::Prompt| known.id == prompt.id;
        let entry = hub.agent(&notice.agent).ok();
        let now = entry.and_then(|entry| hub.prompt(&entry));
        if !now.as_ref().is_some_and(is_open) {
            return;
        }
    }
    let wishes = hub.notify.records().wishes;
    if notice.kind.is_wanted(&wishes) && !wishes.is_quiet(&Zoned::now()) {
        Sender::new(&hub, notice).send().await;
    }
}

fn notice_of(hub: &Hub, delta: &Delta, began: &mut HashMap<String, Instant>) -> Option<Notice> {
    let notice = |agent: &str, handle: String, kind| Notice {
        agent: agent.to_owned(),
        handle,
        kind,
        at: Timestamp::now().to_string(),
        prompt: None,
        detail: None,
    };
    match delta {
        Delta::PromptOpened { agent, prompt } => Some(Notice {
            prompt: Some(prompt.clone()),
            ..notice(agent, handle(hub, agent)?, Kind::Waiting)
        }),
        Delta::AgentRemoved {
            id,
            handle,
            reason: Gone::Died,
            how,
        } => Some(Notice {
            detail: how.clone(),
            ..notice(id, handle.clone(), Kind::Died)
        }),
        Delta::Task {
            agent,
            task,
            event,
            data,
            ..
        } if event == "status" => {
            let state = data.get("state").and_then(Value::as_str)?;
            match state {
                "working" => {
                    began.entry(task.clone()).or_insert_with(Instant::now);
                    None
                }
                "input_required" => None,
                "failed" => {
                    began.remove(task);
                    let text = |name: &str| data.pointer(name).and_then(Value::as_str);
                    let code = text("/error/code").unwrap_or_default();
                    if TOLD_OTHERWISE.contains(&code) {
                        return None;
                    }
                    Some(Notice {
                        detail: text("/error/message").map(str::to_owned),
                        ..notice(agent, handle(hub, agent)?, Kind::Failed)
                    })
                }
                "completed" => {
                    let took = began.remove(task)?.elapsed();
                    let wanted = hub.notify.records().wishes.finished_after?;
                    if took < Duration::from_mins(wanted.into()) {
                        return None;
                    }
                    Some(Notice {
                        detail: Some(format!("after {} minutes", took.as_secs() / 60)),
                        ..notice(agent, handle(hub, agent)?, Kind::Finished)
                    })
                }
                _ => {
                    began.remove(task);
                    None
                }
            }
        }
        _ => None,
    }
}

fn handle(hub: &Hub, agent: &str) -> Option<String> {
    let entry = hub.agent(agent).ok()?;
    Some(entry.handle.to_string())
}
