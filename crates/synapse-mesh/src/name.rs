//! Names of machines, and `name@machine`, the address of an agent of the mesh.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A name is a token of a NATS subject and stands behind an `@` that people type.
const LONGEST: usize = 32;

/// The name of one machine: lower-case letters, digits, `-` and `_`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MachineName(String);

/// A word that cannot name a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' cannot be the name of a machine: use 1 to {LONGEST} lower-case letters, digits, '-' and '_', such as laptop"
)]
pub struct MachineNameError(String);

impl MachineName {
    /// Takes a word as a name, in any case.
    ///
    /// # Errors
    /// When it could not be addressed afterwards.
    pub fn parse(word: &str) -> Result<Self, MachineNameError> {
        let name = word.to_ascii_lowercase();
        let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let begins = name
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_alphanumeric());
        if !begins || name.len() > LONGEST || !name.bytes().all(is_fine) {
            return Err(MachineNameError(word.to_owned()));
        }
        Ok(Self(name))
    }

    /// What this machine is called unless somebody says otherwise: its host name up to the first dot.
    pub fn of_this_host() -> Self {
        let host = rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned();
        let first = host
            .split('.')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let fit: String = first
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '_' {
                    c
                } else {
                    '-'
                }
            })
            .take(LONGEST)
            .collect();
        Self::parse(fit.trim_matches('-')).unwrap_or_else(|_| Self("machine".to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for MachineName {
    type Error = MachineNameError;

    fn try_from(text: String) -> Result<Self, MachineNameError> {
        Self::parse(&text)
    }
}

impl From<MachineName> for String {
    fn from(name: MachineName) -> Self {
        name.0
    }
}

impl std::str::FromStr for MachineName {
    type Err = MachineNameError;

    fn from_str(text: &str) -> Result<Self, MachineNameError> {
        Self::parse(text)
    }
}

impl fmt::Display for MachineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_token_of_a_subject() {
        assert_eq!(MachineName::parse("Laptop").unwrap().as_str(), "laptop");
        for odd in [
            "",
            "a.b",
            "a b",
            "*",
            ">",
            "-x",
            "a@b",
            &"x".repeat(33),
            "ä",
        ] {
            assert!(MachineName::parse(odd).is_err(), "{odd}");
        }
        assert!(!MachineName::of_this_host().as_str().is_empty());
    }
}
