//! Painted rows back to text: markers and indents off, wrapped lines joined, tables and numbered
//! code without their drawing.

use unicode_width::UnicodeWidthChar;

use super::{Cut, Speaker};
use crate::chrome::{is_hint, is_rule};
use crate::frame::{Row, join_wrapped, width};

/// A paragraph narrower than this share of the screen was not wrapped by it.
const WRAPPED_SHARE: usize = 2;

/// The text of one block.
pub(super) fn block(rows: &[&Row], speaker: Speaker, how: &Cut<'_>) -> String {
    let speech = &how.profile.speech;
    let mut lines: Vec<String> = Vec::new();
    for (index, line) in join_wrapped(rows.iter().copied()) {
        let marker = speech
            .say
            .as_ref()
            .filter(|_| index == 0)
            .and_then(|say| say.find(&line));
        let text = match marker {
            Some(found) if found.start() == 0 => line.get(found.end()..).unwrap_or(""),
            _ => strip_indent(&line, speech.indent),
        };
        lines.push(text.trim_end().to_owned());
    }
    if speaker == Speaker::Model && speech.numbers_code {
        strip_numbers(&mut lines);
    }
    // The indent took columns away from every row.
    finish(lines, how.cols.saturating_sub(speech.indent))
}

/// The text of a program nobody has described: hints at its end are dropped, and the glyph with
/// which many programs begin what they say.
pub(super) fn plain(rows: &[&Row], cols: usize) -> String {
    let is_empty = |row: &&&Row| row.text.trim().is_empty();
    let says = rows
        .iter()
        .any(|row| !row.text.trim().is_empty() && !is_hint(row));
    let mut rows: Vec<&Row> = rows.iter().skip_while(is_empty).copied().collect();
    while let Some(row) = rows.last()
        && (row.text.trim().is_empty() || is_rule(&row.text) || says && is_hint(row))
    {
        rows.pop();
    }
    let lines = join_wrapped(rows.iter().copied());
    let mut lines: Vec<String> = lines
        .into_iter()
        .map(|(_, line)| line.trim_end().to_owned())
        .collect();
    strip_glyph(&mut lines);
    finish(lines, cols)
}

/// Takes a glyph off the first line, and its width off the lines indented under it.
fn strip_glyph(lines: &mut [String]) {
    let Some(first) = lines.first() else { return };
    let trimmed = first.trim_start();
    let Some((glyph, text)) = trimmed.split_once(' ') else {
        return;
    };
    let is_glyph = glyph.chars().count() == 1
        && !glyph.contains(|c: char| c.is_alphanumeric() || c.is_ascii_punctuation());
    let indent = width(first) - width(text.trim_start());
    let is_under = |line: &String| line.trim().is_empty() || line.starts_with(&" ".repeat(indent));
    if !is_glyph || !lines.iter().skip(1).all(is_under) {
        return;
    }
    let text = text.trim_start().to_owned();
    for line in lines.iter_mut().skip(1) {
        *line = line.get(indent..).unwrap_or("").to_owned();
    }
    if let Some(first) = lines.first_mut() {
        *first = text;
    }
}

fn finish(lines: Vec<String>, cols: usize) -> String {
    let text_lines = lines.iter().filter(|line| !is_drawing(line));
    let widest = text_lines.map(|line| width(line)).max().unwrap_or(0);
    let limit = if widest * WRAPPED_SHARE > cols {
        widest.max(cols.saturating_sub(MARGIN))
    } else {
        cols
    };
    let mut out: Vec<String> = Vec::new();
    let mut open = false;
    for line in lines {
        if is_drawing(&line) {
            open = false;
            continue;
        }
        let line = bullets(&undraw(&line));
        match out.last_mut() {
            Some(before) if open && continues(before, &line, limit) => join(before, &line),
            _ => out.push(line.clone()),
        }
        open = !line.trim().is_empty();
        if let Some(last) = out.last() {
            open &= !last.is_empty();
        }
    }
    let text = out.join("\n").replace(JOINT, "");
    text.trim_matches('\n').trim_end().to_owned()
}

