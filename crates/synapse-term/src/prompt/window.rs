//! Windows with buttons below a field or a list, as dialog and whiptail paint them. Enter in the field or the list
//! is the first button.

use std::sync::LazyLock;

use regex::Regex;

use super::buttons::bracketed_labels;
use super::line::is_secret;
use super::menu::steps_and;
use super::{Choice, Fingerprint, Kind, Layout, Prompt, answer, question};
use crate::chrome::{is_rule, unboxed};
use crate::frame::{Colour, Frame, col_of_byte};
use crate::pattern::constant;

/// How far above its last row the buttons of a window stand.
const REACH: usize = 6;

/// A tag and a label, ticked or not.
static ENTRY: LazyLock<Regex> =
    LazyLock::new(|| constant(r"^\s*(\[[ *xX]\]\s+|\([ *xX]\)\s+)?(\S{1,12})\s+(\S.*?)\s*$"));

struct WindowItem {
    row: usize,
    label: String,
    is_box: bool,
    is_ticked: bool,
    ground: Colour,
}

/// Reads the window at the bottom of the screen.
pub(super) fn read(frame: &Frame) -> Option<Prompt> {
    let last = frame.last_row()?;
    let buttons = (last.saturating_sub(REACH)..=last)
        .rev()
        .find(|row| is_buttons(frame, *row))?;
    let is_framed =
        |row: &usize| unboxed(frame.text(*row)).1 != frame.text(*row) || is_rule(frame.text(*row));
    let top = (0..buttons).rev().take_while(is_framed).last()?;
    if frame.cursor.is_visible
        && (top..buttons).contains(&frame.cursor.row)
        && !is_list(frame, top, buttons)
    {
        return Some(field(frame, top));
    }
    list(frame, top, buttons)
}

fn is_buttons(frame: &Frame, row: usize) -> bool {
    let choice = |label: String| Choice {
        label,
        key: String::new(),
    };
    let labels = frame
        .row(row)
        .and_then(bracketed_labels)
        .unwrap_or_default();
    let options: Vec<Choice> = labels.into_iter().map(choice).collect();
    options.len() >= 2 && answer::is_permission(&options)
}

/// The text inside a row, without the borders of the window and of a list in it.
fn inside(frame: &Frame, row: usize) -> (usize, &str) {
    let (from, inner) = unboxed(frame.text(row));
    let (further, inner) = unboxed(inner);
    (from + further, inner)
}

/// The first words of the window.
fn heading(frame: &Frame, top: usize, end: usize) -> String {
    let rows = (top..end).map(|row| inside(frame, row).1.trim());
    let mut rows = rows.filter(|text| !text.is_empty() && !is_rule(text));
    question::cleaned(rows.next().unwrap_or_default())
}

fn field(frame: &Frame, top: usize) -> Prompt {
    let asked = heading(frame, top, frame.cursor.row);
    let kind = if is_secret(&asked) {
        Kind::Password
    } else {
        Kind::Text
    };
    Prompt {
        kind,
        call: None,
        fingerprint: Fingerprint::of(kind, [asked.as_str()]),
        question: asked,
        detail: String::new(),
        options: Vec::new(),
        selected: None,
        default: None,
        layout: Layout::Line,
    }
}

/// The entries of the list in the window: the lowest rows that look like one.
fn entries(frame: &Frame, top: usize, end: usize) -> Vec<WindowItem> {
    let mut found: Vec<WindowItem> = Vec::new();
    for row in (top + 2..end).rev() {
        let (from, inner) = inside(frame, row);
        let entry = ENTRY
            .captures(inner)
            .filter(|_| !is_rule(inner))
            .and_then(|groups| {
                let label = groups.get(3)?;
                let tick = groups.get(1).map_or("", |tick| tick.as_str());
                Some(WindowItem {
                    row,
                    label: label.as_str().to_owned(),
                    is_box: !tick.is_empty(),
                    is_ticked: tick.contains(['*', 'x', 'X']),
                    ground: frame
                        .row(row)?
                        .style_at(from + col_of_byte(inner, label.start()))
                        .bg,
                })
            });
        match entry {
            Some(entry) => found.push(entry),
            None if found.is_empty() => {}
            None => break,
        }
    }
    found.reverse();
    found
}

fn is_list(frame: &Frame, top: usize, end: usize) -> bool {
    entries(frame, top, end).len() >= 2
}

fn list(frame: &Frame, top: usize, end: usize) -> Option<Prompt> {
    let entries = entries(frame, top, end);
    let first = entries
        .first()
        .filter(|_| (2..=32).contains(&entries.len()))?
        .row;
    let like = |ground: Colour| {
        entries
            .iter()
            .filter(|entry| entry.ground == ground)
            .count()
    };
    let lit = entries.iter().position(|entry| like(entry.ground) == 1);
    let at_cursor = entries
        .iter()
        .position(|entry| entry.row == frame.cursor.row);
    let selected = at_cursor.or(lit).unwrap_or_default();
    let is_checklist = entries.iter().all(|entry| entry.is_box);
    let key = if is_checklist { "Space" } else { "Enter" };
    let option = |(index, entry): (usize, &WindowItem)| Choice {
        label: entry.label.clone(),
        key: steps_and(index, selected, ["Up", "Down"], key),
    };
    let options: Vec<Choice> = entries.iter().enumerate().map(option).collect();
    let ticked = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.is_ticked);
    let layout = if is_checklist {
        let ticked = ticked.fold(0, |bits, (index, _)| bits | 1_u32 << index);
        Layout::Checklist { ticked }
    } else {
        Layout::Menu { by_digit: false }
    };
    let question = heading(frame, top, first);
    let texts = options.iter().map(|option| option.label.as_str());
    Some(Prompt {
        kind: Kind::Selection,
        call: None,
        fingerprint: Fingerprint::of(
            Kind::Selection,
            std::iter::once(question.as_str()).chain(texts),
        ),
        detail: String::new(),
        default: options.get(selected).map(|option| option.label.clone()),
        question,
        options,
        selected: Some(selected),
        layout,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(ENTRY.is_match(" [*] a  Minimal"));
    }
}
