//! Rows that fall off the end of the scrollback, kept for whoever follows a conversation.

use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::Line;
use alacritty_terminal::term::{Term, TermMode};

use super::{Screen, emulator, extract};
use crate::frame::Row;

/// How far the scrollback may grow between two looks.
const SLACK: usize = 2_000;

/// Takes rows off a scrollback that is longer than it should be.
#[derive(Debug, Default)]
pub(super) struct ScrollbackTrimmer {
    rows: Option<Vec<Row>>,
    /// The scrollback may be longer than it should be.
    has_slack: bool,
}

impl Screen {
    /// From here on rows that fall off the scrollback are kept, or no longer are.
    pub fn keep_rows(&mut self, is_kept: bool) {
        self.shed.rows = is_kept.then(Vec::new);
        let longest = emulator::scrollback(self.size);
        self.shed.trim(&mut self.emulator.term, longest);
    }

    /// The rows that fell off the scrollback since the last call, the oldest first.
    pub fn take_kept(&mut self) -> Vec<Row> {
        let rows = self.shed.rows.as_mut();
        rows.map(std::mem::take).unwrap_or_default()
    }

    /// Takes the beginning of what the program wrote, if nobody can see anything of it once all of it is written: how
    /// much that is. The rest is to be fed.
    pub fn skip_unseen(&mut self, bytes: &[u8]) -> usize {
        if self.shed.rows.is_some() || !self.is_at_boundary() {
            return 0;
        }
        let slack = if self.shed.has_slack { SLACK } else { 0 };
        let kept = emulator::scrollback(self.size) + slack + usize::from(self.size.rows());
        let mut skipped = 0;
        self.guarded(|emulator, parser| skipped = parser.skip_unseen(emulator, bytes, kept));
        self.is_damaged |= skipped > 0;
        skipped
    }

    /// Takes bytes; no more at once than the scrollback has room for where its rows are kept.
    pub(super) fn advance_by_pieces(&mut self, mut bytes: &[u8]) {
        if self.shed.rows.is_none() {
            return self.guarded(|emulator, parser| parser.advance(emulator, bytes));
        }
        let longest = emulator::scrollback(self.size);
        let (cols, lines) = (usize::from(self.size.cols()), usize::from(self.size.rows()));
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at(ScrollbackTrimmer::piece(bytes, cols, lines));
            self.guarded(|emulator, parser| parser.advance(emulator, piece));
            self.shed.trim(&mut self.emulator.term, longest);
            bytes = rest;
        }
    }
}

impl ScrollbackTrimmer {
    /// The length of the longest beginning of `bytes` that cannot make more rows scroll off than
    /// there is slack.
    fn piece(bytes: &[u8], cols: usize, lines: usize) -> usize {
        let mut budget = (SLACK / 2).saturating_sub(lines) * cols;
        for (at, byte) in bytes.iter().enumerate() {
            let cost = match byte {
                b'\n' | 0x0b | 0x0c | b'D' | b'E' => cols,
                // The last letters of the sequences that scroll or clear a whole screen.
                b'J' | b'S' => cols * lines,
                _ => 1,
            };
            if cost > budget {
                return at.max(1);
            }
            budget -= cost;
        }
        bytes.len()
    }

    /// Keeps what is more than `longest` rows above the screen, and takes it off there.
    fn trim<T>(&mut self, term: &mut Term<T>, longest: usize) {
        let Some(rows) = &mut self.rows else { return };
        if term.mode().contains(TermMode::ALT_SCREEN) {
            return;
        }
        let length = term.grid().history_size();
        if length > longest {
            let line = |row: usize| Line(-i32::try_from(row).unwrap_or(i32::MAX));
            let oldest = (longest + 1..=length).rev();
            rows.extend(oldest.map(|row| extract::row(term, line(row))));
            term.grid_mut().update_history(longest);
        }
        term.grid_mut().update_history(longest + SLACK);
        self.has_slack = true;
    }
}
