//! Past agents: their conversations stay readable, because the store keeps them.

use super::Hub;
use super::history::{read, time};
use super::problem::Problem;
use super::shapes::Former;
use synapse_store::lives::End;
use synapse_store::{KeptAgent, Reader, StoreError};

/// Those that do not run, the one that was last heard of first.
pub(super) async fn list(hub: &Hub) -> Result<Vec<Former>, Problem> {
    let kept = read(hub, with_ends).await?;
    let running = hub.entries();
    let is_gone = |(kept, _): &(KeptAgent, Option<End>)| {
        let mut running = running.iter();
        !running.any(|entry| entry.agent_id.as_str() == kept.agent)
    };
    Ok(kept.into_iter().filter(is_gone).map(view).collect())
}

/// One that was there once, by id or by the last name it had.
pub(super) async fn find(hub: &Hub, word: &str) -> Result<Former, Problem> {
    let kept = read(hub, with_ends).await?;
    let is_meant =
        |(kept, _): &&(KeptAgent, Option<End>)| kept.agent == word || is_called(kept, word);
    let found = kept.iter().find(is_meant).cloned();
    found.map(view).ok_or_else(|| {
        let error = format!("no agent is or was called '{word}'");
        Problem::missing("no_such_agent", error)
    })
}

fn is_called(kept: &KeptAgent, word: &str) -> bool {
    kept.handle.to_lowercase() == word.to_lowercase()
}

/// The agents of the store, each with how its last run ended.
fn with_ends(reader: &Reader) -> Result<Vec<(KeptAgent, Option<End>)>, StoreError> {
    let kept = reader.agents()?.into_iter();
    kept.map(|kept| {
        let last = reader.last_end(&kept.agent)?;
        Ok((kept, last.map(|last| last.end)))
    })
    .collect()
}

fn view((kept, end): (KeptAgent, Option<End>)) -> Former {
    Former {
        id: kept.agent,
        handle: kept.handle,
        profile: kept.profile,
        dir: kept.dir.display().to_string(),
        tasks: u32::try_from(kept.tasks).unwrap_or(u32::MAX),
        last_at: time(kept.last),
        died: end.filter(|end| end.is_death()).map(End::words),
    }
}
