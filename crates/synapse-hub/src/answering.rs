//! Answers to questions, by people and by rules. An answer names the fingerprint of its question; if the
//! question has changed meanwhile, the answer is refused.

use hyper::Method;
use serde_json::json;

use super::Hub;
use super::agents::ask;
use super::live::{Answer, Change};
use super::problem::Problem;
use super::shapes::Prompt;
use synapse_machine::registry::Entry;

#[derive(Debug)]
pub(super) enum By {
    /// A person, at this device.
    Person(String),
    Rule(String),
}

/// Answers the question that was read.
pub(super) async fn give(
    hub: &Hub,
    entry: &Entry,
    read: &Prompt,
    value: &str,
    by: By,
) -> Result<(), Problem> {
    let fingerprint = &read.asked.fingerprint;
    let now = hub.prompt(entry);
    let is_it = |now: &&Prompt| now.id == read.id && now.asked.fingerprint == *fingerprint;
    let Some(prompt) = now.as_ref().filter(is_it) else {
        return Err(changed(now));
    };
    let (by, rule) = match by {
        By::Person(device) => (device, None),
        By::Rule(rule) => (String::new(), Some(rule)),
    };
    let answer = Answer {
        prompt: prompt.id.clone(),
        value: match prompt.asked.kind.as_str() {
            "password" => String::new(),
            _ => value.to_owned(),
        },
        by,
        rule,
    };
    let told = answer.clone();
    // Noted before: the question may be closed by the time the agent has answered us.
    hub.live
        .apply(Change::Answered(entry.agent_id.clone(), answer));
    let body =
        json!({ "value": value, "fingerprint": fingerprint, "by": told.by, "rule": told.rule });
    let Err(problem) = ask(entry, Method::POST, "/answer", Some(&body)).await else {
        return Ok(());
    };
    if !problem.is_client_error() {
        return Err(problem);
    }
    // Refused: either the question is another one, or the answer does not fit it.
    hub.refresh(entry).await?;
    match hub.prompt(entry) {
        Some(now) if now.asked.fingerprint == *fingerprint => Err(problem.called("bad_answer")),
        now => Err(changed(now)),
    }
}

/// That the question is another one, and which.
pub(super) fn changed(now: Option<Prompt>) -> Problem {
    let error = match &now {
        Some(now) => format!(
            "this question has changed: it is now «{}»",
            now.asked.question
        ),
        None => "this question is not asked any more".to_owned(),
    };
    Problem::conflict("prompt_changed", error).with("prompt", now)
}
