//! Keeps the file of who is there, for every program of this machine.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use synapse_client::mesh::{Machine, MeshView};
use tokio::time::sleep;

use super::{Shared, previous, trouble};
use crate::presence::Sightings;

/// The file is written no more often than this.
const GATHER: Duration = Duration::from_millis(5);

/// Writes it whenever something changes, and ends tunnels to machines that have gone.
pub(super) async fn keep(shared: Arc<Shared>, endpoint: String) {
    let (mut sightings, mut roster) = (shared.sightings.clone(), shared.roster.subscribe());
    let mut link = shared.nats.link();
    let before: BTreeMap<String, Machine> = previous(&shared.folder)
        .map(|view| {
            view.machines
                .into_iter()
                .map(|machine| (machine.name.clone(), machine))
                .collect()
        })
        .unwrap_or_default();
    let mut written: Option<MeshView> = None;
    let mut boots: BTreeMap<String, (String, bool)> = BTreeMap::new();
    loop {
        let seen = Arc::clone(&sightings.borrow_and_update());
        cut_gone(&shared, &seen, &mut boots);
        let view = view(&shared, &endpoint, &seen, &before);
        if written.as_ref() != Some(&view) {
            if let Err(error) = view.write(shared.folder.path()) {
                tracing::warn!(%error, "who is there cannot be written down");
            }
            written = Some(view);
        }
        let changed = tokio::select! {
            changed = sightings.changed() => changed,
            changed = roster.changed() => changed,
            changed = link.changed() => changed,
        };
        if changed.is_err() {
            return;
        }
        sleep(GATHER).await;
    }
}

/// What this machine sees.
pub(super) fn view(
    shared: &Shared,
    endpoint: &str,
    seen: &Sightings,
    before: &BTreeMap<String, Machine>,
) -> MeshView {
    let trouble = trouble(shared);
    let roster = Arc::clone(&shared.roster.borrow());
    let own = &shared.membership.name;
    let machines = roster.machines.iter().map(|member| {
        let sighting = seen.get(&member.name);
        let old = before.get(member.name.as_str());
        // Without a connection nobody knows who else is there.
        let is_seen = sighting.is_some_and(|sighting| sighting.is_here);
        let is_here = member.name == *own || (trouble.is_none() && is_seen);
        let seen = match sighting {
            _ if is_here => None,
            Some(sighting) => Some(sighting.seen_at),
            None => old.and_then(|old| old.seen),
        };
        let agents = match sighting {
            Some(sighting) => sighting.beat.agents.clone(),
            None => old.map(|old| old.agents.clone()).unwrap_or_default(),
        };
        Machine {
            name: member.name.to_string(),
            is_here,
            seen,
            role: member.role.to_string(),
            version: sighting
                .map(|sighting| sighting.beat.version.clone())
                .unwrap_or_default(),
            agents,
        }
    });
    MeshView {
        own: own.to_string(),
        endpoint: endpoint.to_owned(),
        machines: machines.collect(),
        trouble,
    }
}

/// Ends what goes to machines that are away, or whose bridge is another one than before.
fn cut_gone(shared: &Shared, seen: &Sightings, boots: &mut BTreeMap<String, (String, bool)>) {
    for (name, sighting) in seen.iter() {
        let now = (sighting.beat.boot.clone(), sighting.is_here);
        let before = boots.insert(name.to_string(), now.clone());
        if let Some((boot, was_here)) = before
            && was_here
            && (boot != now.0 || !now.1)
        {
            shared.tunnels.cut(name, &format!("{name} has gone"));
        }
    }
}
