//! The rows above the screen as text, each read from its cells once: they do not change any more.

use std::collections::VecDeque;
use std::sync::Arc;

use alacritty_terminal::event::EventListener;
use alacritty_terminal::grid::Dimensions as _;
use alacritty_terminal::index::Line;

use super::emulator::Emulator;
use super::extract;
use crate::frame::Row;

/// What was read of the rows above the screen, from the oldest on.
#[derive(Debug, Default)]
pub(super) struct History {
    rows: VecDeque<Arc<Row>>,
    /// How often rows had been cleared when they were read.
    clears: usize,
}

impl History {
    /// Forgets all that was read.
    pub(super) fn forget(&mut self) {
        self.rows = VecDeque::new();
    }

    /// The program wrote something. At its limit the scrollback loses a row for each that comes, and nobody knows how
    /// many came.
    pub(super) fn note_output<L: EventListener>(&mut self, emulator: &Emulator<L>, limit: usize) {
        if self.rows.is_empty() || emulator.is_alternate() {
            return;
        }
        let length = emulator.term.history_size();
        if self.clears != emulator.clears || length >= limit || length < self.rows.len() {
            self.forget();
        }
    }

    /// Reads the oldest `count` rows, which are about to be taken off.
    pub(super) fn take_oldest<L: EventListener>(
        &mut self,
        emulator: &Emulator<L>,
        count: usize,
    ) -> impl Iterator<Item = Arc<Row>> {
        let oldest = self.rows.len()..count;
        let unread = oldest.map(|row| Arc::new(read(emulator, row)));
        let unread: Vec<Arc<Row>> = unread.collect();
        let read = self.rows.len().min(count);
        self.rows.drain(..read).chain(unread)
    }

    /// The last `count` rows, the oldest first.
    pub(super) fn last<L: EventListener>(
        &mut self,
        emulator: &Emulator<L>,
        count: usize,
    ) -> Vec<Arc<Row>> {
        let length = emulator.term.history_size();
        if length == 0 {
            return Vec::new();
        }
        // The end of the last row depends on what stands below it, on the screen.
        let unread = self.rows.len()..length - 1;
        self.rows
            .extend(unread.map(|row| Arc::new(read(emulator, row))));
        self.clears = emulator.clears;
        let last = Arc::new(read(emulator, length - 1));
        let all = self.rows.iter().cloned().chain([last]);
        all.skip(length.saturating_sub(count)).collect()
    }
}

/// One row, counted from the oldest.
fn read<L: EventListener>(emulator: &Emulator<L>, row: usize) -> Row {
    let below = emulator.term.history_size().saturating_sub(row);
    extract::row(
        &emulator.term,
        Line(-i32::try_from(below).unwrap_or(i32::MAX)),
    )
}
