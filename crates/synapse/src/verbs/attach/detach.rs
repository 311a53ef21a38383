//! The keys that detach, found among all that is typed. The first are held until the next decides,
//! and nothing else is ever kept from the program.

use std::collections::VecDeque;
use std::str::FromStr;

use synapse_term::keys::{Key, KeyCode, Modifiers};

/// Some keys, pressed one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DetachKeys(Vec<Stroke>);

/// A character, alone or with ctrl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stroke {
    c: char,
    has_ctrl: bool,
}

/// Why a text does not name keys that can detach.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}; name characters, alone or with ctrl-, with commas between: ctrl-],d")]
pub(crate) struct DetachError(String);

impl FromStr for DetachKeys {
    type Err = DetachError;

    fn from_str(text: &str) -> Result<Self, DetachError> {
        let strokes = text.split(',').map(|word| {
            let key = Key::parse(word.trim()).map_err(|error| DetachError(error.to_string()))?;
            stroke(key).ok_or_else(|| DetachError(format!("'{}' cannot detach", word.trim())))
        });
        strokes.collect::<Result<_, _>>().map(Self)
    }
}

fn stroke(key: Key) -> Option<Stroke> {
    let KeyCode::Char(c) = key.code else {
        return None;
    };
    let has_ctrl = key.modifiers.contains(Modifiers::CTRL);
    let has_shift = key.modifiers.contains(Modifiers::SHIFT);
    if key.modifiers.contains(Modifiers::ALT) || has_ctrl && has_shift {
        return None;
    }
    Some(Stroke {
        c: if has_shift { upper(c) } else { c },
        has_ctrl,
    })
}

fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) => upper,
        _ => c,
    }
}

/// Looks for the keys in what is typed.
pub(super) struct Detach {
    keys: DetachKeys,
    /// Those that may turn out to be the beginning of it.
    held: VecDeque<(Stroke, Vec<u8>)>,
}

impl Detach {
    pub(super) fn new(keys: DetachKeys) -> Self {
        Self {
            keys,
            held: VecDeque::new(),
        }
    }

    /// The bytes to pass on, and whether to detach.
    pub(super) fn take(&mut self, mut typed: &[u8]) -> (Vec<u8>, bool) {
        let mut passed = Vec::with_capacity(typed.len());
        while !typed.is_empty() {
            let (bytes, rest) = typed.split_at(token(typed));
            typed = rest;
            let Some(stroke) = read(bytes) else {
                if !is_release(bytes) {
                    self.let_go(&mut passed, 0);
                }
                passed.extend_from_slice(bytes);
                continue;
            };
            self.held.push_back((stroke, bytes.to_vec()));
            while !self.is_beginning() {
                self.let_go(&mut passed, self.held.len() - 1);
            }
            if self.held.len() == self.keys.0.len() {
                self.held.clear();
                return (passed, true);
            }
        }
        (passed, false)
    }

    fn is_beginning(&self) -> bool {
        let held = self.held.iter().map(|(stroke, _)| stroke);
        held.eq(self.keys.0.iter().take(self.held.len()))
    }

    /// Passes on what is held, down to the last few.
    fn let_go(&mut self, passed: &mut Vec<u8>, keep: usize) {
        while self.held.len() > keep {
            if let Some((_, bytes)) = self.held.pop_front() {
                passed.extend(bytes);
            }
        }
    }
}

/// How many bytes the first key has. What is cut off counts as whole: an Escape must not wait.
fn token(typed: &[u8]) -> usize {
    match typed {
        [0x1b, b'[', rest @ ..] => {
            let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte));
            end.map_or(typed.len(), |at| at + 3)
        }
        [0x1b, _, ..] => 2,
        [first, ..] => {
            let length = match first {
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xff => 4,
                _ => 1,
            };
            length.min(typed.len())
        }
        [] => 0,
    }
}

/// The character that was pressed, alone or with ctrl, in whichever way the terminal spells it.
fn read(bytes: &[u8]) -> Option<Stroke> {
    match bytes {
        [byte @ 0..0x20] if *byte != 0x1b => Some(Stroke {
            c: char::from(byte | 0x40).to_ascii_lowercase(),
            has_ctrl: true,
        }),
        [0x1b, b'[', sequence @ .., last] => {
            let (code, modifiers, event) = spelled(sequence, *last)?;
            // What is locked is not held.
            let held = modifiers.checked_sub(1)? & 0b11_1111;
            let c = char::from_u32(code)?;
            match (event, held) {
                (1 | 2, 0) => Some(Stroke { c, has_ctrl: false }),
                (1 | 2, 1) => Some(Stroke {
                    c: upper(c),
                    has_ctrl: false,
                }),
                (1 | 2, 4) => Some(Stroke { c, has_ctrl: true }),
                _ => None,
            }
        }
        _ => {
            let mut chars = std::str::from_utf8(bytes).ok()?.chars();
            let c = chars.next().filter(|c| !c.is_control())?;
            Some(Stroke { c, has_ctrl: false })
        }
    }
}

