//! Who is in the mesh: every machine with its keys and its role, signed by the machine that invites. Each machine keeps
//! the latest one and believes no key that is not in it.

use serde::{Deserialize, Serialize};

use crate::key::{PublicNkey, SealingKey};
use crate::name::MachineName;
use crate::role::Role;

/// What a signature of a roster is for.
pub const PURPOSE: &str = "roster";

/// Everybody who is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Roster {
    /// The name of the mesh.
    pub mesh: String,
    /// Grows with every change, so that an old one is not taken for a new one.
    pub version: u64,
    pub machines: Vec<Member>,
}

/// One machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub name: MachineName,
    pub key: PublicNkey,
    pub seal: SealingKey,
    /// What it may do to the others.
    pub role: Role,
    /// When it came in.
    pub since: jiff::Timestamp,
}

impl Roster {
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.machines
            .iter()
            .find(|member| member.name.as_str() == name)
    }

    /// The next version, with this machine in it.
    #[must_use]
    pub fn with(&self, member: Member) -> Self {
        let mut next = self.without(&member.name);
        next.machines.push(member);
        next.machines
            .sort_by(|one, other| one.name.cmp(&other.name));
        next
    }

    /// The next version, without this machine.
    #[must_use]
    pub fn without(&self, name: &MachineName) -> Self {
        let mut next = self.clone();
        next.version += 1;
        next.machines.retain(|member| member.name != *name);
        next
    }
}
