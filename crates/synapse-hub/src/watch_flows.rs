//! Watches the runs of flows: the kernel reports when one has written something, and the pages are told which.

use super::Hub;
use super::live::Change;
use synapse_client::flows;
use synapse_machine::private_file::read_string;

/// Watches until it is ended.
pub(super) async fn watch(hub: Hub) {
    let mut changes = flows::changes(&hub.paths);
    let file = hub.paths.flow_runs().join("changed");
    loop {
        changes.next().await;
        let id = read_string(&file).unwrap_or_default();
        hub.live.apply(Change::Flow(id));
    }
}
