//! The emulator's parser, with a short cut for plain text. The emulator looks at each character alone: its width, its
//! character set, whether it wraps, whether it breaks a wide one. For a stretch of printable ASCII that fits into its
//! line, one look is enough.
//!
//! The short cut is taken only where bytes are known to be text. The last character of each stretch is left to the
//! emulator's own parser, which must know it to repeat it.

use std::time::Duration;

use alacritty_terminal::event::EventListener;
use alacritty_terminal::grid::Dimensions as _;
use alacritty_terminal::index::Column;
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::vte::ansi::{CharsetIndex, Processor, StandardCharset, Timeout};
use memchr::memchr;

use super::emulator::Emulator;
use super::unseen;

const ESC: u8 = 0x1b;

/// A shorter stretch is not worth a look.
const SHORTEST: usize = 8;

const CHARSETS: [CharsetIndex; 4] = [
    CharsetIndex::G0,
    CharsetIndex::G1,
    CharsetIndex::G2,
    CharsetIndex::G3,
];

/// Takes what a program prints to the emulator.
pub(super) struct Parser {
    inner: Processor<UpdateClock>,
    /// No sequence is open: what comes is text. False where it is not known.
    is_in_text: bool,
}

impl Parser {
    pub(super) fn new() -> Self {
        Self {
            inner: Processor::new(),
            is_in_text: true,
        }
    }

    /// Takes bytes, as the emulator's own parser would.
    pub(super) fn advance<L: EventListener>(&mut self, emulator: &mut Emulator<L>, bytes: &[u8]) {
        let cols = emulator.term.columns();
        // How much was written, and how much was looked at.
        let (mut done, mut at) = (0, 0);
        while let Some(rest @ [first, ..]) = bytes.get(at..) {
            if *first == ESC {
                let length = control_sequence(rest);
                self.is_in_text = length.is_some();
                at += length.unwrap_or(1);
                continue;
            }
            if !self.is_in_text {
                at += memchr(ESC, rest).unwrap_or(rest.len());
                continue;
            }
            // The parser sees whether a broken character ends when it sees what follows.
            let is_whole = at == done || bytes.get(at - 1).is_some_and(u8::is_ascii);
            if !is_whole {
                at += 1;
                continue;
            }
            let plain = plain_text(rest, cols);
            let (Some((_, text)), SHORTEST..) = (plain.split_last(), plain.len()) else {
                at += plain.len().max(1);
                continue;
            };
            self.pass_on(emulator, bytes.get(done..at).unwrap_or_default());
            done = at;
            match self.write(emulator, text) {
                Some(count) => {
                    done += count;
                    at = done + 1;
                }
                None => at += plain.len(),
            }
        }
        self.pass_on(emulator, bytes.get(done..).unwrap_or_default());
    }

    /// Leaves out lines that are out of sight when `kept` more have come: how many of the bytes that is. What they leave
    /// behind is written.
    pub(super) fn skip_unseen<L: EventListener>(
        &mut self,
        emulator: &mut Emulator<L>,
        bytes: &[u8],
        kept: usize,
    ) -> usize {
        // All that comes scrolls all rows.
        let is_at_end = emulator.scroll_region.is_none()
            && emulator.term.grid().cursor.point.line == emulator.term.bottommost_line()
            && self.is_in_text
            && !self.inner.sync_timeout().pending_timeout();
        let unseen = is_at_end.then(|| unseen::find(bytes, kept)).flatten();
        let Some(unseen) = unseen else { return 0 };
        self.advance(emulator, &unseen.traces);
        unseen.length
    }

    /// Ends a synchronized update.
    pub(super) fn stop_sync<L: EventListener>(&mut self, emulator: &mut Emulator<L>) {
        self.inner.stop_sync(emulator);
    }

    fn pass_on<L: EventListener>(&mut self, emulator: &mut Emulator<L>, bytes: &[u8]) {
        self.inner.advance(emulator, bytes);
    }

