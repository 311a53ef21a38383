//! What is not meant for another agent goes to the program, and the person is told where it matters.

use super::desk::{Desk, EDITOR, profile};
use crate::world::World;

#[test]
fn ordinary_lines_pass() {
    let mut desk = Desk::with_editor();
    let lines = [
        "mail me@example.com now",
        "@target",
        "@",
        "@ target x",
        " @target x",
        "x @target y",
    ];
    for line in lines {
        desk.terminal.press(&format!("{line}\r"));
        desk.terminal.wait_for(&format!("ok: {line}"));
    }
    assert!(desk.messages("target").is_empty());
}

#[test]
fn a_paste_of_several_lines_passes() {
    let mut desk = Desk::new();
    desk.terminal
        .press("\x1b[200~say:one\r@target say:no\r\x1b[201~\r");
    desk.terminal.wait_for("dummy> no");
    assert!(desk.messages("target").is_empty());
}

#[test]
fn a_line_for_nobody_goes_to_the_program_and_the_person_is_told() {
    let mut desk = Desk::with_editor();
    desk.terminal.press("@tarte say:hi\r");
    desk.terminal.wait_for("ok: @tarte say:hi");
    desk.terminal.wait_for("no agent is called 'tarte'");
    assert!(desk.messages("target").is_empty());
    assert!(desk.log().contains("to=tarte passed"), "{}", desk.log());
    assert!(
        !desk.log().contains("say:hi"),
        "a log has no words of people"
    );
}

#[test]
fn a_line_for_nobody_can_be_kept_from_the_program() {
    let world = World::new();
    world.configure("input_routing:\n  passthrough_on_fail: false\n");
    let mut desk = Desk::with(world, &["dummy"], "dummy>");
    desk.terminal.press("@tarte say:hi\r");
    let screen = desk.terminal.wait_for("nothing was sent");
    assert!(screen.contains("dummy>"), "{screen}");
    desk.terminal.press("say:next\r");
    let screen = desk.terminal.wait_for("\nnext");
    assert!(!screen.contains("\nhi"), "{screen}");
}

#[test]
fn a_slip_in_the_flags_stays_in_the_box_to_be_mended() {
    let mut desk = Desk::with_editor();
    desk.terminal.press("@target --priority 9 say:hi\r");
    desk.terminal.wait_for("--priority is a number from 1 to 5");
    desk.terminal.wait_for("edit> @target --priority 9 say:hi");
    desk.terminal
        .press("\x01\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C");
    for _ in 0..13 {
        desk.terminal.press("\x1b[3~");
    }
    desk.terminal.press("\x05\r");
    assert_eq!(desk.wait_for_messages(1), ["say:hi"], "{}", desk.log());
}

#[test]
fn a_file_that_is_not_there_stays_in_the_box_too() {
    let mut desk = Desk::with_editor();
    desk.terminal.press("@target --file no.txt look\r");
    desk.terminal.wait_for("cannot send no.txt");
    desk.terminal.wait_for("edit> @target --file no.txt look");
    assert!(desk.messages("target").is_empty());
}

#[test]
fn keys_of_the_profile_empty_the_box() {
    // A program that shows what it was typed, and empties its box at Ctrl-X alone.
    const PICKY: &str = "
import os, sys, tty
tty.setraw(0)
line = ''
while True:
    os.write(1, ('\\r\\x1b[Kpicky> ' + line).encode())
    for c in os.read(0, 1000).decode():
        if c == '\\x18': line = ''
        elif c == '\\r': os.write(1, ('\\r\\nok: ' + line + '\\r\\n').encode()); line = ''
        elif c >= ' ': line += c
";
    let world = World::new();
    let more = "idle_regex: '^picky> $'\nclear_input_keys: [ctrl-x]";
    let profile = profile(&world, "picky", PICKY, more);
    let mut desk = Desk::with(world, &[&profile], "picky>");
    desk.terminal.press("@target say:hi\r");
    assert_eq!(desk.wait_for_messages(1), ["say:hi"], "{}", desk.log());
    desk.terminal
        .wait_until("the box is empty", |text| text.ends_with("picky>"));
    desk.terminal.press("mine\r");
    desk.terminal.wait_for("ok: mine");
}

#[test]
fn switched_off_everything_passes() {
    let world = World::new();
    world.configure("input_routing:\n  enabled: false\n");
    let mut desk = Desk::with(world, &["dummy"], "dummy>");
    desk.terminal.press("@target say:hi\r");
    desk.terminal.wait_for("\nhi");
    assert!(desk.messages("target").is_empty());
}

#[test]
fn an_answer_to_a_question_is_never_a_message() {
    let mut desk = Desk::new();
    desk.terminal.press("ask:pick @target say:hi | b\r");
    desk.terminal.wait_for("Select:");
    desk.world.wait_for_state("here", "INPUT_REQUIRED");
    desk.terminal.press("@target say:hi\r");
    desk.terminal.wait_for("ok: @target say:hi");
    assert!(desk.messages("target").is_empty());
}

#[test]
fn keys_of_a_program_are_not_a_persons_line() {
    let desk = Desk::new();
    let keys: Vec<String> = "@target".chars().map(String::from).collect();
    let mut args = vec!["keys", "here"];
    args.extend(keys.iter().map(String::as_str));
    args.extend(["Space", "h", "i", "Enter"]);
    desk.world.ok(&args);
    let mut desk = desk;
    desk.terminal.wait_for("ok: @target hi");
    assert!(desk.messages("target").is_empty());
}

#[test]
fn a_name_that_claude_code_knows_too_is_told_once() {
    let world = World::new();
    let sessions = world.home.path().join("claude/sessions");
    std::fs::create_dir_all(&sessions).unwrap();
    let write = |name: &str, pid: u32| {
        let text = format!(r#"{{"pid":{pid},"sessionId":"s","name":"{name}"}}"#);
        std::fs::write(sessions.join(format!("{pid}.json")), text).unwrap();
    };
    write("Target", std::process::id());
    let more = format!(
        "record: claude\nidle_regex: '^edit> $'\nenv: {{ CLAUDE_CONFIG_DIR: '{}' }}",
        world.home.path().join("claude").display()
    );
    let profile = profile(&world, "editor", EDITOR, &more);
    let mut desk = Desk::with(world, &[&profile], "edit>");
    desk.type_slowly("@target first");
    desk.terminal.press("\r");
    // The notice goes with the next one, so that it is looked for in all that was painted.
    desk.terminal.wait("the namesake is told", |terminal| {
        String::from_utf8_lossy(&terminal.raw).contains("session of that name")
    });
    desk.wait_for_messages(1);
    desk.terminal
        .wait_until("the box is empty, and the notice gone", |text| {
            text.ends_with("edit>") && !text.contains("of that name")
        });
    desk.type_slowly("@target second");
    desk.terminal.press("\r");
    desk.terminal
        .wait_until("the second one is told", |text| text.contains("[→ target"));
    assert_eq!(desk.wait_for_messages(2), ["first", "second"]);
    assert!(!desk.terminal.text().contains("of that name"));
}
