//! The dummy agent's menu and its whole screen, driven through Synapse.

use crate::world::World;
use crate::world::terminal::Terminal;

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
fn a_reply_does_not_hold_the_turn_before_whose_question_was_answered_by_keys() {
    let world = World::with_dummy();
    world.run(&["send", "dummy", "select:red|green|blue", "--return"]);
    world.ok(&["keys", "dummy", "Down", "Enter"]);
    world.wait_for_task("select:red|green|blue", "completed");
    assert!(world.ok(&["screen", "dummy"]).contains("ok: green"));
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

#[test]
fn what_was_on_a_persons_terminal_before_is_not_erased() {
    const ERASE_SCROLLBACK: &str = "\x1b[3J";
    let world = World::with_dummy();
    let painted = world.ok(&["screen", "dummy", "--ansi"]);
    assert!(
        painted.contains("dummy>") && !painted.contains(ERASE_SCROLLBACK),
        "{painted:?}"
    );
    let mut attached = Terminal::open(&world, &["attach", "dummy"]);
    attached.wait_for("dummy>");
    attached.press("\x1dd");
    let (_, painted) = attached.end();
    assert!(!painted.contains(ERASE_SCROLLBACK), "{painted:?}");
}

/// In tmux leaving the alternate screen moves the cursor even where it was never entered, and the shell then writes over
/// old rows.
#[test]
fn the_alternate_screen_is_left_only_if_it_was_entered() {
    const LEAVE: &str = "\x1b[?1049l";
    let world = World::new();
    let front = |name| {
        let mut terminal = Terminal::open(&world, &["dummy", "--name", name, "--port", "0"]);
        terminal.wait_for("dummy>");
        terminal
    };
    let mut plain = front("plain");
    plain.press("\x04");
    let (_, painted) = plain.end();
    assert!(!painted.contains(LEAVE), "{painted:?}");

    let mut whole = front("whole");
    whole.press("tui\r");
    whole.wait("it has the whole screen", |terminal| {
        String::from_utf8_lossy(&terminal.raw).contains("\x1b[?1049h")
    });
    world.run(&["stop", "whole"]);
    let (_, painted) = whole.end();
    assert!(painted.contains(LEAVE), "{painted:?}");
}
