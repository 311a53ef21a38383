//! Watches the registry: connects to new agents and drops those that are gone. The kernel reports changes
//! of the folder; a connection reports when its agent stops answering.

use std::collections::BTreeMap;

use tokio::task::{AbortHandle, JoinSet};

use super::live::{Change, Gone, LINES};
use super::worktrees::place_of;
use super::{Hub, elsewhere, history, link};
use synapse_client::mesh::{is_elsewhere, seen_of};
use synapse_machine::paths::create_folder;
use synapse_machine::registry::{AgentId, Entry, Survey};
use synapse_platform::Changes;

/// Agents that are followed.
type Links = BTreeMap<AgentId, (Entry, AbortHandle)>;

/// Watches until it is ended.
pub(super) async fn watch(hub: Hub) {
    let folder = hub.paths.registry();
    let mut changes = Changes::names_in(&folder);
    // The bridge replaces its file whenever somebody elsewhere comes, goes or changes.
    let mut mesh = Changes::names_in(&hub.paths.mesh());
    let mut links = Links::new();
    let mut posts = JoinSet::new();
    history::bury(&hub, &mut posts).await;
    if let Ok(lines) = history::latest(&hub, None, LINES).await {
        hub.live.apply(Change::Tasks(lines));
    }
    loop {
        // Somebody may have removed it.
        if let Err(error) = create_folder(&folder) {
            tracing::warn!(%error, "the registry cannot be watched; some agents are seen late");
        }
        changes.take_up();
        mesh.take_up();
        if let Some(mut survey) = look(&hub).await {
            survey.entries.extend(elsewhere::entries(&hub));
            let swept: Vec<AgentId> = survey
                .swept
                .into_iter()
                .map(|entry| entry.agent_id)
                .collect();
            settle(&hub, &mut links, survey.entries, &swept).await;
            if !swept.is_empty() {
                history::bury(&hub, &mut posts).await;
            }
        }
        tokio::select! {
            () = hub.rescan.notified() => {}
            () = changes.next() => {}
            () = mesh.next() => {}
        }
    }
}

async fn look(hub: &Hub) -> Option<Survey> {
    let registry = hub.registry.clone();
    let survey = tokio::task::spawn_blocking(move || registry.survey()).await;
    match survey {
        Ok(Ok(survey)) => {
            for unreadable in &survey.unreadable {
                let (path, reason) = (unreadable.path.display(), &unreadable.reason);
                tracing::warn!(%path, reason, "an entry of the registry is broken");
            }
            Some(survey)
        }
        Ok(Err(error)) => {
            tracing::warn!(%error, "the registry cannot be read");
            None
        }
        Err(_) => None,
    }
}

/// Takes off who is gone and takes on who is new. One that was started anew under its old id is both.
async fn settle(hub: &Hub, links: &mut Links, entries: Vec<Entry>, swept: &[AgentId]) {
    let is_same = |a: &Entry, b: &Entry| {
        let is_run = a.agent_id == b.agent_id && a.pid == b.pid;
        // Of one elsewhere: the same run, reached in the same way.
        let is_way = a.started_at == b.started_at && a.endpoint == b.endpoint;
        is_run && (!is_elsewhere(a) || is_way && seen_of(a) == seen_of(b))
    };
    links.retain(|id, (entry, task)| {
        let is_there = entries.iter().any(|now| is_same(now, entry));
        if !is_there {
            task.abort();
            let has_died = swept.contains(id);
            let gone = if has_died { Gone::Died } else { Gone::Stopped };
            hub.live.apply(Change::Vanished(id.clone(), gone));
            hub.auto.forget(id);
        }
        is_there
    });
    let mut new = JoinSet::new();
    for entry in entries {
        if !links.contains_key(&entry.agent_id) {
            new.spawn(async move {
                let place = match elsewhere::place(&entry) {
                    Some(place) => place,
                    None => place_of(&entry.working_dir).await,
                };
                (place, entry)
            });
        }
    }
    for (place, entry) in new.join_all().await {
        let id = entry.agent_id.clone();
        let appeared = Change::Appeared(Box::new(entry.clone()), place);
        hub.live.apply(appeared);
        let task = tokio::spawn(link::follow(hub.clone(), entry.clone()));
        links.insert(id, (entry, task.abort_handle()));
    }
}
