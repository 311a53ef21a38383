//! Follows a conversation while it scrolls, so that nothing that was ever on the screen is lost.
//!
//! A program on the main screen leaves its past in the scrollback. One on the alternate screen
//! does not: there each frame is laid over the one before, and what has moved off the top is kept.

use std::sync::Arc;

use crate::frame::Row;
use crate::profile::Pattern;
use crate::screen::{SCROLLBACK, Screen};

/// A conversation longer than this loses its beginning: 20,000 rows of 100 columns are 2 MB.
const LONGEST: usize = 20_000;

/// Rows at the bottom of a frame change while a reply streams; fewer equal rows than this prove
/// nothing.
const PROOF: usize = 2;

/// What has been seen of one turn.
#[derive(Clone, Debug, Default)]
pub struct Follower {
    /// Rows that have left the screen at the top.
    past: Vec<Arc<Row>>,
    /// The frame last seen.
    window: Vec<Arc<Row>>,
    /// How the user's own message begins.
    echo: Option<Pattern>,
    is_active: bool,
}

impl Follower {
    /// A turn begins.
    pub fn begin(&mut self, screen: &mut Screen, echo: Option<&Pattern>) {
        self.past.clear();
        self.echo = echo.cloned();
        self.window = self.window_of(screen);
        self.is_active = true;
    }

    /// The turn is over.
    pub fn end(&mut self) {
        *self = Self::default();
    }

    /// Looks at the screen. Costs nothing outside a turn and on the main screen.
    pub fn look(&mut self, screen: &mut Screen) {
        if !self.is_active || !screen.modes().alternate_screen {
            return;
        }
        let rows = self.window_of(screen);
        if let Some(shift) = shift(&self.window, &rows) {
            self.past.extend(self.window.drain(..shift));
            let excess = self.past.len().saturating_sub(LONGEST);
            self.past.drain(..excess);
        }
        self.window = rows;
    }

    /// All rows of the conversation, the oldest first.
    pub fn rows(&self, screen: &mut Screen) -> Vec<Arc<Row>> {
        if screen.modes().alternate_screen {
            return self.past.iter().cloned().chain(self.window_of(screen)).collect();
        }
        let visible = screen.frame().rows;
        screen.scrollback(SCROLLBACK).into_iter().map(Arc::new).chain(visible).collect()
    }
}

impl Follower {
    /// The rows that scroll: not a copy of the user's message that sticks to the top.
    fn window_of(&self, screen: &mut Screen) -> Vec<Arc<Row>> {
        let mut rows = screen.frame().rows;
        let sticks = |row: &Arc<Row>| self.echo.as_ref().is_some_and(|echo| echo.is_match(&row.text));
        if rows.first().is_some_and(sticks) {
            rows.remove(0);
        }
        rows
    }
}

/// By how many rows the text has moved up from one frame to the next: the smallest shift under
/// which the upper rows agree. None if it has not moved, or if nothing agrees. Empty rows do not
/// count: a list may be set wider when it is finished.
fn shift(before: &[Arc<Row>], after: &[Arc<Row>]) -> Option<usize> {
    let filled = |rows: &[Arc<Row>]| -> Vec<(usize, Arc<Row>)> {
        let rows = rows.iter().cloned().enumerate();
        rows.filter(|(_, row)| !row.text.trim().is_empty()).collect()
    };
    let (before, after) = (filled(before), filled(after));
    let agree = |shift: usize| {
        let pairs = before.iter().skip(shift).zip(&after);
        pairs.take_while(|((_, old), (_, new))| old.text == new.text).count()
    };
    let still = agree(0);
    let moved = (1..before.len()).map(|shift| (shift, agree(shift)));
    let (best, equal) = moved.max_by_key(|(shift, equal)| (*equal, usize::MAX - shift))?;
    let (row, _) = before.get(best)?;
    (equal >= PROOF && equal > still).then_some(*row)
}
