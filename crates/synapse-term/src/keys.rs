//! Keys and pastes, turned into the bytes a program expects in the keyboard mode it asked for.
//!
//! A key is named as tmux names it; what it becomes depends on what the program switched on. Text
//! that comes from elsewhere goes through [`paste`], which never lets it act as a key.

use std::ops::BitOr;

mod encode;
mod kitty;
mod name;
mod nearest;
mod paste;

pub use encode::encode;
pub use name::KeyError;
pub use nearest::{meant, nearest};
pub use paste::{CANONICAL_LIMIT, Discipline, PasteError, paste};

/// What the program has asked of its keyboard, as far as it changes what a key sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyboardMode {
    /// DECCKM: unmodified arrows, Home and End come as `SS3` instead of `CSI`.
    pub application_cursor: bool,
    /// DECKPAM: keypad keys are told apart from the same keys elsewhere.
    pub application_keypad: bool,
    /// Mode 2004: pasted text comes between two marks.
    pub bracketed_paste: bool,
    /// Flags of the kitty keyboard protocol in force; zero is the legacy keyboard.
    pub kitty: KittyFlags,
    /// xterm's `modifyOtherKeys`; the kitty flags win over it.
    pub other_keys: OtherKeys,
}

/// The progressive enhancements of the kitty keyboard protocol, as the bits of `CSI > flags u`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct KittyFlags(pub u8);

impl KittyFlags {
    /// Escape and keys with ctrl or alt become `CSI u` sequences.
    pub const DISAMBIGUATE: Self = Self(1);
    /// Repeats and releases are told apart from presses.
    pub const EVENT_TYPES: Self = Self(2);
    /// The shifted key is sent along.
    pub const ALTERNATES: Self = Self(4);
    /// Even keys that type text become `CSI u` sequences.
    pub const ALL_KEYS: Self = Self(8);
    /// The text a key types is sent along.
    pub const TEXT: Self = Self(16);

    /// Whether any bit of `other` is on.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for KittyFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// How far xterm's `modifyOtherKeys` goes (`CSI > 4 ; n m`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OtherKeys {
    /// Level 0: every key has its traditional bytes or none.
    #[default]
    Legacy,
    /// Level 1: only keys without traditional bytes get a sequence of their own.
    WithoutLegacy,
    /// Level 2: every key held with a modifier gets a sequence of its own.
    Modified,
}

/// One press of a key: which one, and what is held with it.
///
/// A letter is kept in lower case with [`Modifiers::SHIFT`] for its capital, so `A` and `S-a` are
/// the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key itself.
    pub code: KeyCode,
    /// The modifiers held down.
    pub modifiers: Modifiers,
}

impl Key {
    /// `code` with nothing held.
    pub const fn plain(code: KeyCode) -> Self {
        Self::with(code, Modifiers::NONE)
    }

    /// `code` with `modifiers` held.
    pub const fn with(code: KeyCode, modifiers: Modifiers) -> Self {
        Self { code, modifiers }
    }

    /// The key that types `c`.
    pub fn typing(c: char) -> Self {
        match lower(c) {
            Some(small) => Self::with(KeyCode::Char(small), Modifiers::SHIFT),
            None => Self::plain(KeyCode::Char(c)),
        }
    }
}

/// A key without its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is the label on its key")]
pub enum KeyCode {
    /// A key that types a character.
    Char(char),
    Enter,
    Escape,
    Tab,
    Backspace,
    Insert,
    Delete,
    Home,
    End,
    PageUp,
    PageDown,
    Up,
    Down,
    Left,
    Right,
    /// F1 to F12.
    Function(u8),
    /// A keypad key by the character on it: a digit or one of `/*-+.`
    Keypad(char),
    KeypadEnter,
}

/// The modifiers held with a key, in the bits all terminal protocols share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers(u8);

impl Modifiers {
    pub const NONE: Self = Self(0);
    /// The shift key.
    pub const SHIFT: Self = Self(1);
    /// The alt (or option, or meta) key.
    pub const ALT: Self = Self(2);
    /// The control key.
    pub const CTRL: Self = Self(4);

    /// Whether all of `other` are held.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether nothing is held.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// What is held without `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The modifiers that the low three bits stand for.
    pub(crate) const fn from_bits(bits: u8) -> Self {
        Self(bits & 7)
    }

    /// The number that stands for these in an escape sequence.
    const fn parameter(self) -> u8 {
        self.0 + 1
    }
}

impl BitOr for Modifiers {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The small letter of a capital, if the two are one key: each must be the other's only case.
pub(crate) fn lower(c: char) -> Option<char> {
    let small = only(c.to_lowercase())?;
    (small != c && upper(small) == Some(c)).then_some(small)
}

/// The capital of a small letter, if it is a single character.
pub(crate) fn upper(c: char) -> Option<char> {
    only(c.to_uppercase()).filter(|capital| *capital != c)
}

fn only(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next()?;
    chars.next().is_none().then_some(first)
}
