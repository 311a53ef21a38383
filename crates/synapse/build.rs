//! Names the commit in the version of a release build: `synapse 0.2.0 (3b969a1 2026-11-16)`. A debug build is rebuilt
//! for every commit otherwise.

use std::path::Path;
use std::process::Command;

fn main() {
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    println!("cargo:rerun-if-env-changed=SYNAPSE_COMMIT");
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = std::env::var("SYNAPSE_COMMIT").ok();
    let commit = commit.or_else(|| is_release.then(commit_of_checkout).flatten());
    let version = match commit {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo:rustc-env=SYNAPSE_VERSION={version}");
    println!("cargo:rerun-if-changed=build.rs");
}

/// The commit and its date, if this is a checkout of Synapse itself.
fn commit_of_checkout() -> Option<String> {
    let head = Path::new("../../.git/logs/HEAD");
    if head.exists() {
        println!("cargo:rerun-if-changed={}", head.display());
    }
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // A copy inside of another repository is no checkout of ours.
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    git(&["log", "-1", "--date=short", "--format=%h %cd"])
}