/// Key, modifiers and kind of event of `CSI code ; modifiers : event u`, or of xterm's
/// `CSI 27 ; modifiers ; code ~`.
fn spelled(sequence: &[u8], last: u8) -> Option<(u32, u32, u32)> {
    let text = std::str::from_utf8(sequence).ok()?;
    let mut parameters = text.split(';').map(|parameter| {
        let mut parts = parameter.split(':');
        (parts.next().unwrap_or(""), parts.next().unwrap_or("1"))
    });
    let first = parameters.next()?;
    let (modifiers, event) = parameters.next().unwrap_or(("1", "1"));
    let code = match (last, first.0) {
        (b'u', code) => code,
        (b'~', "27") => parameters.next()?.0,
        _ => return None,
    };
    let modifiers = if modifiers.is_empty() { "1" } else { modifiers };
    Some((
        code.parse().ok()?,
        modifiers.parse().ok()?,
        event.parse().ok()?,
    ))
}

/// Whether it says that a key was let go, which decides nothing.
fn is_release(bytes: &[u8]) -> bool {
    match bytes {
        [0x1b, b'[', sequence @ .., last] => {
            spelled(sequence, *last).is_some_and(|(_, _, event)| event == 3)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detach(keys: &str) -> Detach {
        Detach::new(keys.parse().unwrap())
    }

    #[test]
    fn only_all_of_the_keys_detach_and_none_is_lost() {
        let mut detach = detach("ctrl-],d");
        assert_eq!(detach.take(b"ab\x1d"), (b"ab".to_vec(), false));
        assert_eq!(detach.take(b"x"), (b"\x1dx".to_vec(), false));
        assert_eq!(detach.take(b"\x1d\x1d"), (b"\x1d".to_vec(), false));
        assert_eq!(detach.take(b"d"), (Vec::new(), true));
        assert_eq!(detach.take(b"c\x1dd"), (b"c".to_vec(), true));
    }

    #[test]
    fn keys_are_found_as_the_kitty_keyboard_spells_them() {
        for typed in [
            "\x1b[93;5ud",
            "\x1b[93;5:1u\x1b[93;5:3u\x1b[100u",
            "\x1b[93;69u\x1b[100;;100u",
            "\x1b[27;5;93~d",
        ] {
            assert!(detach("ctrl-],d").take(typed.as_bytes()).1, "{typed:?}");
        }
        let mut shifted = detach("ctrl-a,D");
        assert!(!shifted.take(b"\x01d").1);
        assert!(shifted.take(b"\x01\x1b[100;2u").1);
    }

    #[test]
    fn an_escape_never_waits_and_no_sequence_is_broken() {
        let mut detach = detach("ctrl-],d");
        for typed in [
            "\x1b",
            "\x1b[A",
            "\x1b[",
            "\x1bd",
            "日本",
            "\x1b[200~d\x1b[201~",
        ] {
            assert_eq!(
                detach.take(typed.as_bytes()),
                (typed.as_bytes().to_vec(), false)
            );
        }
        assert_eq!(detach.take(&[0xe6, 0x97]), (vec![0xe6, 0x97], false));
        assert_eq!(detach.take(b"\x1d\x1b[A"), (b"\x1d\x1b[A".to_vec(), false));
    }

    #[test]
    fn a_key_that_repeats_may_still_be_the_beginning() {
        assert_eq!(detach("a,a,b").take(b"aaab"), (b"a".to_vec(), true));
    }

    #[test]
    fn what_cannot_detach_is_refused_with_what_can() {
        for (keys, said) in [
            ("", "names no key"),
            ("ctrl-],", "names no key"),
            ("ctrl-f1", "cannot detach"),
            ("alt-d", "cannot detach"),
            ("hyper-x", "no modifier"),
            ("escpe", "nearest"),
        ] {
            let error = keys.parse::<DetachKeys>().unwrap_err().to_string();
            assert!(
                error.contains(said) && error.contains("ctrl-],d"),
                "{keys:?}: {error}"
            );
        }
        assert_eq!("C-],d".parse::<DetachKeys>(), "ctrl-], d".parse());
    }
}
