//! How much work bytes may be for the emulator. A screen can be cleared with four bytes, so the length of what a
//! program prints says little of how long it takes.
//!
//! The measure is in cells, and an upper bound: what it does not know may touch the whole screen. It goes byte by byte
//! and keeps where it is in a sequence, so the pieces in which bytes come do not matter.

use memchr::memchr;

use super::Size;

const ESC: u8 = 0x1b;

/// The work that is done before anybody else has a turn: some milliseconds.
const PORTION: usize = 4 << 20;

/// Measures the work of what a program prints.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    state: WorkState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum WorkState {
    #[default]
    Text,
    Escape,
    Control,
    /// A control sequence that began with `?`: modes, and several at once.
    Private,
}

impl Meter {
    /// The length of the longest beginning that is no more work than one portion; at least one byte, if there is one.
    /// What comes next is what follows it.
    pub fn portion(&mut self, bytes: &[u8], size: Size) -> usize {
        let (mut left, mut at) = (PORTION, 0);
        // The text at hand does not fit: the end of the portion is in it.
        let mut is_full = false;
        while let Some(rest @ [byte, ..]) = bytes.get(at..) {
            if self.state == WorkState::Text && *byte != ESC && !is_full {
                let text = rest.get(..memchr(ESC, rest).unwrap_or(rest.len()));
                let text = text.unwrap_or_default();
                let cost = text_cost(text, size);
                is_full = cost > left;
                if !is_full {
                    left -= cost;
                    at += text.len();
                    continue;
                }
            }
            let before = *self;
            let cost = self.cost(*byte, size);
            if cost > left && at > 0 {
                *self = before;
                return at;
            }
            left = left.saturating_sub(cost);
            at += 1;
        }
        bytes.len()
    }

    /// The most cells that this byte, behind those before it, makes the emulator touch.
    pub(super) fn cost(&mut self, byte: u8, size: Size) -> usize {
        let (cols, rows) = (usize::from(size.cols()), usize::from(size.rows()));
        let (line, screen) = (cols + rows, cols * rows);
        let (next, cost) = match (self.state, byte) {
            (_, ESC) | (WorkState::Escape, 0x20..=0x2f) => (WorkState::Escape, 1),
            // These end a sequence, whatever it is.
            (_, 0x18 | 0x1a) => (WorkState::Text, 1),
            // Line ends are obeyed inside sequences too.
            (state, b'\n' | 0x0b | 0x0c) => (state, line),
            (WorkState::Text, _)
            | (_, 0..=0x1f | 0x7f..)
            | (WorkState::Control, b' '..=b'>')
            | (WorkState::Private, b' '..=b':' | b'<'..=b'?') => (self.state, 1),
            (WorkState::Escape, b'[') => (WorkState::Control, 1),
            (WorkState::Control, b'?') => (WorkState::Private, 1),
            // Each parameter may be a mode of its own.
            (WorkState::Private, b';') => (WorkState::Private, screen),
            // Colours, the cursor, reports, and what stays within a line.
            (
                WorkState::Control,
                b'@'..=b'H' | b'K' | b'P' | b'X' | b'd' | b'f' | b'm' | b'n' | b't' | b'u',
            ) => (WorkState::Text, line),
            (WorkState::Escape | WorkState::Control | WorkState::Private, _) => {
                (WorkState::Text, screen)
            }
        };
        self.state = next;
        cost
    }
}

/// The cells that text without sequences makes the emulator touch.
fn text_cost(text: &[u8], size: Size) -> usize {
    let ends_line = |byte: &&u8| matches!(byte, b'\n' | 0x0b | 0x0c);
    let lines = text.iter().filter(ends_line).count();
    text.len() + lines * (usize::from(size.cols()) + usize::from(size.rows()) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often a screen is cleared, filled or moved in each portion.
    fn portions(unit: &[u8], times: usize, size: Size) -> Vec<usize> {
        let bytes = unit.repeat(times);
        let (mut meter, mut rest) = (Meter::default(), bytes.as_slice());
        let mut lengths = Vec::new();
        while !rest.is_empty() {
            let (portion, left) = rest.split_at(meter.portion(rest, size));
            lengths.push(portion.len() / unit.len());
            rest = left;
        }
        lengths
    }

    #[test]
    fn what_touches_the_whole_screen_comes_a_few_at_a_time() {
        let largest = Size::nearest(u64::MAX, u64::MAX);
        for unit in [
            &b"\x1b[2J"[..],
            b"\x1b[?1049h\x1b[?1049l",
            b"\x1bc",
            b"\x1b#8",
            b"\x1b[9999L",
            b"\x1b[9999M",
            b"\x1b[9999S",
            b"\x1b[9999T",
            b"\x1b[500000b",
            b"\x1b[?3h",
        ] {
            let lengths = portions(unit, 1_000, largest);
            assert!(
                lengths.iter().all(|times| *times <= 9),
                "{unit:?}: {lengths:?}"
            );
        }
        // Several modes in one sequence.
        let unit = b"\x1b[?1049;1049;1049;1049h";
        assert!(
            portions(unit, 1_000, largest)
                .iter()
                .all(|times| *times <= 3)
        );
        // On an ordinary screen there are many in a portion, and still an end to it.
        let lengths = portions(b"\x1b[2J", 16 << 10, Size::USUAL);
        assert!(
            lengths.len() >= 7 && lengths.iter().all(|times| *times <= 2_200),
            "{lengths:?}"
        );
    }

    #[test]
    fn ordinary_output_comes_whole() {
        let line = "\x1b[1;32mok\x1b[0m   Compiling synapse v0.1.0 (hello, world)\r\n".as_bytes();
        assert_eq!(portions(line, 1_000, Size::USUAL), [1_000]);
        let colours = b"\x1b[38;2;10;20;30;48;2;1;2;3mx";
        assert_eq!(portions(colours, 2_000, Size::USUAL), [2_000]);
        assert_eq!(portions(&[b'x'; 1_024], 64, Size::USUAL), [64]);
    }

    #[test]
    fn a_portion_is_what_its_bytes_cost_one_by_one() {
        let unit = b"text\x0b and more\r\n\x1b[31mred\n\x1b[2J\x1b]0;title\n\x07\x18x\n\n";
        let bytes = unit.repeat(4_000);
        for size in [Size::USUAL, Size::nearest(u64::MAX, u64::MAX)] {
            let (mut meter, mut single) = (Meter::default(), Meter::default());
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let (portion, left) = rest.split_at(meter.portion(rest, size));
                let cost = |meter: &mut Meter, bytes: &[u8]| -> usize {
                    bytes.iter().map(|byte| meter.cost(*byte, size)).sum()
                };
                let taken = cost(&mut single, portion);
                assert!(taken <= PORTION || portion.len() == 1);
                assert_eq!(meter.state, single.state);
                if let Some(next) = left.get(..1) {
                    assert!(taken + cost(&mut single.clone(), next) > PORTION);
                }
                rest = left;
            }
        }
    }

    #[test]
    fn pieces_do_not_matter() {
        let bytes = b"text\x1b[2J\x1b[?1049;25h\nmore\x1b(B\x1b]0;title\x07\x1b[1;2H\x18x\x1bc";
        let total = |pieces: usize| {
            let mut meter = Meter::default();
            let costs = bytes.chunks(pieces).flat_map(|piece| {
                piece
                    .iter()
                    .map(|byte| meter.cost(*byte, Size::USUAL))
                    .collect::<Vec<_>>()
            });
            costs.sum::<usize>()
        };
        assert_eq!(total(1), total(bytes.len()));
    }
}
