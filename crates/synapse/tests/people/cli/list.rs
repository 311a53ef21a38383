//! `synapse list`, printed and on the whole screen.

use std::process::Command;

use crate::world::World;
use crate::world::terminal::Terminal;
use synapse_pty::Exit;

/// Leaves the other screen, and shows the cursor.
const WAY_BACK: [&str; 2] = ["\x1b[?1049l", "\x1b[?25h"];

#[test]
fn says_what_each_does_and_who_waits_first() {
    let world = World::with_dummy();
    world.ok(&["start", "dummy", "--port", "0", "--name", "asker"]);
    world.run(&["send", "asker", "ask:yn Delete it?", "--return"]);
    let listed = world.ok(&["list"]);
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].contains("asker") && lines[0].contains("◆ waiting"));
    assert!(lines[1].contains("asks: Delete it? (y/n):"), "{listed}");
    assert!(lines[2].contains("○ idle"), "{listed}");
    let json = world.json(&["list", "--json"])["agents"].clone();
    assert_eq!(json[0]["status"], "INPUT_REQUIRED");
    assert_eq!(json[0]["prompt"]["options"][0]["label"], "y");
    assert_eq!(json[1]["queue"], 0);
}

#[test]
fn a_stopped_host_does_not_hold_the_list() {
    let world = World::with_dummy();
    let pid = world.entry()["pid"].to_string();
    Command::new("kill").args(["-STOP", &pid]).status().unwrap();
    let listed = world.ok(&["list"]);
    Command::new("kill").args(["-CONT", &pid]).status().unwrap();
    assert!(listed.contains("? no answer"), "{listed}");
}

#[test]
fn the_screen_follows_what_happens() {
    let world = World::with_dummy();
    let mut terminal = Terminal::open(&world, &["list", "--watch"]);
    terminal.wait_for("○ idle");
    world.run(&["send", "dummy", "ask:yn Go on?", "--return"]);
    terminal.wait_for("1 waits for an answer");
    let shown = terminal.wait_for("y  y");
    assert!(
        shown.contains("◆ waiting") && shown.contains("Go on?"),
        "{shown}"
    );
    terminal.resize(60, 12);
    terminal.wait_until("it is painted in the new size", |text| {
        text.lines()
            .nth(11)
            .is_some_and(|line| line.starts_with("↑↓"))
    });
    world.ok(&["stop", "dummy"]);
    terminal.wait_for("no agent is running");
    terminal.press("q");
    let (exit, painted) = terminal.end();
    assert_eq!(exit, Exit::Code(0));
    assert!(WAY_BACK.iter().all(|part| painted.contains(part)));
}

#[test]
fn enter_attaches_and_detaching_comes_back() {
    let world = World::with_dummy();
    world.ok(&["start", "dummy", "--port", "0", "--name", "second"]);
    let mut terminal = Terminal::open(&world, &["list", "--watch"]);
    terminal.wait_for("second");
    terminal.press("j\r");
    terminal.wait_until("the agent's own screen is there", |text| {
        text.starts_with("dummy>")
    });
    terminal.press("say:typed by hand\r");
    terminal.wait_for("\ntyped by hand");
    terminal.press("\x1dd");
    terminal.wait_for("Enter attach");
    terminal.press("\x1b");
    assert_eq!(terminal.end().0, Exit::Code(0));
    assert!(world.ok(&["screen", "second"]).contains("typed by hand"));
}

#[test]
fn a_signal_gives_the_terminal_back() {
    let world = World::with_dummy();
    let script = r#"before=$(stty -g); "$synapse" list --watch; test "$(stty -g)" = "$before" && echo it is as it was"#;
    for signal in ["-TERM", "-INT"] {
        let mut terminal = Terminal::bash(&world, script);
        terminal.wait_for("Enter attach");
        let shell = terminal.pid();
        let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children"));
        let child = children.unwrap();
        Command::new("kill")
            .args([signal, child.trim()])
            .status()
            .unwrap();
        terminal.wait_for("it is as it was");
        let (_, painted) = terminal.end();
        assert!(WAY_BACK.iter().all(|part| painted.contains(part)));
    }
}

#[test]
fn without_a_terminal_it_says_so() {
    let world = World::new();
    let output = world.run(&["list", "--watch"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs a terminal"));
}
