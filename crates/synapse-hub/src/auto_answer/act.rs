//! Answers a question as a rule says, on the way a person's answer takes.

use jiff::Timestamp;

use super::{Choice, Used};
use crate::Hub;
use crate::answering::{By, give};
use crate::live::{Change, line_text};
use crate::shapes::Prompt;
use synapse_machine::registry::Entry;

/// Looks whether a rule answers what an agent asks, and answers it beside what else goes on.
pub(crate) fn consider(hub: &Hub, entry: &Entry) {
    let Some(prompt) = hub.prompt(entry) else {
        return;
    };
    let Some(choice) = hub.auto.choose(entry, &prompt) else {
        return;
    };
    let (hub, entry, stopped) = (hub.clone(), entry.clone(), hub.stopped());
    tokio::spawn(async move {
        tokio::select! {
            () = answer(&hub, &entry, &prompt, choice) => {}
            () = stopped => {}
        }
    });
}

async fn answer(hub: &Hub, entry: &Entry, prompt: &Prompt, choice: Choice) {
    let by = By::Rule(choice.rule.clone());
    let given = give(hub, entry, prompt, &choice.value, by).await;
    let used = match given {
        Ok(()) => Some(Used {
            at: Timestamp::now(),
            agent: entry.agent_id.to_string(),
            handle: entry.handle.to_string(),
            rule: choice.rule,
            question: line_text(&prompt.asked.question),
            detail: line_text(&prompt.asked.detail),
            value: choice.value,
        }),
        // The question has changed, or the agent is gone: it is a person's turn.
        Err(problem) => {
            tracing::info!(agent = %entry.handle, error = problem.error(), "a rule could not answer");
            None
        }
    };
    let (hub, entry) = (hub.clone(), entry.clone());
    let written = tokio::task::spawn_blocking(move || {
        let noted = hub.auto.answered(&entry, used);
        hub.live.apply(Change::AutoAnswer);
        noted
    });
    if let Ok(Err(error)) = written.await {
        tracing::warn!(%error, "what a rule answered is not written down");
    }
}
