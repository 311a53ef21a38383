//! Splits the rows of a turn into what the model said and what its tools did.

use super::{Cut, Outcome, unwrap};
use crate::chrome::{find_box, is_rule};
use crate::frame::{Colour, Frame, Row};
use crate::profile::Pattern;

/// A stretch of a turn by one speaker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Who.
    pub speaker: Speaker,
    /// What, with soft wraps joined.
    pub text: String,
}

/// Who a stretch of a conversation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The model.
    Model,
    /// A tool, or the program itself.
    Tool,
}

/// The blocks after the last message of the user.
pub(super) fn split(rows: &[&Row], how: &Cut<'_>) -> Vec<Block> {
    let mut rows = turn(rows, how);
    if how.profile.speech.say.is_none() {
        let text = unwrap::plain(&rows, how.cols);
        return vec![Block {
            speaker: Speaker::Model,
            text,
        }];
    }
    rows.retain(|row| !matches(&how.profile.chrome, &row.text));
    let mut blocks: Vec<(Speaker, Vec<&Row>)> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        match head(&rows, index, how) {
            Some(speaker) => blocks.push((speaker, vec![row])),
            None => {
                if let Some((_, block)) = blocks.last_mut() {
                    block.push(row);
                }
            }
        }
    }
    let blocks = blocks.into_iter();
    without_repaints(
        blocks
            .map(|(speaker, rows)| Block {
                speaker,
                text: unwrap::block(&rows, speaker, how),
            })
            .collect(),
    )
}

/// A block that the next one begins with is an earlier painting of it, left behind by a resize.
fn without_repaints(mut blocks: Vec<Block>) -> Vec<Block> {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut index = 0;
    while let (Some(one), Some(two)) = (blocks.get(index), blocks.get(index + 1)) {
        let is_repaint =
            one.speaker == two.speaker && words(&two.text).starts_with(&words(&one.text));
        if is_repaint {
            blocks.remove(index);
            index = index.saturating_sub(1);
        } else {
            index += 1;
        }
    }
    blocks
}

/// What the rows of the turn say about its end.
pub(super) fn outcome(rows: &[&Row], how: &Cut<'_>) -> Outcome {
    let rules = &how.profile.outcome;
    for row in turn(rows, how).iter().rev() {
        if matches(&rules.interrupted, &row.text) {
            return Outcome::Interrupted;
        }
        if matches(&rules.failed, &row.text) {
            return Outcome::Failed;
        }
    }
    Outcome::Completed
}

/// Whether a row begins a block, and whose.
fn head(rows: &[&Row], index: usize, how: &Cut<'_>) -> Option<Speaker> {
    let speech = &how.profile.speech;
    let text = rows.get(index)?.text.as_str();
    if matches(&speech.tool, text) || matches(&how.profile.outcome.failed, text) {
        return Some(Speaker::Tool);
    }
    let say = speech.say.as_ref()?;
    if !say.find(text).is_some_and(|found| found.start() == 0) {
        return None;
    }
    // A tool call looks like speech until its output stands below it.
    let below = rows.iter().skip(index + 1).take(HEAD_ROWS).find(|row| {
        speech
            .tool_output
            .as_ref()
            .is_some_and(|output| output.is_match(&row.text))
            || row.text.is_empty()
    });
    let has_output = below.is_some_and(|row| !row.text.is_empty());
    Some(if has_output {
        Speaker::Tool
    } else {
        Speaker::Model
    })
}

/// A tool call's own text takes at most this many rows before its output.
const HEAD_ROWS: usize = 8;

/// The rows between the user's last message and the input box.
fn turn<'a>(rows: &[&'a Row], how: &Cut<'_>) -> Vec<&'a Row> {
    let end = floor(rows, how);
    let rows = rows.get(..end).unwrap_or(rows);
    let start = echo_end(rows, how).unwrap_or(0);
    rows.iter().skip(start).copied().collect()
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
            let is_edge = |row: &usize| rows.get(*row).is_some_and(|row| is_rule(&row.text));
            (edge.saturating_sub(STATUS_ROWS)..edge)
                .find(is_edge)
                .unwrap_or(edge)
        }
        Some(found) => found.top,
        None => rows.len(),
    }
}

