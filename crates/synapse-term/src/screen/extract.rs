//! Cells of the emulator to a row of text with its styles.

use alacritty_terminal::grid::{Dimensions, Grid};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::Term;
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::vte::ansi::Color;

use crate::frame::{Colour, Marks, Row, Run, Style};

/// One row of the grid; lines above the screen are negative.
pub(super) fn row<T>(term: &Term<T>, line: Line) -> Row {
    let grid = term.grid();
    let cols = term.columns();
    let cells = &grid[line];
    let is_wrapped = cols > 0 && cells[Column(cols - 1)].flags.contains(Flags::WRAPLINE);
    let mut row = Row {
        text: String::with_capacity(cols),
        runs: Vec::new(),
        is_wrapped,
    };
    for col in 0..cols {
        let cell = &cells[Column(col)];
        let style = style(cell);
        let is_gap = col + 1 == cols && gave_way(grid, line);
        if style != Style::default() && !is_gap {
            match row.runs.last_mut() {
                Some(run) if run.style == style && run.cols.end == col => run.cols.end = col + 1,
                _ => row.runs.push(Run {
                    cols: col..col + 1,
                    style,
                }),
            }
        }
        match content(grid, line, col) {
            Content::Glyph => push(&mut row.text, cell),
            Content::Blank => row.text.push(' '),
            Content::Nothing => {}
        }
    }
    if !is_wrapped {
        row.text.truncate(row.text.trim_end_matches(' ').len());
    }
    row
}

/// What a cell adds to the text of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Its character.
    Glyph,
    /// A blank: half of a wide character whose other half was overwritten.
    Blank,
    /// Nothing: the second half of a wide character, or a column left free for one.
    Nothing,
}

/// What the cell in this place adds.
pub(super) fn content(grid: &Grid<Cell>, line: Line, col: usize) -> Content {
    let flags = |col: usize| grid[line][Column(col)].flags;
    let is_last = col + 1 == grid.columns();
    let own = flags(col);
    if own.contains(Flags::WIDE_CHAR) {
        let is_whole = !is_last && flags(col + 1).contains(Flags::WIDE_CHAR_SPACER);
        return if is_whole {
            Content::Glyph
        } else {
            Content::Blank
        };
    }
    if own.contains(Flags::WIDE_CHAR_SPACER) {
        let is_second = col > 0 && flags(col - 1).contains(Flags::WIDE_CHAR);
        return if is_second {
            Content::Nothing
        } else {
            Content::Blank
        };
    }
    if is_last && gave_way(grid, line) {
        return Content::Nothing;
    }
    Content::Glyph
}

/// Whether the last column of a line stayed empty for a wide character that stands in the next.
pub(super) fn gave_way(grid: &Grid<Cell>, line: Line) -> bool {
    let last = grid.columns() - 1;
    let next = Line(line.0 + 1);
    grid[line][Column(last)]
        .flags
        .contains(Flags::LEADING_WIDE_CHAR_SPACER)
        && line < grid.bottommost_line()
        && grid[next][Column(0)].flags.contains(Flags::WIDE_CHAR)
        && content(grid, next, 0) == Content::Glyph
}

fn push(text: &mut String, cell: &Cell) {
    if cell.flags.contains(Flags::HIDDEN) {
        text.push_str(if cell.flags.contains(Flags::WIDE_CHAR) {
            "  "
        } else {
            " "
        });
        return;
    }
    text.push(if cell.c.is_control() { ' ' } else { cell.c });
    text.extend(cell.zerowidth().into_iter().flatten());
}

fn style(cell: &Cell) -> Style {
    let flags = cell.flags;
    let bit = |flag: Flags, mark: u8| if flags.intersects(flag) { mark } else { 0 };
    let marks = bit(Flags::BOLD, Marks::BOLD)
        | bit(Flags::DIM, Marks::DIM)
        | bit(Flags::ITALIC, Marks::ITALIC)
        | bit(Flags::ALL_UNDERLINES, Marks::UNDERLINE)
        | bit(Flags::INVERSE, Marks::INVERSE)
        | bit(Flags::STRIKEOUT, Marks::STRIKE);
    Style {
        fg: colour(cell.fg),
        bg: colour(cell.bg),
        marks: Marks(marks),
    }
}

fn colour(colour: Color) -> Colour {
    match colour {
        Color::Named(name) => u8::try_from(name as usize).map_or(Colour::Default, Colour::Indexed),
        Color::Indexed(index) => Colour::Indexed(index),
        Color::Spec(rgb) => Colour::Rgb(rgb.r, rgb.g, rgb.b),
    }
}
