//! The messages that an agent had not begun.

use super::{crash, end, told};
use crate::world::World;

#[test]
fn messages_that_nobody_had_begun_are_offered_and_not_sent() {
    let world = World::with_dummy();
    world.ok(&["send", "dummy", "slow:60"]);
    world.wait_for_state("dummy", "BUSY");
    world.ok(&["send", "dummy", "say:still wanted"]);
    crash(&world);
    let output = world.run(&["up"]);
    let told = String::from_utf8(output.stderr).unwrap();
    let offered = told.lines().find(|line| line.contains("not begun"));
    let offered = offered.unwrap_or_else(|| panic!("nothing is offered: {told}"));
    assert!(
        offered.contains("say:still wanted") && !told.contains("slow:60"),
        "{told}"
    );
    let id = offered.rsplit(' ').next().unwrap();
    assert_eq!(
        world.json(&["tasks", "--json"])["tasks"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let said = world.ok(&["send", "dummy", "--again", id, "--return"]);
    assert_eq!(said, "still wanted\n");
}

#[test]
fn messages_are_offered_however_the_agent_was_stopped_but_not_those_that_somebody_canceled() {
    for way in ["stop --all", "a shutdown", "restart --now"] {
        let world = World::with_dummy();
        world.ok(&["send", "dummy", "slow:60"]);
        world.wait_for_state("dummy", "BUSY");
        world.ok(&["send", "dummy", "say:still wanted"]);
        let id = world.ok(&["send", "dummy", "say:given up"]);
        world.ok(&["cancel", id.trim()]);
        let (told, code) = match way {
            "stop --all" => {
                world.ok(&["stop", "--all"]);
                told(&world, &["up"])
            }
            "a shutdown" => {
                end(&world, "-TERM");
                told(&world, &["up"])
            }
            _ => told(&world, &["restart", "dummy", "--now"]),
        };
        assert_eq!(code, Some(0), "{told}");
        let offered: Vec<&str> = told.lines().filter(|it| it.contains("not begun")).collect();
        assert!(
            offered.len() == 1 && offered[0].contains("say:still wanted"),
            "{way}: {told}"
        );
    }
}

#[test]
fn a_program_is_told_by_their_ids_which_messages_were_not_begun() {
    for way in [
        &["up", "--json"][..],
        &["restart", "dummy", "--now", "--json"],
    ] {
        let world = World::with_dummy();
        world.ok(&["send", "dummy", "slow:60"]);
        world.wait_for_state("dummy", "BUSY");
        let id = world.ok(&["send", "dummy", "say:still wanted"]);
        if way[0] == "up" {
            world.ok(&["stop", "--all"]);
        }
        let told = world.json(way);
        assert_eq!(told["not_begun"], serde_json::json!([id.trim()]), "{told}");
    }
}
