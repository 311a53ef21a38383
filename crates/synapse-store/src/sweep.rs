//! Finishes what dead hosts have left: fails their open tasks, and finds whom they owe the end of one.

use std::cell::OnceCell;

use synapse_a2a::task::Task;
use synapse_a2a::wire::request::PushTarget;

use crate::{StoreError, fail_orphans, lives, push};
use synapse_machine::paths::Paths;
use synapse_machine::registry::{Entry, Registry};

/// Fails the open tasks of hosts that are no more, with the reason, and takes note that these were killed.
pub fn sweep(paths: &Paths) -> Result<(), StoreError> {
    let is_alive = is_alive(paths);
    fail_orphans(&paths.store(), |_, run| is_alive(run))?;
    lives::sweep(&paths.store(), is_alive).map(|_| ())
}

/// Takes up what hosts that are no more have not told; nothing if the store is in trouble. See
/// [`push::claim_ends`].
pub fn claim_ends(paths: &Paths) -> Vec<(Task, PushTarget)> {
    let claimed = push::claim_ends(&paths.store(), is_alive(paths));
    claimed.unwrap_or_else(|error| {
        tracing::warn!(%error, "nobody is told how the tasks of hosts that died have ended");
        Vec::new()
    })
}

/// Whether a run is alive. The registry is asked only once the store has found something of a run: a host
/// is published before it takes a task, so one that is not published then has died.
fn is_alive(paths: &Paths) -> impl Fn(&str) -> bool {
    let registry = Registry::new(paths.registry());
    let runs = OnceCell::new();
    move |run| {
        let runs: &Option<Vec<String>> = runs.get_or_init(|| {
            let entries = registry.list().ok()?;
            Some(entries.iter().map(Entry::run).collect())
        });
        // A registry that cannot be read says nothing about anybody.
        runs.as_ref()
            .is_none_or(|runs| runs.iter().any(|known| known == run))
    }
}
