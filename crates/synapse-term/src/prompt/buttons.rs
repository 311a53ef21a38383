//! One-line rows of buttons, the selected one told by its colours.

use std::sync::LazyLock;

use regex::Regex;

use super::question;
use super::{Choice, Fingerprint, Kind, Layout, Prompt};
use crate::chrome::unboxed;
use crate::frame::{Colour, Frame, Marks, Row, Style, width};
use crate::pattern::constant;

/// A button says a few words, not a sentence.
const LONGEST: usize = 28;

/// Buttons stand closer together than this.
const WIDEST_GAP: usize = 6;

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
    // Somebody who can type below them has answered.
    let is_typed = |row: &usize| {
        let cursor = frame.cursor;
        cursor.is_visible && cursor.row > *row && !frame.before_cursor().trim().is_empty()
    };
    (last.saturating_sub(REACH)..=last)
        .rev()
        .take_while(|row| !is_typed(row))
        .find_map(|row| at(frame, row))
}

fn at(frame: &Frame, row: usize) -> Option<Prompt> {
    let painted = frame.row(row)?;
    let (options, selected) = if let Some(options) = keyed(painted) {
        (options, None)
    } else {
        let lit_among = |buttons: Vec<Button<'_>>| {
            let selected = lit(&buttons, ground(painted))?;
            Some((choices(&buttons, selected), selected))
        };
        let chosen =
            |(buttons, selected): (Vec<Button<'_>>, usize)| (choices(&buttons, selected), selected);
        let (options, selected) = radios(painted)
            .map(chosen)
            .or_else(|| bracketed(painted).and_then(lit_among))
            .or_else(|| pointed(painted).map(chosen))
            .or_else(|| split(painted).and_then(lit_among))?;
        (options, Some(selected))
    };
    // A row of words with one in colour is a toolbar unless it can be agreed to or refused; a
    // single button can only be pressed.
    let is_notice = options.len() == 1;
    if !is_notice && !super::answer::is_permission(&options) {
        return None;
    }
    let question = question::above(frame, row);
    let kind = if options.len() > 2 {
        Kind::Permission
    } else {
        Kind::Confirmation
    };
    let labels = options.iter().map(|option| option.label.as_str());
    Some(Prompt {
        kind,
        call: None,
        fingerprint: Fingerprint::of(kind, question.rows.iter().map(String::as_str).chain(labels)),
        detail: question.detail(),
        question: question.text,
        default: selected
            .and_then(|index| options.get(index))
            .map(|option| option.label.clone()),
        options,
        selected,
        layout: Layout::Buttons,
    })
}

fn choices(buttons: &[Button<'_>], selected: usize) -> Vec<Choice> {
    let choice = |(index, button): (usize, &Button<'_>)| Choice {
        label: button.label.to_owned(),
        key: super::menu::steps(index, selected, "Left", "Right"),
    };
    buttons.iter().enumerate().map(choice).collect()
}

/// `● Yes / ○ No`: the filled circle is selected.
fn radios(row: &Row) -> Option<(Vec<Button<'_>>, usize)> {
    let (_, inner) = unboxed(&row.text);
    let mut buttons = Vec::new();
    let mut selected = None;
    for (index, piece) in inner.trim().split(" / ").enumerate() {
        let label = piece.strip_prefix(['●', '◉', '○', '◯'])?.trim();
        if piece.starts_with(['●', '◉']) && selected.replace(index).is_some() {
            return None;
        }
        buttons.push(Button {
            label,
            style: Style::default(),
        });
    }
    (buttons.len() >= 2).then_some(())?;
    Some((buttons, selected?))
}

/// `<Yes>   < No  >`, and nothing else in the row.
fn bracketed(row: &Row) -> Option<Vec<Button<'_>>> {
    let (_, inner) = unboxed(&row.text);
    let is_all = BRACKETED.replace_all(inner, "").trim().is_empty() && !inner.trim().is_empty();
    is_all.then_some(())?;
    let base = inner.as_ptr() as usize - row.text.as_ptr() as usize;
    let button = |groups: regex::Captures<'_>| {
        let label = groups.get(1)?;
        let text = inner.get(label.range())?;
        Some(Button {
            label: text,
            style: row.style_at_byte(base + label.start()),
        })
    };
    BRACKETED.captures_iter(inner).map(button).collect()
}

