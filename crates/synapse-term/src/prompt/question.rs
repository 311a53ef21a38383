//! Which of the rows above the options is the question, and where the dialog begins.

use crate::chrome::{is_dashed, is_rule, is_top_edge, left_border, title_above, unboxed};
use crate::frame::{Colour, Frame, width};

/// A dialog without a border is looked for at most this far above its options.
const REACH: usize = 16;

/// So many rows tell what a question is about; a change to a large file has more.
const DETAIL: usize = 60;

/// Words a question begins with.
const OPENERS: [&str; 36] = [
    "do",
    "does",
    "did",
    "would",
    "will",
    "should",
    "shall",
    "can",
    "could",
    "may",
    "is",
    "are",
    "was",
    "have",
    "has",
    "which",
    "what",
    "who",
    "where",
    "when",
    "why",
    "how",
    "allow",
    "trust",
    "continue",
    "proceed",
    "apply",
    "run",
    "execute",
    "create",
    "edit",
    "delete",
    "overwrite",
    "approve",
    "accept",
    "grant",
];

/// What a dialog says above its options.
pub(super) struct Question {
    /// The question itself.
    pub(super) text: String,
    /// It reads like a question, or is marked as one.
    pub(super) is_asked: bool,
    /// All rows of the dialog above the options, which tell it from a similar one.
    pub(super) rows: Vec<String>,
}

impl Question {
    /// What the dialog says beside the question, without boxes, as far left as it goes.
    pub(super) fn detail(&self) -> String {
        let rows = self.rows.iter().map(|row| unboxed(row).1.trim_end());
        let mut rows: Vec<&str> = rows
            .filter(|row| !row.trim().is_empty() && !is_rule(row) && !self.says(row.trim()))
            .collect();
        let is_cut = rows.len() > DETAIL;
        rows.truncate(DETAIL);
        let margin = rows.iter().map(|row| indent(row)).min().unwrap_or(0);
        let rows = rows.into_iter().map(|row| row.get(margin..).unwrap_or(row));
        let end = is_cut.then_some("…");
        rows.chain(end).collect::<Vec<_>>().join("\n")
    }

    /// Whether a row is the question, or the beginning or end of one that takes several.
    fn says(&self, row: &str) -> bool {
        self.text.starts_with(row) || self.text.ends_with(row) || cleaned(row) == self.text
    }
}

/// Reads the rows above the option in `row`.
pub(super) fn above(frame: &Frame, row: usize) -> Question {
    let top = dialog_top(frame, row);
    let rows: Vec<String> = (top..row)
        .map(|r| unboxed(frame.text(r)).1.to_owned())
        .collect();
    let mut text = pick(&rows, frame.cols);
    if text.is_empty() {
        text = title_above(frame, top).unwrap_or_default();
    }
    let is_marked = !unmarked(&text).is_empty()
        || rows
            .iter()
            .any(|row| row.trim() != text && unmarked(row.trim()).starts_with(&text));
    let text = cleaned(&text);
    let is_asked = text.ends_with(['?', '？', ':', '：']) || is_marked && !text.is_empty();
    let rows = rows
        .into_iter()
        .filter(|text| !text.trim().is_empty() && !is_rule(text))
        .collect();
    Question {
        text,
        is_asked,
        rows,
    }
}

/// What stands right above a list: a question further up was answered.
pub(super) fn heading(frame: &Frame, row: usize) -> Option<String> {
    let above = (row.saturating_sub(2)..row).rev();
    let filled = |row: &usize| !unboxed(frame.text(*row)).1.trim().is_empty();
    let at = above.into_iter().find(filled)?;
    let top = (0..=at).rev().take_while(filled).last().unwrap_or(at);
    let rows: Vec<String> = (top..=at)
        .map(|row| unboxed(frame.text(row)).1.to_owned())
        .collect();
    let text = rows.last()?.trim();
    let asks = text.ends_with(['?', '？', ':', '：']);
    let text = if asks {
        joined(&rows, rows.len() - 1, frame.cols)
    } else {
        without_symbol(text).to_owned()
    };
    // A line that ends in what was typed behind a question is not a heading.
    let is_answered = ["? ", "？", ": ", "：", "> ", "$ ", "# ", "% "]
        .iter()
        .any(|mark| !asks && text.contains(mark));
    (!is_answered && !is_rule(&text)).then(|| cleaned(&text))
}

/// The first row that belongs to the dialog whose options begin in `row`.
fn dialog_top(frame: &Frame, row: usize) -> usize {
    if let Some(border) = left_border(frame.text(row)) {
        // A box may be parted by a rule; it ends at its top edge.
        let inside = |r: &usize| {
            let text = frame.text(*r);
            left_border(text) == Some(border)
                || is_rule(text) && !is_top_edge(text, border) && indent(text) == border
        };
        let top = (0..row).rev().take_while(inside).last().unwrap_or(row);
        // Prompt libraries put the question above the border.
        let title = top.saturating_sub(1);
        let is_title = !unmarked(frame.text(title).trim()).is_empty();
        return if is_title { title } else { top };
    }
    let background = |r: usize| {
        frame
            .row(r)
            .map_or(Colour::Default, |row| row.style_at(0).bg)
    };
    let above = row.saturating_sub(1);
    if background(above) != Colour::Default {
        let outside = (0..row).rev().find(|r| background(*r) == Colour::Default);
        return outside.map_or(0, |r| r + 1);
    }
    let floor = row.saturating_sub(REACH);
    // A rule ends the dialog, unless nothing but blanks stands between it and the options.
    let mut seen_text = false;
    let mut blanks = 0;
    for r in (floor..row).rev() {
        let text = frame.text(r);
        if is_rule(text) && !is_dashed(text) && seen_text {
            return r + 1;
        }
        blanks = if text.trim().is_empty() {
            blanks + 1
        } else {
            0
        };
        // Two empty rows part a dialog from what was on the screen before it.
        if blanks == 2 && seen_text {
            return r + 2;
        }
        seen_text |= !text.trim().is_empty() && !is_rule(text);
    }
    floor
}

