//! A person at the keyboard: what passes, what is held, and what the shadow makes of it.
#![cfg(test)]

use synapse_term::router::{Candidate, DEFAULT_PATTERN, LineFeed, Pattern, Router, Shadow, Step};

/// A router and everything it has said so far.
struct Desk {
    router: Router,
    passed: Vec<u8>,
    lines: Vec<Candidate>,
}

impl Desk {
    fn new() -> Self {
        let pattern = Pattern::new(DEFAULT_PATTERN).expect("the default pattern compiles");
        Self {
            router: Router::new(pattern, LineFeed::Breaks),
            passed: Vec::new(),
            lines: Vec::new(),
        }
    }

    fn take(&mut self, steps: Vec<Step>) {
        for step in steps {
            match step {
                Step::Pass(bytes) => self.passed.extend(bytes),
                Step::Line(candidate) => self.lines.push(candidate),
            }
        }
    }

    /// Types each piece as a read of its own.
    fn types(mut self, pieces: &[&str]) -> Self {
        for piece in pieces {
            let steps = self.router.feed(piece.as_bytes());
            self.take(steps);
        }
        self
    }

    fn waits(mut self) -> Self {
        assert!(self.router.is_waiting(), "nothing to wait for");
        let steps = self.router.release();
        self.take(steps);
        self
    }

    fn shadow(&self) -> Shadow {
        self.router.shadow()
    }

    /// The text with a bar at the cursor, or a question mark.
    fn picture(&self) -> String {
        let shadow = self.shadow();
        if !shadow.is_known {
            return "?".into();
        }
        let (before, after) = shadow.text.split_at(shadow.cursor);
        format!("{before}|{after}")
    }

    fn only_line(&self) -> &Candidate {
        assert_eq!(self.lines.len(), 1, "{:?}", self.lines);
        &self.lines[0]
    }
}

fn picture(typed: &str) -> String {
    Desk::new().types(&[typed]).picture()
}

#[test]
fn enter_on_an_addressed_line_is_held_and_the_rest_has_passed() {
    let desk = Desk::new().types(&["@codex ", "hello", "\r"]);
    let line = desk.only_line();
    assert_eq!(desk.passed, b"@codex hello");
    assert_eq!(line.enter, b"\r");
    assert_eq!(line.text, "@codex hello");
    let command = line.command.as_ref().expect("a good line");
    assert_eq!(
        (command.handle.as_str(), command.message.as_str()),
        ("codex", "hello")
    );
    assert_eq!(desk.picture(), "|");
}

#[test]
fn a_line_with_a_slip_is_held_too_so_that_the_person_can_be_told() {
    let desk = Desk::new().types(&["@codex --priority 9 hi\r"]);
    assert!(desk.only_line().command.is_err());
}

#[test]
fn other_lines_pass_whole() {
    for typed in [
        "hello\r",
        "email@example.com\r",
        "@codex\r",
        " @codex x\r",
        "\r",
    ] {
        let desk = Desk::new().types(&[typed]);
        assert!(desk.lines.is_empty(), "{typed:?}");
        assert_eq!(desk.passed, typed.as_bytes());
        assert_eq!(desk.picture(), "|", "Enter ends the line");
    }
}

#[test]
fn what_follows_a_held_enter_comes_after_it() {
    let pattern = Pattern::new(DEFAULT_PATTERN).unwrap();
    let steps = Router::new(pattern, LineFeed::Breaks).feed(b"@a b\rnext");
    assert_eq!(steps.len(), 3);
    assert_eq!(steps[0], Step::Pass(b"@a b".to_vec()));
    assert!(matches!(&steps[1], Step::Line(line) if line.text == "@a b"));
    assert_eq!(steps[2], Step::Pass(b"next".to_vec()));
}

