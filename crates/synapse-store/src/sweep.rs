//! Fails the open tasks of hosts that have died, with the reason.

use std::cell::OnceCell;

use synapse_a2a::id::TaskId;

use crate::{StoreError, fail_orphans};
use synapse_machine::paths::Paths;
use synapse_machine::registry::Registry;

/// Fails the open tasks of hosts that are no more; which ones they were.
///
/// # Errors
/// If the store cannot be written.
pub fn sweep(paths: &Paths) -> Result<Vec<TaskId>, StoreError> {
    let registry = Registry::new(paths.registry());
    let runs = OnceCell::new();
    // Asked only once the store has found open tasks: a host is published before it takes a task, so
    // one that is not published now has died.
    let is_alive = |_: &str, run: &str| {
        let runs: &Option<Vec<String>> = runs.get_or_init(|| {
            let entries = registry.list().ok()?;
            Some(
                entries
                    .iter()
                    .map(synapse_machine::registry::Entry::run)
                    .collect(),
            )
        });
        // A registry that cannot be read says nothing about anybody.
        runs.as_ref()
            .is_none_or(|runs| runs.iter().any(|known| known == run))
    };
    fail_orphans(&paths.store(), is_alive)
}
