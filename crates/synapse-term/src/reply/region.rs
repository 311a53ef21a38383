//! Where in the rows of a conversation a turn stands: below its message, above the furniture.

use super::Cut;
use crate::chrome::{find_box, is_rule};
use crate::frame::{Colour, Frame, Row};
use crate::profile::Pattern;

/// A message and the rows that answer it.
pub(super) struct Segment<'a> {
    /// The message: as it was typed, or as the program shows it where it was queued.
    pub(super) typed: String,
    /// What stands below it.
    pub(super) rows: Vec<&'a Row>,
}

/// The turn that was typed and those that were queued behind it, in order.
pub(super) fn segments<'a>(rows: &[&'a Row], how: &Cut<'_>) -> Vec<Segment<'a>> {
    let end = floor(rows, how);
    let rows = rows.get(..end).unwrap_or(rows);
    let first = how
        .typed
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("")
        .trim();
    let head: String = first.chars().take(ECHO_CHARS).collect();
    let Some(echo) = &how.profile.speech.echo else {
        return vec![Segment {
            typed: how.typed.to_owned(),
            rows: rows.to_vec(),
        }];
    };
    let echoes = echoes(rows, echo);
    let says_it = |echo: &Echo| !head.is_empty() && echo.text.contains(&head);
    // Where the message cannot be found again, the last one on the screen is it.
    let own = echoes
        .iter()
        .rposition(says_it)
        .unwrap_or(echoes.len().saturating_sub(1));
    let mut segments = Vec::new();
    for (index, echo) in echoes.iter().enumerate().skip(own) {
        let end = echoes.get(index + 1).map_or(rows.len(), |next| next.start);
        let typed = if index == own {
            how.typed.to_owned()
        } else {
            echo.text.clone()
        };
        let rows = rows.get(echo.end..end).unwrap_or_default().to_vec();
        segments.push(Segment { typed, rows });
    }
    if segments.is_empty() {
        segments.push(Segment {
            typed: how.typed.to_owned(),
            rows: rows.to_vec(),
        });
    }
    segments
}

/// What stands below this message, if it is the last that the program shows as given to it: one
/// that is only in the input box was not given.
pub(super) fn below<'a>(rows: &[&'a Row], how: &Cut<'_>) -> Option<Vec<&'a Row>> {
    let echo = how.profile.speech.echo.as_ref()?;
    let above = rows.get(..floor(rows, how)).unwrap_or(rows);
    let first = how
        .typed
        .lines()
        .find(|line| !line.trim().is_empty())?
        .trim();
    let head: String = first.chars().take(ECHO_CHARS).collect();
    let last = echoes(above, echo)
        .pop()
        .filter(|echo| echo.text.contains(&head))?;
    Some(above.get(last.end..).unwrap_or_default().to_vec())
}

/// A message of the user's on the screen.
struct Echo {
    start: usize,
    /// The row after its last.
    end: usize,
    text: String,
}

fn echoes(rows: &[&Row], marker: &Pattern) -> Vec<Echo> {
    let mut found: Vec<Echo> = Vec::new();
    for (start, row) in rows.iter().enumerate() {
        let is_inside = found.last().is_some_and(|echo| start < echo.end);
        let Some(mark) = marker.find(&row.text).filter(|mark| mark.start() == 0) else {
            continue;
        };
        if !is_inside {
            let end = echo_end(rows, start);
            let mut text = row.text.get(mark.end()..).unwrap_or("").to_owned();
            for row in rows.get(start + 1..end).unwrap_or_default() {
                if !is_rule(&row.text) {
                    text = format!("{text}\n{}", row.text.trim());
                }
            }
            found.push(Echo {
                start,
                end,
                text: text.trim().to_owned(),
            });
        }
    }
    found
}

/// A message of several rows goes on as long as its background does, or to the rule below it.
fn echo_end(rows: &[&Row], at: usize) -> usize {
    let shade = |row: &Row| row.style_at(0).bg;
    let background = rows.get(at).map_or(Colour::Default, |row| shade(row));
    let mut end = at + 1;
    while let Some(row) = rows.get(end) {
        let is_shaded = background != Colour::Default && shade(row) == background;
        if is_rule(&row.text) {
            return end + 1;
        }
        if !is_shaded {
            break;
        }
        end += 1;
    }
    end
}

/// Where the furniture at the bottom begins.
fn floor(rows: &[&Row], how: &Cut<'_>) -> usize {
    let Some(rules) = &how.profile.idle.input_box else {
        return plain_floor(rows, how);
    };
    // The box is looked for without its cursor: the rows may have left the screen.
    let mut rules = rules.clone();
    rules.has_cursor = false;
    let frame = Frame {
        rows: rows.iter().map(|row| (*row).clone().into()).collect(),
        ..Frame::default()
    };
    match find_box(&frame, &rules) {
        Some(found) if rules.is_ruled => {
            // Status rows may stand between the box and a rule above it.
            let edge = found.top - 1;
            // The bottom of a tool's box is none.
            let is_edge = |row: &usize| {
                rows.get(*row)
                    .is_some_and(|row| is_rule(&row.text) && !is_bottom_edge(&row.text))
            };
            (edge.saturating_sub(STATUS_ROWS)..edge)
                .find(is_edge)
                .unwrap_or(edge)
        }
        Some(found) => found.top,
        None => rows.len(),
    }
}

fn is_bottom_edge(text: &str) -> bool {
    text.trim_start().starts_with(['╰', '└', '┗', '╚'])
}

/// Rows of status above an input box.
const STATUS_ROWS: usize = 4;

/// Where the furniture of a program nobody has described begins: what stood at the bottom of the
/// screen before the turn stands there again.
pub(super) fn plain_floor(rows: &[&Row], how: &Cut<'_>) -> usize {
    let filled = |rows: &[&Row]| rows.iter().rposition(|row| !row.text.trim().is_empty());
    let Some(last) = filled(rows) else { return 0 };
    let prompt = how
        .usual_prompt
        .map(str::trim_end)
        .filter(|prompt| !prompt.is_empty());
    if let (Some(prompt), Some(row)) = (prompt, rows.get(last))
        && row.text.starts_with(prompt)
    {
        return last;
    }
    let Some(resting_last) = filled(how.resting) else {
        return last + 1;
    };
    let pairs = (0..=last).rev().zip((0..=resting_last).rev());
    let (mut floor, mut equal, mut missed, mut blanks) = (last + 1, 0, 0, 0);
    for (row, resting) in pairs {
        let (Some(now), Some(then)) = (rows.get(row), how.resting.get(resting)) else {
            break;
        };
        let is_blank = now.text.trim().is_empty();
        blanks = if is_blank { blanks + 1 } else { 0 };
        // Furniture stands together.
        if blanks > 1 {
            break;
        }
        if now.text == then.text || is_rule(&now.text) && is_rule(&then.text) {
            if is_blank && equal >= FURNITURE {
                break;
            }
            equal += usize::from(!is_blank);
            floor = row;
        } else if equal < FURNITURE && missed < STATUS_ROWS {
            // Status rows change from turn to turn.
            missed += 1;
        } else {
            break;
        }
    }
    floor
}

/// This many rows that stand where they stood are a piece of furniture.
const FURNITURE: usize = 2;

/// How much of a message is compared: the rest may be wrapped.
const ECHO_CHARS: usize = 40;
