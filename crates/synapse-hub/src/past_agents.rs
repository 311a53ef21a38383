//! Past agents: their conversations stay readable, because the store keeps them.

use super::Hub;
use super::history::{read, time};
use super::problem::Problem;
use super::shapes::Former;
use synapse_store::{KeptAgent, Reader};

/// Those that do not run, the one that was last heard of first.
pub(super) async fn list(hub: &Hub) -> Result<Vec<Former>, Problem> {
    let kept = read(hub, Reader::agents).await?;
    let running = hub.entries();
    let is_gone = |kept: &KeptAgent| {
        let mut running = running.iter();
        !running.any(|entry| entry.agent_id.as_str() == kept.agent)
    };
    Ok(kept.into_iter().filter(is_gone).map(view).collect())
}

/// One that was there once, by id or by the last name it had.
pub(super) async fn find(hub: &Hub, word: &str) -> Result<Former, Problem> {
    let kept = read(hub, Reader::agents).await?;
    let is_meant = |kept: &&KeptAgent| kept.agent == word || is_called(kept, word);
    let found = kept.iter().find(is_meant).cloned();
    found.map(view).ok_or_else(|| {
        let error = format!("no agent is or was called '{word}'");
        Problem::missing("no_such_agent", error)
    })
}

fn is_called(kept: &KeptAgent, word: &str) -> bool {
    kept.handle.to_lowercase() == word.to_lowercase()
}

fn view(kept: KeptAgent) -> Former {
    Former {
        id: kept.agent,
        handle: kept.handle,
        profile: kept.profile,
        dir: kept.dir.display().to_string(),
        tasks: u32::try_from(kept.tasks).unwrap_or(u32::MAX),
        last_at: time(kept.last),
    }
}
