//! However it is typed, the target gets exactly the message, and the program and its screen are as if
//! nothing had been.

use super::desk::Desk;

#[test]
fn a_message_reaches_its_target_and_the_answer_comes_back() {
    let mut desk = Desk::new();
    desk.terminal.press("@target say:hello  from 日本\r");
    desk.terminal.wait_for("[← target] hello  from 日本");
    assert_eq!(desk.messages("target"), ["say:hello  from 日本"]);
    // The next line is an ordinary one.
    desk.terminal.press("say:mine\r");
    desk.terminal.wait_until("the program answers", |text| {
        text.ends_with("dummy> say:mine\nmine\ndummy>")
    });
    assert_eq!(desk.messages("target").len(), 1);
}

#[test]
fn slow_fast_mended_pasted_and_interrupted_lines_arrive_as_they_were_meant() {
    let mut desk = Desk::with_editor();
    let typed: [(&str, &str); 9] = [
        ("@target say:fast\r", "say:fast"),
        ("@target say:mended\x7f\x7f\x7fd\r", "say:mend"),
        ("@target say:arows\x1b[D\x1b[D\x1b[Dr\r", "say:arrows"),
        ("\x05@target say:home\x01\x1b[C\x05!\r", "say:home!"),
        ("\x1b[200~@target say:pasted\x1b[201~\r", "say:pasted"),
        (
            "@target \x1b[200~say:half\x1b[201~ and half\r",
            "say:half and half",
        ),
        (
            "@target say:wrong one\x17\x17\x15@target say:right\r",
            "say:right",
        ),
        (
            "@target say:日本語の長い文章です。全角文字も届きます\r",
            "say:日本語の長い文章です。全角文字も届きます",
        ),
        ("@target \"say:quoted\"\r", "say:quoted"),
    ];
    let mut expected: Vec<String> = Vec::new();
    for (keys, message) in typed {
        desk.terminal.press(keys);
        expected.push(message.to_owned());
        assert_eq!(
            desk.wait_for_messages(expected.len()),
            expected,
            "{keys:?}\n{}",
            desk.log()
        );
    }
    desk.type_slowly("@target say:slowly");
    desk.terminal.press("\r");
    expected.push("say:slowly".to_owned());
    assert_eq!(desk.wait_for_messages(expected.len()), expected);
    // Ctrl-C in the middle: what came before it is gone.
    let mut dummy = Desk::new();
    dummy.terminal.press("@target say:no\x03");
    dummy
        .terminal
        .wait_until("the line is gone", |text| text.ends_with("\ndummy>"));
    dummy.terminal.press("@target say:yes\r");
    assert_eq!(dummy.wait_for_messages(1), ["say:yes"]);
    // Nothing of all this reached the program.
    let screen = desk
        .terminal
        .wait_until("the box is empty", |text| text.ends_with("edit>"));
    assert!(!screen.contains("ok:"), "{screen}");
}

#[test]
fn a_line_that_wraps_is_removed_whole() {
    let words = "wide words ".repeat(30);
    for mut desk in [Desk::new(), Desk::with_editor()] {
        let message = format!("say:{}", words.trim_end());
        desk.terminal.press(&format!("@target {message}\r"));
        assert_eq!(desk.wait_for_messages(1), [message], "{}", desk.log());
        desk.terminal.wait_until("the box is empty", |text| {
            let last = text.lines().last().unwrap_or("");
            (last == "dummy>" || last == "edit>") && text.matches('>').count() == 1
        });
        desk.terminal.press("say:next\r");
        desk.terminal.wait_for("next\n");
    }
}

#[test]
fn what_is_typed_behind_the_enter_waits_and_then_goes_to_the_program() {
    let mut desk = Desk::with_editor();
    desk.terminal
        .press("@target say:one\rordinary\r@target say:two\r");
    assert_eq!(desk.wait_for_messages(2), ["say:one", "say:two"]);
    desk.terminal.wait_for("ok: ordinary");
    // A notice covers rows of the program for as long as it stands.
    let screen = desk.terminal.wait_until("box empty, no notice", |text| {
        text.ends_with("edit>") && !text.contains(['→', '←'])
    });
    assert_eq!(screen.matches("ok:").count(), 1, "{screen}");
}

#[test]
fn a_recalled_line_is_nobodys_guess() {
    let mut desk = Desk::with_editor();
    desk.terminal.press("@target\r");
    desk.terminal.wait_for("ok: @target");
    // Up brings text that was never typed now: the line is unknown, so it passes.
    desk.terminal.press("\x1b[A say:hi\r");
    desk.terminal.wait_for("ok: @target say:hi");
    assert!(desk.messages("target").is_empty());
}

/// The screen the person has, cell by cell, with all it takes to paint it.
fn cells(desk: &mut Desk) -> String {
    String::from_utf8_lossy(&desk.terminal.snapshot()).into_owned()
}

#[test]
fn the_main_screen_is_left_as_if_nothing_had_been_routed() {
    leaves_no_trace(|desk| {
        desk.terminal.press("long:40\r");
        desk.terminal.wait_until("the prompt is back", |text| {
            text.contains("line 40 of 40") && text.ends_with("dummy>")
        });
    });
}

#[test]
fn the_alternate_screen_is_left_as_if_nothing_had_been_routed() {
    leaves_no_trace(|desk| {
        desk.terminal.press("tui\r");
        desk.terminal.wait_for("A screen of its own");
    });
}

/// Compares two agents that were brought to the same state, one of which then sends a message.
fn leaves_no_trace(prepare: impl Fn(&mut Desk)) {
    let (mut routed, mut plain) = (Desk::new(), Desk::new());
    for desk in [&mut routed, &mut plain] {
        prepare(desk);
        desk.world.wait_for_state("here", "IDLE");
    }
    routed.terminal.press("@target say:answer\r");
    routed.terminal.wait_for("[← target] answer");
    assert_ne!(cells(&mut routed), cells(&mut plain));
    routed
        .terminal
        .wait_until("the notice is gone", |text| !text.contains('←'));
    assert_eq!(cells(&mut routed), cells(&mut plain));
    assert_eq!(routed.messages("target"), ["say:answer"]);
}
