//! What a finished `CSI` or `SS3` sequence from a terminal means.

use super::lexer::Input;
use crate::keys::{Key, KeyCode, Modifiers, lower, upper};

/// The codes of the Enter key: the main one, and that of the keypad.
const ENTER_CODES: [&[u8]; 2] = [b"13", b"57414"];

/// Lock keys do not change what a key does.
const LOCKS: u32 = CAPS_LOCK | 128;
const CAPS_LOCK: u32 = 64;

/// The event type of a key let go.
const RELEASE: u32 = 3;

/// Whether a sequence with these parameters so far could end as the Enter key.
pub(super) fn may_become_enter(parameters: &[u8]) -> bool {
    let digits = parameters
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (code, rest) = parameters
        .split_at_checked(digits)
        .unwrap_or((parameters, &[]));
    ENTER_CODES
        .iter()
        .any(|enter| *enter == code || (rest.is_empty() && enter.starts_with(code)))
}

/// Reads `ESC O letter`.
pub(super) fn ss3(letter: u8) -> Input {
    match letter {
        b'M' => Input::Key(Key::plain(KeyCode::Enter)),
        b'I' => Input::Key(Key::plain(KeyCode::Tab)),
        b'X' => typed('='),
        b'j'..=b'o' => typed(char::from(letter - b'j' + b'*')),
        b'p'..=b'y' => typed(char::from(letter - b'p' + b'0')),
        _ => by_letter(letter).map_or(Input::Foreign, |code| Input::Key(Key::plain(code))),
    }
}

/// Reads `CSI parameters letter`.
pub(super) fn read(parameters: &[u8], letter: u8) -> Input {
    // Keys have neither a private mark nor an intermediate byte; answers and mouse reports do.
    let is_private = matches!(parameters.first(), Some(b'<'..=b'?'));
    if is_private || parameters.iter().any(|byte| matches!(byte, 0x20..=0x2f)) {
        return Input::Silent;
    }
    let Ok(parameters) = str::from_utf8(parameters) else {
        return Input::Foreign;
    };
    let has_parameters = !parameters.is_empty();
    match letter {
        b'I' | b'O' if !has_parameters => Input::Silent,
        b'R' | b'M' if has_parameters => Input::Silent,
        b'c' | b'n' | b't' | b'x' | b'y' => Input::Silent,
        b'~' if number(parameters, 0, 0) == Some(201) => Input::Silent,
        _ => press(parameters, letter),
    }
}

fn press(parameters: &str, letter: u8) -> Input {
    if number(parameters, 1, 1) == Some(RELEASE) {
        return Input::Silent;
    }
    // Super, hyper and meta: what they do is up to each program.
    let Some(held) = held(parameters).filter(|held| held & !LOCKS <= 7) else {
        return Input::Foreign;
    };
    let modifiers = Modifiers::from_bits(held as u8);
    let code = match letter {
        b'u' => return coded(parameters, number(parameters, 0, 0), held),
        b'~' => match number(parameters, 0, 0) {
            Some(27) => return coded("", number(parameters, 2, 0), held),
            Some(1 | 7) => Some(KeyCode::Home),
            Some(4 | 8) => Some(KeyCode::End),
            Some(2) => Some(KeyCode::Insert),
            Some(3) => Some(KeyCode::Delete),
            Some(5) => Some(KeyCode::PageUp),
            Some(6) => Some(KeyCode::PageDown),
            _ => None,
        },
        b'Z' => return Input::Key(Key::with(KeyCode::Tab, modifiers | Modifiers::SHIFT)),
        _ => by_letter(letter),
    };
    code.map_or(Input::Foreign, |code| {
        Input::Key(Key::with(code, modifiers))
    })
}

fn by_letter(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::Function(letter - b'P' + 1),
        _ => return None,
    })
}

