//! Flows through the built binary: with real agents, real commands, real git, and runners that are killed.
#![cfg(test)]
#![allow(clippy::missing_panics_doc, unreachable_pub, reason = "this is a test")]

#[path = "../world/mod.rs"]
mod world;

mod gates;
mod kills;
mod runs;
mod served;
mod shipped;

use std::path::PathBuf;

use serde_json::Value;
use world::World;

/// Writes a flow into the home; its path.
fn file(world: &World, name: &str, text: &str) -> String {
    let path: PathBuf = world.home.path().join(format!("{name}.yaml"));
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Runs a flow to its end; the last line, which has the result.
fn run(world: &World, args: &[&str]) -> Value {
    let output = world.run(&[&["flow", "run", "--json"][..], args].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    let last = text
        .lines()
        .last()
        .unwrap_or_else(|| panic!("{args:?}: {error}"));
    serde_json::from_str(last).unwrap()
}

fn git(dir: &std::path::Path, args: &[&str]) -> String {
    let output = std::process::Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t"])
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// A repository below the home, with one commit.
fn repository(world: &World) -> PathBuf {
    let dir = world.home.path().join("repo");
    std::fs::create_dir(&dir).unwrap();
    git(&dir, &["init", "-q", "-b", "main"]);
    std::fs::write(dir.join("a.txt"), "one\n").unwrap();
    git(&dir, &["add", "-A"]);
    git(&dir, &["commit", "-q", "-m", "first"]);
    dir
}
