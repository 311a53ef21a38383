//! The settings as they are in force: every key, its value, and the line of the file that sets it.

use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;
use synapse_term::router::{DEFAULT_PATTERN, Pattern, ResponseMode};

use super::LoadedConfig;
use super::keys::{KEYS, Key};

/// One key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The names that lead to it, joined by dots.
    pub key: String,
    /// Null where nothing is set and there is no default.
    pub value: Value,
    /// The line of the file that sets it; without one the value is the default.
    pub line: Option<u64>,
}

impl LoadedConfig {
    /// Whether the file has a value for a key.
    pub fn sets(&self, key: &str) -> bool {
        self.lines.contains_key(key)
    }

    /// Every key that has a value of its own, in the order of docs/config.md. Settings of agents are listed for
    /// the agents that the file names.
    pub fn settings(&self) -> Vec<Setting> {
        let config = serde_json::to_value(&self.config).unwrap_or_default();
        let leaves = KEYS.iter().filter(|key| !key.meaning.is_empty());
        leaves.flat_map(|key| self.values(key, &config)).collect()
    }

    fn values(&self, key: &Key, config: &Value) -> Vec<Setting> {
        let mut found = vec![(String::new(), config)];
        for name in key.path.split('.') {
            let below = found.iter().flat_map(|(path, value)| match value {
                Value::Object(map) if name == "*" => map
                    .iter()
                    .map(|(name, value)| (joined(path, name), value))
                    .collect(),
                _ => vec![(joined(path, name), value.get(name).unwrap_or(&Value::Null))],
            });
            found = below.collect();
        }
        let settings = found.into_iter().map(|(key, value)| Setting {
            line: self.lines.get(&key).copied(),
            value: value.clone(),
            key,
        });
        settings.collect()
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
pub(super) fn response_mode<S: Serializer>(
    mode: &ResponseMode,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match mode {
        ResponseMode::Display => "display",
        ResponseMode::Return => "return",
    })
}

pub(super) fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    if time.subsec_nanos() == 0 {
        time.as_secs().serialize(serializer)
    } else {
        time.as_secs_f64().serialize(serializer)
    }
}

#[expect(clippy::ref_option, reason = "serde gives a reference")]
pub(super) fn pattern<S: Serializer>(
    pattern: &Option<Pattern>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(pattern.as_ref().map_or(DEFAULT_PATTERN, Pattern::as_str))
}
