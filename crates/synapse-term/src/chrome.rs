//! The furniture of a screen: rules, borders, the input box. Not speech.

use std::sync::LazyLock;

use unicode_width::UnicodeWidthChar;

use crate::frame::{Colour, Frame, Marks, Row, byte_of_col, col_of_byte};
use crate::pattern::constant;
use crate::profile::{InputBox, Pattern};

/// A row shorter than this is a dash, not a rule.
const SHORTEST_RULE: usize = 8;

/// Below an input box stand at most this many rows of status and hints, menus of completions
/// included.
const FOOTER: usize = 12;

/// Whether a row is a dashed rule, which parts what belongs together.
pub fn is_dashed(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.chars().all(|c| matches!(c, '╌' | '┄' | '╍'))
}

/// What rules and the edges of boxes are drawn with.
fn is_edge(c: char) -> bool {
    matches!(
        c,
        '─' | '━' | '═' | '▀' | '▄' | '▁' | '▔' | '╌' | '┄' | '╍' | '-' | '_' | '='
    ) || matches!(
        c,
        '╭' | '╮'
            | '╰'
            | '╯'
            | '┌'
            | '┐'
            | '└'
            | '┘'
            | '┏'
            | '┓'
            | '┗'
            | '┛'
            | '╔'
            | '╗'
            | '╚'
            | '╝'
            | '├'
            | '┤'
            | '┼'
            | '┬'
            | '┴'
            | '╹'
            | '╻'
    )
}

/// Whether a row is a horizontal rule or the top or bottom edge of a box. A short label may stand
/// in it.
pub fn is_rule(text: &str) -> bool {
    let text = text.trim();
    let drawn = text.chars().filter(|c| is_edge(*c)).count();
    // The corners of some boxes are blocks.
    let ends = |c: char| is_edge(c) || is_border(c);
    // The right corner may be the arrow of a scroll bar.
    let is_end = |c: char| ends(c) || matches!(c, '▲' | '▼' | '↑' | '↓');
    drawn >= SHORTEST_RULE
        && text.starts_with(ends)
        && text.ends_with(is_end)
        && drawn * 2 > text.chars().count()
}

/// The words in the top edge of the box in which a row stands, right above it: `┌ Run it? ────┐`.
pub fn title_above(frame: &Frame, row: usize) -> Option<String> {
    let border = left_border(frame.text(row))?;
    let edge = frame.text(row.checked_sub(1)?);
    let title = edge.trim().trim_matches(|c| is_edge(c) || is_border(c));
    (is_top_edge(edge, border) && is_rule(edge) && !title.trim().is_empty())
        .then(|| title.trim().to_owned())
}

/// Whether a row is the top edge of a box whose left border stands in `col`.
pub fn is_top_edge(text: &str, col: usize) -> bool {
    text.get(byte_of_col(text, col)..)
        .is_some_and(|t| t.starts_with(['╭', '┌', '┏', '╔']))
}

pub(crate) fn is_border(c: char) -> bool {
    matches!(
        c,
        '│' | '┃'
            | '║'
            | '▌'
            | '▐'
            | '┆'
            | '┊'
            | '╎'
            | '▊'
            | '▋'
            | '▉'
            | '▍'
            | '▎'
            | '▏'
            | '▕'
    )
}

/// A row without the borders of the boxes it stands in, and the column where the rest begins.
pub fn unboxed(text: &str) -> (usize, &str) {
    let mut inner = text.trim_end();
    let mut from = 0;
    while let Some(rest) = inner.trim_start().strip_prefix(is_border) {
        from += inner.len() - rest.len();
        inner = rest;
        if let Some(cut) = inner.trim_end().strip_suffix(is_border) {
            inner = cut.trim_end();
        }
    }
    (col_of_byte(text, from), inner.trim_end())
}

/// The column of the outermost left border of a row, if it begins with one.
pub fn left_border(text: &str) -> Option<usize> {
    let trimmed = text.trim_start();
    trimmed
        .starts_with(is_border)
        .then(|| col_of_byte(text, text.len() - trimmed.len()))
}

/// An input box found on a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxView {
    /// The first row of its text.
    pub top: usize,
    /// The last row of its text.
    pub bottom: usize,
    /// What the user has typed into it. A placeholder is not.
    pub text: String,
    /// Whose text it shows.
    pub holds: Holds,
}

/// What an input box holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    Nothing,
    /// A text of the program's own: nobody typed it.
    Placeholder,
    /// The message that was submitted last.
    Echo,
    /// Something that somebody typed.
    Text,
}

/// Looks for the input box a profile describes: the lowest one that fits.
pub fn find_box(frame: &Frame, rules: &InputBox) -> Option<BoxView> {
    let last = frame.last_row()?;
    (0..=last)
        .rev()
        .find_map(|top| box_at(frame, rules, top, last))
}

