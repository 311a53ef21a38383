//! Names of things. Each is its own type, so that a task is never looked up by a context's name.
//! Making one that is unique is the caller's business: this crate has no clock and no dice.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes over a name that was made elsewhere.
            pub fn new(name: impl Into<String>) -> Self {
                Self(name.into())
            }

            /// The name as it goes over the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id! {
    /// Names one task of an agent.
    TaskId
}
id! {
    /// Names the conversation that tasks belong to.
    ContextId
}
id! {
    /// Names one message; the sender chooses it.
    MessageId
}
id! {
    /// Names one artifact within its task.
    ArtifactId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_bare_string_on_the_wire() {
        let id = TaskId::new("t-1");
        assert_eq!(serde_json::to_string(&id).unwrap(), r#""t-1""#);
        assert_eq!(serde_json::from_str::<TaskId>(r#""t-1""#).unwrap(), id);
        assert_eq!(id.to_string(), id.as_str());
    }
}
