//! `synapse profile learn`, with the dummy agent and with recordings.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use synapse_term::profile::Profile;
use tempfile::TempDir;

fn synapse(home: &Path) -> Command {
    let mut command = Command::cargo_bin("synapse").unwrap();
    command.env("HOME", home).env_remove("XDG_CONFIG_HOME");
    command
}

fn recording(name: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    fixtures.join("recordings-others").join(name)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_program_is_talked_to_and_its_profile_written_among_ones_own() {
    let home = TempDir::new().unwrap();
    let dummy = assert_cmd::cargo::cargo_bin("synapse");
    let learn = synapse(home.path())
        .args(["profile", "learn", "toy"])
        .args(["--typed", "say:hello there", "--reply", "hello there"])
        .args(["--typed", "say:and once more", "--reply", "and once more"])
        .arg("--")
        .arg(&dummy)
        .arg("dummy-agent")
        .assert()
        .success();
    let said = text(&learn.get_output().stdout);
    assert!(said.contains("the cursor waits behind «dummy> »"), "{said}");
    assert!(said.contains("replies 2 of 2"), "{said}");
    let yaml = std::fs::read_to_string(home.path().join(".synapse/profiles/toy.yaml")).unwrap();
    let profile = Profile::parse(&yaml, "toy", &|_| None).unwrap();
    assert_eq!(profile.command, [dummy.to_str().unwrap(), "dummy-agent"]);
    assert!(profile.idle_regex.unwrap().is_match("dummy> "));
    let again = synapse(home.path())
        .args(["profile", "learn", "toy", "--typed", "x", "--", "true"])
        .assert()
        .failure();
    let why = text(&again.get_output().stderr);
    assert!(why.contains("--force"), "{why}");
}

#[test]
fn a_recording_teaches_without_the_program() {
    let home = TempDir::new().unwrap();
    let output = home.path().join("mine.yaml");
    synapse(home.path())
        .args(["profile", "learn", "mine", "--output"])
        .arg(&output)
        .arg("--recording")
        .arg(recording("qwen/04_slow.cast"))
        .args(["--typed", "slow:8"])
        .assert()
        .success();
    let yaml = std::fs::read_to_string(output).unwrap();
    assert!(yaml.contains("interrupt_key: escape"), "{yaml}");
}

#[test]
fn a_program_that_never_rests_teaches_nothing_and_says_so() {
    let home = TempDir::new().unwrap();
    let failed = synapse(home.path())
        .args(["profile", "learn", "gone", "--typed", "hi", "--reply", "ho"])
        .args(["--", "true"])
        .assert()
        .failure();
    let why = text(&failed.get_output().stderr);
    assert!(why.contains("nothing was learned"), "{why}");
}
