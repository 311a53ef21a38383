//! One-line rows of buttons, the selected one told by its colours.

use super::question;
use super::{Choice, Fingerprint, Kind, Layout, Prompt};
use crate::chrome::unboxed;
use crate::frame::{Colour, Frame, Marks, Row, Style, col_of_byte};

/// A button says a few words, not a sentence.
const LONGEST: usize = 28;

/// Buttons stand closer together than this.
const WIDEST_GAP: usize = 8;

/// How far above the last row of the screen a row of buttons is looked for.
const REACH: usize = 12;

/// A label and the style it is painted in.
struct Button<'a> {
    label: &'a str,
    style: Style,
}

/// Reads the lowest row of buttons.
pub(super) fn read(frame: &Frame) -> Option<Prompt> {
    let last = frame.last_row()?;
    (last.saturating_sub(REACH)..=last).rev().find_map(|row| at(frame, row))
}

fn at(frame: &Frame, row: usize) -> Option<Prompt> {
    let painted = frame.row(row)?;
    let buttons = split(painted)?;
    let selected = lit(&buttons)?;
    let question = question::above(frame, row);
    let options: Vec<Choice> = buttons
        .iter()
        .enumerate()
        .map(|(index, button)| Choice {
            label: button.label.to_owned(),
            key: super::menu::steps(index, selected, "Left", "Right"),
        })
        .collect();
    // A row of words with one in colour is a toolbar unless it can be agreed to or refused.
    if !super::answer::is_permission(&options) {
        return None;
    }
    let kind = if options.len() == 2 { Kind::Confirmation } else { Kind::Permission };
    let labels = options.iter().map(|option| option.label.as_str());
    Some(Prompt {
        kind,
        fingerprint: Fingerprint::of(kind, question.detail.iter().map(String::as_str).chain(labels)),
        question: question.text,
        default: options.get(selected).map(|option| option.label.clone()),
        options,
        selected: Some(selected),
        layout: Layout::Buttons,
    })
}

/// Labels parted by two blanks or more.
fn split(row: &Row) -> Option<Vec<Button<'_>>> {
    let (_, inner) = unboxed(&row.text);
    let base = inner.as_ptr() as usize - row.text.as_ptr() as usize;
    let mut buttons = Vec::new();
    let (mut at, mut gap) = (0, 0);
    for piece in inner.split("  ") {
        let start = at;
        at += piece.len() + 2;
        let trimmed = piece.trim();
        gap += 2;
        if trimmed.is_empty() {
            continue;
        }
        // Hints stand apart from the buttons.
        if !buttons.is_empty() && gap > WIDEST_GAP {
            break;
        }
        gap = 0;
        let lead = piece.len() - piece.trim_start().len();
        let label = trimmed.trim_matches(['<', '>', '[', ']', ' ']);
        if label.is_empty() || label.chars().count() > LONGEST {
            return None;
        }
        let inside = lead + (trimmed.len() - trimmed.trim_start_matches(['<', '[', ' ']).len());
        let col = col_of_byte(&row.text, base + start + inside);
        buttons.push(Button { label, style: row.style_at(col) });
    }
    (2..=5).contains(&buttons.len()).then_some(buttons)
}

/// The only button that is lit: inverse, or on a background that the others do not have.
fn lit(buttons: &[Button<'_>]) -> Option<usize> {
    let is_lit = |button: &Button<'_>| {
        button.style.marks.has(Marks::INVERSE) || button.style.bg != Colour::Default
    };
    let mut found = buttons.iter().enumerate().filter(|(_, button)| {
        is_lit(button)
            && buttons.iter().filter(|o| (o.style.bg, o.style.marks.has(Marks::INVERSE)) == (button.style.bg, button.style.marks.has(Marks::INVERSE))).count() == 1
    });
    let candidates: Vec<usize> = found.by_ref().map(|(index, _)| index).collect();
    match candidates.as_slice() {
        [one] => Some(*one),
        // Two buttons on different backgrounds: the bold or inverse one is selected.
        [a, b] if buttons.len() == 2 => {
            let strong = |index: &usize| {
                buttons.get(*index).is_some_and(|button| {
                    button.style.marks.has(Marks::INVERSE) || button.style.marks.has(Marks::BOLD)
                })
            };
            match (strong(a), strong(b)) {
                (true, false) => Some(*a),
                (false, true) => Some(*b),
                _ => None,
            }
        }
        _ => None,
    }
}
