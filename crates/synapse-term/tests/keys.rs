//! Keys by name, and their bytes in each keyboard mode.

use synapse_term::keys::{
    CANONICAL_LIMIT, Discipline, Key, KeyCode, KeyError, KeyboardMode, KittyFlags, Modifiers,
    OtherKeys, PasteError, encode, paste,
};

fn bytes(name: &str, mode: KeyboardMode) -> String {
    match Key::parse(name) {
        Ok(key) => String::from_utf8_lossy(&encode(&key, &mode)).into_owned(),
        Err(error) => error.to_string(),
    }
}

fn legacy(name: &str) -> String {
    bytes(name, KeyboardMode::default())
}

fn kitty(name: &str, flags: u8) -> String {
    bytes(
        name,
        KeyboardMode {
            kitty: KittyFlags(flags),
            ..KeyboardMode::default()
        },
    )
}

#[test]
fn every_spelling_of_a_key_is_that_key() {
    let same = [
        &[
            "C-c",
            "c-c",
            "ctrl-c",
            "Ctrl-C",
            "control-c",
            "ctrl+c",
            "^c",
            "^C",
            "C-C",
        ][..],
        &["Escape", "escape", "esc", "ESC"],
        &["Enter", "enter", "Return"],
        &["S-Tab", "BTab", "btab", "shift-tab"],
        &["M-x", "m-x", "alt-x", "meta-x", "option+x"],
        &["PageUp", "PgUp", "PPage", "pgup"],
        &["NPage", "PageDown", "pgdn"],
        &["DC", "Delete", "delete", "del"],
        &["IC", "Insert"],
        &["BSpace", "backspace"],
        &["Space", " "],
        &["A", "S-a", "shift-a"],
        &["C-M-S-Left", "S-C-M-left", "ctrl-alt-shift-left"],
        &["KP-", "kp-"],
    ];
    for group in same {
        for spelling in group {
            assert_eq!(Key::parse(spelling), Key::parse(group[0]), "{spelling}");
            assert!(Key::parse(spelling).is_ok(), "{spelling}");
        }
    }
}

#[test]
fn signs_that_join_modifiers_are_keys_too() {
    assert_eq!(Key::parse("-"), Ok(Key::plain(KeyCode::Char('-'))));
    assert_eq!(Key::parse("+"), Ok(Key::plain(KeyCode::Char('+'))));
    assert_eq!(Key::parse("^"), Ok(Key::plain(KeyCode::Char('^'))));
    assert_eq!(
        Key::parse("C--"),
        Ok(Key::with(KeyCode::Char('-'), Modifiers::CTRL))
    );
    assert_eq!(
        Key::parse("ctrl-]"),
        Ok(Key::with(KeyCode::Char(']'), Modifiers::CTRL))
    );
    assert_eq!(
        Key::parse("C-KP+"),
        Ok(Key::with(KeyCode::Keypad('+'), Modifiers::CTRL))
    );
    assert_eq!(Key::parse("語"), Ok(Key::plain(KeyCode::Char('語'))));
}

#[test]
fn a_wrong_name_is_told_the_nearest_right_one() {
    let message = |word| Key::parse(word).unwrap_err().to_string();
    assert_eq!(
        message("entr"),
        "no key is called \"entr\"; the nearest is Enter"
    );
    assert_eq!(
        message("C-Escpe"),
        "no key is called \"C-Escpe\"; the nearest is C-Escape"
    );
    assert_eq!(
        message("F13"),
        "no key is called \"F13\"; the nearest is F1"
    );
    assert!(
        message("Bogus")
            .starts_with("no key is called \"Bogus\"; there are single characters, Enter,"),
        "none is near"
    );
    assert_eq!(message("C-"), "\"C-\" names no key");
    assert_eq!(message(""), "\"\" names no key");
    assert_eq!(
        message("X-a"),
        "\"X\" in \"X-a\" is no modifier; use C- (ctrl), M- (alt) or S- (shift)"
    );
    assert!(matches!(Key::parse("\x1b"), Err(KeyError::Unknown { .. })));
}

#[test]
fn a_key_shows_a_name_that_reads_back() {
    let names = [
        "a", "A", "C-a", "C-S-a", "M-A", "Enter", "C-M-Up", "S-Tab", "F12", "KP*", "KPEnter",
        "PPage", "Space", "é", "É", "ß", "語", "-", "C--",
    ];
    for name in names {
        let key = Key::parse(name).unwrap();
        assert_eq!(key.to_string(), name);
    }
}

