//! Who is meant by a handle: an agent that runs here, one elsewhere, one that a message may start, or
//! everyone. Reads files, so it is not for the actor.

use crate::external::External;
use crate::handle::{AddressError, EVERYONE, find};
use crate::registry::{Entry, Registry};

use super::Desk;

/// Who gets a message.
pub(super) enum Target {
    /// An agent of this machine.
    Local(Box<Entry>),
    /// An agent elsewhere.
    External(Box<External>),
    /// A profile whose agent is to be started first.
    Startable(String),
    /// All but ourselves.
    Everyone(Vec<Entry>),
}

/// Why a message has nowhere to go.
pub(super) enum Unmet {
    /// Nobody is called that.
    Nobody(String),
    /// Several are, or it cannot be known.
    Doubtful(String),
}

pub(super) fn resolve(desk: &Desk, word: &str) -> Result<Target, Unmet> {
    let registry = Registry::new(desk.registry.clone());
    let entries = registry
        .list()
        .map_err(|e| Unmet::Doubtful(e.to_string()))?;
    if word.eq_ignore_ascii_case(EVERYONE) {
        let others = entries.into_iter();
        let others: Vec<Entry> = others
            .filter(|entry| entry.agent_id != desk.own.agent_id)
            .collect();
        return if others.is_empty() {
            Err(Unmet::Nobody("no other agent is running".to_owned()))
        } else {
            Ok(Target::Everyone(others))
        };
    }
    let error = match find(&entries, word, &desk.own.working_dir) {
        Ok(entry) if entry.agent_id == desk.own.agent_id => {
            let why = format!("@{} is this very agent", entry.handle);
            return Err(Unmet::Nobody(why));
        }
        Ok(entry) => return Ok(Target::Local(Box::new(entry.clone()))),
        Err(error @ AddressError::Several { .. }) => {
            return Err(Unmet::Doubtful(error.to_string()));
        }
        Err(error) => error,
    };
    if let Ok(external) = desk.contacts.find(word) {
        return Ok(Target::External(Box::new(external)));
    }
    let mut startable = desk
        .agents
        .iter()
        .filter(|(_, settings)| settings.auto_start);
    match startable.find(|(name, _)| name.eq_ignore_ascii_case(word)) {
        Some((name, _)) => Ok(Target::Startable(name.clone())),
        None => Err(Unmet::Nobody(error.to_string())),
    }
}
