//! Follows a conversation while it scrolls, so that nothing that was ever on the screen is lost.
//!
//! A program on the main screen leaves its past in the scrollback. One on the alternate screen
//! does not: there each frame is laid over the one before, and what has moved off the top is kept.

use std::sync::Arc;

use super::line::is_scroll_glyph;
use crate::frame::{Frame, Row};
use crate::screen::{SCROLLBACK, Screen};

/// A conversation longer than this loses its beginning: 20,000 rows of 100 columns are 2 MB.
const LONGEST: usize = 20_000;

/// Fewer equal rows than this prove nothing.
const PROOF: usize = 2;

/// How many rows are looked at to see whether a frame has scrolled.
const PROBES: usize = 3;

/// What has been seen of one turn.
#[derive(Clone, Debug, Default)]
pub struct Follower {
    /// Rows that have left the screen at the top.
    past: Vec<Arc<Row>>,
    /// The rows last seen, without one that sticks to the top.
    window: Vec<Arc<Row>>,
    /// The row in which the message was typed, of all rows; none on the alternate screen.
    mark: Option<usize>,
    /// How many rows of the screen stick to the top.
    sticky: usize,
    /// How many rows of a header the text was seen to scroll under.
    header: usize,
    is_active: bool,
    /// The cursor was hidden in between: the turn is painted, not printed.
    is_painted: bool,
    /// Rows were lost: the conversation was too long.
    is_cut: bool,
}

impl Follower {
    /// A turn begins. `is_kept` says whether rows that fall off the scrollback are kept: a program
    /// that prints its whole conversation again and again has it there many times over.
    pub fn begin(&mut self, screen: &mut Screen, is_kept: bool) {
        self.past.clear();
        self.is_cut = false;
        self.is_painted = false;
        let frame = screen.frame();
        let is_main = !frame.modes.alternate_screen;
        let row = screen.scrollback_len() + frame.line_start(frame.cursor.row);
        self.mark = is_main.then_some(row);
        self.window = frame.rows;
        self.is_active = true;
        screen.keep_rows(is_kept);
    }

    /// The turn is over.
    pub fn end(&mut self, screen: &mut Screen) {
        *self = Self::default();
        screen.keep_rows(false);
    }

    /// Whether a turn is followed.
    pub fn is_active(&self) -> bool {
        self.is_active
    }

    /// The row in which the message was typed, of those that `rows` gives.
    pub fn mark(&self) -> Option<usize> {
        self.mark
    }

    /// The screen stands still for a moment, and this is what it shows.
    pub fn note_frame(&mut self, frame: &Frame) {
        self.is_painted |= self.is_active && !frame.cursor.is_visible;
    }

    /// Whether the turn was painted: a program that prints lines leaves the cursor alone.
    pub fn is_painted(&self) -> bool {
        self.is_painted
    }

    /// Whether the beginning of the turn was lost because it was too long.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Looks at the screen. Costs nothing outside a turn, and next to nothing on the main screen.
    pub fn look(&mut self, screen: &mut Screen) {
        if !self.is_active {
            return;
        }
        let kept = screen.take_kept();
        if !kept.is_empty() {
            self.keep(kept);
        }
        if !screen.modes().alternate_screen || self.stands_still(screen) {
            return;
        }
        let mut rows = screen.frame().rows;
        self.sticky = 0;
        let whole = overlap(&self.window, &rows);
        // The first row may be a copy of the message that sticks to the top.
        let below = overlap(&self.window, rows.get(1..).unwrap_or_default());
        // A header stays where it is while the text below it scrolls.
        let header = header(&self.window, &rows);
        let scrolled = overlap(
            self.window.get(header..).unwrap_or_default(),
            rows.get(header..).unwrap_or_default(),
        );
        if header > 0 && scrolled.moved > 0 && scrolled.equal > whole.equal.max(below.equal) {
            let moved = header..header + scrolled.moved;
            let past = self.window.get(moved).unwrap_or_default().to_vec();
            self.keep(past);
            self.header = header;
            self.window = rows;
            return;
        }
        let best = if below.equal > whole.equal {
            rows.remove(0);
            self.sticky = 1;
            below
        } else {
            whole
        };
        if best.equal >= PROOF {
            let past = self.window.drain(..best.moved).collect();
            self.keep(past);
        }
        self.window = rows;
    }