/// The labels of a row of bracketed buttons.
pub(super) fn bracketed_labels(row: &Row) -> Option<Vec<String>> {
    let buttons = bracketed(row)?;
    Some(
        buttons
            .iter()
            .map(|button| button.label.to_owned())
            .collect(),
    )
}

static BRACKETED: LazyLock<Regex> =
    LazyLock::new(|| constant(r"[<\[]\s*([^<>\[\]\s][^<>\[\]]*?)\s*[>\]]"));

static KEYED: LazyLock<Regex> =
    LazyLock::new(|| constant(r"[\[(](\w)[\])]\s+(\w[\w'-]*(?: [\w'-]+)*)"));

/// `[y] Approve   [n] Deny`: each with its key.
fn keyed(row: &Row) -> Option<Vec<Choice>> {
    let (_, inner) = unboxed(&row.text);
    let rest = KEYED.replace_all(inner, "");
    let is_all = rest
        .chars()
        .all(|c| c.is_whitespace() || "/|·•,".contains(c));
    let options: Vec<Choice> = KEYED
        .captures_iter(inner)
        .filter_map(|groups| {
            let (key, label) = (groups.get(1)?.as_str(), groups.get(2)?.as_str());
            Some(Choice {
                label: label.to_owned(),
                key: key.to_owned(),
            })
        })
        .collect();
    (is_all && options.len() >= 2).then_some(options)
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
        // Hints stand apart from the buttons, or name a key.
        if !buttons.is_empty() && (gap > WIDEST_GAP || KEY_NAME.is_match(trimmed)) {
            break;
        }
        gap = 0;
        let lead = piece.len() - piece.trim_start().len();
        if trimmed.chars().count() > LONGEST || trimmed.contains(['?', '？', ':', '[', '(']) {
            return None;
        }
        buttons.push(Button {
            label: trimmed,
            style: row.style_at_byte(base + start + lead),
        });
    }
    (2..=5).contains(&buttons.len()).then_some(buttons)
}

/// `❯ Yes   No   Always`: a mark before the selected one.
fn pointed(row: &Row) -> Option<(Vec<Button<'_>>, usize)> {
    let mut buttons = split(row)?;
    let is_pointed = |button: &Button<'_>| button.label.starts_with(POINTERS);
    let selected = buttons.iter().position(is_pointed)?;
    let is_only = buttons.iter().filter(|button| is_pointed(button)).count() == 1;
    let button = buttons.get_mut(selected)?;
    button.label = button.label.trim_start_matches(POINTERS).trim_start();
    let is_named = !button.label.is_empty();
    (is_only && is_named).then_some((buttons, selected))
}

const POINTERS: [char; 8] = ['❯', '›', '>', '▶', '➤', '→', '▸', '»'];

/// Keys as hints name them.
static KEY_NAME: LazyLock<Regex> = LazyLock::new(|| {
    constant(r"(?i)^(ctrl|alt|shift|cmd|enter|return|esc|escape|tab|space|arrows?|⇆|↑|↓|←|→|⏎|↵)")
});

/// The only button that is lit: inverse, or on another background than the row has.
fn lit(buttons: &[Button<'_>], ground: Colour) -> Option<usize> {
    let is_lit =
        |button: &Button<'_>| button.style.marks.has(Marks::INVERSE) || button.style.bg != ground;
    let mut found = buttons
        .iter()
        .enumerate()
        .filter(|(_, button)| is_lit(button));
    let (index, _) = found.next()?;
    found.next().is_none().then_some(index)
}

/// The background that most of a row's text stands on.
fn ground(row: &Row) -> Colour {
    let (from, inner) = unboxed(&row.text);
    let colours: Vec<Colour> = (from..from + width(inner))
        .map(|col| row.style_at(col).bg)
        .collect();
    let count = |colour: &Colour| colours.iter().filter(|other| *other == colour).count();
    colours
        .iter()
        .copied()
        .max_by_key(count)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(BRACKETED.is_match("< No  >"));
        assert!(KEYED.is_match("[y] Approve"));
        assert!(KEY_NAME.is_match("ctrl+f fullscreen"));
    }
}