/// The row that asks: the lowest that begins like a question and ends like one; else the lowest
/// that ends like one; else the head of the paragraph right above the options.
fn pick(rows: &[String], cols: usize) -> String {
    let asks = |text: &str| text.trim_end().ends_with(['?', '？']);
    let opens = |text: &str| {
        let first = text.split_whitespace().next().unwrap_or("").to_lowercase();
        OPENERS.contains(&first.trim_matches(|c: char| !c.is_alphanumeric()))
    };
    let is_labelled = |text: &str| {
        text.trim()
            .split_once(": ")
            .is_some_and(|(label, _)| !label.contains(' '))
            || text.trim().starts_with(['$', '#'])
    };
    let usable = |text: &str| asks(text) && !is_labelled(text);
    let found = rows
        .iter()
        .rposition(|text| usable(text) && opens(&paragraph_start(rows, text, cols)))
        .or_else(|| rows.iter().rposition(|text| usable(text)));
    if let Some(at) = found {
        return joined(rows, at, cols);
    }
    // A question may be followed by an explanation in the same row.
    let inside = |text: &String| {
        text.trim()
            .split_once("? ")
            .map(|(head, _)| format!("{head}?"))
    };
    if let Some(text) = rows.iter().find_map(inside).filter(|text| text.len() > 2) {
        return text;
    }
    if let Some(text) = rows.iter().rfind(|text| !unmarked(text.trim()).is_empty()) {
        return text.trim().to_owned();
    }
    if let Some(text) = rows
        .iter()
        .rfind(|text| text.trim_end().ends_with([':', '：']))
    {
        return without_symbol(text.trim()).to_owned();
    }
    // What is asked about may be a list; its dialog has a title with a symbol before it.
    let is_item = |text: &str| {
        let marks = ["- ", "• ", "* "];
        marks.iter().any(|mark| text.trim().starts_with(mark))
    };
    let mut filled = rows.iter().filter(|text| !text.trim().is_empty());
    let title = filled.next().map_or("", |text| text.trim());
    if filled.next_back().is_some_and(|text| is_item(text))
        && !is_item(title)
        && without_symbol(title) != title
    {
        return without_symbol(title).to_owned();
    }
    let is_command = |text: &String| text.trim().starts_with(['$', '#']);
    let rows: Vec<String> = rows
        .iter()
        .map(|text| {
            if is_command(text) {
                String::new()
            } else {
                text.clone()
            }
        })
        .collect();
    let Some(last) = rows
        .iter()
        .rposition(|text| !text.trim().is_empty() && !is_rule(text))
    else {
        return String::new();
    };
    let head = (0..last).rev().find(|r| {
        rows.get(*r)
            .is_none_or(|t| t.trim().is_empty() || is_rule(t))
    });
    let head = head.map_or(0, |r| r + 1);
    rows.get(head)
        .map_or_else(String::new, |text| without_symbol(text.trim()).to_owned())
}

/// The text behind the glyph with which prompt libraries begin a question, or nothing.
pub(super) fn unmarked(text: &str) -> &str {
    text.strip_prefix(['?', '◆'])
        .filter(|rest| rest.starts_with(' '))
        .map_or("", str::trim_start)
}

/// A question without the glyph before it and the hints behind it.
pub(super) fn cleaned(text: &str) -> String {
    let text = match unmarked(text) {
        "" => text,
        // Behind the sign stands what was typed, or how to answer.
        rest => rest.split(" ›").next().unwrap_or(rest),
    };
    let text = text.trim_end_matches(['…', ' ', '›']);
    // The question may stand in the edge of a box.
    let text = text.trim_matches(['▔', '▁', '─', '━', ' ']);
    match text.rfind(" (Use ").or_else(|| text.rfind(" (use ")) {
        Some(hint) if text.ends_with(')') => text.get(..hint).unwrap_or(text).to_owned(),
        _ => text.to_owned(),
    }
}

/// A title without the symbol before it.
fn without_symbol(text: &str) -> &str {
    match text.split_once(' ') {
        Some((symbol, rest)) if !symbol.chars().any(char::is_alphanumeric) => rest.trim_start(),
        _ => text,
    }
}

fn paragraph_start(rows: &[String], row: &str, cols: usize) -> String {
    rows.iter()
        .position(|text| text == row)
        .map_or_else(String::new, |at| joined(rows, at, cols))
}

/// The row at `at` with the full rows above it that it continues.
fn joined(rows: &[String], at: usize, cols: usize) -> String {
    let mut first = at;
    while let Some(above) = first.checked_sub(1)
        && let (Some(upper), Some(lower)) = (rows.get(above), rows.get(first))
        && is_full(upper, lower, cols)
    {
        first = above;
    }
    let pieces: Vec<&str> = rows
        .iter()
        .take(at + 1)
        .skip(first)
        .map(|text| text.trim())
        .collect();
    pieces.join(" ")
}

fn indent(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// Whether `upper` broke off only because the first word of `lower` did not fit.
pub(super) fn is_full(upper: &str, lower: &str, cols: usize) -> bool {
    let word = lower.split_whitespace().next().unwrap_or("");
    !upper.trim().is_empty()
        && !word.is_empty()
        && !is_rule(upper)
        && !is_rule(lower)
        && indent(upper) == indent(lower)
        // Borders and margins may take up to six columns on the right.
        && width(upper) + 1 + width(word) + 6 > cols
}
