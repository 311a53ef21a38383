//! Resolves a handle typed in a terminal: one agent, or all others. It reads files, so the actor must not
//! call it.

use synapse_client::address::{FindError, Whom};
use synapse_machine::handle::{AddressError, EVERYONE};
use synapse_machine::registry::Entry;

use super::Outbox;

/// Who gets a message.
pub(super) enum Target {
    One(Whom),
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

pub(super) fn resolve(outbox: &Outbox, word: &str) -> Result<Target, Unmet> {
    if word.eq_ignore_ascii_case(EVERYONE) {
        let entries = outbox.book.local();
        let mut others = entries.map_err(|error| Unmet::Doubtful(error.to_string()))?;
        others.retain(|entry| entry.agent_id != outbox.own.agent_id);
        return if others.is_empty() {
            Err(Unmet::Nobody("no other agent is running".to_owned()))
        } else {
            Ok(Target::Everyone(others))
        };
    }
    match outbox.book.find(word, &outbox.own.working_dir) {
        Ok(Whom::Local(entry)) if entry.agent_id == outbox.own.agent_id => {
            let why = format!("@{} is this agent itself", entry.handle);
            Err(Unmet::Nobody(why))
        }
        Ok(whom) => Ok(Target::One(whom)),
        Err(FindError::Address(error @ AddressError::Nobody { .. })) => {
            Err(Unmet::Nobody(error.to_string()))
        }
        Err(error) => Err(Unmet::Doubtful(error.to_string())),
    }
}
