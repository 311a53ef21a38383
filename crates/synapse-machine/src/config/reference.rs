//! docs/config.md, generated from the keys, the variables and the paths; `make docs` writes it.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::keys::KEYS;
use super::{Config, LoadedConfig, Setting, VARIABLES, files};
use crate::paths::Paths;

const FILE: &str = "../../docs/config.md";

fn reference() -> String {
    let mut text = "# Configuration

<!-- Generated from crates/synapse-machine/src/config by `make docs`. Do not edit. -->

Synapse works without any configuration. `synapse config` shows every setting, its value, and where the value comes
from: the default, a line of the file, or the environment. An unknown key is a warning that names a known one
that is near; a wrong value is an error that says where it is and what would be right.

## ~/.synapse/config.yaml

A host reads the file when it starts, a command when it runs: a change takes effect with the next one.

| key | value | default | meaning |
|---|---|---|---|
"
    .to_owned();
    let defaults = LoadedConfig::default().settings();
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
    for (path, meaning) in files(&Paths::new("~/.a2a", "~/.synapse")) {
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
    let text = "agents: {NAME: {}}\nmesh: {machines: {NAME: view}}\ntls: {cert: /c, key: /k}\nca_file: /ca\n";
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
