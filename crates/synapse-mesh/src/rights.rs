//! What the other machines may do here: the lower of the role that the mesh gives a machine and of what this machine
//! allows.

use std::collections::BTreeMap;

use crate::name::MachineName;
use crate::role::Role;
use crate::roster::Roster;

/// What this machine allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights {
    /// The most that any machine may do.
    pub most: Role,
    /// The most that some may do.
    pub machines: BTreeMap<String, Role>,
}

impl Rights {
    /// What a machine may do here; nothing if it is not in the mesh.
    pub fn of(&self, name: &MachineName, roster: &Roster) -> Option<Role> {
        let role = roster.member(name.as_str())?.role;
        let own = self.machines.get(name.as_str()).copied();
        Some(role.min(own.unwrap_or(self.most)))
    }
}
