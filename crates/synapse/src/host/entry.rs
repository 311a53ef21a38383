//! Keeps an agent's entry in the registry true while it runs.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use synapse_machine::registry::{Address, Claim, Status, Transport};
use synapse_machine::token::Tokens;
use synapse_platform::Changes;
use synapse_term::profile::Backend;
use synapse_term::reading::State;
use tokio::sync::watch;

use super::Agent;
use crate::launch::ProgramPlace;

/// The agent's place in the registry, until it is given up.
pub(super) type SharedClaim = Arc<Mutex<Option<Claim>>>;

/// Keeps the registry entry true: what the agent does, whenever it does something else.
pub(super) async fn tell(claim: SharedClaim, mut state: watch::Receiver<Option<State>>) {
    let lock_path = {
        let claim = claim.lock().unwrap_or_else(PoisonError::into_inner);
        claim.as_ref().map(|claim| claim.lock_path().to_owned())
    };
    let Some(lock_path) = lock_path else { return };
    let mut removal = Changes::removal_of(&lock_path);
    loop {
        tokio::select! {
            changed = state.changed() => {
                if changed.is_err() {
                    return;
                }
                let now = *state.borrow_and_update();
                if let Some(now) = now {
                    publish(Arc::clone(&claim), status(now)).await;
                }
            }
            () = removal.next() => {
                restore(Arc::clone(&claim)).await;
                removal = Changes::removal_of(&lock_path);
            }
        }
    }
}

/// Takes the agent's place in the registry again, if somebody has removed it.
async fn restore(claim: SharedClaim) {
    let restored = tokio::task::spawn_blocking(move || {
        let mut claim = claim.lock().unwrap_or_else(PoisonError::into_inner);
        claim.as_mut().map(Claim::restore).transpose()
    });
    match restored.await {
        Ok(Ok(Some(true))) => tracing::warn!("the registry was removed; this agent is back in it"),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the registry was removed; nobody finds this agent");
        }
        _ => {}
    }
}

/// Writes what the agent does into its registry entry, beside the threads that serve.
pub(super) async fn publish(claim: SharedClaim, status: Status) {
    let written = tokio::task::spawn_blocking(move || {
        let mut claim = claim.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(claim) = claim.as_mut() else {
            return Ok(());
        };
        // Who is on the way out stays so, whatever its program does meanwhile.
        if claim.entry().status == Status::Stopping {
            return Ok(());
        }
        claim.update(status)
    });
    if let Ok(Err(error)) = written.await {
        tracing::warn!(%error, "the registry entry is not up to date");
    }
}

fn status(state: State) -> Status {
    match state {
        State::Starting => Status::Starting,
        State::Idle => Status::Idle,
        State::Busy => Status::Busy,
        State::Asking => Status::InputRequired,
        State::Exited => Status::Exited,
    }
}

/// Where an agent is reached, and what others need to know before they try.
pub(super) fn place(
    agent: &Agent,
    port: u16,
    endpoint: String,
    token_path: PathBuf,
    tokens: &Tokens,
) -> io::Result<Address> {
    let profile = &agent.profile;
    Ok(Address {
        port,
        endpoint,
        transport: Transport::Http,
        token_path: Some(token_path),
        program_dir: profile.cwd.as_ref().map(std::path::absolute).transpose()?,
        may_answer_itself: agent.reach.may_answer_itself,
        has_no_terminal: profile.backend == Backend::Acp,
        is_adopted: matches!(agent.place, ProgramPlace::Pane(_)),
        is_token_replaced: tokens.is_replaced,
    })
}
