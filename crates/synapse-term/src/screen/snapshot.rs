//! A screen as ANSI bytes: what a viewer who comes late must be sent to see what everybody sees.
//!
//! The bytes assume nothing of the terminal but its size. Rows that were soft-wrapped are wrapped
//! again by the terminal itself, so that it can join them when it is resized.

use std::fmt::Write as _;

use super::extract::{self, Content};
use alacritty_terminal::grid::{Dimensions, Grid};
use alacritty_terminal::index::{Column, Line, Point};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::color::COUNT;
use alacritty_terminal::term::{Term, TermMode};
use alacritty_terminal::vte::ansi::{CharsetIndex, Color, CursorShape, Rgb, StandardCharset};

/// Everything off that could bend what is painted next, and an empty screen.
const CLEAN: &[u8] = b"\x1b[?6l\x1b[r\x1b[m\x1b[?7h\x1b[4l\x1b[20l\x1b(B\x1b[H\x1b[2J";

/// Modes that are one private number each.
const MODES: [(TermMode, u16); 12] = [
    (TermMode::APP_CURSOR, 1),
    (TermMode::LINE_WRAP, 7),
    (TermMode::SHOW_CURSOR, 25),
    (TermMode::MOUSE_REPORT_CLICK, 1000),
    (TermMode::MOUSE_DRAG, 1002),
    (TermMode::MOUSE_MOTION, 1003),
    (TermMode::FOCUS_IN_OUT, 1004),
    (TermMode::UTF8_MOUSE, 1005),
    (TermMode::SGR_MOUSE, 1006),
    (TermMode::ALTERNATE_SCROLL, 1007),
    (TermMode::URGENCY_HINTS, 1042),
    (TermMode::BRACKETED_PASTE, 2004),
];

/// Everything: the primary screen, the alternate one on top if it is shown, modes and cursor.
pub(super) fn whole<T>(
    term: &Term<T>,
    primary: Option<&[u8]>,
    region: Option<(u16, u16)>,
    title: &str,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(8_192);
    if let Some(primary) = primary {
        out.extend_from_slice(primary);
        out.extend_from_slice(b"\x1b[?1049h");
        out.extend_from_slice(CLEAN);
    } else {
        out.extend_from_slice(b"\x1b[?1049l\x1b[!p");
        out.extend_from_slice(CLEAN);
        // Clearing the screen may have pushed it into the scrollback.
        out.extend_from_slice(b"\x1b[3J");
    }
    let mut text = String::new();
    paint(&mut text, term);
    palette(&mut text, term);
    modes(&mut text, term);
    place_cursors(&mut text, term, region);
    let _ = write!(text, "\x1b]2;{}\x1b\\", title.replace(char::is_control, ""));
    out.extend_from_slice(text.as_bytes());
    out
}

/// The primary screen alone, taken just before the alternate one covers it.
pub(super) fn primary<T>(term: &Term<T>, region: Option<(u16, u16)>) -> Vec<u8> {
    whole(term, None, region, "")
}

fn paint<T>(out: &mut String, term: &Term<T>) {
    let grid = term.grid();
    let mut pen = Cell::default();
    let first = -i32::try_from(grid.history_size()).unwrap_or(0);
    let last = i32::try_from(grid.screen_lines()).unwrap_or(1) - 1;
    let mut before = Ending::Open;
    for line in first..=last {
        let line = Line(line);
        match before {
            // A background must not bleed into rows that scroll in.
            Ending::Closed => {
                change_pen(out, &mut pen, &Cell::default());
                out.push_str("\r\n");
            }
            Ending::Open | Ending::Early => {}
        }
        before = if line.0 < last {
            ending(grid, line)
        } else {
            Ending::Closed
        };
        paint_row(out, &mut pen, grid, line, before);
    }
    change_pen(out, &mut pen, &Cell::default());
}

/// How a row goes over into the next.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Ending {
    /// The line ends here.
    Closed,
    /// It goes on: the next character wraps.
    Open,
    /// It goes on, but the last column was too narrow for what came next.
    Early,
}

pub(super) fn ending(grid: &Grid<Cell>, line: Line) -> Ending {
    let flags = grid[line][Column(grid.columns() - 1)].flags;
    match flags.contains(Flags::WRAPLINE) {
        true if extract::gave_way(grid, line) => Ending::Early,
        true => Ending::Open,
        false => Ending::Closed,
    }
}

