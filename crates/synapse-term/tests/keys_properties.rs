//! Whatever the text, a paste presses nothing; whatever the key, its name reads back.

use proptest::prelude::*;
use synapse_term::keys::{
    CANONICAL_LIMIT, Discipline, Key, KeyCode, KeyboardMode, KittyFlags, Modifiers, OtherKeys,
    encode, paste,
};

const OPEN: &[u8] = b"\x1b[200~";
const CLOSE: &[u8] = b"\x1b[201~";

/// Text that leans towards what could do harm.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        Just("\x1b[201~".to_owned()),
        Just("\x1b".to_owned()),
        Just("[201~".to_owned()),
        Just("\u{9b}201~".to_owned()),
        Just("\r\n".to_owned()),
        Just("\r".to_owned()),
        Just("\t".to_owned()),
        "[\\x00-\\x1f\\x7f\\u{80}-\\u{9f}]",
        "[a-z語]{1,4}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn discipline() -> impl Strategy<Value = Discipline> {
    prop_oneof![Just(Discipline::Raw), Just(Discipline::Canonical)]
}

fn any_mode() -> impl Strategy<Value = KeyboardMode> {
    let levels = prop_oneof![
        Just(OtherKeys::Legacy),
        Just(OtherKeys::WithoutLegacy),
        Just(OtherKeys::Modified)
    ];
    (any::<bool>(), any::<bool>(), any::<bool>(), 0u8..32, levels).prop_map(
        |(application_cursor, application_keypad, bracketed_paste, flags, other_keys)| {
            KeyboardMode {
                application_cursor,
                application_keypad,
                bracketed_paste,
                kitty: KittyFlags(flags),
                other_keys,
            }
        },
    )
}

fn any_key() -> impl Strategy<Value = Key> {
    let named = prop::sample::select(vec![
        KeyCode::Enter,
        KeyCode::Escape,
        KeyCode::Tab,
        KeyCode::Backspace,
        KeyCode::Insert,
        KeyCode::Delete,
        KeyCode::Home,
        KeyCode::PageUp,
        KeyCode::Up,
        KeyCode::Left,
        KeyCode::Function(3),
        KeyCode::Function(11),
        KeyCode::Keypad('7'),
        KeyCode::Keypad('+'),
        KeyCode::KeypadEnter,
    ])
    .prop_map(Key::plain);
    let typed = any::<char>()
        .prop_filter("text", |c| !c.is_control())
        .prop_map(Key::typing);
    let held = (any::<bool>(), any::<bool>()).prop_map(|(ctrl, alt)| {
        let ctrl = if ctrl {
            Modifiers::CTRL
        } else {
            Modifiers::NONE
        };
        ctrl | if alt { Modifiers::ALT } else { Modifiers::NONE }
    });
    (prop_oneof![named, typed], held)
        .prop_map(|(key, held)| Key::with(key.code, key.modifiers | held))
}

proptest! {
    #[test]
    fn no_pasted_byte_can_act(text in hostile(), mode in any_mode(), discipline in discipline()) {
        let Ok(sent) = paste(&text, &mode, discipline, &[]) else {
            prop_assert!(discipline == Discipline::Canonical && text.len() > CANONICAL_LIMIT / 4);
            return Ok(());
        };
        let inner = if mode.bracketed_paste {
            let inner = sent.strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(CLOSE));
            prop_assert!(inner.is_some());
            inner.unwrap_or_default()
        } else {
            &sent
        };
        let inner = std::str::from_utf8(inner).expect("a paste of text is text");
        for c in inner.chars().filter(|c| c.is_control()) {
            let is_allowed = match c {
                '\n' => mode.bracketed_paste && discipline == Discipline::Raw,
                '\t' => mode.bracketed_paste || discipline == Discipline::Canonical,
                _ => false,
            };
            prop_assert!(is_allowed, "{c:?} in {inner:?}");
        }
    }

    #[test]
    fn every_visible_character_arrives(text in hostile(), mode in any_mode()) {
        let sent = paste(&text, &mode, Discipline::Raw, &[]).expect("raw pastes have no limit");
        let visible = |text: &str| -> String {
            text.chars().filter(|c| !c.is_control() && *c != ' ').collect()
        };
        let sent = String::from_utf8(sent).expect("a paste of text is text");
        let inner = sent.strip_prefix("\x1b[200~").unwrap_or(&sent);
        let inner = inner.strip_suffix("\x1b[201~").unwrap_or(inner);
        prop_assert_eq!(visible(inner), visible(&text));
    }

    #[test]
    fn names_read_back(key in any_key()) {
        prop_assert_eq!(Key::parse(&key.to_string()), Ok(key));
    }

    #[test]
    fn every_key_sends_something(key in any_key(), mode in any_mode()) {
        prop_assert!(!encode(&key, &mode).is_empty());
    }

    #[test]
    fn parsing_never_panics(word in ".{0,12}") {
        let _ = Key::parse(&word);
    }
}
