//! A terminal's input, byte by byte: text, keys, pastes, and the terminal's own answers.
//!
//! It keeps no more than one short sequence. Whatever it cannot name is foreign, and the shadow
//! gives up its line.

use std::mem;

use super::csi;
use super::utf8::PartialChar;
use crate::keys::{Key, KeyCode, Modifiers};

const ESC: u8 = 0x1b;
const PASTE_END: &[u8] = b"\x1b[201~";

/// More parameters than any key or answer has.
const LONGEST_SEQUENCE: usize = 256;

/// What a person or their terminal did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A key that typed text.
    Typed(String),
    /// One character of a paste; line ends of all kinds are `\n`.
    Pasted(char),
    /// A key that did something else.
    Key(Key),
    /// A bare LF: Ctrl-J, or an Enter from somewhere that is no terminal.
    LineFeed,
    /// Nothing that concerns the line: an answer, the mouse, the focus, a key let go.
    Silent,
    /// Something not understood, which may have done anything.
    Foreign,
}

/// What became of one byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// More is to come.
    More,
    /// The byte finished something.
    Done(Input),
    /// The byte does not belong to what was begun; push it again.
    Broken(Input),
}

#[derive(Debug, Default)]
pub(crate) struct Lexer {
    state: LexerState,
    char: PartialChar,
    paste: Option<Paste>,
}

#[derive(Debug, Default)]
enum LexerState {
    #[default]
    Ground,
    Escape,
    Csi(Vec<u8>),
    Ss3,
    /// OSC, DCS and their like: everything up to `ST` or BEL.
    Text {
        is_empty: bool,
        saw_escape: bool,
    },
    /// Bytes still to come of an X10 mouse report or a Linux console key.
    Rest {
        bytes: u8,
        then: Input,
    },
}

/// Progress inside a bracketed paste.
#[derive(Debug, Default)]
struct Paste {
    /// How much of the closing mark has been seen.
    matched: usize,
    after_cr: bool,
}

impl Lexer {
    pub(crate) fn push(&mut self, byte: u8) -> Verdict {
        if self.paste.is_some() {
            return self.push_pasted(byte);
        }
        match mem::take(&mut self.state) {
            LexerState::Ground => self.push_ground(byte),
            LexerState::Escape => self.push_escape(byte),
            LexerState::Csi(parameters) => self.push_csi(parameters, byte),
            LexerState::Ss3 => match byte {
                0x20..=0x7e => Verdict::Done(csi::ss3(byte)),
                _ => Verdict::Broken(Input::Foreign),
            },
            LexerState::Text {
                is_empty,
                saw_escape,
            } => self.push_text(is_empty, saw_escape, byte),
            LexerState::Rest { bytes, then } if bytes > 1 => {
                self.state = LexerState::Rest {
                    bytes: bytes - 1,
                    then,
                };
                Verdict::More
            }
            LexerState::Rest { then, .. } => Verdict::Done(then),
        }
    }

    /// Whether what was begun would mean something else if nothing followed.
    pub(super) fn is_waiting(&self) -> bool {
        match &self.state {
            LexerState::Escape | LexerState::Ss3 => true,
            LexerState::Csi(parameters) => parameters.is_empty(),
            LexerState::Text { is_empty, .. } => *is_empty,
            LexerState::Ground | LexerState::Rest { .. } => false,
        }
    }

    /// Takes what was begun for what it is if nothing follows: Escape, or Alt with a letter.
    pub(crate) fn release(&mut self) -> Option<Input> {
        if !self.is_waiting() {
            return None;
        }
        Some(match mem::take(&mut self.state) {
            LexerState::Escape => Input::Key(Key::plain(KeyCode::Escape)),
            _ => Input::Foreign,
        })
    }

    /// Whether what was begun is also how an Enter begins.
    pub(super) fn may_become_enter(&self) -> bool {
        match &self.state {
            LexerState::Escape | LexerState::Ss3 => true,
            LexerState::Csi(parameters) => csi::may_become_enter(parameters),
            LexerState::Ground | LexerState::Text { .. } | LexerState::Rest { .. } => false,
        }
    }

    pub(crate) fn is_in_paste(&self) -> bool {
        self.paste.is_some()
    }

    fn push_ground(&mut self, byte: u8) -> Verdict {
        if self.char.is_begun() || byte >= 0x80 {
            return self.char.push(byte, |c| Input::Typed(c.into()));
        }
        match byte {
            ESC => {
                self.state = LexerState::Escape;
                Verdict::More
            }
            b'\n' => Verdict::Done(Input::LineFeed),
            0x20..=0x7e => Verdict::Done(Input::Typed(char::from(byte).into())),
            _ => Verdict::Done(Input::Key(control_key(byte))),
        }
    }

