//! The emulator behind its door: queries, signals, modes, resize, synchronized updates.
#![cfg(test)]

use std::time::Duration;

use synapse_term::frame::{Colour, Marks};
use synapse_term::screen::{SCROLLBACK, SYNC_PATIENCE, Screen, Size};
use synapse_term::signal::{AgentState, Mark, Signal};

fn screen(cols: u64, rows: u64) -> Screen {
    Screen::new(Size::new(cols, rows).unwrap())
}

fn feed(screen: &mut Screen, text: &str) {
    screen.feed(text.as_bytes(), Duration::ZERO, |_| {});
}

#[test]
fn terminal_queries_are_answered_in_order() {
    for (query, answer) in [
        ("\x1b[c", "\x1b[?62;22c"),
        ("\x1b[>c", "\x1b[>0;"),
        ("\x1b[5n", "\x1b[0n"),
        ("ab\x1b[6n", "\x1b[1;3R"),
        ("\x1b]10;?\x07", "\x1b]10;rgb:d4d4/d4d4/d4d4\x07"),
        ("\x1b]11;?\x1b\\", "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\"),
        ("\x1b[?2026$p", "\x1b[?2026;2$y"),
        ("\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y"),
        ("\x1b[?u", "\x1b[?0u"),
        ("\x1b[>5u\x1b[?u", "\x1b[?5u"),
        ("\x1b[>q", "\x1bP>|synapse "),
        ("\x1b[>0q\x1b[c", "\x1bP>|synapse "),
        // Not answered: Claude Code would announce its state there alone, and for no longer than it works.
        ("\x1b]7501;?\x1b\\\x1b[c", "\x1b[?62;22c"),
    ] {
        let mut screen = screen(80, 24);
        feed(&mut screen, query);
        let given = String::from_utf8(screen.take_answers()).unwrap();
        assert!(
            given.starts_with(answer),
            "{query:?} gave {given:?}, not {answer:?}"
        );
    }
    // Claude sends DA1 behind XTVERSION as a fence: the order must hold.
    let mut screen = screen(80, 24);
    feed(&mut screen, "\x1b[>0q\x1b[c");
    let given = String::from_utf8(screen.take_answers()).unwrap();
    assert!(
        given.ends_with("\x1b[?62;22c") && given.starts_with("\x1bP"),
        "{given:?}"
    );
}

#[test]
fn signals_are_reported() {
    let mut screen = screen(80, 24);
    feed(
        &mut screen,
        "\x1b]0;busy\x07\x07\x1b]9;done\x07\x1b]9;4;1;50\x07\x1b]777;notify;Title;Body\x07\
         \x1b]133;A\x07\x1b]133;D;0\x1b\\\x1b]7501;state=blocked:app=codex:kind=permission\x1b\\",
    );
    let signals = screen.take_signals();
    for wanted in [
        Signal::Title("busy".into()),
        Signal::Bell,
        Signal::Notification("done".into()),
        Signal::Notification("Title;Body".into()),
        Signal::Mark(Mark::PromptStart),
        Signal::Mark(Mark::Finished),
        Signal::Agent(Some(AgentState::Blocked)),
    ] {
        assert!(
            signals.contains(&wanted),
            "{wanted:?} is not among {signals:?}"
        );
    }
    assert_eq!(
        signals.len(),
        7,
        "a progress bar is no notification: {signals:?}"
    );
}

/// Claude Code reports its background tasks beside itself, each with an `id`.
#[test]
fn an_agent_is_told_from_its_tasks() {
    let mut screen = screen(80, 24);
    feed(
        &mut screen,
        "\x1b]7501;state=working:app=claude-code:msg=aWQ9c3RhdGU9\x1b\\\
         \x1b]7501;state=done:app=claude-code:id=task_1.a:kind=question\x1b\\\x1b]7501;state=clear:id=task_1.a\x07\
         \x1b]7501;state=asleep\x07\x1b]7501;?\x07\x1b]7501;state=clear\x1b\\",
    );
    assert_eq!(
        screen.take_signals(),
        [
            Signal::Agent(Some(AgentState::Working)),
            Signal::Agent(None)
        ]
    );
}

#[test]
fn modes_are_seen() {
    let mut screen = screen(80, 24);
    feed(
        &mut screen,
        "\x1b[?2004h\x1b[?1004h\x1b[?1002h\x1b[?1h\x1b=\x1b[>7u",
    );
    let modes = screen.modes();
    assert!(modes.bracketed_paste && modes.focus_events && modes.mouse);
    assert!(modes.application_cursor && modes.application_keypad);
    assert_eq!(modes.kitty_flags, 7);
    // The alternate screen has a keyboard of its own.
    feed(&mut screen, "\x1b[?1049h");
    assert!(screen.modes().alternate_screen);
    assert_eq!(screen.modes().kitty_flags, 0);
}

#[test]
fn words_painted_with_cursor_jumps_are_apart() {
    let mut screen = screen(80, 24);
    feed(&mut screen, "alpha\x1b[9Gbravo\x1b[15Gcharlie");
    assert_eq!(screen.frame().text(0), "alpha   bravo charlie");
}

#[test]
fn wide_and_combining_characters_keep_their_columns() {
    let mut screen = screen(20, 4);
    feed(&mut screen, "日本語 e\u{301}x");
    let frame = screen.frame();
    assert_eq!(frame.text(0), "日本語 e\u{301}x");
    assert_eq!(frame.cursor.col, 9);
}

#[test]
fn soft_wrapped_lines_are_joined_and_wrapped_again() {
    let mut screen = screen(10, 6);
    feed(&mut screen, "abcdefghijklmnopqrstuvwxyz\r\nend");
    let joined = |screen: &mut Screen| -> Vec<String> {
        screen
            .frame()
            .lines()
            .into_iter()
            .map(|(_, line)| line.into_owned())
            .collect()
    };
    assert_eq!(
        joined(&mut screen)[..2],
        ["abcdefghijklmnopqrstuvwxyz", "end"]
    );
    screen.resize(Size::new(13, 6).unwrap());
    assert_eq!(screen.frame().text(0), "abcdefghijklm");
    assert_eq!(
        joined(&mut screen)[..2],
        ["abcdefghijklmnopqrstuvwxyz", "end"]
    );
    screen.resize(Size::new(40, 6).unwrap());
    assert_eq!(screen.frame().text(0), "abcdefghijklmnopqrstuvwxyz");
}

#[test]
fn a_wide_character_that_did_not_fit_leaves_no_gap_in_its_line() {
    let mut screen = screen(5, 4);
    feed(&mut screen, "ab日本語");
    let frame = screen.frame();
    assert_eq!(frame.lines()[0].1, "ab日本語");
}

#[test]
fn the_scrollback_holds_two_thousand_rows() {
    let mut screen = screen(20, 5);
    for n in 0..3_000 {
        feed(&mut screen, &format!("line {n}\r\n"));
    }
    assert_eq!(screen.scrollback_len(), SCROLLBACK);
    let rows = screen.scrollback(usize::MAX);
    assert_eq!(rows.last().unwrap().text, "line 2995");
    assert_eq!(rows.first().unwrap().text, "line 996");
}

#[test]
fn rows_in_reserve_can_be_given_back_at_any_time() {
    let (mut thrifty, mut plain) = (screen(20, 5), screen(20, 5));
    for n in 0..3_000 {
        for screen in [&mut thrifty, &mut plain] {
            feed(screen, &format!("line {n}\r\n"));
        }
        if n % 700 == 0 {
            thrifty.release_spare_rows();
        }
    }
    assert_eq!(thrifty.scrollback(usize::MAX), plain.scrollback(usize::MAX));
    assert_eq!(thrifty.frame().rows, plain.frame().rows);
}

#[test]
fn a_synchronized_update_is_not_seen_before_it_ends() {
    let mut screen = screen(20, 3);
    let mut frames = 0;
    screen.feed(b"old\x1b[?2026h\rnew", Duration::from_secs(1), |_| {
        frames += 1;
    });
    assert_eq!((screen.frame().text(0), frames), ("old", 0));
    screen.feed(b" text\x1b[?2026l", Duration::from_secs(1), |s| {
        frames += 1;
        assert_eq!(s.frame().text(0), "new text");
    });
    assert_eq!(frames, 1);
    assert_eq!(screen.sync_deadline(), None);
}

#[test]
fn a_synchronized_update_that_never_ends_is_shown_all_the_same() {
    let mut screen = screen(20, 3);
    let start = Duration::from_secs(1);
    screen.feed(b"old\x1b[?2026h\rnew", start, |_| {});
    screen.tick(start + SYNC_PATIENCE.mul_f64(0.99));
    assert_eq!(screen.frame().text(0), "old");
    assert_eq!(screen.sync_deadline(), Some(start + SYNC_PATIENCE));
    screen.tick(start + SYNC_PATIENCE);
    assert_eq!(screen.frame().text(0), "new");
}

#[test]
fn hidden_text_is_blank_and_styles_are_kept() {
    let mut screen = screen(40, 3);
    feed(
        &mut screen,
        "\x1b[8msecret\x1b[0m \x1b[1;38;2;9;8;7mbold\x1b[0m \x1b[7mbutton\x1b[0m",
    );
    let frame = screen.frame();
    assert_eq!(frame.text(0), "       bold button");
    let row = frame.row(0).unwrap();
    assert_eq!(row.style_at(7).fg, Colour::Rgb(9, 8, 7));
    assert!(row.style_at(7).marks.has(Marks::BOLD) && row.style_at(12).marks.has(Marks::INVERSE));
}

#[test]
fn the_cursors_line_is_given_with_its_trailing_blanks() {
    let mut screen = screen(10, 3);
    feed(&mut screen, "toy> ");
    assert_eq!(screen.frame().before_cursor(), "toy> ");
    feed(&mut screen, "0123456789");
    assert_eq!(screen.frame().before_cursor(), "toy> 0123456789");
}