#[test]
fn editing_keys_edit() {
    let expected = [
        ("abc\x7f", "ab|"),
        ("abc\x08", "ab|"),
        ("abc\x02\x02X", "aX|bc"),
        ("abc\x1b[D\x1b[DX", "aX|bc"),
        ("abc\x1bOD\x1bODX", "aX|bc"),
        ("abc\x1b[1;1DX", "abX|c"),
        ("abc\x1b[57417uX", "abX|c"),
        ("abc\x01X\x05Y", "XabcY|"),
        ("abc\x1b[HX\x1b[FY", "XabcY|"),
        ("abc\x1bOHX\x1bOFY", "XabcY|"),
        ("abc\x1b[1~X\x1b[4~Y", "XabcY|"),
        ("abc\x1b[7~X\x1b[8~Y", "XabcY|"),
        ("abc\x01\x06X", "aX|bc"),
        ("abc\x01\x1b[CX", "aX|bc"),
        ("abc\x01\x04", "|bc"),
        ("abc\x01\x1b[3~", "|bc"),
        ("abc\x04", "abc|"),
        ("one two\x17", "one |"),
        ("one two-three\x17", "one |"),
        ("one two-three\x1b\x7f", "one two-|"),
        ("one two\x15", "|"),
        ("one two\x1b[D\x15", "|o"),
        ("one two\x01\x0b", "|"),
        ("one two\x1bbX", "one X|two"),
        ("one two\x01\x1bfX", "oneX| two"),
        ("one two\x01\x1bd", "| two"),
        ("one two\x1b[1;5DX", "one X|two"),
        ("one two\x1b[1;3DX", "one X|two"),
        ("one two\x01\x1b[1;5CX", "oneX| two"),
        ("one two\x01\x1b[3;5~", "| two"),
        ("日本語\x7f", "日本|"),
        ("か\u{3099}\x7f", "|"),
        ("e\u{301}x\x1b[D\x7f", "|x"),
        ("👩\u{200d}👧\x7f", "|"),
        ("👍🏽\x7f", "|"),
        ("x\x03", "|"),
        ("\x1b[D\x1b[C\x7f\x04\x17\x15", "|"),
    ];
    for (typed, after) in expected {
        assert_eq!(picture(typed), after, "{typed:?}");
    }
}

#[test]
fn what_cannot_be_followed_is_unknown() {
    for typed in [
        "\x1b[A",
        "\x1bOB",
        "\x10",
        "\x0e",
        "\x12",
        "a\t",
        "\t",
        "\x1b[Z",
        "\x19",
        "\x16",
        "\x18",
        "\x1f",
        "a\x1a",
        "a\x1c",
        "a\x0c",
        "a\x14",
        "\x1b[5~",
        "\x1b[2~",
        "\x1bOP",
        "\x1b[15~",
        "\x1b[[A",
        "\x1bx",
        "\x1b\u{e9}",
        "a\x1b[1;2D",
        "\x1b[97;9u",
        "\x1b[33;2u",
        "\x1b[97;65u",
        "\x1b[1;5A",
        "\x1b[13;5u",
        "\x1b[57364u",
    ] {
        let desk = Desk::new().types(&[typed]);
        assert_eq!(desk.picture(), "?", "{typed:?}");
        let desk = desk.types(&["@codex hi\r"]);
        assert!(desk.lines.is_empty(), "{typed:?}");
        assert_eq!(desk.picture(), "|", "Enter ends an unknown line");
    }
    let mut router = Desk::new().router;
    router.feed(b"\xff");
    assert!(!router.shadow().is_known);
}

#[test]
fn keys_that_cannot_fill_an_empty_box_leave_it_known() {
    for typed in ["\x0c", "\x1a", "\x04", "\x00", "\x1b[27u", "\x1b[1;2D"] {
        assert_eq!(picture(typed), "|", "{typed:?}");
    }
    let desk = Desk::new().types(&["\x1b"]).waits().types(&["@codex hi\r"]);
    assert_eq!(desk.only_line().text, "@codex hi");
}

#[test]
fn an_unknown_line_is_known_again_once_it_is_surely_empty() {
    assert_eq!(picture("\x1b[Ax\x03"), "|");
    assert_eq!(
        picture("ab\tc\x15"),
        "|",
        "completion leaves one line, and Ctrl-U empties it"
    );
    assert_eq!(
        picture("\x1b[A\x15"),
        "?",
        "history may have brought several lines"
    );
    assert_eq!(
        picture("ab\t\x1b[D\x15"),
        "?",
        "Ctrl-U leaves what is behind the cursor"
    );
    let mut desk = Desk::new().types(&["\x1b[A"]);
    assert!(!desk.router.is_at_rest());
    desk.router.saw_empty_box();
    assert!(desk.router.is_at_rest());
    assert_eq!(desk.types(&["@a b\r"]).only_line().text, "@a b");
}

#[test]
fn lines_of_several_lines_pass() {
    for typed in [
        "@codex one\ntwo\r",
        "@codex one\x1b\rtwo\r",
        "@codex one\x1b[13;2utwo\r",
        "@codex one\x1b[13;3utwo\r",
        "@codex one\x1b[27;2;13~two\r",
        "@codex one\x1b[106;5utwo\r",
        "@codex one\\\rtwo\r",
        "\x1b[200~@codex one\ntwo\x1b[201~\r",
        "\x1b[200~@codex one\rtwo\x1b[201~\r",
        "\x1b[200~@codex one\r\n\x1b[201~\r",
    ] {
        let desk = Desk::new().types(&[typed]);
        assert!(desk.lines.is_empty(), "{typed:?}");
        assert_eq!(desk.passed, typed.as_bytes());
        assert_eq!(desk.picture(), "|");
    }
    assert_eq!(picture("one\ntwo\x15"), "?");
    assert_eq!(picture("one\n\x7f"), "one|");
}