    fn push_escape(&mut self, byte: u8) -> Verdict {
        self.state = match byte {
            b'[' => LexerState::Csi(Vec::new()),
            b'O' => LexerState::Ss3,
            b'P' | b']' | b'X' | b'^' | b'_' => LexerState::Text {
                is_empty: true,
                saw_escape: false,
            },
            ESC => return Verdict::Broken(Input::Key(Key::plain(KeyCode::Escape))),
            0x80.. => return Verdict::Done(Input::Foreign),
            _ => {
                let key = match byte {
                    0x20..=0x7e => Key::typing(char::from(byte)),
                    _ => control_key(byte),
                };
                let key = Key::with(key.code, key.modifiers | Modifiers::ALT);
                return Verdict::Done(Input::Key(key));
            }
        };
        Verdict::More
    }

    fn push_csi(&mut self, mut parameters: Vec<u8>, byte: u8) -> Verdict {
        match byte {
            0x20..=0x3f if parameters.len() < LONGEST_SEQUENCE => {
                parameters.push(byte);
                self.state = LexerState::Csi(parameters);
                Verdict::More
            }
            0x20..=0x3f => Verdict::Done(Input::Foreign),
            b'M' if parameters.is_empty() => {
                self.state = LexerState::Rest {
                    bytes: 3,
                    then: Input::Silent,
                };
                Verdict::More
            }
            b'[' if parameters.is_empty() => {
                self.state = LexerState::Rest {
                    bytes: 1,
                    then: Input::Foreign,
                };
                Verdict::More
            }
            b'~' if parameters == b"200" => {
                self.paste = Some(Paste::default());
                Verdict::Done(Input::Silent)
            }
            0x40..=0x7e => Verdict::Done(csi::read(&parameters, byte)),
            _ => Verdict::Broken(Input::Foreign),
        }
    }

    fn push_text(&mut self, is_empty: bool, saw_escape: bool, byte: u8) -> Verdict {
        match byte {
            b'\\' if saw_escape => Verdict::Done(Input::Silent),
            // That ESC began something else. It has passed by then, and so has the line.
            _ if saw_escape => {
                self.state = LexerState::Escape;
                Verdict::Broken(Input::Foreign)
            }
            0x07 => Verdict::Done(Input::Silent),
            ESC => {
                self.state = LexerState::Text {
                    is_empty,
                    saw_escape: true,
                };
                Verdict::More
            }
            // No answer holds a control byte: this was Alt with a letter, and typing went on.
            0x00..=0x1f | 0x7f => Verdict::Broken(Input::Foreign),
            _ => {
                self.state = LexerState::Text {
                    is_empty: false,
                    saw_escape: false,
                };
                Verdict::More
            }
        }
    }

    fn push_pasted(&mut self, byte: u8) -> Verdict {
        let Some(paste) = &mut self.paste else {
            return Verdict::Done(Input::Foreign);
        };
        if self.char.is_begun() {
            return self.char.push(byte, Input::Pasted);
        }
        if PASTE_END.get(paste.matched) == Some(&byte) {
            paste.matched += 1;
            if paste.matched == PASTE_END.len() {
                self.paste = None;
                return Verdict::Done(Input::Silent);
            }
            return Verdict::More;
        }
        if mem::take(&mut paste.matched) > 0 {
            return Verdict::Broken(Input::Foreign);
        }
        let after_cr = mem::replace(&mut paste.after_cr, byte == b'\r');
        match byte {
            b'\n' if after_cr => Verdict::Done(Input::Silent),
            b'\r' => Verdict::Done(Input::Pasted('\n')),
            0x80.. => self.char.push(byte, Input::Pasted),
            _ => Verdict::Done(Input::Pasted(char::from(byte))),
        }
    }
}

/// The key behind a control byte. Several share one; the common one is meant.
fn control_key(byte: u8) -> Key {
    match byte {
        b'\r' => Key::plain(KeyCode::Enter),
        b'\t' => Key::plain(KeyCode::Tab),
        0x08 | 0x7f => Key::plain(KeyCode::Backspace),
        0x00 => Key::with(KeyCode::Char(' '), Modifiers::CTRL),
        1..=26 => Key::with(KeyCode::Char(char::from(byte + b'a' - 1)), Modifiers::CTRL),
        _ => Key::with(KeyCode::Char(char::from(byte | 0x40)), Modifiers::CTRL),
    }
}
