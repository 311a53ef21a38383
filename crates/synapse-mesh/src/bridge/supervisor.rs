//! Keeps the server of a mesh running that was begun on this machine.

use std::time::Duration;

use anyhow::Result;
use tokio::time::{MissedTickBehavior, interval};

use crate::engine::Engine;
use crate::folder::{Folder, Membership};
use crate::nats::{Link, Nats};
use crate::roster::Roster;

/// How often it is looked at although nothing is wrong.
const PACE: Duration = Duration::from_secs(5);

/// Starts the server, if it is to run here.
pub(super) fn start(
    folder: &Folder,
    membership: &Membership,
    roster: &Roster,
) -> Result<Option<Engine>> {
    let Some(settings) = &membership.engine else {
        return Ok(None);
    };
    let mut engine = Engine::new(folder, settings);
    engine.configure(roster, membership.admin, &folder.invitations()?)?;
    // One that an earlier bridge has left behind takes up what has changed since.
    engine.reload();
    engine.ensure()?;
    Ok(Some(engine))
}

/// Why a server that was just started has ended, if it has.
pub(super) async fn watch_start(engine: &mut Option<Engine>) -> String {
    let mut pace = interval(Duration::from_millis(100));
    loop {
        pace.tick().await;
        if let Some(engine) = engine
            && let Some(why) = engine.ended()
        {
            return why;
        }
    }
}

/// Starts it again whenever it is gone, until `stop`.
pub(super) async fn keep(engine: &mut Engine, nats: &Nats, stop: impl Future<Output = ()>) {
    let mut link = nats.link();
    let mut pace = interval(PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut stop = std::pin::pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => return,
            _ = pace.tick() => {}
            changed = link.changed() => {
                if changed.is_err() {
                    return;
                }
                if matches!(*link.borrow_and_update(), Link::Up(_)) {
                    continue;
                }
            }
        }
        if let Some(why) = engine.ended() {
            tracing::warn!(why, "the server of the mesh has ended");
        }
        if let Err(error) = engine.ensure() {
            tracing::warn!(%error, "the server of the mesh is gone and cannot be started");
        }
    }
}
