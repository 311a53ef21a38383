//! The dummy agent's menu and its whole screen, driven through Synapse.

use crate::world::World;

#[test]
fn a_menu_is_read_and_driven_by_its_arrows() {
    let world = World::with_dummy();
    let asked = world.run(&["send", "dummy", "select:red|green|blue", "--return"]);
    assert_eq!(asked.status.code(), Some(4));
    let status = world.json(&["status", "dummy", "--json"]);
    let labels: Vec<&str> = status["prompt"]["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| option["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["red", "green", "blue"]);
    assert_eq!(status["prompt"]["selected"], 0);
    world.ok(&["answer", "dummy", "blue"]);
    world.wait_for_task("select:red|green|blue", "completed");
    assert!(world.ok(&["screen", "dummy"]).contains("ok: blue"));
    assert_eq!(
        world.ok(&["send", "dummy", "say:after", "--return"]),
        "after\n"
    );
}

#[test]
fn a_menu_can_be_interrupted() {
    let world = World::with_dummy();
    world.run(&["send", "dummy", "select:red|green", "--return"]);
    let receipt = world.json(&["interrupt", "dummy", "--json"]);
    assert_eq!(
        (&receipt["was"], &receipt["now"]),
        (&"INPUT_REQUIRED".into(), &"IDLE".into())
    );
}

#[test]
fn a_whole_screen_takes_messages_and_gives_the_terminal_back() {
    let world = World::with_dummy();
    world.ok(&["send", "dummy", "tui", "--return"]);
    assert_eq!(
        world.ok(&["send", "dummy", "say:こんにちは, screen", "--return"]),
        "こんにちは, screen\n"
    );
    let code = world.ok(&["send", "dummy", "code:", "--return"]);
    assert!(code.contains("```python\ndef greet"), "{code}");
    world.ok(&["send", "dummy", "slow:60"]);
    world.wait_for_state("dummy", "BUSY");
    let receipt = world.json(&["interrupt", "dummy", "--json"]);
    assert_eq!(receipt["now"], "IDLE");
    world.ok(&["send", "dummy", "leave", "--return"]);
    let screen = world.ok(&["screen", "dummy"]);
    assert!(
        screen.trim_end().ends_with("left the screen\ndummy>"),
        "{screen}"
    );
    assert_eq!(
        world.ok(&["send", "dummy", "say:back", "--return"]),
        "back\n"
    );
}
