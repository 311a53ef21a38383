//! The record of a start, by which the agent is started again: kept while it runs, and ended when it has ended for good.

use synapse_machine::launch_record::LaunchRecord;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Claim;
use synapse_term::profile::Backend;
use tokio::sync::watch;

use super::Agent;
use crate::launch::ProgramPlace;

/// How it was started, if it was started by us.
pub(super) fn launched(claim: &Claim, agent: &Agent) -> Option<LaunchRecord> {
    let is_ours = !matches!(agent.place, ProgramPlace::Pane(_));
    let profile = &agent.profile;
    let can_resume = !profile.resume.is_empty() || profile.backend != Backend::Terminal;
    is_ours.then(|| LaunchRecord {
        agent_id: claim.id().clone(),
        handle: claim.handle().clone(),
        dir: agent.dir.clone(),
        words: agent.words.clone(),
        started_at: claim.entry().started_at.unwrap_or_default(),
        is_wrapped: agent.terminal.is_some(),
        conversation: agent.resume.clone().filter(|_| can_resume),
        is_ended: false,
    })
}

/// Keeps how the agent was started; says so if that does not work.
pub(super) fn note_launch(launched: &LaunchRecord, paths: &Paths) -> Option<String> {
    let error = launched.begin(paths).err()?;
    Some(format!("`synapse up` will not know this agent: {error}"))
}

/// Keeps what the program calls its conversation.
pub(super) async fn note_conversation(
    launched: Option<LaunchRecord>,
    paths: Paths,
    mut conversation: watch::Receiver<Option<String>>,
) {
    let Some(mut launched) = launched else {
        return;
    };
    while conversation.changed().await.is_ok() {
        launched
            .conversation
            .clone_from(&conversation.borrow_and_update());
        let (record, paths) = (launched.clone(), paths.clone());
        let saved = tokio::task::spawn_blocking(move || record.save(&paths)).await;
        if let Ok(Err(error)) = saved {
            tracing::warn!(%error, "the conversation cannot be continued later");
        }
    }
}

/// It ended for good.
pub(super) fn end_launch(paths: &Paths, launched: &LaunchRecord) {
    if let Err(error) = launched.forget(paths) {
        tracing::warn!(%error, "`synapse up` will start this agent again");
    }
}