/// Programs leave up to this many columns free at the right.
const MARGIN: usize = 4;

fn strip_indent(line: &str, indent: usize) -> &str {
    let blanks = line.bytes().take(indent).take_while(|b| *b == b' ').count();
    line.get(blanks..).unwrap_or(line)
}

/// Whether `next` goes on where `before` had no room left. `before` may be joined already: its
/// last painted row is what counts, and that was full each time it was joined.
fn continues(before: &str, next: &str, limit: usize) -> bool {
    let word = first_word(next.trim_start());
    if word.is_empty() || is_list_item(next) {
        return false;
    }
    let last_row = width(before.rsplit(JOINT).next().unwrap_or(before));
    last_row + 1 + width(&word) > limit
}

/// Marks, inside an open paragraph, where a row ended; removed when the text is finished.
const JOINT: char = '\u{0}';

fn first_word(text: &str) -> String {
    let mut word = String::new();
    for c in text.chars() {
        if c.is_whitespace() {
            break;
        }
        word.push(c);
        // Wide characters may be parted anywhere.
        if c.width() == Some(2) {
            break;
        }
    }
    word
}

fn is_list_item(line: &str) -> bool {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.starts_with("- ")
        || text.starts_with("* ")
        || (digits > 0
            && text
                .get(digits..)
                .is_some_and(|rest| rest.starts_with(". ") || rest.starts_with(") ")))
}

fn join(before: &mut String, next: &str) {
    let next = next.trim_start();
    let is_wide = |c: Option<char>| c.and_then(unicode_width::UnicodeWidthChar::width) == Some(2);
    let is_tight = is_wide(before.chars().next_back()) && is_wide(next.chars().next());
    if !is_tight {
        before.push(' ');
    }
    before.push(JOINT);
    before.push_str(next);
}

/// Rules and the edges of tables.
fn is_drawing(line: &str) -> bool {
    let text = line.trim();
    is_rule(text)
        || (!text.is_empty()
            && text.chars().all(|c| {
                matches!(
                    c,
                    '─' | '━'
                        | '═'
                        | ' '
                        | '┌'
                        | '┐'
                        | '└'
                        | '┘'
                        | '├'
                        | '┤'
                        | '┬'
                        | '┴'
                        | '┼'
                        | '╭'
                        | '╮'
                        | '╰'
                        | '╯'
                )
            }))
}

/// The cells of a table row, without the drawing between them.
fn undraw(line: &str) -> String {
    let text = line.trim();
    if !(text.starts_with('│')
        && text.ends_with('│')
        && text.chars().filter(|c| *c == '│').count() > 2)
    {
        return line.to_owned();
    }
    text.split('│')
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect::<Vec<_>>()
        .join("  ")
}

/// `•` as Markdown writes it.
fn bullets(line: &str) -> String {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    match text.strip_prefix("• ") {
        Some(rest) => format!("{}- {rest}", " ".repeat(indent)),
        None => line.to_owned(),
    }
}

/// Code painted with line numbers: lines numbered 1, 2, 3…, wrapped ones between them.
fn strip_numbers(lines: &mut [String]) {
    let mut expected = 1;
    for line in lines {
        let Some((number, end)) = leading_number(line) else {
            if !line.starts_with("  ") {
                expected = 1;
            }
            continue;
        };
        if number != expected && number != 1 {
            continue;
        }
        expected = number + 1;
        let rest = line.get(end..).unwrap_or("");
        *line = rest.strip_prefix(' ').unwrap_or(rest).to_owned();
    }
}

/// The number a line begins with, if a blank or nothing follows it, and where it ends.
fn leading_number(line: &str) -> Option<(u32, usize)> {
    let start = line.len() - line.trim_start().len();
    let digits = line
        .get(start..)?
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    let end = start + digits;
    let after = line.get(end..)?;
    let is_number = digits > 0 && (after.is_empty() || after.starts_with(' '));
    is_number.then(|| Some((line.get(start..end)?.parse().ok()?, end)))?
}
