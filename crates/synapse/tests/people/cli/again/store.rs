//! Agents start again although the store or the disk is in trouble.

use super::{folder, pid, told};
use crate::world::World;

/// A world in which two agents wait to be brought back.
fn two_that_wait() -> World {
    let world = World::new();
    for name in ["one", "two"] {
        world.ok(&["start", "dummy", "--port", "0", "--name", name]);
    }
    world.ok(&["stop", "--all"]);
    world
}

/// Makes the store a file that is none.
fn damage(world: &World) {
    let store = world.home.path().join("synapse/synapse.db");
    for more in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(store.with_extension(format!("db{more}")));
    }
    std::fs::write(store, "no database ".repeat(1_000)).unwrap();
}

fn handles(world: &World) -> Vec<String> {
    let listed = world.json(&["list", "--json"])["agents"].clone();
    let handles = listed.as_array().unwrap().iter();
    let mut handles: Vec<String> = handles
        .map(|agent| agent["handle"].as_str().unwrap().to_owned())
        .collect();
    handles.sort();
    handles
}

#[test]
fn a_store_that_cannot_be_read_keeps_no_agent_from_coming_back() {
    let world = two_that_wait();
    damage(&world);
    for args in [&["up", "--dry-run"][..], &["up"], &["restart", "--all"]] {
        let (said, code) = told(&world, args);
        assert_eq!(code, Some(0), "{args:?}: {said}");
        assert_eq!(said.matches("damaged").count(), 1, "{args:?}: {said}");
        let running = if args.contains(&"--dry-run") { 0 } else { 2 };
        assert_eq!(handles(&world).len(), running, "{args:?}: {said}");
    }
}

/// Lets no launch record be written.
fn lock_records(world: &World) {
    let lock = world.home.path().join("synapse/agents/.lock");
    std::fs::remove_file(&lock).unwrap();
    std::fs::create_dir(lock).unwrap();
}

#[test]
fn records_that_cannot_be_written_keep_no_agent_from_coming_back() {
    let world = World::new();
    let dir = folder(&world, "gone");
    world.ok(&[
        "start", "dummy", "--port", "0", "--name", "lost", "--cwd", &dir,
    ]);
    world.ok(&["start", "dummy", "--port", "0", "--name", "kept"]);
    world.ok(&["stop", "--all"]);
    std::fs::remove_dir(&dir).unwrap();
    lock_records(&world);
    let (said, code) = told(&world, &["up"]);
    assert_eq!(code, Some(1), "{said}");
    assert_eq!(handles(&world), ["kept"], "{said}");
    assert!(said.contains("lost cannot be started"), "{said}");
    assert!(!said.contains("tries it again"), "{said}");
    // Once for the one that is lost, and once for the one that is back.
    assert_eq!(
        said.matches("its record cannot be written").count(),
        2,
        "{said}"
    );
}

#[test]
fn one_that_is_back_but_not_written_down_is_not_said_to_fail() {
    let world = World::with_dummy();
    let before = pid(&world, "dummy");
    lock_records(&world);
    let output = world.run(&["restart", "dummy"]);
    let [said, told] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(said.starts_with("dummy is back"), "{said}");
    assert!(told.contains("its record cannot be written"), "{told}");
    assert!(!told.contains("cannot be started"), "{told}");
    assert_ne!(pid(&world, "dummy"), before);
}

#[test]
fn a_start_says_that_no_task_will_be_taken() {
    let world = World::with_dummy();
    world.ok(&["stop", "dummy"]);
    damage(&world);
    let (said, code) = told(&world, &["start", "dummy", "--port", "0"]);
    assert!(
        code == Some(0) && said.contains("agents refuse tasks"),
        "{said}"
    );
}
