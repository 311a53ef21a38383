//! Names the commit in the version of a release build: `synapse 0.2.0 (3b969a1 2026-11-16)`. A debug build is rebuilt
//! for every commit otherwise. And makes the binary smaller where the C library can load it then.

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
    if is_release && loads_packed_relocations() {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Whether the binary is made for this machine, and its C library (glibc 2.36 or later) knows relocations as bits in
/// place of records of 24 bytes each, which take half a megabyte.
fn loads_packed_relocations() -> bool {
    let variable = |name| std::env::var(name).unwrap_or_default();
    if variable("CARGO_CFG_TARGET_ENV") != "gnu" || variable("TARGET") != variable("HOST") {
        return false;
    }
    let Ok(output) = Command::new("getconf").arg("GNU_LIBC_VERSION").output() else {
        return false;
    };
    // glibc 2.36
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text
        .split_whitespace()
        .nth(1)
        .and_then(|it| it.split_once('.'));
    let Some((major, minor)) = version else {
        return false;
    };
    let (major, minor) = (major.parse::<u32>(), minor.parse::<u32>());
    matches!((major, minor), (Ok(major), Ok(minor)) if (major, minor) >= (2, 36))
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
