//! A list that is narrowed by typing, over the whole screen: a prompt, how many entries match, and the entries, from
//! the prompt outwards.

use std::sync::LazyLock;

use regex::Regex;

use super::line::{choice, finish};
use super::{Choice, Kind, Layout, Prompt};
use crate::frame::Frame;
use crate::pattern::constant;

/// `3/12 ────`: how many of all entries match.
static COUNT: LazyLock<Regex> =
    LazyLock::new(|| constant(r"^\s*(\d+)/\d+(\s+\(\d+\))?\s*[─━-]*\s*$"));

/// What stands before the entry under the cursor.
const POINTERS: [char; 4] = ['>', '▌', '❯', '→'];

/// Reads one, if its entries are all in sight or fill the screen.
pub(super) fn read(frame: &Frame) -> Option<Prompt> {
    let cursor = frame.cursor;
    if !frame.modes.alternate_screen || !cursor.is_visible {
        return None;
    }
    let above = (0..cursor.row).rev().collect::<Vec<usize>>();
    let below = (cursor.row + 1..frame.rows.len()).collect::<Vec<usize>>();
    outwards(frame, &above, ["Down", "Up"]).or_else(|| outwards(frame, &below, ["Up", "Down"]))
}

/// The entries in rows that lead away from the prompt, the first of which counts them.
fn outwards(frame: &Frame, rows: &[usize], [back, forth]: [&str; 2]) -> Option<Prompt> {
    let (first, rest) = rows.split_first()?;
    let groups = COUNT.captures(frame.text(*first))?;
    let matching: usize = groups.get(1)?.as_str().parse().ok()?;
    let texts = rest.iter().map(|row| frame.text(*row));
    let entries: Vec<&str> = texts.take_while(|text| !text.trim().is_empty()).collect();
    let is_pointed = |text: &&str| text.starts_with(POINTERS);
    let selected = entries.iter().position(is_pointed)?;
    let is_all = entries.len() == matching || entries.len() == rest.len();
    if !is_all || entries.iter().filter(|text| is_pointed(text)).count() != 1 {
        return None;
    }
    let option = |(index, text): (usize, &&str)| {
        let label = text.trim_start_matches(POINTERS).trim();
        choice(label, &super::menu::steps(index, selected, back, forth))
    };
    let options: Vec<Choice> = entries.iter().enumerate().map(option).collect();
    let default = options.get(selected).map(|option| option.label.clone());
    let question = frame.before_cursor();
    Some(Prompt {
        selected: Some(selected),
        layout: Layout::Menu { by_digit: false },
        ..finish(Kind::Selection, question.trim(), options, default)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(COUNT.is_match("  3/12 ─────") && !COUNT.is_match("page 3/12"));
    }
}
