//! Rows that fall off the end of the scrollback, kept for whoever follows a conversation.

use std::sync::Arc;

use alacritty_terminal::event::EventListener;
use alacritty_terminal::grid::Dimensions;

use super::emulator::{self, Emulator};
use super::history::History;
use super::{Screen, Size};
use crate::frame::Row;

/// How far the scrollback may grow between two looks.
const SLACK: usize = 2_000;

/// Takes rows off a scrollback that is longer than it should be.
#[derive(Debug, Default)]
pub(super) struct ScrollbackTrimmer {
    rows: Option<Vec<Arc<Row>>>,
    /// The scrollback may be longer than it should be.
    pub(super) has_slack: bool,
}

impl Screen {
    /// From here on rows that fall off the scrollback are kept, or no longer are.
    pub fn keep_rows(&mut self, is_kept: bool) {
        self.shed.rows = is_kept.then(Vec::new);
        // Whoever followed a conversation has its rows.
        self.history.forget();
        self.trim();
    }

    /// The rows that fell off the scrollback since the last call, the oldest first.
    pub fn take_kept(&mut self) -> Vec<Arc<Row>> {
        let rows = self.shed.rows.as_mut();
        rows.map(std::mem::take).unwrap_or_default()
    }

    /// Takes the beginning of what the program wrote, if nobody can see anything of it once all of it is written: how
    /// much that is. The rest is to be fed.
    pub fn skip_unseen(&mut self, bytes: &[u8]) -> usize {
        if self.shed.rows.is_some() || !self.is_at_boundary() {
            return 0;
        }
        let kept = self.shed.limit(self.size) + usize::from(self.size.rows());
        let mut skipped = 0;
        self.guarded(|emulator, parser| skipped = parser.skip_unseen(emulator, bytes, kept));
        if skipped > 0 {
            self.is_damaged = true;
            self.history.forget();
        }
        skipped
    }

    /// Takes bytes; no more at once than the scrollback has room for where its rows are kept.
    pub(super) fn advance_by_pieces(&mut self, mut bytes: &[u8]) {
        if self.shed.rows.is_none() {
            return self.guarded(|emulator, parser| parser.advance(emulator, bytes));
        }
        let (cols, lines) = (usize::from(self.size.cols()), usize::from(self.size.rows()));
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at(ScrollbackTrimmer::piece(bytes, cols, lines));
            self.guarded(|emulator, parser| parser.advance(emulator, piece));
            self.trim();
            bytes = rest;
        }
    }

    /// A screen of another size has room for no more rows than it should have above it.
    pub(super) fn renew_slack(&mut self) {
        self.shed.has_slack = false;
        self.trim();
    }

    fn trim(&mut self) {
        let longest = emulator::scrollback(self.size);
        self.shed
            .trim(&mut self.emulator, &mut self.history, longest);
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

    /// How long the scrollback of a screen can be.
    pub(super) fn limit(&self, size: Size) -> usize {
        emulator::scrollback(size) + if self.has_slack { SLACK } else { 0 }
    }

    /// Keeps what is more than `longest` rows above the screen, and takes it off there.
    fn trim<L: EventListener>(
        &mut self,
        emulator: &mut Emulator<L>,
        history: &mut History,
        longest: usize,
    ) {
        let Some(rows) = &mut self.rows else { return };
        if emulator.is_alternate() {
            return;
        }
        let length = emulator.term.history_size();
        if length > longest {
            rows.extend(history.take_oldest(emulator, length - longest));
            emulator.term.grid_mut().update_history(longest);
        }
        emulator.term.grid_mut().update_history(longest + SLACK);
        self.has_slack = true;
    }
}