pub(super) fn paint_row(
    out: &mut String,
    pen: &mut Cell,
    grid: &Grid<Cell>,
    line: Line,
    ending: Ending,
) {
    let cells = &grid[line];
    let cols = grid.columns();
    let filled = (0..cols).rev().find(|col| !is_blank(&cells[Column(*col)]));
    let used = match ending {
        Ending::Open => cols,
        Ending::Early => cols - 1,
        // The first cell is always written: after a wrapped row it is what makes the wrap happen.
        Ending::Closed => filled.map_or(1, |col| col + 1),
    };
    for col in 0..used {
        let cell = &cells[Column(col)];
        match extract::content(&cells[Column(0)..Column(cols)], col) {
            Content::Nothing => {}
            Content::Blank => {
                change_pen(out, pen, cell);
                out.push(' ');
            }
            Content::Glyph => print_cell(out, pen, cell),
        }
    }
    // A row that scrolled in while the line wrapped has the background of what was printed then.
    if ending == Ending::Closed && used < cols {
        change_pen(out, pen, &Cell::default());
        out.push_str("\x1b[K");
    }
}

/// Prints the character of a cell in its look.
pub(super) fn print_cell(out: &mut String, pen: &mut Cell, cell: &Cell) {
    change_pen(out, pen, cell);
    out.push(if cell.c.is_control() { ' ' } else { cell.c });
    out.extend(cell.zerowidth().into_iter().flatten());
}

fn is_blank(cell: &Cell) -> bool {
    let mut plain = cell.clone();
    plain.c = ' ';
    plain.flags.remove(Flags::WRAPLINE);
    (cell.c == ' ' || cell.c == '\t') && plain == Cell::default()
}

/// Brings the pen to the look of `cell`.
pub(super) fn change_pen(out: &mut String, pen: &mut Cell, cell: &Cell) {
    let looks = cell.flags
        - (Flags::WRAPLINE
            | Flags::WIDE_CHAR
            | Flags::WIDE_CHAR_SPACER
            | Flags::LEADING_WIDE_CHAR_SPACER);
    if (pen.fg, pen.bg, pen.flags) != (cell.fg, cell.bg, looks)
        || pen.underline_color() != cell.underline_color()
    {
        out.push_str("\x1b[0");
        for (flag, code) in [
            (Flags::BOLD, "1"),
            (Flags::DIM, "2"),
            (Flags::ITALIC, "3"),
            (Flags::UNDERLINE, "4"),
            (Flags::DOUBLE_UNDERLINE, "4:2"),
            (Flags::UNDERCURL, "4:3"),
            (Flags::DOTTED_UNDERLINE, "4:4"),
            (Flags::DASHED_UNDERLINE, "4:5"),
            (Flags::INVERSE, "7"),
            (Flags::HIDDEN, "8"),
            (Flags::STRIKEOUT, "9"),
        ] {
            if looks.contains(flag) {
                let _ = write!(out, ";{code}");
            }
        }
        colour(out, cell.fg, 30);
        colour(out, cell.bg, 40);
        if let Some(underline) = cell.underline_color() {
            colour(out, underline, 50);
        }
        out.push('m');
    }
    if pen.hyperlink() != cell.hyperlink() {
        match cell.hyperlink() {
            Some(link) => {
                // The emulator numbers links without a name; the viewer's terminal will do so too.
                let id = Some(link.id()).filter(|id| !id.ends_with("_alacritty"));
                let id = id.map_or_else(String::new, |id| format!("id={id}"));
                let _ = write!(out, "\x1b]8;{id};{}\x1b\\", link.uri());
            }
            None => out.push_str("\x1b]8;;\x1b\\"),
        }
    }
    pen.fg = cell.fg;
    pen.bg = cell.bg;
    pen.flags = looks;
    pen.set_underline_color(cell.underline_color());
    pen.set_hyperlink(cell.hyperlink());
}

/// `base` is 30 for text, 40 for background, 50 for underlines.
fn colour(out: &mut String, colour: Color, base: u16) {
    let _ = match colour {
        Color::Spec(Rgb { r, g, b }) => write!(out, ";{};2;{r};{g};{b}", base + 8),
        Color::Indexed(index) => write!(out, ";{};5;{index}", base + 8),
        Color::Named(name) => match name as u16 {
            basic @ 0..8 => write!(out, ";{}", base + basic),
            bright @ 8..16 => write!(out, ";{}", base + 60 + bright - 8),
            _ => Ok(()),
        },
    };
}

fn palette<T>(out: &mut String, term: &Term<T>) {
    for index in 0..COUNT {
        if let Some(Rgb { r, g, b }) = term.colors()[index] {
            let _ = match index {
                0..256 => write!(out, "\x1b]4;{index};rgb:{r:02x}/{g:02x}/{b:02x}\x1b\\"),
                256..=258 => write!(
                    out,
                    "\x1b]{};rgb:{r:02x}/{g:02x}/{b:02x}\x1b\\",
                    index - 246
                ),
                _ => Ok(()),
            };
        }
    }
}

