//! What fingers know from other tools: pipes, short names, words that are no text, and what is told where a word means
//! something else here.

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Output, Stdio};

use crate::world::World;

fn piped(world: &World, args: &[&str], input: &[u8]) -> Output {
    let mut command = world.command(args);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    // One that refuses before it has read all is told, too.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn message(world: &World) -> String {
    let tasks = world.json(&["tasks", "--json"]);
    let text = &tasks["tasks"][0]["message"]["parts"][0]["text"];
    text.as_str().unwrap().to_owned()
}

fn refused(output: &Output, code: i32) -> String {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert!(output.stdout.is_empty());
    error
}

#[test]
fn what_is_piped_is_the_message_or_stands_behind_its_words() {
    let world = World::with_dummy();
    for (args, expected) in [
        (&["send", "dummy"][..], "one\ntwo"),
        (&["send", "dummy", "-"], "one\ntwo"),
        (
            &["send", "dummy", "look", "at", "this:", "-"],
            "look at this:\n\none\ntwo",
        ),
        (&["send", "dummy", "a", "-", "b"], "a - b"),
    ] {
        let sent = piped(&world, args, b"one\ntwo\n");
        assert!(sent.status.success(), "{args:?}");
        assert_eq!(message(&world), expected, "{args:?}");
    }
    let nothing = refused(&world.run(&["send", "dummy"]), 2);
    assert!(nothing.contains("the message is empty"), "{nothing}");
    let long = piped(&world, &["send", "dummy"], "x\n".repeat(6 << 20).as_bytes());
    let long = refused(&long, 1);
    assert!(long.contains("too long: it may have 16 MiB"), "{long}");
}

#[test]
fn words_that_are_no_text_are_a_usage_error() {
    let world = World::new();
    for args in [&["status"][..], &["profile", "check"], &["--", "cat"], &[]] {
        let mut command = world.command(args);
        let output = command.arg(OsStr::from_bytes(b"caf\xe9")).output().unwrap();
        let error = refused(&output, 2);
        assert!(error.contains("UTF-8"), "{args:?}: {error}");
    }
}

#[test]
fn short_names_of_other_tools_are_understood() {
    let world = World::with_dummy();
    for name in ["ls", "ps"] {
        assert!(world.ok(&[name]).starts_with("dummy"), "{name}");
    }
    assert!(world.ok(&["stat", "dummy"]).starts_with("idle"));
    assert!(world.ok(&["log", "dummy"]).contains("state"));
    world.ok(&["kill", "dummy"]);
    assert_eq!(world.ok(&["ps"]), "");
}

#[test]
fn a_word_that_means_something_else_is_told_with_what_it_is() {
    let world = World::with_dummy();
    for (args, code, part) in [
        (&["cancel", "dummy"][..], 1, "synapse interrupt dummy"),
        (&["attach", "dummy"], 1, "synapse screen dummy"),
        (&["dummy"], 2, "synapse start dummy"),
        (&["open", "dummy", "--print"], 1, "synapse web"),
        (
            &["tasks", "-n", "0"],
            2,
            "'0' is no count: give a whole number, 1 or more",
        ),
    ] {
        let error = refused(&world.run(args), code);
        assert!(error.contains(part), "{args:?}: {error}");
    }
    world.ok(&["send", "dummy", "exit:3"]);
    world.wait_until("it has ended", |world| {
        world.run(&["status", "dummy"]).status.code() == Some(3)
    });
    let error = refused(&world.run(&["status", "dummy"]), 3);
    assert!(error.contains("has ended: synapse logs dummy"), "{error}");
}
