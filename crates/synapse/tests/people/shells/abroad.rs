//! `@alias message` typed at the prompt of a shell reaches an agent elsewhere: here one of another home.

use super::shell::{KINDS, Kind, Shell};
use crate::world::World;

#[test]
fn an_agent_elsewhere_answers_at_the_prompt_of_every_shell() {
    let there = World::configured("auth: token\n");
    for kind in KINDS {
        let mut shell = Shell::hooked(kind);
        shell.world.discover(&there, "peer");
        let said = shell.output(r#"@peer --return say:it's "$HOME" * !"#);
        assert_eq!(said, r#"it's "$HOME" * !"#, "{kind:?}");
        // An agent of this machine with the same name comes first.
        let near = ["start", "dummy", "--name", "peer", "--port", "0"];
        shell.world.ok(&near);
        let count = || {
            there.json(&["tasks", "dummy", "--json"])["tasks"]
                .as_array()
                .unwrap()
                .len()
        };
        let before = count();
        assert_eq!(shell.output("@peer --return say:near"), "near", "{kind:?}");
        assert_eq!(count(), before, "{kind:?}");
    }
}

#[test]
fn names_elsewhere_are_completed_too() {
    let there = World::configured("auth: token\n");
    let mut shell = Shell::hooked(Kind::Bash);
    shell.world.discover(&there, "distant");
    shell.terminal.press("@dis\t");
    shell.wait_for_line("@distant ");
}

#[test]
fn a_message_starts_an_agent_that_may_be_started() {
    let mut shell = Shell::hooked(Kind::Bash);
    shell.world.ok(&["stop", "dummy"]);
    assert_eq!(shell.enter("@dummy --return say:x"), 3);
    shell
        .world
        .configure("agents:\n  dummy:\n    auto_start: true\n    port: 0\n");
    let said = shell.output("@dummy --return say:awake");
    assert!(said.ends_with("awake"), "{said}");
    shell.world.ok(&["stop", "dummy"]);
    let sent = shell.world.run(&["send", "Dummy", "say:again", "--return"]);
    assert_eq!(String::from_utf8_lossy(&sent.stdout), "again\n");
    assert!(String::from_utf8_lossy(&sent.stderr).contains("dummy is started"));
}