fn box_at(frame: &Frame, rules: &InputBox, top: usize, last: usize) -> Option<BoxView> {
    let first = frame.row(top)?;
    let marker = rules
        .prompt
        .find(&first.text)
        .filter(|found| found.start() == 0)?;
    let bottom = if rules.is_ruled || rules.is_shaded {
        let edge = lower_edge(frame, rules, top, last)?;
        let footer = (edge + 1..=last).map(|row| frame.text(row).trim_start());
        let footer: Vec<&str> = footer.filter(|text| !text.is_empty()).collect();
        // An earlier message between two rules looks the same, but a dialog or more stands below.
        if footer.len() > FOOTER || footer.iter().any(|text| is_top_edge(text, 0)) {
            return None;
        }
        edge - 1
    } else {
        let end = (top + 1..=last).find(|row| !is_continuation(frame.text(*row)));
        let end = end.map_or(last, |row| row - 1);
        // A message may have empty lines; it goes at least to the cursor.
        let cursor = frame.cursor.row;
        let reaches = |row: usize| frame.text(row).is_empty() || is_continuation(frame.text(row));
        if rules.has_cursor && cursor > end && (end + 1..=cursor).all(reaches) {
            cursor
        } else {
            end
        }
    };
    if rules.has_cursor {
        let cursor = frame.cursor;
        if !cursor.is_visible || !(top..=bottom).contains(&cursor.row) {
            return None;
        }
    }
    let text = (top..=bottom)
        .filter_map(|row| frame.row(row))
        .enumerate()
        .map(|(index, row)| typed(row, if index == 0 { marker.end() } else { 0 }))
        .collect::<Vec<_>>()
        .join("\n");
    let text = text.trim_end().to_owned();
    let is_placeholder = rules
        .placeholder
        .as_ref()
        .is_some_and(|p| p.is_match(&text));
    let shown = (top..=bottom).map(|row| frame.text(row).trim_end());
    let is_bare = shown.enumerate().all(|(index, text)| {
        let from = if index == 0 { marker.end() } else { 0 };
        text.get(from..).unwrap_or("").trim().is_empty()
    });
    let holds = match (is_bare, is_placeholder || text.is_empty()) {
        (true, _) => Holds::Nothing,
        (false, true) => Holds::Placeholder,
        (false, false) => Holds::Text,
    };
    Some(BoxView {
        top,
        bottom,
        text: if is_placeholder { String::new() } else { text },
        holds,
    })
}

/// The row below a box whose text begins in `top`, if it has the edges that a profile describes.
fn lower_edge(frame: &Frame, rules: &InputBox, top: usize, last: usize) -> Option<usize> {
    let above = top.checked_sub(1)?;
    if rules.is_ruled && is_rule(frame.text(above)) {
        return (top + 1..=last).find(|row| is_rule(frame.text(*row)));
    }
    let shade = |row: usize| frame.row(row).map(|row| row.style_at(0).bg);
    let own = shade(top).filter(|own| rules.is_shaded && *own != Colour::Default)?;
    let is_padding = |row: usize| shade(row) == Some(own) && frame.text(row).trim().is_empty();
    // A message may have empty lines.
    let edge = (top + 1..=last)
        .take_while(|row| shade(*row) == Some(own))
        .last()?;
    (is_padding(above) && is_padding(edge)).then_some(edge)
}

/// Looks for an input box in a program nobody has described: a row between two rules that begins
/// with one of the usual glyphs.
pub fn find_common_box(frame: &Frame) -> Option<BoxView> {
    find_box(frame, &COMMON_BOX)
}

static COMMON_BOX: LazyLock<InputBox> = LazyLock::new(|| InputBox {
    prompt: Pattern::from(constant(r"^[\s│┃]{0,4}[❯›>»➜!#$λ]([\s\u{a0}]|$)")),
    is_ruled: true,
    is_shaded: false,
    has_cursor: false,
    is_optional: true,
    placeholder: None,
});

/// The rows of a box after its first are indented under its text.
fn is_continuation(text: &str) -> bool {
    text.starts_with("  ") && !text.trim().is_empty()
}

/// The text of a box row from a byte on, unless it is grey: then it is a placeholder.
fn typed(row: &Row, from: usize) -> String {
    let text = row.text.get(from..).unwrap_or("").trim_end();
    // The right edge of a box that has a left one was not typed.
    let is_framed = row.text.trim_start().starts_with(SIDES);
    let text = text
        .strip_suffix(SIDES)
        .filter(|_| is_framed)
        .unwrap_or(text);
    let mut col = col_of_byte(&row.text, from);
    let mut is_typed = false;
    for c in text.chars() {
        if !c.is_whitespace() && !is_grey(row, col) {
            is_typed = true;
        }
        col += c.width().unwrap_or(0);
    }
    let text = if from == 0 { text.trim_start() } else { text };
    // A cursor that is painted at the end was not typed.
    let text = text.trim_end();
    let text = text.strip_suffix(CURSORS).unwrap_or(text);
    if is_typed {
        text.trim_end().to_owned()
    } else {
        String::new()
    }
}

/// The left and right edges of a box.
const SIDES: [char; 4] = ['│', '┃', '║', '|'];

/// What programs paint for a cursor, where it is not inverse.
const CURSORS: [char; 6] = ['█', '▌', '▏', '▎', '▍', '▮'];

/// Whether everything in a row is painted as a hint.
pub fn is_hint(row: &Row) -> bool {
    let mut col = 0;
    for c in row.text.chars() {
        if !c.is_whitespace() && !is_grey(row, col) {
            return false;
        }
        col += c.width().unwrap_or(0);
    }
    !row.text.trim().is_empty()
}

/// Whether a cell is painted as a hint: faint or grey. The cell under a painted cursor counts as
/// whatever its neighbours are.
fn is_grey(row: &Row, col: usize) -> bool {
    let style = row.style_at(col);
    if style.marks.has(Marks::DIM) || style.marks.has(Marks::INVERSE) {
        return true;
    }
    match style.fg {
        // Themes have bluish and brownish greys.
        Colour::Rgb(r, g, b) => {
            let (low, high) = (r.min(g).min(b), r.max(g).max(b));
            high - low < 16 && high < 0xc0 || high - low < 56 && high < 0x90
        }
        Colour::Indexed(index) => index == 8 || (236..=248).contains(&index),
        Colour::Default => false,
    }
}
