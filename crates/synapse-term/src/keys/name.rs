//! The names of keys: tmux's own (`C-c`, `BSpace`, `PPage`) and the long ones (`ctrl-c`, `esc`).
//!
//! Names and modifiers may be in any case; a single character means itself. With ctrl the case
//! of a letter says nothing, as in tmux: `C-A` is `C-a`, its capital is `C-S-a`.

use std::fmt;
use std::str::FromStr;

use super::{Key, KeyCode, Modifiers, lower, meant, upper};

/// Every named key; the first name of a key is the one shown.
const NAMES: &[(&str, KeyCode)] = &[
    ("Enter", KeyCode::Enter),
    ("Return", KeyCode::Enter),
    ("Escape", KeyCode::Escape),
    ("Esc", KeyCode::Escape),
    ("Tab", KeyCode::Tab),
    ("Space", KeyCode::Char(' ')),
    ("BSpace", KeyCode::Backspace),
    ("Backspace", KeyCode::Backspace),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PPage", KeyCode::PageUp),
    ("PageUp", KeyCode::PageUp),
    ("PgUp", KeyCode::PageUp),
    ("NPage", KeyCode::PageDown),
    ("PageDown", KeyCode::PageDown),
    ("PgDn", KeyCode::PageDown),
    ("IC", KeyCode::Insert),
    ("Insert", KeyCode::Insert),
    ("DC", KeyCode::Delete),
    ("Delete", KeyCode::Delete),
    ("Del", KeyCode::Delete),
    ("F1", KeyCode::Function(1)),
    ("F2", KeyCode::Function(2)),
    ("F3", KeyCode::Function(3)),
    ("F4", KeyCode::Function(4)),
    ("F5", KeyCode::Function(5)),
    ("F6", KeyCode::Function(6)),
    ("F7", KeyCode::Function(7)),
    ("F8", KeyCode::Function(8)),
    ("F9", KeyCode::Function(9)),
    ("F10", KeyCode::Function(10)),
    ("F11", KeyCode::Function(11)),
    ("F12", KeyCode::Function(12)),
    ("KP0", KeyCode::Keypad('0')),
    ("KP1", KeyCode::Keypad('1')),
    ("KP2", KeyCode::Keypad('2')),
    ("KP3", KeyCode::Keypad('3')),
    ("KP4", KeyCode::Keypad('4')),
    ("KP5", KeyCode::Keypad('5')),
    ("KP6", KeyCode::Keypad('6')),
    ("KP7", KeyCode::Keypad('7')),
    ("KP8", KeyCode::Keypad('8')),
    ("KP9", KeyCode::Keypad('9')),
    ("KP/", KeyCode::Keypad('/')),
    ("KP*", KeyCode::Keypad('*')),
    ("KP-", KeyCode::Keypad('-')),
    ("KP+", KeyCode::Keypad('+')),
    ("KP.", KeyCode::Keypad('.')),
    ("KPEnter", KeyCode::KeypadEnter),
];

/// The one name that holds a modifier of its own.
const BACK_TAB: &str = "BTab";

/// What to say to a word that is like no key.
const KINDS: &str = "there are single characters, Enter, Escape, Tab, BTab, Space, BSpace, Up, Down, Left, Right, Home, \
                     End, PageUp, PageDown, Insert, Delete and F1 to F12";

/// Why a word is not the name of a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Nothing, or nothing after the modifiers.
    #[error("\"{word}\" names no key")]
    Missing { word: String },
    /// A word that is no key.
    #[error("no key is called \"{word}\"; {}", hint(.nearest.as_deref()))]
    Unknown {
        word: String,
        /// The name that it is a slip of, with the same modifiers.
        nearest: Option<String>,
    },
    /// A prefix that is no modifier.
    #[error("\"{modifier}\" in \"{word}\" is no modifier; use C- (ctrl), M- (alt) or S- (shift)")]
    UnknownModifier {
        word: String,
        /// The part that should have been a modifier.
        modifier: String,
    },
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(|| KINDS.to_owned(), |name| format!("the nearest is {name}"))
}