#[test]
fn the_legacy_keyboard_is_that_of_xterm() {
    let expected = [
        ("a", "a"),
        ("A", "A"),
        ("é", "é"),
        ("C-c", "\x03"),
        ("C-Space", "\0"),
        ("C-]", "\x1d"),
        ("C-?", "\x7f"),
        ("C-S-c", "\x03"),
        ("C-1", "1"),
        ("M-x", "\x1bx"),
        ("M-X", "\x1bX"),
        ("C-M-x", "\x1b\x18"),
        ("Enter", "\r"),
        ("M-Enter", "\x1b\r"),
        ("S-Enter", "\r"),
        ("Escape", "\x1b"),
        ("Tab", "\t"),
        ("S-Tab", "\x1b[Z"),
        ("BSpace", "\x7f"),
        ("C-BSpace", "\x08"),
        ("M-BSpace", "\x1b\x7f"),
        ("Space", " "),
        ("Up", "\x1b[A"),
        ("C-Up", "\x1b[1;5A"),
        ("M-Left", "\x1b[1;3D"),
        ("C-M-S-Right", "\x1b[1;8C"),
        ("Home", "\x1b[H"),
        ("End", "\x1b[F"),
        ("S-End", "\x1b[1;2F"),
        ("IC", "\x1b[2~"),
        ("DC", "\x1b[3~"),
        ("C-DC", "\x1b[3;5~"),
        ("PageUp", "\x1b[5~"),
        ("PageDown", "\x1b[6~"),
        ("F1", "\x1bOP"),
        ("F4", "\x1bOS"),
        ("C-F3", "\x1b[1;5R"),
        ("F5", "\x1b[15~"),
        ("F6", "\x1b[17~"),
        ("F10", "\x1b[21~"),
        ("F11", "\x1b[23~"),
        ("S-F12", "\x1b[24;2~"),
        ("KP5", "5"),
        ("KPEnter", "\r"),
    ];
    for (name, sent) in expected {
        assert_eq!(legacy(name), sent, "{name}");
    }
}

#[test]
fn application_modes_change_arrows_and_keypad_only() {
    let mode = KeyboardMode {
        application_cursor: true,
        application_keypad: true,
        ..KeyboardMode::default()
    };
    let expected = [
        ("Up", "\x1bOA"),
        ("Home", "\x1bOH"),
        ("C-Up", "\x1b[1;5A"),
        ("DC", "\x1b[3~"),
        ("KP0", "\x1bOp"),
        ("KP9", "\x1bOy"),
        ("KP/", "\x1bOo"),
        ("KPEnter", "\x1bOM"),
        ("5", "5"),
    ];
    for (name, sent) in expected {
        assert_eq!(bytes(name, mode), sent, "{name}");
    }
}

#[test]
fn other_keys_get_sequences_as_far_as_was_asked() {
    let at = |level, name| {
        bytes(
            name,
            KeyboardMode {
                other_keys: level,
                ..KeyboardMode::default()
            },
        )
    };
    assert_eq!(at(OtherKeys::WithoutLegacy, "C-c"), "\x03");
    assert_eq!(at(OtherKeys::WithoutLegacy, "C-1"), "\x1b[27;5;49~");
    assert_eq!(at(OtherKeys::Modified, "C-c"), "\x1b[27;5;99~");
    assert_eq!(at(OtherKeys::Modified, "M-x"), "\x1b[27;3;120~");
    assert_eq!(at(OtherKeys::Modified, "S-Enter"), "\x1b[27;2;13~");
    assert_eq!(at(OtherKeys::Modified, "S-Tab"), "\x1b[Z");
    assert_eq!(at(OtherKeys::Modified, "A"), "A");
    assert_eq!(at(OtherKeys::Modified, "Escape"), "\x1b");
}

#[test]
fn kitty_disambiguates_what_legacy_confuses() {
    let expected = [
        ("Escape", "\x1b[27u"),
        ("C-c", "\x1b[99;5u"),
        ("M-x", "\x1b[120;3u"),
        ("M-X", "\x1b[120;4u"),
        ("C-S-a", "\x1b[97;6u"),
        ("C-Space", "\x1b[32;5u"),
        ("Enter", "\r"),
        ("Tab", "\t"),
        ("BSpace", "\x7f"),
        ("S-Enter", "\x1b[13;2u"),
        ("S-Tab", "\x1b[9;2u"),
        ("a", "a"),
        ("A", "A"),
        ("Up", "\x1b[A"),
        ("C-Up", "\x1b[1;5A"),
        ("F1", "\x1b[P"),
        ("F3", "\x1b[13~"),
        ("DC", "\x1b[3~"),
        ("KPEnter", "\x1b[57414u"),
        ("KP5", "5"),
    ];
    for (name, sent) in expected {
        assert_eq!(kitty(name, 1), sent, "{name}");
    }
    let mode = KeyboardMode {
        application_cursor: true,
        kitty: KittyFlags::DISAMBIGUATE,
        ..KeyboardMode::default()
    };
    assert_eq!(
        bytes("Up", mode),
        "\x1b[A",
        "one form whatever the cursor mode"
    );
}

