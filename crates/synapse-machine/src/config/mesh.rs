//! `mesh`: what the machines of a mesh may do to each other's agents.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// `mesh`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Mesh {
    /// The most that any other machine may do here.
    pub allow: MeshRole,
    /// The most that some may do.
    pub machines: BTreeMap<String, MeshRole>,
    /// How many messages are kept for machines that are away.
    #[serde(deserialize_with = "outbox_limit")]
    pub outbox_limit: usize,
    /// On how many servers of a cluster the mesh keeps who is there.
    #[serde(deserialize_with = "replicas")]
    pub replicas: u8,
}

impl Default for Mesh {
    fn default() -> Self {
        Self {
            allow: MeshRole::Control,
            machines: BTreeMap::new(),
            outbox_limit: 10_000,
            replicas: 1,
        }
    }
}

/// What a machine may do to the agents of another. Each role may do what those before it may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MeshRole {
    /// Look: states, screens, tasks.
    View,
    /// Send messages.
    #[default]
    Send,
    /// Answer questions, interrupt, cancel.
    Answer,
    /// Press keys and type into the terminal, which is to run code.
    Control,
}

/// A word that is no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a role: use view, send, answer or control")]
pub struct MeshRoleError(String);

impl FromStr for MeshRole {
    type Err = MeshRoleError;

    fn from_str(text: &str) -> Result<Self, MeshRoleError> {
        [Self::View, Self::Send, Self::Answer, Self::Control]
            .into_iter()
            .find(|role| role.name() == text)
            .ok_or_else(|| MeshRoleError(text.to_owned()))
    }
}

impl MeshRole {
    pub fn name(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Send => "send",
            Self::Answer => "answer",
            Self::Control => "control",
        }
    }
}

impl fmt::Display for MeshRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn outbox_limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let limit = usize::deserialize(deserializer)?;
    if !(1..=100_000).contains(&limit) {
        return Err(D::Error::custom(format!("{limit} is out of range")));
    }
    Ok(limit)
}

fn replicas<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let replicas = u8::deserialize(deserializer)?;
    if !(1..=5).contains(&replicas) {
        return Err(D::Error::custom(format!("{replicas} is out of range")));
    }
    Ok(replicas)
}
