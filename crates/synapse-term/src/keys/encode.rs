//! One key press as bytes: the keyboard of xterm, with the kitty protocol laid over it.

use super::{Key, KeyCode, KeyboardMode, Modifiers, OtherKeys, kitty, upper};

pub(super) const ESC: u8 = 0x1b;

/// The bytes `key` sends to a program that has set up its keyboard as `mode` says.
pub fn encode(key: &Key, mode: &KeyboardMode) -> Vec<u8> {
    if let Some(bytes) = kitty::encode(key, mode.kitty) {
        return bytes;
    }
    match key.code {
        KeyCode::Char(c) => character(c, key.modifiers, mode.other_keys),
        KeyCode::Escape => control(ESC, key.modifiers, mode.other_keys),
        KeyCode::Backspace => backspace(key.modifiers, mode.other_keys),
        KeyCode::Tab => tab(key.modifiers, mode.other_keys),
        KeyCode::Keypad(c) => match keypad_final(c).filter(|_| mode.application_keypad) {
            Some(letter) => ss3(letter),
            None => character(c, key.modifiers, mode.other_keys),
        },
        KeyCode::KeypadEnter if mode.application_keypad => ss3('M'),
        KeyCode::Enter | KeyCode::KeypadEnter => control(b'\r', key.modifiers, mode.other_keys),
        code => functional(code, key.modifiers, *mode),
    }
}

/// The sequence of a key that types nothing: arrows, editing keys, function keys.
fn functional(code: KeyCode, modifiers: Modifiers, mode: KeyboardMode) -> Vec<u8> {
    match place(code) {
        Some(Place::Letter(letter)) => {
            let is_function_key = matches!(code, KeyCode::Function(_));
            if modifiers.is_empty() && (is_function_key || mode.application_cursor) {
                ss3(letter)
            } else {
                csi_letter(letter, modifiers)
            }
        }
        Some(Place::Number(number)) => csi_number(number, modifiers),
        None => Vec::new(),
    }
}

/// Where a key that types nothing stands in the tables of all terminals.
pub(super) enum Place {
    /// `CSI letter`, `CSI 1 ; modifiers letter`
    Letter(char),
    /// `CSI number ~`, `CSI number ; modifiers ~`
    Number(u8),
}

pub(super) fn place(code: KeyCode) -> Option<Place> {
    Some(match code {
        KeyCode::Up => Place::Letter('A'),
        KeyCode::Down => Place::Letter('B'),
        KeyCode::Right => Place::Letter('C'),
        KeyCode::Left => Place::Letter('D'),
        KeyCode::End => Place::Letter('F'),
        KeyCode::Home => Place::Letter('H'),
        KeyCode::Function(1) => Place::Letter('P'),
        KeyCode::Function(2) => Place::Letter('Q'),
        KeyCode::Function(3) => Place::Letter('R'),
        KeyCode::Function(4) => Place::Letter('S'),
        KeyCode::Insert => Place::Number(2),
        KeyCode::Delete => Place::Number(3),
        KeyCode::PageUp => Place::Number(5),
        KeyCode::PageDown => Place::Number(6),
        KeyCode::Function(5) => Place::Number(15),
        KeyCode::Function(n @ 6..=10) => Place::Number(n + 11),
        KeyCode::Function(n @ 11..=12) => Place::Number(n + 12),
        _ => return None,
    })
}

pub(super) fn csi_letter(letter: char, modifiers: Modifiers) -> Vec<u8> {
    if modifiers.is_empty() {
        format!("\x1b[{letter}").into_bytes()
    } else {
        format!("\x1b[1;{}{letter}", modifiers.parameter()).into_bytes()
    }
}

pub(super) fn csi_number(number: u8, modifiers: Modifiers) -> Vec<u8> {
    if modifiers.is_empty() {
        format!("\x1b[{number}~").into_bytes()
    } else {
        format!("\x1b[{number};{}~", modifiers.parameter()).into_bytes()
    }
}

fn ss3(letter: char) -> Vec<u8> {
    format!("\x1bO{letter}").into_bytes()
}

fn character(c: char, modifiers: Modifiers, other: OtherKeys) -> Vec<u8> {
    let shifted = match upper(c) {
        Some(capital) if modifiers.contains(Modifiers::SHIFT) => capital,
        _ => c,
    };
    let is_chord = !modifiers.without(Modifiers::SHIFT).is_empty();
    if is_chord && other == OtherKeys::Modified {
        return other_key(u32::from(shifted), modifiers);
    }
    let byte = modifiers
        .contains(Modifiers::CTRL)
        .then(|| control_byte(c))
        .flatten();
    match byte {
        Some(byte) => with_alt(&[byte], modifiers),
        None if modifiers.contains(Modifiers::CTRL) && other == OtherKeys::WithoutLegacy => {
            other_key(u32::from(shifted), modifiers)
        }
        None => with_alt(shifted.encode_utf8(&mut [0; 4]).as_bytes(), modifiers),
    }
}

/// Enter and Escape: shift and ctrl change nothing on the traditional keyboard.
fn control(byte: u8, modifiers: Modifiers, other: OtherKeys) -> Vec<u8> {
    if !modifiers.is_empty() && other == OtherKeys::Modified {
        return other_key(u32::from(byte), modifiers);
    }
    with_alt(&[byte], modifiers)
}

fn backspace(modifiers: Modifiers, other: OtherKeys) -> Vec<u8> {
    if modifiers.contains(Modifiers::CTRL) && other != OtherKeys::Modified {
        return with_alt(&[0x08], modifiers);
    }
    control(0x7f, modifiers, other)
}

fn tab(modifiers: Modifiers, other: OtherKeys) -> Vec<u8> {
    let is_back_tab = modifiers.contains(Modifiers::SHIFT);
    if is_back_tab && (other != OtherKeys::Modified || modifiers == Modifiers::SHIFT) {
        return with_alt(b"\x1b[Z", modifiers);
    }
    control(b'\t', modifiers, other)
}

fn with_alt(bytes: &[u8], modifiers: Modifiers) -> Vec<u8> {
    let mut sent = Vec::with_capacity(bytes.len() + 1);
    if modifiers.contains(Modifiers::ALT) {
        sent.push(ESC);
    }
    sent.extend_from_slice(bytes);
    sent
}

fn other_key(code: u32, modifiers: Modifiers) -> Vec<u8> {
    format!("\x1b[27;{};{code}~", modifiers.parameter()).into_bytes()
}

/// What ctrl makes of a key; the keys missing here are left as they are.
fn control_byte(c: char) -> Option<u8> {
    Some(match c {
        'a'..='z' => c as u8 - b'a' + 1,
        ' ' | '@' | '2' => 0x00,
        '[' | '3' => 0x1b,
        '\\' | '4' => 0x1c,
        ']' | '5' => 0x1d,
        '^' | '~' | '6' => 0x1e,
        '_' | '/' | '7' => 0x1f,
        '?' | '8' => 0x7f,
        _ => return None,
    })
}

fn keypad_final(c: char) -> Option<char> {
    Some(match c {
        '0'..='9' => char::from(c as u8 - b'0' + b'p'),
        '*' => 'j',
        '+' => 'k',
        '-' => 'm',
        '.' => 'n',
        '/' => 'o',
        _ => return None,
    })
}