    /// Writes the beginning of a stretch of plain text, as far as each character of it only takes the place of another:
    /// how much that is. Nothing where it is more than that.
    fn write<L: EventListener>(&self, emulator: &mut Emulator<L>, text: &[u8]) -> Option<usize> {
        // Inside a synchronized update the parser keeps all that comes.
        if self.inner.sync_timeout().pending_timeout()
            || emulator.term.mode().contains(TermMode::INSERT)
        {
            return None;
        }
        let last = emulator.term.last_column();
        let grid = emulator.term.grid_mut();
        let (charsets, template) = (&grid.cursor.charsets, &grid.cursor.template);
        let is_ascii = |set: &CharsetIndex| charsets[*set] == StandardCharset::Ascii;
        // Colours are in a cell; what is more is beside it, and seldom there.
        if template.extra.is_some() || !CHARSETS.iter().all(is_ascii) {
            return None;
        }
        if grid.cursor.input_needs_wrap {
            return Some(0);
        }
        let (fg, bg, flags) = (template.fg, template.bg, template.flags);
        let from = grid.cursor.point;
        // In the last column a line begins to wrap.
        let fitting = text.len().min(last.0.saturating_sub(from.column.0));
        let row = &mut grid[from.line];
        let wide = Flags::WIDE_CHAR | Flags::WIDE_CHAR_SPACER;
        let cells = &row[from.column..from.column + fitting];
        let is_simple = |cell: &Cell| !cell.flags.intersects(wide) && cell.extra.is_none();
        let simple = cells.iter().position(|cell| !is_simple(cell));
        let count = simple.unwrap_or(fitting);
        let until: Column = from.column + count;
        for (cell, byte) in row[from.column..until].iter_mut().zip(text) {
            cell.c = char::from(*byte);
            cell.fg = fg;
            cell.bg = bg;
            cell.flags = flags;
        }
        grid.cursor.point.column = until;
        Some(count)
    }
}

/// The printable ASCII that comes first; not more than `most`.
fn plain_text(bytes: &[u8], most: usize) -> &[u8] {
    let bytes = bytes.get(..most).unwrap_or(bytes);
    let end = bytes.iter().position(|byte| !matches!(byte, b' '..=b'~'));
    end.and_then(|end| bytes.get(..end)).unwrap_or(bytes)
}

/// The length of the control sequence that comes first, if all of it is here. Text follows it, whatever was before it.
fn control_sequence(bytes: &[u8]) -> Option<usize> {
    let [ESC, b'[', rest @ ..] = bytes else {
        return None;
    };
    let end = rest.iter().position(|byte| !matches!(byte, b' '..=b'?'))?;
    matches!(rest.get(end), Some(b'@'..=b'~')).then_some(end + 3)
}

/// Tells the parser whether a synchronized update is open; the clock is the caller's.
#[derive(Default)]
struct UpdateClock(bool);

impl Timeout for UpdateClock {
    fn set_timeout(&mut self, _: Duration) {
        self.0 = true;
    }

    fn clear_timeout(&mut self) {
        self.0 = false;
    }

