//! The reply of a program nobody has described: what stands between the last echo of the message
//! and the place where one types, without the furniture.

use super::furniture::Said;
use super::line::Line;
use super::{Block, Cut, Outcome, Reply, blocks, region, unwrap};
use crate::chrome::{find_common_box, is_rule};
use crate::frame::{Colour, Frame, Row, width};
use crate::prompt::escape_hint;

/// How much of a message is compared: the rest may be wrapped.
const HEAD: usize = 40;

/// The same on a narrow screen.
const SHORT_HEAD: usize = 14;

/// What stands before an echo is a glyph, a label or a prompt, no more.
const BEFORE: usize = 30;

/// A prompt is looked for in so many rows at the bottom, blank ones aside.
const PROMPT_REACH: usize = 7;

/// Cuts the reply out of the rows of a conversation.
pub(super) fn cut(rows: &[&Row], how: &Cut<'_>) -> Reply {
    let turn = Turn::find(rows, how);
    let said = turn.said(how);
    let lines = turn.lines.get(said.from..said.to).unwrap_or_default();
    let text = unwrap::plain(lines, how);
    let text = if is_spinner(&text) {
        String::new()
    } else {
        text
    };
    Reply::of_text(text, turn.outcome, turn.reason)
}

/// Whether a text is nothing but a spinner.
fn is_spinner(text: &str) -> bool {
    let turns = |c: char| {
        ('\u{2800}'..='\u{28ff}').contains(&c)
            || ('🌑'..='🌘').contains(&c)
            || "|/-\\◐◓◑◒◜◝◞◟◴◷◶◵⣾·.…✢✶✻✽".contains(c)
    };
    text.chars().all(|c| turns(c) || c.is_whitespace())
}

/// Learns what the program puts around a reply.
pub(super) fn learn(rows: &[&Row], how: &Cut<'_>, furniture: &mut super::Furniture) {
    let turn = Turn::find(rows, how);
    let said = turn.said(how);
    furniture.learn(&turn.lines, &said);
}

/// What the rows of a screen were taken for.
pub(super) fn explain(rows: &[&Row], how: &Cut<'_>) -> Extent {
    let lines: Vec<Line<'_>> = rows.iter().map(|row| Line::new(row, how.cols)).collect();
    let floor = floor(&lines, rows, how);
    let echo = echo_end(lines.get(..floor).unwrap_or_default(), how);
    let turn = Turn::find(rows, how);
    let said = turn.said(how);
    let lines = turn.lines.get(said.from..said.to).unwrap_or_default();
    let is_said = |row: &&Row| lines.iter().any(|line| std::ptr::eq(line.row, *row));
    Extent {
        echo: echo.map(|end| (message_start(&turn, rows, end), end)),
        said: (0..rows.len())
            .filter(|row| rows.get(*row).is_some_and(is_said))
            .collect(),
        floor,
    }
}

/// The first row of a message that ends before `end`: nothing but the message stands above it
/// without a gap.
fn message_start(turn: &Turn<'_>, rows: &[&Row], end: usize) -> usize {
    let is_gap = |row: &usize| {
        let text = rows.get(*row).map_or("", |row| row.text.trim());
        text.is_empty() || turn.resting.iter().any(|known| known == text)
    };
    (0..end).rev().find(is_gap).map_or(0, |row| row + 1)
}

/// Where the parts of a conversation stand on a screen.
pub struct Extent {
    /// The rows of the message.
    pub echo: Option<(usize, usize)>,
    /// The rows of the reply.
    pub said: Vec<usize>,
    /// The first row of the furniture at the bottom.
    pub floor: usize,
}

/// The lines between a message and the furniture at the bottom.
struct Turn<'a> {
    lines: Vec<Line<'a>>,
    resting: Vec<String>,
    /// How the program says that it ended, in rows that are none of the lines.
    outcome: Outcome,
    /// The words of these rows.
    reason: Option<Block>,
}

