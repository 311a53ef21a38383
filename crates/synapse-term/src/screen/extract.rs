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
    let cells = &grid[line][Column(0)..Column(cols)];
    let is_wrapped = cells
        .last()
        .is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE));
    let gave_way = gave_way(grid, line);
    let mut row = Row {
        text: String::with_capacity(cols),
        runs: Vec::new(),
        is_wrapped,
    };
    let blank = Look::of(&Cell::default());
    // Most rows are empty to the right; what is not wrapped there adds nothing.
    let is_plain = |cell: &Cell| cell.c == ' ' && Look::of(cell) == blank && cell.extra.is_none();
    let filled = || {
        cells
            .iter()
            .rposition(|cell| !is_plain(cell))
            .map_or(0, |col| col + 1)
    };
    let used = if is_wrapped { cols } else { filled() };
    let mut look = blank;
    let mut run: Option<Run> = None;
    for (col, cell) in cells.iter().enumerate().take(used) {
        let is_gap = gave_way && col + 1 == cols;
        // Most cells look like the one before them.
        let here = Look::of(cell);
        if here != look || is_gap {
            look = here;
            row.runs.extend(run.take().map(|run| closed(run, col)));
            let style = style(cell);
            run = (style != Style::default() && !is_gap).then_some(Run {
                cols: col..col,
                style,
            });
        }
        match content(cells, col) {
            Content::Glyph if is_gap => {}
            Content::Glyph => push(&mut row.text, cell),
            Content::Blank => row.text.push(' '),
            Content::Nothing => {}
        }
    }
    row.runs.extend(run.map(|run| closed(run, used)));
    if !is_wrapped {
        row.text.truncate(row.text.trim_end_matches(' ').len());
    }
    row
}

fn closed(mut run: Run, end: usize) -> Run {
    run.cols.end = end;
    run
}

/// What decides how a cell looks.
#[derive(PartialEq)]
struct Look(Color, Color, Flags);

impl Look {
    fn of(cell: &Cell) -> Self {
        Self(cell.fg, cell.bg, cell.flags & LOOKS)
    }
}

/// The flags that can be seen.
const LOOKS: Flags = Flags::BOLD
    .union(Flags::DIM)
    .union(Flags::ITALIC)
    .union(Flags::ALL_UNDERLINES)
    .union(Flags::INVERSE)
    .union(Flags::STRIKEOUT);

/// What a cell adds to the text of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Glyph,
    /// A blank: half of a wide character whose other half was overwritten.
    Blank,
    /// Nothing: the second half of a wide character, or a column left free for one.
    Nothing,
}

/// What the cell in this place adds, but for one that gave way.
pub(super) fn content(cells: &[Cell], col: usize) -> Content {
    const WIDE: Flags = Flags::WIDE_CHAR.union(Flags::WIDE_CHAR_SPACER);
    let has = |col: Option<usize>, flag: Flags| {
        col.and_then(|col| cells.get(col))
            .is_some_and(|cell| cell.flags.contains(flag))
    };
    let Some(cell) = cells.get(col) else {
        return Content::Nothing;
    };
    if !cell.flags.intersects(WIDE) {
        return Content::Glyph;
    }
    if cell.flags.contains(Flags::WIDE_CHAR) {
        let is_whole = has(Some(col + 1), Flags::WIDE_CHAR_SPACER);
        return if is_whole {
            Content::Glyph
        } else {
            Content::Blank
        };
    }
    let is_second = has(col.checked_sub(1), Flags::WIDE_CHAR);
    if is_second {
        Content::Nothing
    } else {
        Content::Blank
    }
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
        && content(&grid[next][Column(0)..Column(grid.columns())], 0) == Content::Glyph
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
    if cell.extra.is_some() {
        text.extend(cell.zerowidth().into_iter().flatten());
    }
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