#[test]
fn a_line_feed_is_enter_where_the_program_says_so() {
    let mut desk = Desk::new();
    desk.router.set_line_feed(LineFeed::Submits);
    let desk = desk.types(&["@codex hi\n"]);
    assert_eq!(desk.only_line().enter, b"\n");
    assert_eq!(
        Desk::new().types(&["@codex hi\n"]).picture(),
        "@codex hi\n|"
    );
}

#[test]
fn pastes_are_text() {
    let desk = Desk::new().types(&["\x1b[200~@codex 見て ", "これ\x1b[20", "1~\r"]);
    assert_eq!(desk.only_line().text, "@codex 見て これ");
    assert_eq!(picture("ab\x02\x1b[200~XY\tZ\x1b[201~"), "aXY\tZ|b");
    assert_eq!(picture("\x1b[200~a\r\nb\rc\nd\x1b[201~"), "a\nb\nc\nd|");
    assert_eq!(
        picture("\x1b[200~a\x1b[Db\x1b[201~"),
        "?",
        "a paste with keys in it"
    );
    assert_eq!(picture("\x1b[200~a\x03b\x1b[201~"), "?");
    assert_eq!(
        picture("\x1b[200~\r"),
        "\n|",
        "inside a paste Enter is a line break"
    );
}

#[test]
fn a_huge_paste_costs_no_memory_and_no_text() {
    let paste = format!("\x1b[200~@codex {}\x1b[201~", "x".repeat(300_000));
    let desk = Desk::new().types(&[&paste]);
    assert_eq!(desk.picture(), "?");
    assert_eq!(desk.passed, paste.as_bytes());
    let desk = desk.types(&["\r", "@codex hi\r"]);
    assert_eq!(desk.only_line().text, "@codex hi");
}

#[test]
fn what_the_terminal_says_is_not_typed() {
    for answer in [
        "\x1b[?62;22;52c",
        "\x1b[>41;370;0c",
        "\x1b[12;40R",
        "\x1b[?12;40R",
        "\x1b[0n",
        "\x1b[?997;1n",
        "\x1b[?0u",
        "\x1b[?2026;2$y",
        "\x1b[8;40;120t",
        "\x1b[>4;2m",
        "\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\",
        "\x1b]11;rgb:1010/1010/1010\x07",
        "\x1bP>|XTerm(370)\x1b\\",
        "\x1b_Gi=31;OK\x1b\\",
        "\x1b[I",
        "\x1b[O",
        "\x1b[<0;10;20M",
        "\x1b[<0;10;20m",
        "\x1b[32;10;20M",
        "\x1b[M !!",
        "\x1b[M\r\r\r",
        "\x1b[97;1:3u",
        "\x1b[13;1:3u",
        "\x1b[1;1:3A",
        "\x1b[57441u",
        "\x1b[57358u",
        "\x1b[201~",
    ] {
        let typed = format!("@codex h{answer}i");
        let desk = Desk::new().types(&[&typed]);
        assert_eq!(desk.picture(), "@codex hi|", "{answer:?}");
        let desk = desk.types(&["\r"]);
        assert_eq!(desk.only_line().text, "@codex hi", "{answer:?}");
        assert_eq!(desk.passed, typed.as_bytes());
    }
}

#[test]
fn kitty_keys_are_keys() {
    let expected = [
        ("\x1b[97u", "a|"),
        ("\x1b[97;1:1u\x1b[97;1:2u\x1b[97;1:3u", "aa|"),
        ("\x1b[97;2u", "A|"),
        ("\x1b[97:65;2u", "A|"),
        ("\x1b[49:33;2u", "!|"),
        ("\x1b[97;2;65u", "A|"),
        ("\x1b[97;;229u", "å|"),
        ("\x1b[0;;12354:12356u", "あい|"),
        ("\x1b[97;65;65u", "A|"),
        ("\x1b[97;129u", "a|"),
        ("\x1b[32;2u", " |"),
        ("\x1b[57404u", "5|"),
        ("\x1bOu", "5|"),
        ("\x1bOo", "/|"),
        ("ab\x1b[127u", "a|"),
        ("a b\x1b[119;5u", "a |"),
        ("ab\x1b[117;5u", "|"),
        ("ab\x1b[27;5;117~", "|"),
        ("ab\x1b[99;5u", "|"),
        ("ab\x1b[98;3uX", "X|ab"),
        ("a b\x1b[127;5u", "a |"),
        ("a b\x1b[127;3u", "a |"),
    ];
    for (typed, after) in expected {
        assert_eq!(picture(typed), after, "{typed:?}");
    }
}

