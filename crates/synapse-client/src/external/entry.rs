//! What is kept of an agent elsewhere.

use std::io;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::client::a2a::Interface;
use synapse_machine::handle::Handle;
use synapse_machine::token::Token;

/// An agent elsewhere: what others may know of it, and what we need to talk to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct External {
    /// What it calls itself.
    pub name: String,
    /// Where it was found.
    pub url: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// What it can do, as it says.
    #[serde(default)]
    pub capabilities: Value,
    /// What it knows, as it says.
    #[serde(default)]
    pub skills: Value,
    /// What we call it.
    pub alias: Handle,
    /// When it was discovered.
    pub added_at: Timestamp,
    /// When it last answered.
    #[serde(default)]
    pub last_seen: Option<Timestamp>,
    /// Where it speaks what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface: Option<Interface>,
    /// The file with the token that opens its door.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_file: Option<PathBuf>,
}

impl External {
    /// The token that opens its door, if it has one.
    pub(super) fn token(&self) -> Option<io::Result<Token>> {
        let file = self.token_file.as_ref()?;
        Some(
            Token::read(file).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", file.display()))
            }),
        )
    }

    /// What others may know of it.
    pub fn to_native_json(&self) -> Value {
        json!({
            "name": self.name,
            "url": self.url,
            "description": self.description,
            "capabilities": self.capabilities,
            "skills": self.skills,
            "alias": self.alias,
            "added_at": self.added_at,
            "last_seen": self.last_seen,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::a2a::Dialect;

    #[test]
    fn the_public_fields_are_enough() {
        let text = r#"{"name":"Weather","url":"https://w.example","description":"","capabilities":{},
            "skills":[],"alias":"weather","added_at":"2026-01-01T00:00:00Z","last_seen":null}"#;
        let external: External = serde_json::from_str(text).unwrap();
        assert_eq!(external.alias.as_str(), "weather");
        assert!(external.interface.is_none() && external.token().is_none());
        let native: Value = serde_json::from_str(text).unwrap();
        assert_eq!(external.to_native_json(), native);
    }

    #[test]
    fn files_with_the_older_name_of_the_native_dialect_are_read() {
        let older: Dialect = serde_json::from_str(r#""seed""#).unwrap();
        assert_eq!(older, Dialect::Native);
        assert_eq!(serde_json::to_string(&older).unwrap(), r#""native""#);
    }
}
