//! Watches the registry: connects to new agents and drops those that are gone. The kernel reports changes
//! of the folder; a connection reports when its agent stops answering.

use std::collections::BTreeMap;

use tokio::task::{AbortHandle, JoinSet};

use super::live::{Change, Gone, LINES};
use super::worktrees::place_of;
use super::{Hub, deaths, elsewhere, history, link};
use synapse_client::mesh::{is_elsewhere, seen_of};
use synapse_machine::paths::create_folder;
use synapse_machine::registry::{AgentId, Entry, Survey};
use synapse_platform::Changes;
use synapse_store::lives::End;

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
    deaths::refresh(&hub).await;
    if let Ok(lines) = history::latest(&hub, None, LINES).await {
        hub.live.apply(Change::Tasks(lines));
    }
    loop {
        // Somebody may have removed it; and this machine may join a mesh at any time, which is seen in a folder alone.
        for folder in [&folder, &hub.paths.mesh()] {
            if let Err(error) = create_folder(folder) {
                let folder = folder.display();
                tracing::warn!(%error, %folder, "cannot be watched; some agents are seen late");
            }
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
            // How they ended is in the store; those of hosts that were killed are noted there first.
            if !swept.is_empty() {
                history::bury(&hub, &mut posts).await;
            }
            if settle(&hub, &mut links, survey.entries, &swept).await {
                deaths::refresh(&hub).await;
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

/// Takes off who is gone and takes on who is new; whether anybody came or went. One that was started anew under its old
/// id is both.
async fn settle(hub: &Hub, links: &mut Links, entries: Vec<Entry>, swept: &[AgentId]) -> bool {
    let is_same = |a: &Entry, b: &Entry| {
        let is_run = a.agent_id == b.agent_id && a.pid == b.pid;
        // Of one elsewhere: the same run, reached in the same way.
        let is_way = a.started_at == b.started_at && a.endpoint == b.endpoint;
        is_run && (!is_elsewhere(a) || is_way && seen_of(a) == seen_of(b))
    };
    let is_gone = |entry: &Entry| !entries.iter().any(|now| is_same(now, entry));
    let gone: Vec<Entry> = links
        .values()
        .map(|(entry, _)| entry)
        .filter(|entry| is_gone(entry))
        .cloned()
        .collect();
    let mut has_changed = !gone.is_empty();
    for entry in gone {
        let id = &entry.agent_id;
        if let Some((_, task)) = links.remove(id) {
            task.abort();
        }
        let end = end_of(hub, &entry).await.filter(|end| end.is_death());
        let (reason, how) = match end {
            Some(end) => (Gone::Died, Some(end.words())),
            None if swept.contains(id) => (Gone::Died, None),
            None => (Gone::Stopped, None),
        };
        hub.live.apply(Change::Vanished(id.clone(), reason, how));
        hub.auto.forget(id);
    }
    let mut new = JoinSet::new();
    for entry in entries {
        if !links.contains_key(&entry.agent_id) {
            new.spawn(async move {
                let place = match elsewhere::place(&entry) {
                    Some(place) => place,
                    None => place_of(entry.place()).await,
                };
                (place, entry)
            });
        }
    }
    for (place, entry) in new.join_all().await {
        has_changed = true;
        let id = entry.agent_id.clone();
        // Whoever has started it again knows that it was gone.
        let deaths = hub.live.read(|state| state.deaths.clone());
        if deaths.iter().any(|death| death.agent == id.as_str())
            && let Err(problem) = deaths::see(hub, Some(id.to_string())).await
        {
            tracing::warn!(error = problem.error(), "a death is still told");
        }
        let appeared = Change::Appeared(Box::new(entry.clone()), place);
        hub.live.apply(appeared);
        let task = tokio::spawn(link::follow(hub.clone(), entry.clone()));
        links.insert(id, (entry, task.abort_handle()));
    }
    has_changed
}

/// How a run ended, as its host or whoever found it dead has noted.
async fn end_of(hub: &Hub, entry: &Entry) -> Option<End> {
    let run = entry.run();
    let end = history::read(hub, move |reader| reader.end_of(&run)).await;
    end.ok().flatten()
}
