//! A question that a prompt library paints itself, the cursor hidden.

use std::sync::LazyLock;

use regex::Regex;

use super::line::{choice, finish, initials, is_secret};
use super::{Choice, Kind, Layout, Prompt, list, question};
use crate::frame::{Colour, Frame, Marks, Style};
use crate::pattern::constant;

static TOGGLE: LazyLock<Regex> =
    LazyLock::new(|| constant(r"[›‣·]\s+(\w[\w']{0,15})\s/\s(\w[\w']{0,15})\s*$"));

/// A question painted by a library stands this close to the bottom.
const PAINTED_ROWS: usize = 4;

static YES_NO: LazyLock<Regex> = LazyLock::new(|| constant(r"\((y|Y)/(n|N)\)"));

/// Reads one: `? Name › demo`, `◆  Name?`.
/// It is told by the coloured glyph before it, which changes when it is answered.
pub(super) fn read(frame: &Frame) -> Option<Prompt> {
    let last = frame.last_row()?;
    let row = (last.saturating_sub(PAINTED_ROWS)..=last)
        .rev()
        .find(|row| {
            let text = frame.text(*row);
            let paint = frame.row(*row);
            let glyph = paint.map_or(Colour::Default, |row| row.style_at(0).fg);
            let words = paint.map_or(Colour::Default, |row| row.style_at(3).fg);
            !question::unmarked(text).is_empty() && glyph != Colour::Default && glyph != words
        })?;
    // Once it is answered the cursor waits below it.
    if frame.cursor.is_visible && frame.cursor.row > row {
        return None;
    }
    let text = question::unmarked(frame.text(row));
    let asked = text
        .split(['›', '‣'])
        .next()
        .unwrap_or(text)
        .trim_end_matches(['…', ' ', '·']);
    if let Some(prompt) = toggle(frame, row, asked).or_else(|| initials(asked)) {
        return Some(prompt);
    }
    if let Some(groups) = YES_NO.captures(text) {
        let is_yes = groups.get(1).is_some_and(|y| y.as_str() == "Y");
        let is_no = groups.get(2).is_some_and(|n| n.as_str() == "N");
        let default = match (is_yes, is_no) {
            (true, false) => Some("y".to_owned()),
            (false, true) => Some("n".to_owned()),
            _ => None,
        };
        return Some(finish(
            Kind::Confirmation,
            asked,
            vec![choice("y", "y"), choice("n", "n")],
            default,
        ));
    }
    let options = list::items_below(frame, row);
    if options.len() >= 2 && frame.cursor.is_visible {
        return Some(finish(Kind::Selection, asked, options, None));
    }
    let (asked, default) = without_answer(asked);
    let kind = if is_secret(asked) {
        Kind::Password
    } else {
        Kind::Text
    };
    Some(finish(kind, asked, Vec::new(), default))
}

/// A question without what is typed behind it, and what an empty answer means: `Name: (demo)`.
fn without_answer(asked: &str) -> (&str, Option<String>) {
    let is_end = |(at, mark): &(usize, char)| {
        let behind = asked.get(at + mark.len_utf8()..).unwrap_or("");
        matches!(mark, ':' | '?' | '：' | '？') && behind.starts_with(' ')
    };
    let Some((at, mark)) = asked.char_indices().find(is_end) else {
        return (asked, None);
    };
    let (question, answer) = asked.split_at(at + mark.len_utf8());
    let default = answer.trim().strip_prefix('(');
    let default = default.and_then(|text| text.strip_suffix(')'));
    (question, default.map(str::to_owned))
}

/// `Use TypeScript? › no / yes`: the one that is lit or underlined is selected.
fn toggle(frame: &Frame, row: usize, asked: &str) -> Option<Prompt> {
    let painted = frame.row(row)?;
    let groups = TOGGLE.captures(&painted.text)?;
    let pair = [groups.get(1)?, groups.get(2)?];
    let styles = pair.map(|label| painted.style_at_byte(label.start()));
    let stands_out = |style: &Style| {
        style.marks.has(Marks::UNDERLINE)
            || style.marks.has(Marks::INVERSE)
            || style.fg != Colour::Default
    };
    let selected = match styles.each_ref().map(stands_out) {
        [true, false] => 0,
        [false, true] => 1,
        _ => return None,
    };
    let option = |(index, label): (usize, regex::Match<'_>)| {
        let key = super::menu::steps(index, selected, "Left", "Right");
        choice(label.as_str(), &key)
    };
    let options: Vec<Choice> = pair.into_iter().enumerate().map(option).collect();
    let default = options.get(selected).map(|option| option.label.clone());
    Some(Prompt {
        layout: Layout::Buttons,
        ..finish(Kind::Confirmation, asked, options, default)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(TOGGLE.is_match("Use it? › no / yes"));
        assert!(YES_NO.is_match("Go? (Y/n)"));
    }
}
