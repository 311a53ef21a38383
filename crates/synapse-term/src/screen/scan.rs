//! Finds, beside the emulator, the sequences it swallows without telling anyone: notifications,
//! prompt marks, agent states, the edges of synchronized updates and of the alternate screen.
//!
//! The scanner never changes a byte. It is incremental: any split of the input finds the same
//! things at the same places.

use memchr::memchr;

/// An OSC or CSI longer than this is none of ours.
const LONGEST: usize = 4_096;

/// What a program says on the channel may hold a file; longer than this it is none of ours either.
const LONGEST_WORD: usize = 2 << 20;

/// How such a word begins.
const WORD: &[u8] = b"7710;";

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;

/// What the scanner saw, and where the input must be cut for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A synchronized update begins (mode 2026 set).
    SyncBegins,
    /// A synchronized update ends: the screen is a finished frame right after this byte.
    SyncEnds,
    /// The alternate screen is about to be entered; the cut is before the final byte.
    EntersAlternate,
    /// The scroll region was set: top and bottom, as sent (0 = not given).
    ScrollRegion(u16, u16),
    /// The terminal was reset (RIS or DECSTR).
    Reset,
    /// XTVERSION was asked.
    VersionQuery,
    /// An OSC with its number and text.
    Osc(u32, String),
}

/// Where in a sequence the scanner is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    Escape,
    /// Behind ESC and an intermediate byte, as in the choice of a character set.
    Intermediate,
    Csi,
    Osc,
    OscEscape,
    /// DCS, SOS, PM or APC: skipped to its end.
    Text,
    TextEscape,
}

/// The state between two feeds.
#[derive(Clone, Debug, Default)]
pub(super) struct Scanner {
    state: State,
    held: Vec<u8>,
}

impl Scanner {
    /// Whether no sequence has been begun.
    pub(super) fn is_at_rest(&self) -> bool {
        self.state == State::Ground
    }

    /// Looks for the next thing in `bytes[from..]`. Returns it with the offset at which the input
    /// must be cut: everything before goes to the emulator first.
    pub(super) fn next(&mut self, bytes: &[u8], from: usize) -> Option<(usize, usize, Found)> {
        let mut at = from;
        while at < bytes.len() {
            if self.state == State::Ground {
                at += memchr(ESC, bytes.get(at..)?)? + 1;
                self.state = State::Escape;
                continue;
            }
            let byte = *bytes.get(at)?;
            at += 1;
            if let Some(found) = self.step(byte) {
                let cut = if found == Found::EntersAlternate {
                    at - 1
                } else {
                    at
                };
                return Some((cut, at, found));
            }
        }
        None
    }

    fn step(&mut self, byte: u8) -> Option<Found> {
        match (self.state, byte) {
            (_, CAN | SUB) | (State::TextEscape, b'\\') => self.state = State::Ground,
            (State::Osc, ESC) => self.state = State::OscEscape,
            (State::Text, ESC) => self.state = State::TextEscape,
            (State::OscEscape, b'\\') | (State::Osc, BEL) => {
                self.state = State::Ground;
                return self.finish_osc();
            }
            // Anything but `\` after ESC begins a sequence of its own.
            (State::Escape | State::OscEscape | State::TextEscape, _) => return self.enter(byte),
            (State::Csi | State::Intermediate, ESC) => self.state = State::Escape,
            (State::Intermediate, 0x30..=0x7e) => self.state = State::Ground,
            (State::Csi, 0x40..=0x7e) => {
                self.state = State::Ground;
                return self.finish_csi(byte);
            }
            (State::Csi, 0x20..=0x3f) | (State::Osc, _) => self.hold(byte),
            (State::Csi | State::Intermediate | State::Ground | State::Text, _) => {}
        }
        None
    }

    fn enter(&mut self, byte: u8) -> Option<Found> {
        self.held.clear();
        self.state = match byte {
            b'[' => State::Csi,
            b']' => State::Osc,
            b'P' | b'X' | b'^' | b'_' => State::Text,
            0x20..=0x2f => State::Intermediate,
            0x30..=0x7e => State::Ground,
            // Controls are obeyed on the way, and what is not ASCII is skipped.
            _ => State::Escape,
        };
        (byte == b'c').then_some(Found::Reset)
    }

    fn hold(&mut self, byte: u8) {
        if self.held.len() <= self.longest() {
            self.held.push(byte);
        }
    }

    fn longest(&self) -> usize {
        if self.held.starts_with(WORD) {
            LONGEST_WORD
        } else {
            LONGEST
        }
    }

    fn finish_csi(&mut self, last: u8) -> Option<Found> {
        match (self.held.as_slice(), last) {
            (b"?2026", b'h') => Some(Found::SyncBegins),
            (b"?2026", b'l') => Some(Found::SyncEnds),
            (b"!", b'p') => Some(Found::Reset),
            (b">" | b">0", b'q') => Some(Found::VersionQuery),
            ([b'?', modes @ ..], b'h') => modes
                .split(|byte| *byte == b';')
                .any(|mode| matches!(mode, b"1049" | b"1047" | b"47"))
                .then_some(Found::EntersAlternate),
            (params, b'r') if params.iter().all(|b| b.is_ascii_digit() || *b == b';') => {
                let mut numbers = params.split(|b| *b == b';').map(number);
                let top = numbers.next().unwrap_or(0);
                Some(Found::ScrollRegion(top, numbers.next().unwrap_or(0)))
            }
            _ => None,
        }
    }

    fn finish_osc(&mut self) -> Option<Found> {
        if self.held.len() > self.longest() {
            return None;
        }
        let text = String::from_utf8_lossy(&self.held);
        let (number, rest) = text.split_once(';').unwrap_or((&text, ""));
        Some(Found::Osc(number.parse().ok()?, rest.to_owned()))
    }
}

fn number(digits: &[u8]) -> u16 {
    digits.iter().fold(0u16, |sum, d| {
        sum.saturating_mul(10).saturating_add(u16::from(d - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], split: usize) -> Vec<Found> {
        let mut scanner = Scanner::default();
        let mut found = Vec::new();
        for piece in bytes.chunks(split) {
            let mut from = 0;
            while let Some((_, next, what)) = scanner.next(piece, from) {
                found.push(what);
                from = next;
            }
        }
        found
    }

    #[test]
    fn finds_the_same_whatever_the_split() {
        let bytes = b"a\x1b]7501;state=idle\x1b\\b\x1b[?2026hx\x1b[?2026l\x1b]9;hi\x07\
                      \x1b[?25;1049h\x1b[2;9r\x1bP>|\x1b]9;inside dcs\x07\x1b\\\x1b[>0q\x1bc";
        let whole = all(bytes, bytes.len());
        assert_eq!(whole.first(), Some(&Found::Osc(7501, "state=idle".into())));
        assert!(whole.contains(&Found::ScrollRegion(2, 9)));
        assert!(whole.contains(&Found::EntersAlternate));
        assert!(whole.contains(&Found::VersionQuery));
        for split in 1..bytes.len() {
            assert_eq!(all(bytes, split), whole, "split {split}");
        }
    }

    #[test]
    fn a_cancelled_sequence_is_forgotten() {
        assert!(all(b"\x1b]9;half\x18\x1b[?20\x1a26h", 1).is_empty());
    }
}
