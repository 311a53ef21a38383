//! Lists of options with a mark on one of them, numbered or not, and forms a profile knows.

use std::sync::LazyLock;

use regex::Regex;

use super::call;
use super::key_hint::hinted_keys;
use super::question::{self, Question};
use super::{Choice, Fingerprint, Kind, Layout, Prompt};
use crate::chrome::{is_rule, unboxed};
use crate::frame::{Colour, Frame, Marks, Style, col_of_byte, width};
use crate::pattern::constant;
use crate::profile::Profile;

/// Below the options of a dialog stand at most this many rows: hints and fine print.
const FINE_PRINT: usize = 8;

/// An option's own description takes at most this many rows.
const DESCRIPTION: usize = 4;

static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
    constant(r"^(\s*)(?:([^\w\s.,:;'\x22(\[|-])\s?)?(\s*)(?:(\d{1,2})[.)]|\[(\d{1,2})\])\s*(\S.*)$")
});

static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    // A mark, an empty circle or box where the others have one, the label.
    constant(r"^\s*(>>|=>|->|[❯›>●◉▶➤→▸*»])?\s*([○◯◌☐□◻▢◉●◼■☑☒])?\s*(\S.*)$")
});

static MENU_HINT: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)(↑|↓|arrow|\benter\b|\breturn\b|⏎|↵).*(select|navigate|confirm|choose|move|submit|toggle)|(select|navigate|confirm|choose|move).*(↑|↓|arrow|\benter\b|⏎|↵)|use (the )?arrow",
    )
});

/// A row that tells how to submit and how to get away: only dialogs have both.
pub(crate) static FORM_HINT: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)\b(enter|return)\b.{0,12}\b(submit|confirm|select|continue|save|accept)\b.*\b(esc|escape|ctrl.c)\b.{0,12}\b(cancel|back|exit|quit|close|dismiss)",
    )
});

/// A row that offers something.
struct Item {
    row: usize,
    number: u32,
    /// The column of the number, or of the label where there is none.
    col: usize,
    label: String,
    mark: Option<char>,
    style: Style,
    /// The last row of its label and description.
    end: usize,
}

/// An option that says itself that Escape picks it: chosen by its number it may wait for words.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| constant(r"(?i)\(esc to \w+\)\s*$"));

/// A numbered list with a mark on one entry, at the bottom of the screen, the input box gone.
pub(super) fn numbered(frame: &Frame, profile: &Profile) -> Option<Prompt> {
    let items = last_run(frame)?;
    let selected = selected(&items)?;
    let (first, last) = (items.first()?, items.last()?);
    if is_over(frame, last.end) {
        return None;
    }
    let by_number = |item: &Item| Choice {
        label: item.label.clone(),
        key: if ESCAPE.is_match(&item.label) {
            "Escape".to_owned()
        } else {
            item.number.to_string()
        },
    };
    let options = hinted_keys(items.iter().map(|item| item.label.clone()))
        .unwrap_or_else(|| items.iter().map(by_number).collect());
    let question = question::above(frame, first.row);
    let layout = Layout::Menu {
        by_digit: profile.asking.by_digit,
    };
    Some(Prompt {
        call: call::read(frame, profile, first.row),
        ..finish(question, options, selected, layout)
    })
}

/// A list without numbers, one entry told from the others by its glyph.
pub(super) fn marked(frame: &Frame) -> Option<Prompt> {
    let last = frame.last_row()?;
    let floor = last.saturating_sub(FINE_PRINT + 24);
    (floor..=last)
        .rev()
        .find_map(|row| marked_at(frame, row, last))
}

/// The list whose entry in row `at` has the mark.
fn marked_at(frame: &Frame, at: usize, last: usize) -> Option<Prompt> {
    let marked = entry(frame, at).filter(|entry| entry.is_marked)?;
    let entries = entries(frame, at, marked.col, last);
    let (top, end) = (entries.first()?.0, entries.last()?.1);
    let selected = entries.iter().position(|(row, ..)| *row == at)?;
    if entries.len() < 2 || entries.len() > LONGEST_LIST || is_over(frame, end) {
        return None;
    }
    let style = |row: usize| {
        frame
            .row(row)
            .map_or_else(Style::default, |r| r.style_at(marked.col))
    };
    let stands_out = entries
        .iter()
        .all(|(row, ..)| *row == at || style(*row) != style(at));
    let hints = (end + 1..=last).chain(top.saturating_sub(2)..top);
    let is_hinted = hints
        .into_iter()
        .any(|row| MENU_HINT.is_match(frame.text(row)));
    let cursor = frame.cursor;
    let is_elsewhere =
        cursor.is_visible && !(top.saturating_sub(1)..=end + 1).contains(&cursor.row);
    let question = question::above(frame, top);
    let labels = entries.iter().map(|(_, _, label)| label.clone());
    let options = hinted_keys(labels.clone()).unwrap_or_else(|| {
        let steps_to = |(index, label)| Choice {
            key: steps(index, selected, "Up", "Down"),
            label,
        };
        labels.enumerate().map(steps_to).collect()
    });
    // What can be agreed to and refused is a question, whatever stands above it.
    let is_offer = !cursor.is_visible && super::answer::is_permission(&options);
    let asks = question.is_asked && (stands_out || !cursor.is_visible);
    if is_elsewhere || !(is_hinted || asks || is_offer) {
        return None;
    }
    Some(finish(
        question,
        options,
        selected,
        Layout::Menu { by_digit: false },
    ))
}

