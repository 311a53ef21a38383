//! Lists in which several entries can be ticked: a box before each, Space ticks, Enter submits.

use std::sync::LazyLock;

use regex::Regex;

use super::menu::is_over;
use super::{Choice, Fingerprint, Kind, Layout, Prompt, question};
use crate::chrome::unboxed;
use crate::frame::{Frame, Style, col_of_byte};
use crate::pattern::constant;

/// Hints stand at most this far above the first entry and below the last.
const HINTS: usize = 6;

/// The longest list that is read as one; a bit each tells which entries are ticked.
const LONGEST: usize = 32;

static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    constant(r"^\s*([❯›>»▶➤→▸*]\s?)?\s*([☐□◻▢◼■☑☒✔○◯◉●⬡⬢]|\[[ xX*✓✔]\])\s+(\S.*)$")
});

static HINT: LazyLock<Regex> = LazyLock::new(|| constant(r"(?i)\bspace\b|<space>|\btoggle\b"));

struct ChecklistItem {
    label: String,
    is_pointed: bool,
    is_ticked: bool,
    is_circle: bool,
    style: Style,
}

/// Reads the lowest list of boxes.
pub(super) fn read(frame: &Frame) -> Option<Prompt> {
    let last = frame.last_row()?;
    let end = (last.saturating_sub(HINTS)..=last)
        .rev()
        .find(|row| entry(frame, *row).is_some())?;
    let top = (0..=end)
        .rev()
        .take_while(|row| entry(frame, *row).is_some())
        .last()?;
    let mut entries: Vec<ChecklistItem> = (top..=end).filter_map(|row| entry(frame, row)).collect();
    if !(2..=LONGEST).contains(&entries.len()) || is_over(frame, end) {
        return None;
    }
    // A tick before every entry, and the colour tells which counts: at first none does.
    if entries.iter().all(|entry| entry.is_ticked) {
        for entry in &mut entries {
            entry.is_ticked = false;
        }
    }
    let question = question::above(frame, top);
    let hints = (top.saturating_sub(HINTS)..top).chain(end + 1..=last);
    let is_hinted = hints.into_iter().any(|row| HINT.is_match(frame.text(row)));
    let is_box = !entries.iter().any(|entry| entry.is_circle);
    let asks = is_box && question.is_asked && !frame.cursor.is_visible;
    if !is_hinted && !asks {
        return None;
    }
    let selected = selected(&entries);
    let options: Vec<Choice> = entries
        .iter()
        .enumerate()
        .map(|(index, entry)| Choice {
            label: entry.label.clone(),
            key: super::menu::steps_and(index, selected, ["Up", "Down"], "Space"),
        })
        .collect();
    let ticked = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.is_ticked);
    let ticked = ticked.fold(0, |bits, (index, _)| bits | 1_u32 << index);
    let labels = options.iter().map(|option| option.label.as_str());
    let texts = question.rows.iter().map(String::as_str).chain(labels);
    Some(Prompt {
        kind: Kind::Selection,
        call: None,
        fingerprint: Fingerprint::of(Kind::Selection, texts),
        detail: question.detail(),
        question: question.text,
        default: None,
        options,
        selected: Some(selected),
        layout: Layout::Checklist { ticked },
    })
}

/// The entry with the pointer, or the only one that is painted in its way.
fn selected(entries: &[ChecklistItem]) -> usize {
    let pointed = entries.iter().position(|entry| entry.is_pointed);
    let like = |style: Style| entries.iter().filter(|entry| entry.style == style).count();
    let odd = || entries.iter().position(|entry| like(entry.style) == 1);
    pointed.or_else(odd).unwrap_or_default()
}

fn entry(frame: &Frame, row: usize) -> Option<ChecklistItem> {
    let (from, inner) = unboxed(frame.text(row));
    let groups = ENTRY.captures(inner)?;
    let (mark, label) = (groups.get(2)?, groups.get(3)?);
    let col = from + col_of_byte(inner, label.start());
    let label = label.as_str().split("  ").next()?.trim();
    Some(ChecklistItem {
        label: label.to_owned(),
        is_pointed: groups.get(1).is_some(),
        is_ticked: !matches!(
            mark.as_str(),
            "☐" | "□" | "◻" | "▢" | "○" | "◯" | "⬡" | "[ ]"
        ),
        is_circle: matches!(mark.as_str(), "○" | "◯" | "◉" | "●"),
        style: frame.row(row)?.style_at(col),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(ENTRY.is_match("❯◯ Minimal") && HINT.is_match("(<space> to select)"));
    }
}
