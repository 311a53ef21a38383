//! The kitty keyboard protocol: <https://sw.kovidgoyal.net/kitty/keyboard-protocol/>.
//!
//! Only presses are encoded: a program that asks for event types takes one without a type for a
//! press, and is not waiting for the release.

use std::fmt::Write as _;

use super::encode::{Place, csi_letter, csi_number, place};
use super::{Key, KeyCode, KittyFlags, Modifiers, upper};

/// The code of the first keypad key; the others follow it.
const KEYPAD_ZERO: u32 = 57_399;

/// The bytes of `key`, or nothing where these flags leave the legacy keyboard in force.
pub(super) fn encode(key: &Key, flags: KittyFlags) -> Option<Vec<u8>> {
    let sequences = KittyFlags::DISAMBIGUATE | KittyFlags::ALL_KEYS;
    if let Some(place) = place(key.code) {
        // Whoever handles any of these expects one form of an arrow, whatever the cursor mode.
        return flags
            .has(sequences | KittyFlags::EVENT_TYPES)
            .then(|| match place {
                // `CSI R` is the answer to a cursor position query.
                Place::Letter('R') => csi_number(13, key.modifiers),
                Place::Letter(letter) => csi_letter(letter, key.modifiers),
                Place::Number(number) => csi_number(number, key.modifiers),
            });
    }
    if !flags.has(sequences) {
        return None;
    }
    if !flags.has(KittyFlags::ALL_KEYS) && stays_legacy(key) {
        return None;
    }
    Some(sequence(key, flags))
}

/// What a person needs to type in a shell that inherited the mode from a program that crashed.
fn stays_legacy(key: &Key) -> bool {
    match key.code {
        KeyCode::Char(_) | KeyCode::Keypad(_) => key.modifiers.without(Modifiers::SHIFT).is_empty(),
        KeyCode::Enter | KeyCode::Tab | KeyCode::Backspace => key.modifiers.is_empty(),
        _ => false,
    }
}

/// `CSI code:shifted ; modifiers ; text u`, each part only where it says something.
fn sequence(key: &Key, flags: KittyFlags) -> Vec<u8> {
    let shifted = match key.code {
        KeyCode::Char(c) if key.modifiers.contains(Modifiers::SHIFT) => upper(c),
        _ => None,
    };
    let mut sent = format!("\x1b[{}", code(key.code));
    if let Some(capital) = shifted.filter(|_| flags.has(KittyFlags::ALTERNATES)) {
        push(&mut sent, ':', u32::from(capital));
    }
    let text = match key.code {
        KeyCode::Char(c) | KeyCode::Keypad(c)
            if flags.has(KittyFlags::TEXT)
                && flags.has(KittyFlags::ALL_KEYS)
                && key.modifiers.without(Modifiers::SHIFT).is_empty() =>
        {
            Some(shifted.unwrap_or(c))
        }
        _ => None,
    };
    if !key.modifiers.is_empty() {
        push(&mut sent, ';', u32::from(key.modifiers.parameter()));
    } else if text.is_some() {
        sent.push(';');
    }
    if let Some(c) = text {
        push(&mut sent, ';', u32::from(c));
    }
    sent.push('u');
    sent.into_bytes()
}

fn push(sent: &mut String, separator: char, number: u32) {
    // Writing to a String cannot fail.
    let _ = write!(sent, "{separator}{number}");
}

fn code(code: KeyCode) -> u32 {
    match code {
        KeyCode::Char(c) => u32::from(c),
        KeyCode::Enter => 13,
        KeyCode::Escape => 27,
        KeyCode::Tab => 9,
        KeyCode::Backspace => 127,
        KeyCode::Keypad(c) => match c {
            '.' => KEYPAD_ZERO + 10,
            '/' => KEYPAD_ZERO + 11,
            '*' => KEYPAD_ZERO + 12,
            '-' => KEYPAD_ZERO + 13,
            '+' => KEYPAD_ZERO + 14,
            digit => KEYPAD_ZERO + digit.to_digit(10).unwrap_or(0),
        },
        KeyCode::KeypadEnter => KEYPAD_ZERO + 15,
        // Keys with a place of their own never come here; zero is the protocol's "no known key".
        _ => 0,
    }
}