impl Key {
    /// The key called `word`.
    ///
    /// # Errors
    /// When no key is called that; the error knows a name that is near.
    pub fn parse(word: &str) -> Result<Self, KeyError> {
        let (modifiers, name) = split_modifiers(word)?;
        if name.is_empty() {
            return Err(KeyError::Missing {
                word: word.to_owned(),
            });
        }
        let key = single(name, modifiers).or_else(|| named(name, modifiers));
        key.ok_or_else(|| {
            let names = NAMES.iter().map(|(name, _)| *name).chain([BACK_TAB]);
            let prefix = word.strip_suffix(name).unwrap_or_default();
            KeyError::Unknown {
                word: word.to_owned(),
                nearest: meant(name, names).map(|near| format!("{prefix}{near}")),
            }
        })
    }
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(word: &str) -> Result<Self, KeyError> {
        Self::parse(word)
    }
}

/// A name that [`Key::parse`] reads back as the same key.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut modifiers = self.modifiers;
        let mut code = self.code;
        if let KeyCode::Char(c) = code
            && modifiers.contains(Modifiers::SHIFT)
            && !modifiers.contains(Modifiers::CTRL)
            && let Some(capital) = upper(c)
        {
            code = KeyCode::Char(capital);
            modifiers = modifiers.without(Modifiers::SHIFT);
        }
        for (modifier, prefix) in [
            (Modifiers::CTRL, "C-"),
            (Modifiers::ALT, "M-"),
            (Modifiers::SHIFT, "S-"),
        ] {
            if modifiers.contains(modifier) {
                f.write_str(prefix)?;
            }
        }
        match (NAMES.iter().find(|(_, named)| *named == code), code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, KeyCode::Char(c)) => write!(f, "{c}"),
            (None, _) => f.write_str("Unknown"),
        }
    }
}

/// The modifiers in front of a name, and the name.
fn split_modifiers(word: &str) -> Result<(Modifiers, &str), KeyError> {
    let mut modifiers = Modifiers::NONE;
    let mut rest = word;
    if let Some(after) = word.strip_prefix('^').filter(|after| !after.is_empty()) {
        modifiers = Modifiers::CTRL;
        rest = after;
    }
    loop {
        // A name may itself be, or end in, a joining sign: `-`, `C-+`, `KP-`.
        let Some((prefix, after)) = rest
            .split_once(['-', '+'])
            .filter(|(prefix, after)| !prefix.is_empty() && !is_keypad_sign(prefix, after))
        else {
            return Ok((modifiers, rest));
        };
        let Some(modifier) = modifier(prefix) else {
            return Err(KeyError::UnknownModifier {
                word: word.to_owned(),
                modifier: prefix.to_owned(),
            });
        };
        modifiers = modifiers | modifier;
        rest = after;
    }
}

fn is_keypad_sign(prefix: &str, after: &str) -> bool {
    after.is_empty() && prefix.eq_ignore_ascii_case("kp")
}

fn modifier(word: &str) -> Option<Modifiers> {
    match word.to_ascii_lowercase().as_str() {
        "c" | "ctrl" | "control" => Some(Modifiers::CTRL),
        "m" | "meta" | "alt" | "option" => Some(Modifiers::ALT),
        "s" | "shift" => Some(Modifiers::SHIFT),
        _ => None,
    }
}

/// A name of one character, which means itself.
fn single(name: &str, modifiers: Modifiers) -> Option<Key> {
    let c = super::only(name.chars()).filter(|c| !c.is_control())?;
    let key = if modifiers.contains(Modifiers::CTRL) {
        Key::plain(KeyCode::Char(lower(c).unwrap_or(c)))
    } else {
        Key::typing(c)
    };
    Some(Key::with(key.code, key.modifiers | modifiers))
}

fn named(name: &str, modifiers: Modifiers) -> Option<Key> {
    if name.eq_ignore_ascii_case(BACK_TAB) {
        return Some(Key::with(KeyCode::Tab, modifiers | Modifiers::SHIFT));
    }
    let (_, code) = NAMES
        .iter()
        .find(|(known, _)| name.eq_ignore_ascii_case(known))?;
    Some(Key::with(*code, modifiers))
}