/// The entries of a list around one of them: first row, last row, label. A row further in goes on
/// with the one above it, or describes it.
fn entries(frame: &Frame, at: usize, col: usize, last: usize) -> Vec<(usize, usize, String)> {
    let is_head =
        |row: usize| entry(frame, row).is_some_and(|e| e.col == col && (!e.is_marked || row == at));
    let is_more = |row: usize| entry(frame, row).is_some_and(|e| e.col > col && !e.is_marked);
    let belongs = |row: &usize| is_head(*row) || is_more(*row);
    // What an option is about may stand above the first, but is painted unlike it.
    let paint = |row: usize| {
        let style = frame.row(row).map(|r| r.style_at(col)).unwrap_or_default();
        (style.fg, style.marks.has(Marks::DIM))
    };
    let other = (at + 1..=last).find(|row| is_head(*row)).map(paint);
    let is_like = |row: &usize| !is_head(*row) || other.is_none_or(|other| paint(*row) == other);
    let above = (0..at).rev().take_while(|row| belongs(row) && is_like(row));
    let top = above.last().unwrap_or(at);
    let top = (top..=at).find(|row| is_head(*row)).unwrap_or(at);
    let end = (at + 1..=last).take_while(belongs).last().unwrap_or(at);
    let mut entries: Vec<(usize, usize, String)> = Vec::new();
    for row in top..=end {
        let Some(found) = entry(frame, row) else {
            break;
        };
        match entries.last_mut() {
            Some((_, end, label)) if is_more(row) => {
                let word = found.label.split(' ').next().unwrap_or("");
                // A label that fills its row goes on; anything else below it describes it.
                if *end + 1 == row && col + width(label) + width(word) + 6 > frame.cols {
                    *label = format!("{label} {}", found.label);
                }
                *end = row;
            }
            _ => entries.push((row, row, found.label)),
        }
    }
    entries
}

/// A list without numbers or marks, one entry lit, that can be agreed to and refused.
pub(super) fn lit(frame: &Frame) -> Option<Prompt> {
    let last = frame.last_row()?;
    let floor = last.saturating_sub(FINE_PRINT + 24);
    let col = |row: usize| entry(frame, row).filter(|e| !e.is_marked).map(|e| e.col);
    // Rows below each other whose labels begin in one column.
    let mut end = last;
    while end > floor {
        let Some(own) = col(end) else {
            end -= 1;
            continue;
        };
        let above = (floor..end).rev().take_while(|row| col(*row) == Some(own));
        let top = above.last().unwrap_or(end);
        if let Some(prompt) = lit_between(frame, top, end, own) {
            return Some(prompt);
        }
        end = top.checked_sub(1)?;
    }
    None
}

/// The list from row `top` to row `end`, if one entry is lit.
fn lit_between(frame: &Frame, top: usize, end: usize, col: usize) -> Option<Prompt> {
    if end - top < 1 || end - top > LONGEST_LIST || is_over(frame, end) {
        return None;
    }
    let ground = |row: usize| {
        let style = frame.row(row).map(|r| r.style_at(col)).unwrap_or_default();
        (style.bg, style.marks.has(Marks::INVERSE))
    };
    let count = |of: usize| (top..=end).filter(|row| ground(*row) == ground(of)).count();
    let mut odd = (top..=end).filter(|row| count(*row) == 1);
    let at = odd
        .next()
        .filter(|_| end - top > 1 || odd.next().is_some())?;
    // Of two, the lit one is the one that differs from what stands around them.
    let at = match end - top {
        1 if ground(top) == ground(top.saturating_sub(1)) => end,
        1 => top,
        _ => at,
    };
    let label = |row: usize| entry(frame, row).map_or_else(String::new, |e| e.label);
    let choice = |row: usize| Choice {
        key: steps(row, at, "Up", "Down"),
        label: label(row),
    };
    let options: Vec<Choice> = (top..=end).map(choice).collect();
    let is_offer = super::answer::is_permission(&options);
    let question = question::above(frame, top);
    is_offer.then(|| {
        finish(
            question,
            options,
            at - top,
            Layout::Menu { by_digit: false },
        )
    })
}