impl<'a> Turn<'a> {
    fn find(rows: &[&'a Row], how: &Cut<'_>) -> Self {
        let lines: Vec<Line<'a>> = rows.iter().map(|row| Line::new(row, how.cols)).collect();
        let floor = floor(&lines, rows, how);
        let above = lines.get(..floor).unwrap_or(&lines);
        let resting: Vec<String> = how
            .resting
            .iter()
            .map(|row| Line::new(row, how.cols).said().to_owned())
            .filter(|text| !text.is_empty())
            .collect();
        let lines = match echo_end(above, how) {
            Some(start) => above.get(start..).unwrap_or_default().to_vec(),
            // Without its message a reply is what was not there before.
            None => above
                .iter()
                .filter(|line| !resting.iter().any(|known| known == line.said()))
                .cloned()
                .collect(),
        };
        let rows: Vec<&Row> = lines.iter().map(|line| line.row).collect();
        let outcome = blocks::outcome(&rows, how);
        let reason = blocks::reason(&rows, how);
        let is_said = |line: &Line<'_>| !blocks::tells_outcome(&line.row.text, how);
        let lines = lines.into_iter().filter(is_said).collect();
        Self {
            lines,
            resting,
            outcome,
            reason,
        }
    }

    fn said(&self, how: &Cut<'_>) -> Said {
        let mut said = how.furniture.find(&self.lines, &self.resting);
        // The same words as in the turn before, at the same place, are a reply if nothing else is.
        if !self.has_speech(&said, how) {
            let all = how.furniture.find(&self.lines, &[]);
            if self.has_speech(&all, how) {
                said = all;
                let lines = self.lines.get(said.from..said.to).unwrap_or_default();
                let aside = lines.iter().rposition(|line| is_aside(line, how));
                said.from += aside.map_or(0, |at| at + 1);
            }
        }
        said.to = how.furniture.before_tools(&self.lines, &said);
        said
    }

    /// Whether there is anything in it but questions and hints.
    fn has_speech(&self, said: &Said, how: &Cut<'_>) -> bool {
        let lines = self.lines.get(said.from..said.to).unwrap_or_default();
        lines
            .iter()
            .any(|line| !line.is_blank() && !line.is_rule() && !is_aside(line, how))
    }
}

/// Whether a line belongs to a question of this turn.
fn is_aside(line: &Line<'_>, how: &Cut<'_>) -> bool {
    let says_escape =
        || escape_hint(line.said()).is_some_and(|hint| line.said().starts_with(&hint));
    how.furniture.is_asked(line) || line.is_hint() || says_escape()
}

/// Where the furniture at the bottom begins.
fn floor(lines: &[Line<'_>], rows: &[&Row], how: &Cut<'_>) -> usize {
    let Some(last) = lines
        .iter()
        .rposition(|line| !line.row.text.trim().is_empty())
    else {
        return 0;
    };
    let filled = |row: &usize| {
        lines
            .get(*row)
            .is_some_and(|line| !line.row.text.trim().is_empty())
    };
    let near: Vec<usize> = (0..=last).rev().filter(filled).take(PROMPT_REACH).collect();
    // Rows that show messages may begin as the box does; it stands below them.
    let is_below = |row: usize| {
        !lines
            .iter()
            .skip(row)
            .any(|line| shows(line.said(), how.typed))
    };
    let prompt = how
        .usual_prompt
        .map(str::trim_end)
        .filter(|prompt| !prompt.is_empty());
    let is_prompt = |row: &usize| {
        let text = lines.get(*row).map_or("", |line| line.row.text.trim_end());
        prompt == Some(text) && is_below(*row)
    };
    if let Some(row) = near.iter().copied().find(is_prompt) {
        return box_top(lines, row, how);
    }
    let frame = Frame {
        rows: rows.iter().map(|row| (*row).clone().into()).collect(),
        ..Frame::default()
    };
    let common = find_common_box(&frame);
    if let Some(found) = common.filter(|found| squeeze(&found.text) != squeeze(how.typed)) {
        return found.top.saturating_sub(1);
    }
    let place = how
        .place
        .map(str::trim_end)
        .filter(|place| !place.trim().is_empty());
    let is_place = |row: &usize| {
        let text = lines.get(*row).map_or("", |line| line.row.text.as_str());
        place.is_some_and(|place| text.starts_with(place) && !is_rule(text)) && is_below(*row)
    };
    let is_cursor = |row: &usize| how.cursor == Some(*row) && is_below(*row);
    let is_framed = |row: &usize| lines.get(*row).is_some_and(|line| line.bar.is_some());
    match near.iter().copied().find(is_place) {
        Some(row) => box_top(lines, row, how),
        // The place may be another than the one where the message was typed: on a start page.
        None => match near
            .into_iter()
            .find(|row| is_cursor(row) && is_framed(row))
        {
            Some(row) => box_top(lines, row, how),
            None => region::plain_floor(rows, how),
        },
    }
}

/// Whether a row shows a message, or its beginning. A short one stands at one end of it: in the middle of a row, as
/// in a path, its letters mean nothing.
fn shows(row: &str, message: &str) -> bool {
    let message = message.trim();
    let head: String = squeeze(message).chars().take(SHORT_HEAD).collect();
    if head.chars().count() == SHORT_HEAD {
        return squeeze(row).contains(&head);
    }
    let before = row.strip_suffix(message);
    let after = row.strip_prefix(message);
    !head.is_empty()
        && (before.is_some_and(|text| text.is_empty() || text.ends_with(char::is_whitespace))
            || after.is_some_and(|text| text.starts_with(char::is_whitespace)))
}

/// The first row of the box around a row.
fn box_top(lines: &[Line<'_>], row: usize, how: &Cut<'_>) -> usize {
    let shade = |line: &Line<'_>| line.row.style_at(line.bar.map_or(0, |(col, _)| col + 1)).bg;
    let Some(own) = lines.get(row) else {
        return row;
    };
    let mut top = row;
    while let Some(above) = top.checked_sub(1).and_then(|at| lines.get(at)) {
        if above.is_rule() {
            return top - 1;
        }
        let is_barred = above.bar.is_some() && above.bar == own.bar;
        let is_shaded = shade(above) != Colour::Default && shade(above) == shade(own);
        // What stood at the same place before the turn is its placeholder.
        let at = (how.resting.len() + top - 1).checked_sub(lines.len());
        let resting = at.and_then(|at| how.resting.get(at));
        let is_own = above.is_blank() || resting.is_some_and(|row| row.text == above.row.text);
        if !is_own || !(is_barred || is_shaded) {
            break;
        }
        top -= 1;
    }
    top
}

/// The line after the message: the last that shows it as given to the program.
fn echo_end(lines: &[Line<'_>], how: &Cut<'_>) -> Option<usize> {
    let typed = how.typed.trim();
    let first = typed.lines().find(|line| !line.trim().is_empty())?.trim();
    let squeezed = squeeze(typed);
    let prompt = how.usual_prompt.map_or("", str::trim);
    let head: String = first.chars().take(HEAD).collect();
    let short: String = first.chars().take(SHORT_HEAD).collect();
    // What stands in front of the message in a row that shows it.
    let found = |line: &Line<'_>, head: &str| {
        let at = line.text.find(head)?;
        let before = line.text.get(..at)?.trim();
        let is_named = before.ends_with([':', '>', '›', '»', '➤', '❯', '$', '#', '|', '%'])
            && width(before) <= BEFORE;
        let is_glyph = !before
            .contains(|c: char| c.is_alphanumeric() || c == '"' || c == '\'' || c == '`')
            && width(before) <= 4;
        let is_prompt = !prompt.is_empty() && before.starts_with(prompt);
        let shown = squeeze(line.text.get(at..)?);
        // All of the row is the message, or the message ends in it and a clock or a tick follows.
        let is_whole = squeezed.starts_with(&shown);
        Some((is_named || is_glyph || is_prompt, is_whole, shown))
    };
    let candidates = |head: &str, sureness: u8| -> Vec<usize> {
        let is_it = |line: &Line<'_>| match found(line, head) {
            Some((true, true, _)) => true,
            Some((true, false, _)) => sureness < 2,
            Some(_) => sureness < 1,
            None => false,
        };
        let all = lines.iter().enumerate().filter(|(_, line)| is_it(line));
        all.map(|(at, _)| at).collect()
    };
    let tiers = [(&head, 2), (&short, 2), (&head, 1), (&head, 0)];
    let mut all = tiers
        .iter()
        .map(|(head, sureness)| candidates(head, *sureness))
        .find(|found| !found.is_empty())?;
    let end = |at: usize| {
        let shown = lines
            .get(at)
            .and_then(|line| found(line, &head).or_else(|| found(line, &short)));
        let shown = shown.map_or(String::new(), |(_, _, shown)| shown);
        message_end(
            lines,
            at,
            squeezed.strip_prefix(&shown).unwrap_or(""),
            prompt,
        )
    };
    let at = all.pop()?;
    let last = end(at);
    // A reply that repeats the message word for word is no echo: it stands there bare.
    let is_empty = !lines
        .iter()
        .skip(last)
        .any(|line| !line.is_blank() && !line.is_rule());
    let before = all.pop().filter(|before| {
        let (Some(upper), Some(lower)) = (lines.get(*before), lines.get(at)) else {
            return false;
        };
        // A program without a prompt shows both bare, one below the other.
        let has_prompt = !prompt.is_empty() || how.place.is_some_and(|place| !place.is_empty());
        let is_next = !has_prompt && *before + 1 == at;
        !is_dressed(lower, &head) && (is_next || is_dressed(upper, &head))
    });
    match before {
        Some(before) if is_empty => Some(end(before)),
        _ => Some(last),
    }
}

/// Whether a row that shows the message has something before it, a bar, or a colour behind it.
fn is_dressed(line: &Line<'_>, head: &str) -> bool {
    let before = line.text.split(head).next().unwrap_or("");
    let shade = line.row.style_at(width(before)).bg;
    line.bar.is_some() || !before.trim().is_empty() || shade != Colour::Default
}

/// Goes through the rows that a message of several takes, and the edge of the box it stands in.
fn message_end(lines: &[Line<'_>], at: usize, mut rest: &str, prompt: &str) -> usize {
    let own = lines.get(at);
    let mut end = at + 1;
    while let Some(line) = lines.get(end).filter(|_| !rest.is_empty()) {
        let text = line.said();
        let text = squeeze(text.strip_prefix(prompt).unwrap_or(text));
        let bare = squeeze(line.said().trim_start_matches(|c: char| !c.is_whitespace()));
        let more = rest
            .strip_prefix(text.as_str())
            .or_else(|| (!bare.is_empty()).then(|| rest.strip_prefix(bare.as_str()))?);
        match more {
            Some(more) => rest = more,
            None => break,
        }
        end += 1;
    }
    let shade = |line: &Line<'_>| line.row.style_at(line.bar.map_or(0, |(col, _)| col + 1)).bg;
    while let (Some(line), Some(own)) = (lines.get(end), own) {
        let is_barred = line.is_blank() && line.bar.is_some() && line.bar == own.bar;
        let is_shaded =
            line.is_blank() && shade(line) != Colour::Default && shade(line) == shade(own);
        if line.is_rule() {
            return end + 1;
        }
        if !is_barred && !is_shaded {
            break;
        }
        end += 1;
    }
    end
}

fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
