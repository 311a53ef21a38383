//! Questions that are answered by a number: with the options in the line itself, above it or below it.

use std::sync::LazyLock;

use regex::Regex;

use super::answer::is_permission;
use super::line::{bracketed_default, choice, finish};
use super::{Choice, Kind, Prompt, question};
use crate::frame::Frame;
use crate::pattern::constant;

/// The options above a numbered question are looked for this far up.
const REACH: usize = 12;

static DIGITS: LazyLock<Regex> = LazyLock::new(|| constant(r"\[(\d+(?:/\d+)+)\][^\w]*$"));

static INLINE_NUMBERS: LazyLock<Regex> =
    LazyLock::new(|| constant(r"\((\d+)\)\s*([^()]*[^()\s:?,/])"));

static LIST_ROW: LazyLock<Regex> =
    LazyLock::new(|| constant(r"^\s*[(\[]?(\d{1,2})[.):\]]\s+(\S.*)$"));

static PICK: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)(select|choose|choice|pick|option|number|which|選択|番号|選んで)[^:：?？>]*[:：?？>]\s*(\[[^\]]*\]\s*[:：]?\s*)?$|^#\?\s*$|^>\s*$",
    )
});

static PICKS: LazyLock<Regex> =
    LazyLock::new(|| constant(r"(?i)\b(select|choose|pick|which|what)\b|選択|選んで"));

/// So many rows above a line may belong to it.
const WORDS: usize = 2;

/// `[1/2/3]` or `(1) one (2) two`.
pub(super) fn digits(line: &str) -> Option<Prompt> {
    if let Some(groups) = DIGITS.captures(line) {
        let options = groups
            .get(1)?
            .as_str()
            .split('/')
            .map(|n| choice(n, n))
            .collect();
        return Some(finish(Kind::Selection, line, options, None));
    }
    let options: Vec<Choice> = INLINE_NUMBERS
        .captures_iter(line)
        .filter_map(|groups| Some(choice(groups.get(2)?.as_str(), groups.get(1)?.as_str())))
        .collect();
    (options.len() >= 2).then(|| finish(Kind::Selection, line, options, None))
}

/// A numbered list above a line that asks to pick from it.
pub(super) fn above(frame: &Frame, line: &str) -> Option<Prompt> {
    if !PICK.is_match(line) {
        return None;
    }
    let row = frame.line_start(frame.cursor.row);
    let (options, first) = items_above(frame, row);
    if options.len() < 2 {
        return None;
    }
    let default = bracketed_default(line, &options);
    let kind = if is_permission(&options) {
        Kind::Permission
    } else {
        Kind::Selection
    };
    let question = question_of(frame, first, line);
    Some(finish(kind, &question, options, default))
}

/// The items of the list that ends right above a row, and the row of its first. A blank row and what belongs to the
/// row itself may stand between them; a list further up is somebody's text.
fn items_above(frame: &Frame, row: usize) -> (Vec<Choice>, usize) {
    let mut options: Vec<Choice> = Vec::new();
    let (mut first, mut lowest, mut words, mut is_parted) = (row, None, 0, false);
    for above in (row.saturating_sub(REACH)..row).rev() {
        let text = frame.text(above);
        let item = LIST_ROW.captures(text).and_then(|groups| {
            let number: u32 = groups.get(1)?.as_str().parse().ok()?;
            Some((number, groups.get(2)?.as_str()))
        });
        match item {
            Some((number, label)) if lowest.is_none_or(|lowest| number + 1 == lowest) => {
                options.insert(0, choice(label, &number.to_string()));
                (first, lowest) = (above, Some(number));
                if number <= 1 {
                    break;
                }
            }
            None if text.trim().is_empty() => is_parted = true,
            None if options.is_empty() && !is_parted && words < WORDS => words += 1,
            Some(_) | None => break,
        }
    }
    (options, first)
}

/// What is asked: by the line itself, or above the list where the line only says how to answer.
fn question_of(frame: &Frame, first: usize, line: &str) -> String {
    let is_phrase = line.split_whitespace().count() > 1;
    if is_phrase && line.contains(['?', '？']) {
        return line.to_owned();
    }
    let heading = question::heading(frame, first).or_else(|| {
        let above = question::above(frame, first).text;
        above.ends_with([':', '：']).then_some(above)
    });
    let asks = |text: &String| {
        !is_phrase || text.ends_with(['?', '？', ':', '：']) || PICKS.is_match(text)
    };
    heading.filter(asks).unwrap_or_else(|| line.to_owned())
}

/// A numbered list below the line that asks.
pub(super) fn below(frame: &Frame, line: &str) -> Option<Prompt> {
    let options = items_below(frame, frame.cursor.row);
    (options.len() >= 2).then(|| finish(Kind::Selection, line, options, None))
}

/// The items of the list right below a row.
pub(super) fn items_below(frame: &Frame, row: usize) -> Vec<Choice> {
    let item = |row: usize| {
        let groups = LIST_ROW.captures(frame.text(row))?;
        Some(choice(groups.get(2)?.as_str(), groups.get(1)?.as_str()))
    };
    (row + 1..frame.rows.len()).map_while(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        for pattern in [&DIGITS, &INLINE_NUMBERS, &LIST_ROW, &PICK, &PICKS] {
            assert!(!pattern.as_str().is_empty());
        }
    }
}
