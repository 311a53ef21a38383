//! A JSON object in the making: what is absent is left out.

use serde_json::{Map, Value};

/// An object in the making.
#[derive(Debug, Default)]
pub(super) struct Object(Map<String, Value>);

impl Object {
    /// Adds a member.
    #[must_use]
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a member, if there is something to say.
    #[must_use]
    pub(super) fn maybe(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a list, unless it is empty.
    #[must_use]
    pub(super) fn list(self, name: &str, values: Vec<Value>) -> Self {
        if values.is_empty() {
            return self;
        }
        self.with(name, values)
    }

    /// Adds what is noted, if anything is.
    #[must_use]
    pub(super) fn note(self, metadata: &Map<String, Value>) -> Self {
        if metadata.is_empty() {
            return self;
        }
        self.with("metadata", metadata.clone())
    }

    pub(super) fn done(self) -> Value {
        Value::Object(self.0)
    }
}
