//! Finds, beside the emulator, the sequences it swallows without telling anyone: notifications,
//! prompt marks, agent states, the edges of synchronized updates; and those it would choke on.
//!
//! It is incremental: any split of the input finds the same things at the same places.

use memchr::memchr;

/// An OSC or CSI longer than this is none of ours, and of an OSC the emulator gets no more: it would keep
/// all of it.
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
pub(super) enum ScanResult {
    /// A synchronized update begins (mode 2026 set).
    SyncBegins,
    /// A synchronized update ends: the screen is a finished frame right after this byte.
    SyncEnds,
    /// XTVERSION was asked.
    VersionQuery,
    /// An OSC with its number and text.
    Osc(u32, String),
    /// The OSC at hand is too long for the emulator, from the cut on.
    Overlong,
    /// That OSC ends; the cut is before what ends it.
    OverlongEnds,
    /// The last character is to be repeated so often; the cut is before the final byte.
    Repeats(u16),
}

/// Where in a sequence the scanner is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ScanState {
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
    state: ScanState,
    held: Vec<u8>,
    /// How long the OSC at hand is.
    length: usize,
    is_skipping: bool,
}

impl Scanner {
    /// Whether no sequence has been begun.
    pub(super) fn is_at_rest(&self) -> bool {
        self.state == ScanState::Ground
    }

    /// Whether what comes next is not for the emulator.
    pub(super) fn is_skipping(&self) -> bool {
        self.is_skipping
    }

    /// Looks for the next thing in `bytes[from..]`. Returns it with the offset at which the input
    /// must be cut: everything before goes to the emulator first.
    pub(super) fn next(&mut self, bytes: &[u8], from: usize) -> Option<(usize, usize, ScanResult)> {
        let mut at = from;
        while at < bytes.len() {
            if self.state == ScanState::Ground {
                at += memchr(ESC, bytes.get(at..)?)? + 1;
                self.state = ScanState::Escape;
                continue;
            }
            let byte = *bytes.get(at)?;
            if self.is_skipping && matches!(byte, ESC | BEL | CAN | SUB) {
                self.is_skipping = false;
                return Some((at, at, ScanResult::OverlongEnds));
            }
            at += 1;
            if let Some(found) = self.step(byte) {
                let cut = match found {
                    ScanResult::Repeats(_) | ScanResult::Overlong => at - 1,
                    _ => at,
                };
                return Some((cut, at, found));
            }
        }
        None
    }

    fn step(&mut self, byte: u8) -> Option<ScanResult> {
        match (self.state, byte) {
            (_, CAN | SUB) | (ScanState::TextEscape, b'\\') => self.state = ScanState::Ground,
            (ScanState::Osc, ESC) => self.state = ScanState::OscEscape,
            (ScanState::Text, ESC) => self.state = ScanState::TextEscape,
            (ScanState::OscEscape, b'\\') | (ScanState::Osc, BEL) => {
                self.state = ScanState::Ground;
                return self.finish_osc();
            }
            // Anything but `\` after ESC begins a sequence of its own.
            (ScanState::Escape | ScanState::OscEscape | ScanState::TextEscape, _) => {
                self.enter(byte);
            }
            (ScanState::Csi | ScanState::Intermediate, ESC) => self.state = ScanState::Escape,
            (ScanState::Intermediate, 0x30..=0x7e) => self.state = ScanState::Ground,
            (ScanState::Csi, 0x40..=0x7e) => {
                self.state = ScanState::Ground;
                return self.finish_csi(byte);
            }
            (ScanState::Csi, 0x20..=0x3f) => self.hold(byte),
            (ScanState::Osc, _) => {
                self.hold(byte);
                self.length = self.length.saturating_add(1);
                if self.length > LONGEST && !self.is_skipping {
                    self.is_skipping = true;
                    return Some(ScanResult::Overlong);
                }
            }
            (ScanState::Csi | ScanState::Intermediate | ScanState::Ground | ScanState::Text, _) => {
            }
        }
        None
    }

    fn enter(&mut self, byte: u8) {
        self.held.clear();
        if self.length > 0 {
            self.length = 0;
            self.held.shrink_to(LONGEST);
        }
        self.state = match byte {
            b'[' => ScanState::Csi,
            b']' => ScanState::Osc,
            b'P' | b'X' | b'^' | b'_' => ScanState::Text,
            0x20..=0x2f => ScanState::Intermediate,
            0x30..=0x7e => ScanState::Ground,
            // Controls are obeyed on the way, and what is not ASCII is skipped.
            _ => ScanState::Escape,
        };
    }

    #[inline]
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

    fn finish_csi(&mut self, last: u8) -> Option<ScanResult> {
        match (self.held.as_slice(), last) {
            (b"?2026", b'l') => Some(ScanResult::SyncEnds),
            (b">" | b">0", b'q') => Some(ScanResult::VersionQuery),
            ([b'?', modes @ ..], b'h') => modes
                .split(|byte| *byte == b';')
                .any(|mode| mode == b"2026")
                .then_some(ScanResult::SyncBegins),
            (count, b'b') => {
                let digits = count.split(|byte| !byte.is_ascii_digit()).next();
                Some(ScanResult::Repeats(digits.map_or(0, number)))
            }
            _ => None,
        }
    }

    fn finish_osc(&mut self) -> Option<ScanResult> {
        if self.held.len() > self.longest() {
            return None;
        }
        let text = String::from_utf8_lossy(&self.held);
        let (number, rest) = text.split_once(';').unwrap_or((&text, ""));
        Some(ScanResult::Osc(number.parse().ok()?, rest.to_owned()))
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

    fn all(bytes: &[u8], split: usize) -> Vec<ScanResult> {
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
                      \x1b[?25;2026h\x1b[2;9r\x1b[70000b\x1bP>|\x1b]9;inside dcs\x07\x1b\\\x1b[>0q\x1bc";
        let whole = all(bytes, bytes.len());
        assert_eq!(
            whole.first(),
            Some(&ScanResult::Osc(7501, "state=idle".into()))
        );
        assert!(whole.contains(&ScanResult::Repeats(u16::MAX)));
        assert!(whole.contains(&ScanResult::VersionQuery));
        for split in 1..bytes.len() {
            assert_eq!(all(bytes, split), whole, "split {split}");
        }
    }

    #[test]
    fn a_cancelled_sequence_is_forgotten() {
        assert!(all(b"\x1b]9;half\x18\x1b[?20\x1a26h", 1).is_empty());
    }
}