fn modes<T>(out: &mut String, term: &Term<T>) {
    let mode = term.mode();
    let switch = |flag: TermMode| if mode.contains(flag) { 'h' } else { 'l' };
    // Setting one mouse mode may unset another: what is on comes last.
    let (on, off): (Vec<_>, Vec<_>) = MODES.iter().partition(|(flag, _)| mode.contains(*flag));
    for (flag, number) in off.into_iter().chain(on) {
        let _ = write!(out, "\x1b[?{number}{}", switch(flag));
    }
    out.push_str(if mode.contains(TermMode::APP_KEYPAD) {
        "\x1b="
    } else {
        "\x1b>"
    });
    let (insert, newline) = (
        switch(TermMode::INSERT),
        switch(TermMode::LINE_FEED_NEW_LINE),
    );
    let _ = write!(out, "\x1b[4{insert}\x1b[20{newline}");
    let kitty = (mode.bits() & TermMode::KITTY_KEYBOARD_PROTOCOL.bits())
        >> TermMode::DISAMBIGUATE_ESC_CODES.bits().trailing_zeros();
    if kitty != 0 {
        let _ = write!(out, "\x1b[>{kitty}u");
    }
    let style = term.cursor_style();
    let shape = match style.shape {
        CursorShape::Underline => 3,
        CursorShape::Beam => 5,
        _ => 1,
    };
    let _ = write!(out, "\x1b[{} q", shape + u8::from(!style.blinking));
}

/// Scroll region, saved cursor, cursor: in this order, since each moves the cursor.
fn place_cursors<T>(out: &mut String, term: &Term<T>, region: Option<(u16, u16)>) {
    let grid = term.grid();
    let rows = i32::try_from(grid.screen_lines()).unwrap_or(i32::MAX);
    let top = region.map_or(0, |(top, _)| (i32::from(top) - 1).min(rows));
    if let Some((top, bottom)) = region {
        let _ = write!(out, "\x1b[{top};{bottom}r");
    }
    let mut pen = Cell::default();
    let saved = &grid.saved_cursor;
    let _ = write!(
        out,
        "\x1b[{};{}H",
        saved.point.line.0 + 1,
        saved.point.column.0 + 1
    );
    change_pen(out, &mut pen, &saved.template);
    out.push_str("\x1b7");
    let is_relative = term.mode().contains(TermMode::ORIGIN);
    if is_relative {
        out.push_str("\x1b[?6h");
    }
    let cursor = &grid.cursor;
    let line = cursor.point.line.0 - if is_relative { top } else { 0 };
    let (at, edge) = cursor_place(term);
    let _ = write!(
        out,
        "\x1b[{};{}H",
        line + 1,
        edge.unwrap_or(at.column.0) + 1
    );
    if let Some(edge) = edge {
        print_cell(out, &mut pen, &grid[at.line][Column(edge)]);
    }
    change_pen(out, &mut pen, &cursor.template);
    for (index, name) in [(CharsetIndex::G0, '('), (CharsetIndex::G1, ')')] {
        let set = match cursor.charsets[index] {
            StandardCharset::SpecialCharacterAndLineDrawing => '0',
            StandardCharset::Ascii => 'B',
        };
        let _ = write!(out, "\x1b{name}{set}");
    }
}

/// Where the cursor is; and, if it stands beyond the last column, where the character begins that
/// must be printed to bring it there again. Not in a row that goes on in the next one: printed again, it
/// would no longer.
fn cursor_place<T>(term: &Term<T>) -> (Point, Option<usize>) {
    let grid = term.grid();
    let row = &grid[grid.cursor.point.line];
    let goes_on = row[Column(grid.columns() - 1)]
        .flags
        .contains(Flags::WRAPLINE);
    let edge = edge(term).filter(|_| !goes_on);
    (grid.cursor.point, edge)
}

/// If the cursor stands beyond the last column, where the character begins that brings it there.
pub(super) fn edge<T>(term: &Term<T>) -> Option<usize> {
    let grid = term.grid();
    let cursor = &grid.cursor;
    let (at, col) = (&grid[cursor.point.line], cursor.point.column.0);
    let is_at_edge = cursor.input_needs_wrap && col + 1 == grid.columns();
    is_at_edge.then(|| {
        let is_spacer = at[Column(col)].flags.contains(Flags::WIDE_CHAR_SPACER) && col > 0;
        col - usize::from(is_spacer)
    })
}