    fn pending_timeout(&self) -> bool {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use alacritty_terminal::event::VoidListener;
    use proptest::prelude::*;

    use super::*;
    use crate::screen::{Size, partial_char};

    fn piece() -> impl Strategy<Value = Vec<u8>> {
        let sequences = [
            "\x1b[31;1m",
            "\x1b[0m",
            "\x1b[m",
            "\x1b[4h",
            "\x1b[4l",
            "\x1b[?7l",
            "\x1b[?7h",
            "\x1b[?2026h",
            "\x1b[?2026l",
            "\x1b[3b",
            "\x1b[H",
            "\x1b[2;3H",
            "\x1b[5D",
            "\x1b[K",
            "\x1b[?1049h",
            "\x1b[?1049l",
            "\x1b[2;3r",
            "\x1b7",
            "\x1b8",
            "\x1bM",
            "\x1bc",
            "\x1b(0",
            "\x1b(B",
            "\x1b)0",
            "\x0e",
            "\x0f",
            "\x1b",
            "\x1b[",
            "\x1b[3",
            "\x1b]0;",
            "\x1b]8;id=a;http://x\x1b\\",
            "\x1b]8;;\x1b\\",
            "\x1bP",
            "\x1bX",
            "\x1b\\",
            "\x07",
            "\x18",
            "\x7f",
            "\r",
            "\n",
            "\r\n",
            "\t",
            "\x08",
            "\u{9b}",
            "\u{301}",
        ];
        prop_oneof![
            4 => "[ -~]{1,40}".prop_map(String::into_bytes),
            2 => "[漢字é🙂\u{301}]{1,6}".prop_map(String::into_bytes),
            5 => prop::sample::select(sequences.to_vec()).prop_map(|text| text.as_bytes().to_vec()),
            1 => prop::collection::vec(any::<u8>(), 1..3),
        ]
    }

    proptest! {
        #[test]
        fn the_short_cut_changes_nothing(
            (cols, rows) in (1_u64..30, 1_u64..6),
            pieces in prop::collection::vec(piece(), 0..40),
            length in 1_usize..60,
        ) {
            let text = pieces.concat();
            let size = Size::nearest(cols, rows);
            let mut plain = Emulator::new(size, VoidListener);
            let mut short = Emulator::new(size, VoidListener);
            let (mut processor, mut parser) = (Processor::<UpdateClock>::new(), Parser::new());
            let mut rest = text.as_slice();
            while !rest.is_empty() {
                let (piece, _) = rest.split_at(length.min(rest.len()));
                // Characters come whole.
                let whole = rest.len() - partial_char(rest);
                let length = piece.len() - partial_char(piece);
                let (piece, after) = rest.split_at(if length == 0 { whole } else { length });
                if piece.is_empty() {
                    break;
                }
                processor.advance(&mut plain, piece);
                parser.advance(&mut short, piece);
                prop_assert_eq!(&plain.term.grid().cursor, &short.term.grid().cursor);
                rest = after;
            }
            prop_assert_eq!(plain.term.mode(), short.term.mode());
            // What is not seen yet may still show.
            for last in ["", "\x1b\\\x1b[?2026l", "\x1b[2b"] {
                processor.advance(&mut plain, last.as_bytes());
                parser.advance(&mut short, last.as_bytes());
                plain.term.grid_mut().truncate();
                short.term.grid_mut().truncate();
                prop_assert_eq!(plain.term.grid(), short.term.grid());
            }
        }
    }

    fn line() -> impl Strategy<Value = String> {
        let parts = [
            "\x1b[31m",
            "\x1b[0m",
            "\x1b[m",
            "\x1b[1;4m",
            "\x1b[K",
            "漢字",
            "\t",
            "\x08",
            "\n",
            "\r",
        ];
        let odd = [
            "\x1b[2J",
            "\x1b[H",
            "\x07",
            "\x1b(0",
            "\u{9b}",
            "\x1b[?1049h",
            "\x1b[2;3r",
            "\x0e",
            "\x1b[4h",
        ];
        let part = prop_oneof![
            60 => "[ -~]{0,20}",
            40 => prop::sample::select(parts.to_vec()).prop_map(str::to_owned),
            1 => prop::sample::select(odd.to_vec()).prop_map(str::to_owned),
        ];
        prop::collection::vec(part, 0..4).prop_map(|parts| parts.concat() + "\r\n")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_is_out_of_sight_need_not_be_written(
            lines in prop::collection::vec(line(), 0..12),
            last in "[ -~]{0,9}(\x1b|\x1b\\[|\x1b\\[3|\x1b\\[2b)?",
            times in 1_usize..1_200,
        ) {
            let size = Size::nearest(12, 3);
            let text = lines.concat().repeat(times) + &last;
            let mut plain = Emulator::new(size, VoidListener);
            let mut short = Emulator::new(size, VoidListener);
            let (mut processor, mut parser) = (Processor::<UpdateClock>::new(), Parser::new());
            let kept = crate::screen::emulator::scrollback(size) + 3;
            for piece in ["\n\n\n", text.as_str(), "\x1b[4b", "\r\nend"] {
                processor.advance(&mut plain, piece.as_bytes());
                let skipped = parser.skip_unseen(&mut short, piece.as_bytes(), kept);
                parser.advance(&mut short, &piece.as_bytes()[skipped..]);
                plain.term.grid_mut().truncate();
                short.term.grid_mut().truncate();
                prop_assert_eq!(&plain.term.grid().cursor, &short.term.grid().cursor);
                prop_assert!(plain.term.grid() == short.term.grid());
                prop_assert_eq!(plain.term.mode(), short.term.mode());
            }
        }
    }

    #[test]
    fn of_a_flood_only_the_end_is_written() {
        let line = "\x1b[32mfine\x1b[0m line\r\n".repeat(10_000);
        let unseen = unseen::find(line.as_bytes(), 2_024).unwrap();
        assert_eq!(unseen.length, line.len() / 10_000 * (10_000 - 2_024));
        assert_eq!(unseen.traces, b"e\x1b[0m\r");
        for odd in ["\x1b[2J", "\x07", "\x1b]0;title\x07", "\x1b[5A"] {
            assert_eq!(unseen::find((line.clone() + odd).as_bytes(), 2_024), None);
        }
    }

    #[test]
    fn a_long_line_takes_the_short_cut_up_to_its_last_column() {
        let mut emulator = Emulator::new(Size::USUAL, VoidListener);
        let parser = Parser::new();
        let text = [b'x'; 200];
        assert_eq!(parser.write(&mut emulator, &text), Some(79));
        emulator.term.grid_mut().cursor.input_needs_wrap = true;
        assert_eq!(parser.write(&mut emulator, &text), Some(0));
    }
}
