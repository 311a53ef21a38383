//! Output that never ends and is as much work as can be: who asks or stops has a turn all the same.

use crate::world::World;

#[test]
fn status_and_stop_have_their_turn_whatever_is_printed() {
    let world = World::new();
    for (name, unit) in [
        ("clears", "\x1b[2J"),
        ("toggles", "\x1b[?1049h\x1b[?1049l"),
        ("resets", "\x1bc"),
        ("inserts", "\x1b[H\x1b[9999L"),
        (
            "modes",
            "\x1b[?1049;1047;1049;1047;1049;1047h\x1b[?1049;1047;1049l",
        ),
        (
            "updates",
            "\x1b[?2026h\x1b[2J\x1b[2J\x1b[2J\x1b[2J\x1b[2J\x1b[2J",
        ),
    ] {
        let flood = world.home.path().join(name);
        std::fs::write(&flood, unit.repeat(20_000)).unwrap();
        let script = format!("while :; do cat {}; done", flood.display());
        let file = world.home.path().join(format!("{name}.yaml"));
        std::fs::write(
            &file,
            format!("name: {name}\ncommand: [sh, -c, '{script}']\n"),
        )
        .unwrap();
        let file = file.to_str().unwrap();
        world.ok(&["start", file, "--port", "0", "--size", "1000x500"]);
        world.ok(&["status", name]);
        world.ok(&["screen", name]);
        let launch_token = world.launch_token_file();
        world.ok(&["stop", name]);
        // A host that had to be killed leaves it behind.
        assert!(!launch_token.exists(), "{name} did not end by itself");
    }
}

#[test]
fn what_falls_due_while_much_is_painted_holds_nothing_up() {
    let world = World::new();
    let flood = world.home.path().join("flood");
    // Each clears half a million cells, so that it is still painted when the host has something to do at its time: two
    // seconds after the program came to rest it gives memory back.
    std::fs::write(&flood, "\x1b[2J".repeat(800)).unwrap();
    let script = format!(
        r"printf ''ready> ''; sleep 1.9; cat {}; printf ''over> ''; cat",
        flood.display()
    );
    let file = world.home.path().join("slow.yaml");
    std::fs::write(
        &file,
        format!("name: slow\ncommand: [sh, -c, '{script}']\nidle_regex: '^(ready|over)> $'\n"),
    )
    .unwrap();
    let file = file.to_str().unwrap();
    world.ok(&["start", file, "--port", "0", "--size", "1000x500"]);
    world.wait_until("the end is shown", |world| {
        world.ok(&["screen", "slow"]).contains("over>")
    });
    world.ok(&["stop", "slow"]);
}