    /// Keeps rows that have left the screen.
    fn keep(&mut self, rows: Vec<Arc<Row>>) {
        self.past.extend(rows);
        let excess = self.past.len().saturating_sub(LONGEST);
        self.is_cut |= excess > 0;
        self.past.drain(..excess);
        self.mark = self.mark.and_then(|row| row.checked_sub(excess));
    }

    /// Whether the upper rows are where they were: then nothing has left the screen. Programs
    /// paint many frames for one that scrolls.
    fn stands_still(&self, screen: &Screen) -> bool {
        let mut probes = filled(&self.window).into_iter().take(PROBES).peekable();
        probes.peek().is_some()
            && probes.all(|(row, seen)| is_alike(&screen.row(row + self.sticky).text, &seen.text))
    }

    /// All rows of the conversation, the oldest first.
    pub fn rows(&mut self, screen: &mut Screen) -> Vec<Arc<Row>> {
        if self.is_active && screen.modes().alternate_screen {
            self.look(screen);
            let visible = screen.frame().rows.into_iter();
            let visible = visible.skip(self.sticky.max(self.header));
            return self.past.iter().cloned().chain(visible).collect();
        }
        self.look(screen);
        let visible = screen.frame().rows;
        let scrollback = screen.scrollback(SCROLLBACK).into_iter();
        let past = self.past.iter().cloned();
        past.chain(scrollback).chain(visible).collect()
    }
}

/// Whether two rows say the same, whatever a scroll bar shows beside them.
fn is_alike(one: &str, two: &str) -> bool {
    let bare = |text: &str| {
        text.trim_end_matches(|c: char| is_scroll_glyph(c) || c.is_whitespace())
            .len()
    };
    let is_blank = |text: &str| bare(text) == 0;
    one == two || !is_blank(one) && !is_blank(two) && one.get(..bare(one)) == two.get(..bare(two))
}

/// How many rows at the top of two frames are the same, where something is to be seen in them.
fn header(before: &[Arc<Row>], after: &[Arc<Row>]) -> usize {
    let pairs = before.iter().zip(after);
    let same = pairs.take_while(|(old, new)| old.text == new.text).count();
    let is_seen = after.iter().take(same).any(|row| !row.text.is_empty());
    if is_seen && same <= HEADER { same } else { 0 }
}

/// A header is no higher than this.
const HEADER: usize = 8;

/// How one frame lies over the next.
#[derive(Clone, Copy, Debug, Default)]
struct Overlap {
    /// By how many rows the text has moved up.
    moved: usize,
    /// How many rows agree from the top of the later frame on.
    equal: usize,
}

/// The smallest move under which the upper rows of the later frame agree best. Empty rows do not
/// count: a list may be set wider when it is finished.
fn overlap(before: &[Arc<Row>], after: &[Arc<Row>]) -> Overlap {
    let (before, after) = (filled(before), filled(after));
    let agree = |shift: usize| {
        let pairs = before.iter().skip(shift).zip(&after);
        pairs
            .take_while(|((_, old), (_, new))| {
                Arc::ptr_eq(old, new) || is_alike(&old.text, &new.text)
            })
            .count()
    };
    let still = Overlap {
        moved: 0,
        equal: agree(0),
    };
    // What stands where it stood has not moved: no need to look any further.
    if still.equal * 2 > before.len() {
        return still;
    }
    let moves = before.iter().enumerate().skip(1);
    let moves = moves.map(|(shift, (row, _))| Overlap {
        moved: *row,
        equal: agree(shift),
    });
    moves.fold(
        still,
        |best, next| if next.equal > best.equal { next } else { best },
    )
}

/// The rows that show something, with their places.
fn filled(rows: &[Arc<Row>]) -> Vec<(usize, &Arc<Row>)> {
    let is_filled = |(_, row): &(usize, &Arc<Row>)| !row.text.is_empty();
    rows.iter().enumerate().filter(is_filled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_has_scrolled_beside_a_scroll_bar_is_known_again() {
        let rows = |texts: &[&str]| -> Vec<Arc<Row>> {
            let row = |text: &&str| {
                Arc::new(Row {
                    text: (*text).to_owned(),
                    ..Row::default()
                })
            };
            texts.iter().map(row).collect()
        };
        let before = rows(&["one    █", "two    █", "three", "four"]);
        let after = rows(&["three  █", "four   ▇", "five", "six"]);
        let found = overlap(&before, &after);
        assert_eq!((found.moved, found.equal), (2, 2));
    }
}
