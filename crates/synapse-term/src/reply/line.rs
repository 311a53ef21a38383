//! One painted row as text: without the bars, borders and scroll bars it stands between.

use std::borrow::Cow;

use crate::chrome::{is_border, is_hint, is_rule};
use crate::frame::{Colour, Marks, Row, Style, byte_of_col, width};

/// A row of a conversation.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    /// The row itself.
    pub(super) row: &'a Row,
    /// Its text without edges, the indent kept.
    pub(super) text: String,
    /// The column and glyph of the bar or border it stands behind.
    pub(super) bar: Option<(usize, char)>,
    /// How its first character looks.
    pub(super) style: Style,
    /// How most of its characters look.
    pub(super) paint: Style,
}

impl<'a> Line<'a> {
    /// Reads a row of a screen that is `cols` wide.
    pub(super) fn new(row: &'a Row, cols: usize) -> Self {
        let (bar, text) = without_edges(&row.text, cols);
        let from = width(&row.text).min(bar.map_or(0, |(col, _)| col + 1));
        let style = first_style(row, from);
        Self {
            row,
            style,
            paint: usual_style(row, from),
            text,
            bar,
        }
    }

    /// What it says, without indent.
    pub(super) fn said(&self) -> &str {
        self.text.trim()
    }

    /// Whether nothing is said in it.
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Whether it is drawn and not said.
    pub(super) fn is_rule(&self) -> bool {
        is_rule(&self.text) || is_rule(&self.row.text)
    }

    /// Whether all of it is painted as a hint.
    pub(super) fn is_hint(&self) -> bool {
        is_hint(self.row)
    }

    /// The columns before its first character.
    pub(super) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    /// Whether two lines are painted alike: same colours, same bar.
    pub(super) fn looks_like(&self, other: &Self) -> bool {
        self.paint == other.paint && self.bar.map(|(_, c)| c) == other.bar.map(|(_, c)| c)
    }

    /// The text with digits and glyphs of no meaning taken out: what rows of one sort share.
    pub(super) fn shape(&self) -> String {
        let mut shape = String::new();
        for c in self.said().chars() {
            let c = if c.is_ascii_digit() { '0' } else { c };
            let is_repeated = c == '0' && shape.ends_with('0') || c == ' ' && shape.ends_with(' ');
            if !is_repeated {
                shape.push(c);
            }
        }
        shape
    }
}

/// The style of the first character from a column on that is not blank.
fn first_style(row: &Row, from: usize) -> Style {
    let rest = row.text.get(byte_of_col(&row.text, from)..).unwrap_or("");
    let blanks = rest.len() - rest.trim_start().len();
    plain(row.style_at(from + blanks))
}

/// The style that covers most of a row.
fn usual_style(row: &Row, from: usize) -> Style {
    let end = width(&row.text);
    let mut best = (Style::default(), 0);
    let painted: usize = row.runs.iter().map(|run| run.cols.len()).sum();
    let runs = row.runs.iter().map(|run| (run.style, &run.cols));
    for (style, cols) in runs {
        let length = cols.end.min(end).saturating_sub(cols.start.max(from));
        if length > best.1 {
            best = (style, length);
        }
    }
    let rest = (end - from.min(end)).saturating_sub(painted);
    plain(if rest >= best.1 {
        Style::default()
    } else {
        best.0
    })
}

/// A style without what a cursor or a selection adds.
fn plain(style: Style) -> Style {
    Style {
        bg: Colour::Default,
        marks: Marks(style.marks.0 & (Marks::BOLD | Marks::DIM)),
        ..style
    }
}

/// What stands at the sides of a text and is no part of it.
fn is_side(c: char) -> bool {
    is_border(c) || matches!(c, '▀'..='█' | '▔' | '╏' | '┇' | '┋' | '▛' | '▙' | '▜' | '▟')
}

/// What scroll bars are drawn with beside those.
pub(super) fn is_scroll_glyph(c: char) -> bool {
    is_side(c) || matches!(c, '▲' | '▼' | '░' | '▒' | '▓' | '^' | 'v' | '↑' | '↓')
}

/// The text between the bars of a row, each left column taken by a bar replaced by a blank; and
/// the outermost bar to the left.
fn without_edges(text: &str, cols: usize) -> (Option<(usize, char)>, String) {
    let mut text = Cow::from(text.trim_end());
    // The cells of a table have borders between them as well.
    let columns = text
        .chars()
        .filter(|c| matches!(c, '│' | '┃' | '║'))
        .count();
    let is_table = columns > 2;
    let left = text.trim_start();
    let col = width(&text) - width(left);
    let last = text.chars().next_back();
    let end = width(&text);
    // Some toolkits leave no blank between a frame and what stands in it.
    let is_framed = col == 0 && end == cols && last.is_some_and(is_scroll_glyph);
    let bar = left.chars().next().filter(|c| {
        let is_apart = left.chars().nth(1).is_none_or(char::is_whitespace);
        is_side(*c) && is_apart || matches!(c, '│' | '┃' | '║') && is_framed
    });
    let is_edge = end + 3 > cols;
    let is_right = last.is_some_and(|c| {
        is_side(c) && (bar.is_some() || is_edge) || is_scroll_glyph(c) && end == cols
    });
    let before = text.chars().rev().nth(1);
    if is_right
        && !is_table
        && end > col + 1
        && before.is_none_or(|c| c.is_whitespace() || is_side(c))
    {
        let cut = text.char_indices().next_back().map_or(0, |(at, _)| at);
        let mut rest = text.get(..cut).unwrap_or("").trim_end().to_owned();
        // A frame inside a scroll bar.
        if bar.is_some() && rest.ends_with(is_side) && width(&rest) > col + 1 {
            rest.pop();
        }
        text = Cow::from(rest.trim_end().to_owned());
    }
    match bar {
        Some(glyph) if !is_table => {
            let at = text.len() - text.trim_start().len();
            let rest = text.get(at + glyph.len_utf8()..).unwrap_or("");
            let (_, inner) = without_edges(rest, cols.saturating_sub(col + 1));
            let text = format!("{}{inner}", " ".repeat(col + 1));
            (Some((col, glyph)), text.trim_end().to_owned())
        }
        _ => (None, text.trim_end().to_owned()),
    }
}