/// Rows of status above an input box.
const STATUS_ROWS: usize = 4;

/// Where the furniture of a program nobody has described begins: what stood at the bottom of the
/// screen before the turn stands there again.
fn plain_floor(rows: &[&Row], how: &Cut<'_>) -> usize {
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

/// The row after the user's last message.
fn echo_end(rows: &[&Row], how: &Cut<'_>) -> Option<usize> {
    let first = how
        .typed
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("")
        .trim();
    let head: String = first.chars().take(ECHO_CHARS).collect();
    let Some(echo) = &how.profile.speech.echo else {
        return plain_echo_end(rows, how, &head);
    };
    let is_echo = |row: &Row| echo.find(&row.text).is_some_and(|found| found.start() == 0);
    let at = rows.iter().rposition(|row| is_echo(row))?;
    // A message of several rows goes on as long as its background does, or to the rule below it.
    let shade = |row: &Row| row.style_at(0).bg;
    let background = rows.get(at).map_or(Colour::Default, |row| shade(row));
    let mut end = at + 1;
    while let Some(row) = rows.get(end) {
        let is_shaded = background != Colour::Default && shade(row) == background;
        if !is_shaded && !is_rule(&row.text) {
            break;
        }
        end += 1;
        if is_rule(&row.text) {
            break;
        }
    }
    Some(end)
}

/// How much of a message is compared: the rest may be wrapped.
const ECHO_CHARS: usize = 40;

/// The echo of a line program: the last row that holds the typed line.
fn plain_echo_end(rows: &[&Row], how: &Cut<'_>, head: &str) -> Option<usize> {
    if head.is_empty() {
        return None;
    }
    let prompt = how.usual_prompt.map_or("", str::trim);
    let last = |is_it: &dyn Fn(&str) -> bool| rows.iter().rposition(|row| is_it(row.text.as_str()));
    // Behind the prompt, or behind a glyph; a reply that quotes the message has other things there.
    let is_prompted = |text: &str| text.contains(head) && text.trim_start().starts_with(prompt);
    let is_marked = |text: &str| {
        text.split_once(head).is_some_and(|(before, _)| {
            before.chars().filter(|c| !c.is_whitespace()).count() <= 2
                && !before.contains(|c: char| c.is_alphanumeric() || c == '"' || c == '\'')
        })
    };
    let at = Some(prompt)
        .filter(|prompt| !prompt.is_empty())
        .and_then(|_| last(&is_prompted))
        .or_else(|| last(&is_marked))
        .or_else(|| last(&|text| text.contains(head)))?;
    // A long message was wrapped, by the terminal or by the program.
    let wrapped = rows
        .iter()
        .skip(at)
        .take_while(|row| row.is_wrapped)
        .count();
    let mut end = at + wrapped + 1;
    if wrapped == 0 {
        let shown = rows
            .get(at)
            .and_then(|row| row.text.get(row.text.find(head)?..));
        let mut rest = shown.and_then(|shown| how.typed.trim().strip_prefix(shown.trim()));
        while let (Some(left), Some(row)) = (rest.map(str::trim_start), rows.get(end)) {
            let text = row
                .text
                .trim_matches(|c: char| c.is_whitespace() || c == '│' || c == '┃');
            let is_gap = text.is_empty() && rest.is_some_and(|rest| rest.starts_with("\n\n"));
            if left.is_empty() || text.is_empty() && !is_gap {
                break;
            }
            let Some(more) = left.strip_prefix(text) else {
                break;
            };
            rest = Some(more);
            end += 1;
        }
    }
    // The message may stand between two rules.
    let is_ruled = rows.get(end).is_some_and(|row| is_rule(&row.text));
    Some(end + usize::from(is_ruled))
}

fn matches(patterns: &[Pattern], text: &str) -> bool {
    patterns.iter().any(|pattern| pattern.is_match(text))
}