#[test]
fn every_way_to_press_enter_is_held_whole() {
    for enter in [
        "\r",
        "\x1b[13u",
        "\x1b[13;1u",
        "\x1b[13;1:1u",
        "\x1b[57414u",
        "\x1bOM",
    ] {
        let desk = Desk::new().types(&["@codex hi", enter]);
        assert_eq!(desk.only_line().enter, enter.as_bytes());
        assert_eq!(desk.passed, b"@codex hi");
        let mut desk = Desk::new().types(&["@codex hi"]);
        for byte in enter.bytes() {
            let steps = desk.router.feed(&[byte]);
            desk.take(steps);
        }
        assert_eq!(desk.only_line().enter, enter.as_bytes(), "byte by byte");
        assert_eq!(desk.passed, b"@codex hi");
    }
}

#[test]
fn escape_on_an_addressed_line_passes_when_nothing_follows() {
    let desk = Desk::new().types(&["@codex hi", "\x1b"]);
    assert_eq!(
        desk.passed, b"@codex hi",
        "it could be the start of an Enter"
    );
    let desk = desk.waits();
    assert_eq!(desk.passed, b"@codex hi\x1b");
    assert_eq!(
        desk.picture(),
        "?",
        "some programs clear the box, some do not"
    );
    assert!(!desk.router.is_waiting());
}

#[test]
fn escape_elsewhere_passes_at_once() {
    let desk = Desk::new().types(&["hello", "\x1b"]);
    assert_eq!(desk.passed, b"hello\x1b");
    assert!(desk.router.is_waiting(), "Alt or Escape is still open");
    assert_eq!(desk.waits().types(&["b"]).picture(), "?");
    assert_eq!(
        Desk::new().types(&["\x1b"]).waits().types(&["b"]).picture(),
        "b|"
    );
}

#[test]
fn an_enter_partly_passed_is_not_held() {
    let desk = Desk::new().types(&["@codex hi", "\x1b[1"]).waits();
    assert_eq!(desk.passed, b"@codex hi\x1b[1");
    let desk = desk.types(&["3u"]);
    assert!(desk.lines.is_empty());
    assert_eq!(desk.passed, b"@codex hi\x1b[13u");
    assert_eq!(desk.picture(), "|");
}

#[test]
fn arrows_on_an_addressed_line_pass_whole() {
    let desk = Desk::new().types(&["@codex hi", "\x1b", "[", "D", "o", "\r"]);
    assert_eq!(desk.passed, b"@codex hi\x1b[Do");
    assert_eq!(desk.only_line().text, "@codex hoi");
}

#[test]
fn alt_with_a_letter_that_opens_a_sequence_swallows_no_line() {
    for alt in ["\x1bP", "\x1b]", "\x1b_", "\x1bX"] {
        let desk = Desk::new().types(&[alt, "@codex hi\r"]);
        assert!(desk.lines.is_empty(), "{alt:?}");
        assert_eq!(desk.picture(), "|", "{alt:?}");
        let desk = desk.types(&["@codex hi\r"]);
        assert_eq!(desk.only_line().text, "@codex hi", "{alt:?}");
    }
}

#[test]
fn nobody_is_at_rest_inside_a_line_or_a_paste() {
    assert!(Desk::new().router.is_at_rest());
    assert!(!Desk::new().types(&["x"]).router.is_at_rest());
    let mut desk = Desk::new().types(&["\x1b[200~"]);
    assert!(!desk.router.is_at_rest());
    desk.router.saw_empty_box();
    assert_eq!(desk.types(&["a\x1b[201~"]).picture(), "a|");
}

#[test]
fn a_character_cut_short_by_another_key_hangs_nobody() {
    for cut in [
        &b"\xc3a"[..],
        b"\xe6\x97\x1b[D",
        b"\xf0\x9f\r",
        b"\x1b[200~\xc3\x1b[201~",
    ] {
        let mut desk = Desk::new();
        let steps = desk.router.feed(cut);
        desk.take(steps);
        assert_eq!(desk.passed, cut);
    }
}
