//! `synapse logs`.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::world::World;

#[test]
fn following_survives_a_rotation() {
    let world = World::with_dummy();
    let log = world.home.path().join("synapse/logs/dummy.log");
    let mut following = world
        .command(&["logs", "dummy", "-f", "-n", "1"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert!(next().contains("agent started"));
    std::fs::rename(&log, log.with_extension("log.1")).unwrap();
    std::fs::write(&log, "the first line of the next\n").unwrap();
    assert_eq!(next(), "the first line of the next");
    world.ok(&["stop", "dummy"]);
    let told = world.ok(&["logs", "dummy", "-n", "9"]);
    assert!(
        told.contains("agent ended") && told.ends_with("of the next\n"),
        "{told}"
    );
    following.kill().unwrap();
    following.wait().unwrap();
}

#[test]
fn a_log_can_be_read_when_the_agent_is_gone() {
    let world = World::with_dummy();
    world.ok(&["stop", "dummy"]);
    assert!(world.ok(&["logs", "@dummy"]).contains("agent ended"));
    let nobody = world.run(&["logs", "nobody"]);
    assert_eq!(nobody.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&nobody.stderr).contains("no agent is called 'nobody'"));
}

#[test]
fn an_agent_whose_log_cannot_be_written_starts_all_the_same() {
    let world = World::new();
    let home = world.home.path().join("synapse");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("logs"), "a file where the folder should be").unwrap();
    let output = world.run(&["start", "dummy", "--port", "0"]);
    assert!(output.status.success());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("the log cannot be written"), "{error}");
    assert_eq!(world.ok(&["send", "dummy", "say:hi", "--return"]), "hi\n");
}