#[test]
fn kitty_reports_all_keys_with_alternates_and_text_when_asked() {
    assert_eq!(kitty("a", 8), "\x1b[97u");
    assert_eq!(kitty("A", 8), "\x1b[97;2u");
    assert_eq!(kitty("Enter", 8), "\x1b[13u");
    assert_eq!(kitty("Tab", 9), "\x1b[9u");
    assert_eq!(kitty("BSpace", 11), "\x1b[127u");
    assert_eq!(kitty("KP5", 8), "\x1b[57404u");
    assert_eq!(kitty("A", 12), "\x1b[97:65;2u");
    assert_eq!(kitty("C-S-a", 7), "\x1b[97:65;6u", "the flags Codex pushes");
    assert_eq!(kitty("A", 24), "\x1b[97;2;65u");
    assert_eq!(kitty("a", 24), "\x1b[97;;97u");
    assert_eq!(kitty("語", 31), "\x1b[35486;;35486u");
    assert_eq!(kitty("C-a", 31), "\x1b[97;5u", "a chord types no text");
    assert_eq!(kitty("a", 16), "a", "text alone asks for nothing");
    assert_eq!(
        kitty("Escape", 4),
        "\x1b",
        "alternates alone ask for nothing"
    );
}

#[test]
fn a_paste_is_bracketed_exactly_while_the_mode_is_on() {
    let mut mode = KeyboardMode {
        bracketed_paste: true,
        ..KeyboardMode::default()
    };
    let pasted = |text, mode: &KeyboardMode| {
        String::from_utf8(paste(text, mode, Discipline::Raw, &[]).unwrap()).unwrap()
    };
    // Written as in the recordings 10_paste_bracketed: every CLI got its lines apart by LF.
    assert_eq!(
        pasted("first\r\nsecond\rthird\n\nfifth 日本語", &mode),
        "\x1b[200~first\nsecond\nthird\n\nfifth 日本語\x1b[201~"
    );
    assert_eq!(pasted("a\tb", &mode), "\x1b[200~a\tb\x1b[201~");
    mode.bracketed_paste = false;
    // Line editors take LF for Enter, unless their profile says what makes a line.
    let keys = ["alt-enter".to_owned()];
    let sent = paste("first\r\nsecond", &mode, Discipline::Raw, &keys).unwrap();
    assert_eq!(sent, b"first\x1b\rsecond");
    assert_eq!(pasted("first\r\nsecond", &mode), "first second");
    assert_eq!(
        pasted("a\tb", &mode),
        "a    b",
        "a bare tab would press Tab"
    );
}

#[test]
fn a_paste_cannot_be_left_from_inside() {
    let mode = KeyboardMode {
        bracketed_paste: true,
        ..KeyboardMode::default()
    };
    let sent = paste(
        "x\x1b[201~\rrm -rf\x03\u{9b}201~\x7f\0",
        &mode,
        Discipline::Raw,
        &[],
    )
    .unwrap();
    assert_eq!(sent, b"\x1b[200~x[201~\nrm -rf201~\x1b[201~");
}

#[test]
fn direction_marks_are_text() {
    let text = "\u{202e}abc\u{200d}\u{feff}";
    let sent = paste(text, &KeyboardMode::default(), Discipline::Raw, &[]).unwrap();
    assert_eq!(sent, text.as_bytes());
}

#[test]
fn a_line_program_gets_one_line_it_can_hold() {
    let mode = KeyboardMode::default();
    let line = |text: &str| paste(text, &mode, Discipline::Canonical, &[]);
    assert_eq!(line("a\r\nb\nc\td").unwrap(), b"a b c\td");
    assert!(line(&"x".repeat(CANONICAL_LIMIT)).is_ok());
    let error = line(&"x".repeat(CANONICAL_LIMIT + 1)).unwrap_err();
    assert_eq!(error, PasteError::TooLongForALine { bytes: 4_096 });
    assert_eq!(
        error.to_string(),
        "the message is 4096 bytes long, but this program reads whole lines of at most 4095 bytes"
    );
}

#[test]
fn modifiers_add_up() {
    let both = Modifiers::CTRL | Modifiers::ALT;
    assert!(both.contains(Modifiers::ALT));
    assert!(!both.without(Modifiers::ALT).contains(Modifiers::ALT));
    assert!(Modifiers::NONE.is_empty());
}
