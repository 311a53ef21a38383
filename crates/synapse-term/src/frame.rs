//! An immutable view of the screen at one moment: rows of text with their colours, the cursor, the
//! modes, the title. Rules look at frames and at nothing else.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use unicode_width::UnicodeWidthChar;

use crate::keys::{KeyboardMode, KittyFlags};

/// What a terminal shows at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Screen rows, top to bottom.
    pub rows: Vec<Arc<Row>>,
    /// Where the cursor is, and whether the program shows it.
    pub cursor: Cursor,
    /// Modes the program has set.
    pub modes: Modes,
    /// The window title.
    pub title: Arc<str>,
    /// Columns of the screen.
    pub cols: usize,
}

/// One row of the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The characters, without trailing blanks unless the line goes on in the next row. Hidden
    /// text is blank.
    pub text: String,
    /// Stretches whose style is not the default, by column, left to right.
    pub runs: Vec<Run>,
    /// The line goes on in the next row because it reached the edge.
    pub is_wrapped: bool,
}

/// A stretch of cells of one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// First column and the one after the last.
    pub cols: Range<usize>,
    /// How they look.
    pub style: Style,
}

/// How a cell looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Colour of the text.
    pub fg: Colour,
    /// Colour behind it.
    pub bg: Colour,
    /// Bold, dim, italic, underlined, inverse, struck out.
    pub marks: Marks,
}

/// The attributes of a cell, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(pub u8);

impl Marks {
    pub const BOLD: u8 = 1;
    pub const DIM: u8 = 2;
    pub const ITALIC: u8 = 4;
    /// Any kind of underline.
    pub const UNDERLINE: u8 = 8;
    /// Text and background exchanged.
    pub const INVERSE: u8 = 16;
    pub const STRIKE: u8 = 32;

    /// Whether all of `bits` are set.
    pub fn has(self, bits: u8) -> bool {
        self.0 & bits == bits
    }
}

/// A colour as the program named it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// The terminal's own.
    #[default]
    Default,
    /// One of the 256.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// The text cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Row of the screen, from 0.
    pub row: usize,
    /// Column, from 0.
    pub col: usize,
    /// The program shows it.
    pub is_visible: bool,
}

/// The modes of the terminal that readings and keystrokes depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "terminal modes are independent switches"
)]
pub struct Modes {
    /// Mode 2004: pastes are bracketed.
    pub bracketed_paste: bool,
    /// The alternate screen is shown.
    pub alternate_screen: bool,
    /// DECCKM: cursor keys send SS3.
    pub application_cursor: bool,
    pub application_keypad: bool,
    /// Mode 1004: focus events are sent.
    pub focus_events: bool,
    /// Any mouse reporting.
    pub mouse: bool,
    /// The flags of the kitty keyboard protocol in force.
    pub kitty_flags: u8,
}

impl Modes {
    /// What keystrokes depend on.
    pub fn keyboard(&self) -> KeyboardMode {
        KeyboardMode {
            application_cursor: self.application_cursor,
            application_keypad: self.application_keypad,
            bracketed_paste: self.bracketed_paste,
            kitty: KittyFlags(self.kitty_flags),
            ..KeyboardMode::default()
        }
    }
}

impl Frame {
    /// The text of a row, empty beyond the screen.
    pub fn text(&self, row: usize) -> &str {
        self.rows.get(row).map_or("", |row| row.text.as_str())
    }

    /// The row itself, if it is on the screen.
    pub fn row(&self, row: usize) -> Option<&Row> {
        self.rows.get(row).map(Arc::as_ref)
    }

    /// The last row that shows anything.
    pub fn last_row(&self) -> Option<usize> {
        self.rows.iter().rposition(|row| !row.text.is_empty())
    }

    /// The first row of the soft-wrapped line that `row` belongs to.
    pub fn line_start(&self, row: usize) -> usize {
        (0..row)
            .rev()
            .find(|above| !self.is_wrapped(*above))
            .map_or(0, |above| above + 1)
    }

    /// The text of the cursor's line from its start to the cursor, trailing blanks kept.
    pub fn before_cursor(&self) -> String {
        let mut text = String::new();
        for row in self.line_start(self.cursor.row)..self.cursor.row {
            text.push_str(self.text(row));
        }
        let (row, col) = (self.text(self.cursor.row), self.cursor.col);
        text.push_str(&padded(
            row.get(..byte_of_col(row, col)).unwrap_or(row),
            col,
        ));
        text
    }

    /// The text of the cursor's row from the cursor on.
    pub fn after_cursor(&self) -> &str {
        let row = self.text(self.cursor.row);
        row.get(byte_of_col(row, self.cursor.col)..).unwrap_or("")
    }

    /// Soft-wrapped rows joined: each line with the row it starts in.
    pub fn lines(&self) -> Vec<(usize, Cow<'_, str>)> {
        join_wrapped(self.rows.iter().map(Arc::as_ref))
    }

    fn is_wrapped(&self, row: usize) -> bool {
        self.rows.get(row).is_some_and(|row| row.is_wrapped)
    }
}

impl Row {
    /// The style of one column.
    pub fn style_at(&self, col: usize) -> Style {
        self.runs
            .iter()
            .find(|run| run.cols.contains(&col))
            .map_or_else(Style::default, |run| run.style)
    }

    /// The style of the character that starts at this byte of the text.
    pub fn style_at_byte(&self, byte: usize) -> Style {
        self.style_at(col_of_byte(&self.text, byte))
    }
}

/// Joins soft-wrapped rows into lines, each with the index of its first row.
pub fn join_wrapped<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<(usize, Cow<'a, str>)> {
    let mut lines: Vec<(usize, Cow<'a, str>)> = Vec::new();
    let mut goes_on = false;
    for (index, row) in rows.into_iter().enumerate() {
        match lines.last_mut() {
            Some((_, line)) if goes_on => line.to_mut().push_str(&row.text),
            _ => lines.push((index, Cow::from(&row.text))),
        }
        goes_on = row.is_wrapped;
    }
    lines
}

/// Where the character at a column begins in the text, or its end.
pub fn byte_of_col(text: &str, col: usize) -> usize {
    let mut at = 0;
    for (byte, c) in text.char_indices() {
        let width = c.width().unwrap_or(0);
        if at >= col && width > 0 {
            return byte;
        }
        at += width;
    }
    text.len()
}

/// The column in which the character at a byte of the text stands.
pub fn col_of_byte(text: &str, byte: usize) -> usize {
    width(text.get(..byte).unwrap_or(text))
}

/// How many columns a text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

fn padded(text: &str, cols: usize) -> Cow<'_, str> {
    match cols.checked_sub(width(text)) {
        Some(missing @ 1..) => Cow::from(format!("{text}{}", " ".repeat(missing))),
        _ => Cow::from(text),
    }
}
