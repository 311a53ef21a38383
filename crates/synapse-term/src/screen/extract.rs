//! Cells of the emulator to a row of text with its styles.

use alacritty_terminal::grid::Dimensions;
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
        if style != Style::default() {
            match row.runs.last_mut() {
                Some(run) if run.style == style && run.cols.end == col => run.cols.end = col + 1,
                _ => row.runs.push(Run {
                    cols: col..col + 1,
                    style,
                }),
            }
        }
        if !cell
            .flags
            .intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER)
        {
            push(&mut row.text, cell);
        }
    }
    if !is_wrapped {
        row.text.truncate(row.text.trim_end_matches(' ').len());
    }
    row
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