/// A row of a list without numbers.
struct MenuItem {
    /// The column of its label.
    col: usize,
    label: String,
    is_marked: bool,
}

/// The longest list that is shown as one.
const LONGEST_LIST: usize = 24;

fn entry(frame: &Frame, row: usize) -> Option<MenuItem> {
    let (from, inner) = unboxed(frame.text(row));
    if inner.trim().is_empty() || is_rule(inner) {
        return None;
    }
    let groups = ENTRY.captures(inner)?;
    let label = groups.get(3)?;
    Some(MenuItem {
        col: from + col_of_byte(inner, label.start()),
        label: first_column(label.as_str()).to_owned(),
        is_marked: groups.get(1).is_some(),
    })
}

/// A question without options that the profile knows by one of its rows.
pub(super) fn form(frame: &Frame, profile: &Profile) -> Option<Prompt> {
    let (question, kind) = profile.asking.forms.iter().find_map(|form| {
        (0..frame.rows.len()).find_map(|row| {
            let groups = form.line.captures(unboxed(frame.text(row)).1.trim())?;
            let text = groups.get(1).or_else(|| groups.get(0))?;
            Some((text.as_str().to_owned(), form.kind))
        })
    })?;
    Some(Prompt {
        kind,
        call: None,
        fingerprint: Fingerprint::of(kind, [question.as_str()]),
        question,
        detail: String::new(),
        options: Vec::new(),
        selected: None,
        default: None,
        layout: Layout::Line,
    })
}

/// A dialog whose way of answering is not understood, told by its hints at the bottom.
pub(super) fn hinted(frame: &Frame) -> Option<Prompt> {
    let last = frame.last_row()?;
    let row = (last.saturating_sub(FINE_PRINT)..=last)
        .rev()
        .find(|row| FORM_HINT.is_match(frame.text(*row)))?;
    // Somebody who types about such a row has the cursor below it.
    if is_over(frame, row) || frame.cursor.is_visible && frame.cursor.row >= row {
        return None;
    }
    let question = question::above(frame, row);
    let texts: Vec<&str> = question.rows.iter().map(String::as_str).collect();
    Some(Prompt {
        kind: Kind::Unknown,
        call: None,
        fingerprint: Fingerprint::of(Kind::Unknown, texts),
        detail: question.detail(),
        question: question
            .rows
            .first()
            .cloned()
            .unwrap_or(question.text)
            .trim()
            .to_owned(),
        options: Vec::new(),
        selected: None,
        default: None,
        layout: Layout::Unknown,
    })
}

fn finish(question: Question, options: Vec<Choice>, selected: usize, layout: Layout) -> Prompt {
    let kind = if super::answer::is_permission(&options) {
        Kind::Permission
    } else {
        Kind::Selection
    };
    let labels = options.iter().map(|option| option.label.as_str());
    let texts = question.rows.iter().map(String::as_str).chain(labels);
    Prompt {
        kind,
        call: None,
        fingerprint: Fingerprint::of(kind, texts),
        detail: question.detail(),
        question: question.text,
        default: options.get(selected).map(|option| option.label.clone()),
        options,
        selected: Some(selected),
        layout,
    }
}

/// The keys from the present position to a row, with Enter at the end.
pub(super) fn steps(to: usize, from: usize, back: &str, forth: &str) -> String {
    steps_and(to, from, [back, forth], "Enter")
}

/// The keys from the present position to a row, and the one to press there.
pub(super) fn steps_and(to: usize, from: usize, [back, forth]: [&str; 2], key: &str) -> String {
    let name = if to < from { back } else { forth };
    let mut keys = vec![name; to.abs_diff(from)];
    keys.push(key);
    keys.join(" ")
}

