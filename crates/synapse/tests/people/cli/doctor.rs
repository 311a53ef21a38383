//! `synapse doctor`.

use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::Path;

use serde_json::Value;

use crate::world::World;

fn program(path: &Path, script: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// The checks by their topic, with the exit code.
fn checks(world: &World, agent: &[&str]) -> (i32, Value) {
    let bin = world.home.path().join("bin");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let args = [&["doctor", "--json"], agent].concat();
    let output = world
        .command(&args)
        .env("PATH", path)
        .env("TERM", "xterm")
        .output();
    let output = output.unwrap();
    (
        output.status.code().unwrap(),
        serde_json::from_slice(&output.stdout).unwrap(),
    )
}

fn check<'a>(report: &'a Value, topic: &str) -> &'a Value {
    let mut checks = report["checks"].as_array().unwrap().iter();
    checks
        .find(|check| check["topic"] == topic)
        .unwrap_or(&Value::Null)
}

#[test]
fn a_healthy_machine_is_well_and_programs_are_known_by_their_version() {
    let world = World::new();
    let bin = world.home.path().join("bin");
    program(&bin.join("claude"), "echo '2.1.197 (Claude Code)'");
    program(&bin.join("codex"), "echo codex-cli 9.0.0");
    program(&bin.join("gemini"), "exit 1");
    let (code, report) = checks(&world, &[]);
    assert_eq!((code, &report["ok"]), (0, &Value::Bool(true)), "{report:#}");
    assert_eq!(check(&report, "claude")["level"], "ok");
    assert!(
        check(&report, "claude")["said"]
            .as_str()
            .unwrap()
            .contains("; verified (")
    );
    let newer = check(&report, "codex");
    assert_eq!(newer["level"], "ok");
    assert!(
        newer["advice"].as_str().unwrap().contains("newer"),
        "{newer}"
    );
    assert!(newer["said"].as_str().unwrap().contains("hooks"), "{newer}");
    assert_eq!(check(&report, "gemini")["level"], "warn");
    assert_eq!(check(&report, "agents")["said"], "none runs");
}

#[test]
fn an_agent_is_looked_at_from_all_sides() {
    let world = World::with_dummy();
    world.run(&["send", "dummy", "ask:yn Really?", "--return"]);
    let (code, report) = checks(&world, &["dummy"]);
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(check(&report, "http")["level"], "ok");
    assert_eq!(check(&report, "state")["level"], "warn");
    assert!(
        check(&report, "state")["advice"]
            .as_str()
            .unwrap()
            .contains("synapse answer dummy")
    );
    assert!(
        check(&report, "log")["said"]
            .as_str()
            .unwrap()
            .contains("state")
    );
    let nobody = world.run(&["doctor", "nobody"]);
    assert_eq!(nobody.status.code(), Some(3));
}

#[test]
fn what_fails_is_told_with_what_to_do_and_the_exit_code_says_so() {
    let world = World::with_dummy();
    let token = world.entry()["token_path"].as_str().unwrap().to_owned();
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o644)).unwrap();
    world.configure("queue_limit: many\n");
    let output = world.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    for part in ["fail  config", "fail  tokens", "→ chmod 600"] {
        assert!(said.contains(part), "{part:?} is not in\n{said}");
    }
}

#[test]
fn a_store_of_a_newer_version_is_no_store_to_work_with() {
    let world = World::with_dummy();
    world.ok(&["send", "dummy", "say:hello", "--return"]);
    world.ok(&["stop", "--all"]);
    let (code, report) = checks(&world, &[]);
    assert_eq!((code, &check(&report, "store")["level"]), (0, &"ok".into()));
    let path = world.home.path().join("synapse/synapse.db");
    // Where SQLite has the `user_version`.
    let store = std::fs::File::options().write(true).open(path).unwrap();
    store.write_all_at(&9_000_u32.to_be_bytes(), 60).unwrap();
    let (code, report) = checks(&world, &[]);
    let store = check(&report, "store");
    assert_eq!((code, &store["level"]), (1, &"fail".into()), "{report:#}");
    assert!(
        store["said"].as_str().unwrap().contains("version 9000"),
        "{store}"
    );
    // It says so because that is what comes of it.
    world.ok(&["start", "dummy", "--port", "0"]);
    let refused = world.run(&["send", "dummy", "say:hello"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success(), "{said}");
    assert!(said.contains("version 9000"), "{said}");
}

#[test]
fn a_home_in_which_nothing_can_be_written_fails() {
    let world = World::new();
    let bare = world.home.path().join("bare");
    std::fs::create_dir(&bare).unwrap();
    for (path, mode) in [(world.home.path(), 0o755), (&bare, 0o555)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let own = world.command(&[]);
    let mut command = std::process::Command::new(own.get_program());
    if rustix::process::geteuid().is_root() {
        // Who may write anywhere cannot see it.
        command = std::process::Command::new("setpriv");
        command
            .args(["--reuid=65534", "--clear-groups"])
            .arg(own.get_program());
    }
    command
        .args(["doctor", "--json"])
        .env_clear()
        .env("HOME", &bare);
    let output = command.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{report:#}");
    for topic in ["home", "shared home", "registry", "logs"] {
        let check = check(&report, topic);
        assert_eq!(check["level"], "fail", "{check}");
        let said = check["said"].as_str().unwrap();
        assert!(
            said.contains(&format!("written in {}", bare.display())),
            "{said}"
        );
    }
}

#[test]
fn agents_of_another_version_are_told_without_being_asked_for() {
    let world = World::with_dummy();
    world.ok(&["start", "dummy", "--port", "0", "--name", "newer"]);
    let (_, report) = checks(&world, &[]);
    assert!(
        !format!("{report}").contains("another version"),
        "{report:#}"
    );
    let id = world.entry_of("dummy")["agent_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = world.home.path().join(format!("a2a/registry/{id}.json"));
    let mut entry: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    entry["version"] = "0.0.9".into();
    std::fs::write(&path, entry.to_string()).unwrap();
    let (code, report) = checks(&world, &[]);
    assert_eq!(code, 0, "{report:#}");
    let mut told = report["checks"].as_array().unwrap().iter();
    let told = told.find(|check| check["said"] == "of another version: dummy (0.0.9)");
    let told = told.unwrap_or_else(|| panic!("{report:#}"));
    assert_eq!(told["level"], "warn");
    assert!(
        told["advice"]
            .as_str()
            .unwrap()
            .ends_with("synapse restart dummy"),
        "{told}"
    );
}

#[test]
fn a_host_that_died_without_a_word_is_told_once() {
    let world = World::with_dummy();
    let pid = world.entry()["pid"].to_string();
    let done = std::process::Command::new("kill")
        .args(["-9", &pid])
        .status();
    assert!(done.unwrap().success());
    world.wait_until("it is gone", |_| crate::world::is_gone(&pid));
    let (_, report) = checks(&world, &[]);
    let told = report["checks"].as_array().unwrap().iter();
    let said = |check: &Value| {
        check["said"]
            .as_str()
            .unwrap()
            .contains("died without cleaning up")
    };
    assert_eq!(told.filter(|check| said(check)).count(), 1, "{report:#}");
    let (_, report) = checks(&world, &[]);
    assert!(!report["checks"].as_array().unwrap().iter().any(said));
}
