//! Lines drawn over a terminal that shows this screen, and the rows below them painted again.
//!
//! The terminal may have shown other things before the program began, so that its rows are not
//! counted as ours: on the main screen everything is placed relative to the cursor. The cursor saved
//! by the program (DECSC) is never touched. Afterwards the terminal stands as it stood.

use std::fmt::Write as _;
use std::ops::Range;

use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::Cell;
use alacritty_terminal::term::{Term, TermMode};
use alacritty_terminal::vte::ansi::{CharsetIndex, StandardCharset};
use unicode_width::UnicodeWidthChar;

use super::snapshot::{self, Ending};

/// Where lines are drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// The row of the first.
    pub top: usize,
    /// The column in which they begin.
    pub left: usize,
    /// The lines, already as wide as they may be.
    pub lines: Vec<String>,
}

impl Overlay {
    /// The rows it covers.
    pub fn rows(&self) -> Range<usize> {
        self.top..self.top + self.lines.len()
    }
}

/// The bytes that draw the lines.
pub(super) fn draw<T>(term: &Term<T>, region: Option<(u16, u16)>, overlay: &Overlay) -> Vec<u8> {
    let mut hand = Hand::begin(term, region);
    let width = term.columns().saturating_sub(overlay.left);
    for (row, line) in overlay.rows().zip(&overlay.lines) {
        if row >= term.screen_lines() {
            break;
        }
        hand.go_to(row, overlay.left);
        let text = fitted(line, width);
        // Emulators take it ill when half of a wide character is overwritten.
        let _ = write!(hand.out, "\x1b[m\x1b[K\x1b[7m{text}");
    }
    hand.finish()
}

/// The bytes that paint some rows as they are.
pub(super) fn repaint<T>(
    term: &Term<T>,
    region: Option<(u16, u16)>,
    rows: Range<usize>,
) -> Vec<u8> {
    let mut hand = Hand::begin(term, region);
    let grid = term.grid();
    // What a row goes over into is painted with it: only that makes it wrap again.
    let ending = |row: usize| {
        if row + 1 < term.screen_lines() {
            snapshot::ending(grid, line(row))
        } else {
            Ending::Closed
        }
    };
    let mut end = rows.end.min(term.screen_lines());
    while end > rows.start && ending(end - 1) != Ending::Closed {
        end += 1;
    }
    let mut pen = Cell::default();
    hand.out.push_str("\x1b[m");
    for row in rows.start..end {
        hand.go_to(row, 0);
        hand.out.push_str("\x1b[2K");
    }
    let mut before = Ending::Closed;
    for row in rows.start..end {
        match before {
            Ending::Closed => hand.go_to(row, 0),
            Ending::Open | Ending::Early => hand.row = row,
        }
        before = ending(row);
        snapshot::paint_row(&mut hand.out, &mut pen, grid, line(row), before);
    }
    snapshot::change_pen(&mut hand.out, &mut pen, &Cell::default());
    hand.finish()
}

fn line(row: usize) -> Line {
    Line(i32::try_from(row).unwrap_or(0))
}

/// A line as wide as the place for it, whatever it is made of.
fn fitted(line: &str, width: usize) -> String {
    let mut text = String::with_capacity(width);
    let mut used = 0;
    for c in line.chars().filter(|c| !c.is_control()) {
        let wide = c.width().unwrap_or(0);
        if used + wide > width {
            break;
        }
        used += wide;
        text.push(c);
    }
    text.extend(std::iter::repeat_n(' ', width - used));
    text
}

/// Something that paints on a terminal and leaves it as it was.
struct Hand<'a, T> {
    term: &'a Term<T>,
    region: Option<(u16, u16)>,
    /// The terminal counts its rows as we do.
    is_absolute: bool,
    /// Where the cursor is.
    row: usize,
    out: String,
}

impl<'a, T> Hand<'a, T> {
    /// Switches off whatever could bend what is painted.
    fn begin(term: &'a Term<T>, region: Option<(u16, u16)>) -> Self {
        let mode = term.mode();
        let cursor = term.grid().cursor.point.line.0;
        let mut out = String::with_capacity(1_024);
        out.push_str("\x1b[?25l\x1b(B\x1b)B");
        if mode.contains(TermMode::INSERT) {
            out.push_str("\x1b[4l");
        }
        if !mode.contains(TermMode::LINE_WRAP) {
            out.push_str("\x1b[?7h");
        }
        if mode.contains(TermMode::ORIGIN) {
            out.push_str("\x1b[?6l");
        }
        if region.is_some() {
            out.push_str("\x1b[r");
        }
        let has_own_rows = mode.intersects(TermMode::ALT_SCREEN | TermMode::ORIGIN);
        Self {
            term,
            region,
            is_absolute: has_own_rows || region.is_some(),
            row: usize::try_from(cursor).unwrap_or(0),
            out,
        }
    }

    fn go_to(&mut self, row: usize, col: usize) {
        if self.is_absolute {
            let _ = write!(self.out, "\x1b[{};{}H", row + 1, col + 1);
        } else {
            if row < self.row {
                let _ = write!(self.out, "\x1b[{}A", self.row - row);
            } else if row > self.row {
                let _ = write!(self.out, "\x1b[{}B", row - self.row);
            }
            let _ = write!(self.out, "\x1b[{}G", col + 1);
        }
        self.row = row;
    }

    /// Puts everything back.
    fn finish(mut self) -> Vec<u8> {
        let term = self.term;
        let mode = term.mode();
        let (cursor, edge) = (term.grid().cursor.point, snapshot::edge(term));
        let row = usize::try_from(cursor.line.0).unwrap_or(0);
        let col = edge.unwrap_or(cursor.column.0);
        self.out.push_str("\x1b[m");
        if let Some((top, bottom)) = self.region {
            let _ = write!(self.out, "\x1b[{top};{bottom}r");
        }
        if mode.contains(TermMode::ORIGIN) {
            self.out.push_str("\x1b[?6h");
            let top = self.region.map_or(0, |(top, _)| usize::from(top) - 1);
            self.go_to(row.saturating_sub(top), col);
        } else {
            self.go_to(row, col);
        }
        let mut pen = Cell::default();
        if let Some(edge) = edge {
            snapshot::print_cell(
                &mut self.out,
                &mut pen,
                &term.grid()[cursor.line][Column(edge)],
            );
        }
        let cursor = &term.grid().cursor;
        snapshot::change_pen(&mut self.out, &mut pen, &cursor.template);
        for (index, name) in [(CharsetIndex::G0, '('), (CharsetIndex::G1, ')')] {
            if cursor.charsets[index] == StandardCharset::SpecialCharacterAndLineDrawing {
                let _ = write!(self.out, "\x1b{name}0");
            }
        }
        if mode.contains(TermMode::INSERT) {
            self.out.push_str("\x1b[4h");
        }
        if !mode.contains(TermMode::LINE_WRAP) {
            self.out.push_str("\x1b[?7l");
        }
        if mode.contains(TermMode::SHOW_CURSOR) {
            self.out.push_str("\x1b[?25h");
        }
        self.out.into_bytes()
    }
}
