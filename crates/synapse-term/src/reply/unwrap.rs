//! Painted rows back to text: markers and indents off, wrapped lines joined, tables and numbered
//! code without their drawing.

use unicode_width::UnicodeWidthChar;

use super::line::Line;
use super::{Cut, Speaker};
use crate::chrome::is_rule;
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

/// The text of a program nobody has described: without the label or glyph before it, as far left
/// as it goes, wrapped lines joined.
pub(super) fn plain(lines: &[Line<'_>], how: &Cut<'_>) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut goes_on = false;
    let mut has_soft_wraps = false;
    for line in lines {
        if line.is_rule() || how.furniture.is_asked(line) {
            continue;
        }
        match texts.last_mut() {
            Some(text) if goes_on => text.push_str(line.text.trim_end()),
            _ => texts.push(line.text.trim_end().to_owned()),
        }
        goes_on = line.row.is_wrapped && line.bar.is_none();
        has_soft_wraps |= goes_on;
    }
    let from = lines.iter().position(|line| !line.is_rule());
    let shift = match (from.and_then(|at| lines.get(at..)), texts.first_mut()) {
        (Some(lines), Some(first)) => {
            let (shift, text) = how.furniture.unlabelled(lines, first);
            *first = format!("{}{text}", " ".repeat(shift));
            shift
        }
        _ => 0,
    };
    number(&mut texts, lines);
    let indent = |text: &String| text.len() - text.trim_start().len();
    let filled = texts.iter().filter(|text| !text.trim().is_empty());
    let margin = filled.clone().map(indent).min().unwrap_or(0);
    // The first line may stand further left or right than the others.
    let others = filled.skip(1).map(indent).min().unwrap_or(margin);
    let left = |index: usize| {
        if index == 0 && shift > 0 {
            shift
        } else {
            others.min(margin.max(others))
        }
    };
    for (index, text) in texts.iter_mut().enumerate() {
        let blanks = indent(text).min(left(index));
        *text = text.get(blanks..).unwrap_or("").to_owned();
    }
    if has_soft_wraps {
        // Who leaves wrapping to the terminal does not wrap as well.
        return tidy(texts.into_iter());
    }
    let cols = how.cols.saturating_sub(margin);
    // What a line program prints it breaks itself only where it prints prose.
    finish_lines(texts, cols, how.usual_prompt.is_some().then_some(how.cols))
}

/// Lists that are painted with bare numbers in a colour of their own: ` 1 one`.
fn number(texts: &mut [String], lines: &[Line<'_>]) {
    let painted = |text: &str| {
        let (number, end) = leading_number(text)?;
        let rest = text.get(end..)?.strip_prefix(' ')?;
        let col = width(text.get(..end)?);
        let of = |line: &&Line<'_>| line.text.trim_end() == text;
        let row = lines.iter().find(of)?.row;
        let differs = row.style_at(col.checked_sub(1)?) != row.style_at(col + 1);
        (differs && !rest.trim().is_empty()).then_some((number, end))
    };
    let mut expected = 1;
    for text in texts {
        match painted(text) {
            Some((number, end)) if number == expected || number == 1 => {
                expected = number + 1;
                text.insert(end, '.');
            }
            _ => {}
        }
    }
}

/// Lines as they are, without what is drawn around tables.
fn tidy(lines: impl Iterator<Item = String>) -> String {
    let lines = lines.filter(|line| !is_drawing(line));
    let lines: Vec<String> = lines.map(|line| bullets(&undraw(&line))).collect();
    lines.join("\n").trim_matches('\n').trim_end().to_owned()
}

fn finish(lines: Vec<String>, cols: usize) -> String {
    finish_lines(lines, cols, None)
}

/// `edge` is the width of a screen on which lines are printed: one that reaches it has ended there.
fn finish_lines(lines: Vec<String>, cols: usize, edge: Option<usize>) -> String {
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
            Some(before)
                if open && continues(before, &line, limit) && is_prose(before, &line, edge) =>
            {
                join(before, &line);
            }
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

/// Whether a printed line may go on in the next: it did not reach the edge, and the next one does
/// not begin as lines do.
fn is_prose(before: &str, next: &str, edge: Option<usize>) -> bool {
    let Some(edge) = edge else { return true };
    let last_row = width(before.rsplit(JOINT).next().unwrap_or(before));
    let first = next.trim_start().chars().next();
    let goes_on = first.is_some_and(|c| c.is_lowercase() || c.width() == Some(2) || c == '(');
    let is_sentence = before.ends_with(|c: char| c.is_lowercase() || c == ',')
        && before.split_whitespace().count() >= PROSE;
    // Wide characters are parted anywhere: who wraps them fills each row to the edge.
    let is_full = last_row >= edge && !is_tight(before, next);
    !is_full && (goes_on || is_sentence)
}

/// A row of prose has this many words or more.
const PROSE: usize = 8;

/// Programs leave up to this many columns free at the right.
const MARGIN: usize = 4;

fn strip_indent(line: &str, indent: usize) -> &str {
    let blanks = line.bytes().take(indent).take_while(|b| *b == b' ').count();
    line.get(blanks..).unwrap_or(line)
}

/// Whether `next` goes on where `before` had no room left. `before` may be joined already: its
/// last painted row is what counts, and that was full each time it was joined.
fn continues(before: &str, next: &str, limit: usize) -> bool {
    let last_row = width(before.rsplit(JOINT).next().unwrap_or(before));
    let word = first_word(next.trim_start(), last_row * WRAPPED_SHARE > limit);
    if word.is_empty() || is_list_item(next) {
        return false;
    }
    last_row + 1 + width(&word) > limit
}

/// Words longer than this are broken, not moved to the next row.
const LONG_WORD: usize = 40;

/// Marks, inside an open paragraph, where a row ended; removed when the text is finished.
const JOINT: char = '\u{0}';

fn first_word(text: &str, is_clause: bool) -> String {
    let mut word = String::new();
    for c in text.chars() {
        if c.is_whitespace() {
            break;
        }
        word.push(c);
        // Wide characters may be parted anywhere, and are where a clause ends.
        if c.width() == Some(2) && (!is_clause || "、。，．！？）」".contains(c)) {
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
    // A word that fills half a row was broken where the row ended.
    let word = before.rsplit([' ', JOINT]).next().unwrap_or("");
    if !is_tight(before, next) && width(word) < LONG_WORD {
        before.push(' ');
    }
    before.push(JOINT);
    before.push_str(next);
}

/// Whether a wide character is parted from another, as in a text without blanks.
fn is_tight(before: &str, next: &str) -> bool {
    let is_wide = |c: Option<char>| c.and_then(UnicodeWidthChar::width) == Some(2);
    is_wide(before.chars().next_back()) && is_wide(next.trim_start().chars().next())
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
    let is_edge = |c: char| matches!(c, '│' | '┃' | '║');
    if !(text.starts_with(is_edge)
        && text.ends_with(is_edge)
        && text.chars().filter(|c| is_edge(*c)).count() > 2)
    {
        return line.to_owned();
    }
    text.split(is_edge)
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
