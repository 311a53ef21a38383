//! `synapse config`.

use serde_json::{Value, json};

use crate::world::World;

fn row<'a>(rows: &'a Value, key: &str) -> &'a Value {
    let rows = rows.as_array().unwrap();
    rows.iter().find(|row| row["key"] == key).unwrap()
}

#[test]
fn every_setting_says_where_it_comes_from() {
    let world = World::new();
    world.configure("auth: token\nagents:\n  codex:\n    port: 8200\n");
    let shown = world.json(&["config", "--json"]);
    assert_eq!(
        row(&shown["settings"], "auth"),
        &json!({ "key": "auth", "value": "token", "source": "file", "line": 1 })
    );
    assert_eq!(
        row(&shown["settings"], "agents.codex.port"),
        &json!({ "key": "agents.codex.port", "value": 8200, "source": "file", "line": 4 })
    );
    assert_eq!(
        row(&shown["settings"], "response_timeout"),
        &json!({ "key": "response_timeout", "value": 30, "source": "default", "line": null })
    );
    let home = row(&shown["environment"], "SYNAPSE_HOME");
    assert_eq!(home["source"], "environment");
    assert_eq!(
        shown["file"],
        json!(world.home.path().join("synapse/config.yaml"))
    );

    let text = world.ok(&["config"]);
    let line = text.lines().find(|line| line.starts_with("auth ")).unwrap();
    assert!(
        line.contains("token") && line.ends_with("config.yaml:1"),
        "{line}"
    );
}

#[test]
fn secrets_of_the_environment_are_not_shown() {
    let world = World::new();
    for args in [&["config"][..], &["config", "--json"]] {
        let mut command = world.command(args);
        command.env("SYNAPSE_WEB_TOKEN", "a-secret");
        let printed = String::from_utf8(command.output().unwrap().stdout).unwrap();
        assert!(printed.contains("(set)"), "{printed}");
        assert!(!printed.contains("a-secret"), "{printed}");
    }
}

#[test]
fn a_wrong_value_is_named_with_its_line() {
    let world = World::new();
    world.configure("\nauth: nobody\n");
    let output = world.run(&["config"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(error.contains("config.yaml:2:7: auth must be"), "{error}");
}
