//! docs/config.md, generated from the keys, the variables and the paths; `make docs` writes it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::keys::KEYS;
use super::{Config, Loaded, Setting, VARIABLES};
use crate::paths::Paths;

const FILE: &str = "../../docs/config.md";

fn reference() -> String {
    let mut text = "# Configuration

<!-- Generated from crates/synapse-machine/src/config by `make docs`. Do not edit. -->

Synapse works without any configuration. `synapse config` shows every setting, its value, and where the value comes
from: the default, a line of the file, or the environment. An unknown key is a warning that names the nearest known
one; a wrong value is an error that says where it is and what would be right.

## ~/.synapse/config.yaml

A host reads the file when it starts, a command when it runs: a change takes effect with the next one.

| key | value | default | meaning |
|---|---|---|---|
"
    .to_owned();
    let defaults = Loaded::default().settings();
    for key in KEYS.iter().filter(|key| !key.meaning.is_empty()) {
        let path = key.path.replace('*', "NAME");
        let default = defaults.iter().find(|setting| setting.key == key.path);
        let default = default.map_or_else(String::new, shown);
        let (right, meaning) = (key.right.replace('|', r"\|"), key.meaning);
        let _ = writeln!(text, "| `{path}` | {right} | {default} | {meaning} |");
    }
    text.push_str(
        "
`NAME` is the name of a profile, such as `claude`. Profiles have keys of their own: [profiles.md](profiles.md).

## Environment

| variable | meaning |
|---|---|
",
    );
    for variable in VARIABLES {
        let _ = writeln!(text, "| `{}` | {} |", variable.name, variable.meaning);
    }
    text.push_str("\n## Files\n\n| file | what it is |\n|---|---|\n");
    for (path, meaning) in files() {
        let _ = writeln!(text, "| `{}` | {meaning} |", path.display());
    }
    text
}

fn shown(setting: &Setting) -> String {
    match &setting.value {
        Value::Null => String::new(),
        Value::String(text) => format!("`{}`", text.replace('|', r"\|")),
        value => format!("`{value}`"),
    }
}

fn files() -> Vec<(PathBuf, &'static str)> {
    let paths = Paths::new("~/.a2a", "~/.synapse");
    vec![
        (paths.config(), "The settings above. Only you write it."),
        (paths.profiles(), "Your own profiles, one YAML file each."),
        (
            Paths::project_profiles(Path::new(".")),
            "Profiles that come with a project; used once you agree to them with `synapse profile trust`.",
        ),
        (
            paths.trusted_profiles(),
            "The project profiles that you agreed to, by content.",
        ),
        (
            paths.store(),
            "Tasks, their events and the replies: [store.md](store.md).",
        ),
        (
            paths.tasks(),
            "Files that came with messages, a folder for each task.",
        ),
        (
            paths.tokens(),
            "The tokens of agents, mode 0600: [security.md](security.md).",
        ),
        (paths.logs(), "The logs of agents, and `input_router.log`."),
        (
            paths.web(),
            "Devices that may see the page, and login codes.",
        ),
        (paths.auto_answer(), "The rules of auto-answer."),
        (paths.hub(), "Held by the hub that runs."),
        (
            paths.detour(),
            "Leads the browser to the page on `synapse web --open`.",
        ),
        (
            paths.mcp(),
            "How programs that read it from a file reach `synapse mcp`.",
        ),
        (
            paths.hooks(),
            "The sockets on which hosts hear the hooks of their programs.",
        ),
        (
            paths.programs(),
            "What Synapse found out about the programs it started, such as their versions.",
        ),
        (paths.shell_history(), "The lines typed in `synapse-shell`."),
        (paths.registry(), "The agents that run, one file each."),
        (
            paths.external(),
            "Agents on other machines, one file each: [external.md](external.md).",
        ),
    ]
}

#[test]
fn the_reference_is_what_the_code_says() {
    let text = reference();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "{FILE} is old; `make docs` writes it");
}

#[test]
fn every_setting_has_a_key_and_every_key_a_setting() {
    let text = "agents: {NAME: {}}\ntls: {cert: /c, key: /k}\nca_file: /ca\n";
    let loaded = Config::parse(text, Path::new("c.yaml")).unwrap();
    let mut leaves = Vec::new();
    let config = serde_json::to_value(&loaded.config).unwrap();
    collect("", &config, &mut leaves);
    let mut keys: Vec<String> = KEYS
        .iter()
        .filter(|key| !key.meaning.is_empty())
        .map(|key| key.path.replace('*', "NAME"))
        .collect();
    keys.sort();
    leaves.sort();
    assert_eq!(keys, leaves);
}

/// The paths of all values that hold no others.
fn collect(path: &str, value: &Value, leaves: &mut Vec<String>) {
    let Value::Object(map) = value else {
        return leaves.push(path.trim_start_matches('.').to_owned());
    };
    for (name, value) in map {
        collect(&format!("{path}.{name}"), value, leaves);
    }
}
