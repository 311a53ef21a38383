//! What a project that somebody else made can do to who works in it.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::world::World;

/// Runs a command that must end soon, whatever it says; what it said.
fn says(command: &mut Command) -> String {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("it hangs");
        }
        std::thread::yield_now();
    }
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_profile_that_is_no_file_is_refused() {
    let world = World::new();
    let folder = world.home.path().join(".synapse/profiles");
    fs::create_dir_all(&folder).unwrap();
    let made = Command::new("mkfifo")
        .arg(folder.join("pipe.yaml"))
        .status()
        .unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink("/dev/zero", folder.join("zero.yaml")).unwrap();
    fs::write(folder.join("good.txt"), "name: linked\ncommand: [true]\n").unwrap();
    std::os::unix::fs::symlink("good.txt", folder.join("linked.yaml")).unwrap();
    fs::write(folder.join("large.yaml"), "#".repeat(300 << 10)).unwrap();
    fs::create_dir(folder.join("folder.yaml")).unwrap();
    for (name, why) in [
        ("pipe", "no file"),
        ("zero", "a link"),
        ("linked", "a link"),
        ("large", "256 KiB"),
        ("folder", "no file"),
    ] {
        let said = says(&mut world.command(&["start", name, "--port", "0"]));
        assert!(said.contains(why), "{name}: {said}");
    }
    assert_eq!(
        world.json(&["list", "--json"])["agents"],
        serde_json::json!([])
    );
}

#[test]
fn ones_own_files_may_be_links_but_nothing_else() {
    let world = World::new();
    let folder = world.home.path().join("synapse");
    fs::create_dir_all(folder.join("profiles")).unwrap();
    let real = world.home.path().join("dotfiles.yaml");
    fs::write(&real, "name: mine\nextends: dummy\n").unwrap();
    std::os::unix::fs::symlink(&real, folder.join("profiles/mine.yaml")).unwrap();
    world.ok(&["start", "mine", "--port", "0"]);
    let config = folder.join("config.yaml");
    std::os::unix::fs::symlink("/dev/zero", &config).unwrap();
    let said = says(&mut world.command(&["start", "dummy", "--port", "0"]));
    assert!(said.contains("no file"), "{said}");
    fs::remove_file(&config).unwrap();
    let made = Command::new("mkfifo").arg(&config).status().unwrap();
    assert!(made.success());
    let said = says(&mut world.command(&["start", "dummy", "--port", "0"]));
    assert!(said.contains("no file"), "{said}");
    fs::remove_file(&config).unwrap();
}
