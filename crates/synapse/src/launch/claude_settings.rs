//! What the user's own settings of Claude Code say about hooks, as far as a start must know it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use synapse_machine::private_file::{Trust, read_text};

use crate::host::Agent;

/// Where an organisation puts settings that outrank all others.
const MANAGED: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode/managed-settings.json"
} else {
    "/etc/claude-code/managed-settings.json"
};

/// The settings that are in force, by what they come from; each outranks those before it.
pub(super) struct ClaudeSettings(Vec<(String, Value)>);

impl ClaudeSettings {
    /// The settings of the user, of the project, of the command line and of the organisation.
    pub(super) fn of(agent: &Agent) -> Self {
        let home = std::env::home_dir().unwrap_or_default();
        let base = std::env::var_os("CLAUDE_CONFIG_DIR")
            .map_or_else(|| home.join(".claude"), PathBuf::from);
        let project = agent.dir.join(".claude");
        let files = [
            base.join("settings.json"),
            project.join("settings.json"),
            project.join("settings.local.json"),
        ];
        let mut found: Vec<(String, Value)> = files.iter().filter_map(|file| read(file)).collect();
        for (at, word) in agent.args.iter().enumerate() {
            let given = match word.strip_prefix("--settings") {
                Some("") => agent.args.get(at + 1).map(String::as_str),
                Some(rest) => rest.strip_prefix('='),
                None => None,
            };
            found.extend(given.and_then(|given| match serde_json::from_str(given) {
                Ok(settings) => Some(("--settings".to_owned(), settings)),
                Err(_) => read(&agent.dir.join(given)),
            }));
        }
        found.extend(read(Path::new(MANAGED)));
        Self(found)
    }

    /// Whether somebody has hooks of their own at the end of a turn: these can make Claude go on.
    pub(super) fn has_stop_hooks(&self) -> bool {
        let names_stop = |settings: &Value| {
            let hooks = settings.pointer("/hooks/Stop").and_then(Value::as_array);
            hooks.is_some_and(|hooks| !hooks.is_empty())
        };
        self.0.iter().any(|(_, settings)| names_stop(settings))
    }

    /// What switches hooks off, and where.
    pub(super) fn obstacle(&self) -> Option<String> {
        const OFF: &str = "disableAllHooks";
        const MANAGED_ONLY: &str = "allowManagedHooksOnly";
        let mut all = self.0.iter().rev();
        let off = all.find_map(|(from, settings)| Some((from, settings.get(OFF)?.as_bool()?)));
        if let Some((from, true)) = off {
            return Some(format!("{from} switches hooks off ({OFF})"));
        }
        let (from, settings) = self.0.last().filter(|(from, _)| from == MANAGED)?;
        let is_only = settings.get(MANAGED_ONLY)?.as_bool()?;
        is_only.then(|| format!("{from} allows none but its own ({MANAGED_ONLY})"))
    }
}

/// What is in a file of settings, which a project may have brought along.
fn read(file: &Path) -> Option<(String, Value)> {
    let text = read_text(file, Trust::Chosen).ok()?;
    let settings = serde_json::from_str(&text).ok()?;
    Some((file.display().to_string(), settings))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings<const N: usize>(all: [(&str, Value); N]) -> ClaudeSettings {
        ClaudeSettings(all.map(|(from, value)| (from.to_owned(), value)).into())
    }

    #[test]
    fn the_settings_that_outrank_the_others_decide() {
        let off = json!({"disableAllHooks": true});
        let on = json!({"disableAllHooks": false});
        let told = settings([("user", off.clone()), ("project", json!({}))]).obstacle();
        assert_eq!(
            told.as_deref(),
            Some("user switches hooks off (disableAllHooks)")
        );
        assert_eq!(settings([("user", off), ("project", on)]).obstacle(), None);
        let only = json!({"allowManagedHooksOnly": true});
        assert_eq!(settings([("user", only.clone())]).obstacle(), None);
        assert!(settings([(MANAGED, only)]).obstacle().is_some());
    }

    #[test]
    fn a_stop_hook_anywhere_can_make_it_go_on() {
        let stop = json!({"hooks": {"Stop": [{"hooks": []}]}});
        assert!(settings([("user", stop), ("project", json!({}))]).has_stop_hooks());
        assert!(!settings([("user", json!({"hooks": {"Stop": []}}))]).has_stop_hooks());
    }
}