/// A key given by its code, as in the kitty protocol and `modifyOtherKeys`.
fn coded(parameters: &str, code: Option<u32>, held: u32) -> Input {
    let modifiers = Modifiers::from_bits(held as u8);
    let key = |code| Input::Key(Key::with(code, modifiers));
    match code.unwrap_or(1) {
        13 | 57_414 => key(KeyCode::Enter),
        27 => key(KeyCode::Escape),
        9 => key(KeyCode::Tab),
        8 | 127 => key(KeyCode::Backspace),
        // The lock keys, the media keys, and the modifiers by themselves.
        57_358..=57_360 | 57_428..=57_454 => Input::Silent,
        digit @ 57_399..=57_408 => character(parameters, digit - 57_399 + u32::from('0'), held),
        57_409 => character(parameters, u32::from('.'), held),
        57_410 => character(parameters, u32::from('/'), held),
        57_411 => character(parameters, u32::from('*'), held),
        57_412 => character(parameters, u32::from('-'), held),
        57_413 => character(parameters, u32::from('+'), held),
        57_415 => character(parameters, u32::from('='), held),
        57_416 => character(parameters, u32::from(','), held),
        57_417 => key(KeyCode::Left),
        57_418 => key(KeyCode::Right),
        57_419 => key(KeyCode::Up),
        57_420 => key(KeyCode::Down),
        57_423 => key(KeyCode::Home),
        57_424 => key(KeyCode::End),
        57_426 => key(KeyCode::Delete),
        0xe000..=0xf8ff => Input::Foreign,
        code => character(parameters, code, held),
    }
}

fn character(parameters: &str, code: u32, held: u32) -> Input {
    let modifiers = Modifiers::from_bits(held as u8);
    let c = char::from_u32(code).filter(|c| !c.is_control());
    if !modifiers.without(Modifiers::SHIFT).is_empty() {
        let Some(c) = c else {
            return Input::Foreign;
        };
        let small = lower(c).unwrap_or(c);
        return Input::Key(Key::with(KeyCode::Char(small), modifiers));
    }
    if let Some(text) = associated_text(parameters) {
        return text;
    }
    match c {
        Some(' ') => typed(' '),
        Some(c) if modifiers.contains(Modifiers::SHIFT) => {
            let is_shifted = lower(c).is_some();
            let shifted = number(parameters, 0, 1)
                .and_then(char::from_u32)
                .or_else(|| if is_shifted { Some(c) } else { upper(c) });
            // Without the alternate, only the layout knows what shift makes of a sign.
            shifted
                .filter(|c| !c.is_control())
                .map_or(Input::Foreign, typed)
        }
        Some(c) if c.is_alphabetic() && held & CAPS_LOCK != 0 => Input::Foreign,
        Some(c) => typed(c),
        None => Input::Foreign,
    }
}

/// The text that came with a key, if any.
fn associated_text(parameters: &str) -> Option<Input> {
    let field = parameters
        .split(';')
        .nth(2)
        .filter(|field| !field.is_empty())?;
    let text: Option<String> = field
        .split(':')
        .map(|code| char::from_u32(code.parse().ok()?).filter(|c| !c.is_control()))
        .collect();
    Some(text.map_or(Input::Foreign, Input::Typed))
}

fn typed(c: char) -> Input {
    Input::Typed(c.into())
}

/// The bits of what was held; nothing when they make no sense.
fn held(parameters: &str) -> Option<u32> {
    match parameters
        .split(';')
        .nth(1)
        .and_then(|field| field.split(':').next())
    {
        None | Some("") => Some(0),
        Some(held) => held.parse::<u32>().ok()?.checked_sub(1),
    }
}

/// Part `part` of field `field`: fields are parted by `;`, their parts by `:`.
fn number(parameters: &str, field: usize, part: usize) -> Option<u32> {
    parameters
        .split(';')
        .nth(field)?
        .split(':')
        .nth(part)?
        .parse()
        .ok()
}