/// The lowest run of consecutively numbered rows.
fn last_run(frame: &Frame) -> Option<Vec<Item>> {
    let last = frame.last_row()?;
    let mut best: Option<Vec<Item>> = None;
    let mut run: Vec<Item> = Vec::new();
    for row in 0..=last {
        if let Some(item) = item(frame, row) {
            let follows = run.last().is_some_and(|before| {
                item.number == before.number + 1 && item.col.abs_diff(before.col) <= 1
            });
            if !follows {
                run.clear();
            }
            run.push(item);
            if run.len() >= 2 && follows {
                best = Some(std::mem::take(&mut run));
                run = best.take()?;
            }
            continue;
        }
        extend_or_end(frame, row, &mut run, &mut best);
    }
    if run.len() >= 2 { Some(run) } else { best }
}

/// A row between two options: a description, a blank or a rule keeps the run, all else ends it.
fn extend_or_end(frame: &Frame, row: usize, run: &mut Vec<Item>, best: &mut Option<Vec<Item>>) {
    let (from, inner) = unboxed(frame.text(row));
    let text = inner.trim();
    if text.is_empty() || is_rule(inner) {
        return;
    }
    let col = from + col_of_byte(inner, inner.len() - inner.trim_start().len());
    if let Some(item) = run.last_mut()
        && col > item.col
        && row - item.row <= DESCRIPTION
    {
        let is_next = row == item.end + 1;
        // A label that fills its row goes on; anything else below it describes it.
        if is_next
            && item.end == item.row
            && item.col
                + 3
                + width(&item.label)
                + 1
                + width(text.split(' ').next().unwrap_or(""))
                + 4
                > frame.cols
        {
            item.label = format!("{} {text}", item.label);
        }
        item.end = row;
        return;
    }
    if run.len() >= 2 {
        *best = Some(std::mem::take(run));
    }
    run.clear();
}

fn item(frame: &Frame, row: usize) -> Option<Item> {
    let (from, inner) = unboxed(frame.text(row));
    let groups = NUMBERED.captures(inner)?;
    let number = groups.get(4).or_else(|| groups.get(5))?;
    let label = groups.get(6)?;
    let col = from + col_of_byte(inner, number.start());
    let label_col = from + col_of_byte(inner, label.start());
    Some(Item {
        row,
        number: number.as_str().parse().ok()?,
        col,
        label: first_column(label.as_str()).to_owned(),
        mark: groups.get(2).and_then(|mark| mark.as_str().chars().next()),
        style: frame.row(row)?.style_at(label_col),
        end: row,
    })
}

/// A label up to the gap that parts it from a description in a second column.
fn first_column(label: &str) -> &str {
    label.split("  ").next().unwrap_or(label).trim()
}

/// The entry with the mark: the only one with a glyph, with a glyph of its own, or on a
/// background of its own.
fn selected(items: &[Item]) -> Option<usize> {
    let only = |is_it: &dyn Fn(&Item) -> bool| {
        let mut found = items.iter().enumerate().filter(|(_, item)| is_it(item));
        let (index, _) = found.next()?;
        found.next().is_none().then_some(index)
    };
    let odd = |item: &Item| items.iter().filter(|other| other.mark == item.mark).count() == 1;
    only(&|item| item.mark.is_some())
        .or_else(|| (items.len() > 2).then(|| only(&odd))?)
        .or_else(|| {
            only(&|item| {
                let is_lit =
                    item.style.marks.has(Marks::INVERSE) || item.style.bg != Colour::Default;
                is_lit && items.iter().filter(|o| o.style.bg == item.style.bg).count() == 1
            })
        })
}

/// Whether the list that ends in this row is not what the screen is about: too much stands below
/// it, somebody types below it, or the program says there what it does next.
pub(super) fn is_over(frame: &Frame, end: usize) -> bool {
    let last = frame.last_row().unwrap_or(end);
    let below = (end + 1..=last).map(|row| unboxed(frame.text(row)).1.trim_end());
    let texts: Vec<&str> = below
        .filter(|text| !text.trim().is_empty() && !is_rule(text))
        .collect();
    let works = |text: &&str| {
        let text = text.trim_start().to_lowercase();
        // An empty box may invite in the same way.
        let invites = ["type", "ask", "enter", "send", "write", "message", "say"];
        (text.ends_with('…') || text.ends_with("..."))
            && !text.contains("wait")
            && !invites.iter().any(|word| text.starts_with(word))
    };
    let goes_on = texts.iter().any(works);
    let cursor = frame.cursor;
    let is_typed =
        cursor.is_visible && cursor.row > end && !frame.before_cursor().trim().is_empty();
    texts.len() > FINE_PRINT || goes_on || is_typed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        for pattern in [&NUMBERED, &ENTRY, &MENU_HINT, &FORM_HINT] {
            assert!(!pattern.as_str().is_empty());
        }
    }
}
