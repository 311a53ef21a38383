//! The command a permission dialog is about, where the dialog is known so well that the command can be told from
//! the model's description of it, and seen to be all there.
//!
//! What is not surely all of it says so. A row that may have been wrapped, a second row, a top that is out of
//! sight: each could hide what else would run.

use super::ToolCall;
use crate::chrome::unboxed;
use crate::frame::{Colour, Frame, width};
use crate::profile::Profile;

/// A row that comes this close to the right edge may have been cut or wrapped.
const EDGE: usize = 8;

/// Reads the dialog whose options begin in `row`.
pub(super) fn read(frame: &Frame, profile: &Profile, row: usize) -> Option<ToolCall> {
    match profile.record.as_deref()? {
        "claude" => claude(frame, row),
        "codex" => codex(frame, row),
        "gemini" => gemini(frame, row),
        _ => None,
    }
}

/// Below a rule: a title, the command in the colour of text or between dashed rules, its description in another
/// colour, the question.
fn claude(frame: &Frame, row: usize) -> Option<ToolCall> {
    // What the program wants to run is indented, so it can draw no edge of its own.
    let is_title = |r: &usize| {
        let above = r.checked_sub(1).is_some_and(|r| is_edge(frame, r, '─'));
        above && frame.text(*r).trim() == "Bash command"
    };
    let title = (0..row).find(is_title)?;
    let question = (title..row)
        .rev()
        .find(|r| frame.text(*r).trim() == "Do you want to proceed?")?;
    let rules: Vec<usize> = (title + 1..question)
        .filter(|r| is_edge(frame, *r, '╌'))
        .collect();
    if let [.., top, end] = *rules {
        // Newer versions put it between two dashed rules, below a tip and the description, which may hold others.
        let mut rows = filled(frame, top + 1, end);
        let command = rows.next()?;
        let is_alone = rules.len() == 2 && rows.next().is_none();
        let text = frame.text(command).trim();
        return Some(call(frame, "Bash", text, is_alone));
    }
    let rows = filled(frame, title + 1, question);
    let (tips, rows): (Vec<usize>, Vec<usize>) =
        rows.partition(|r| frame.text(*r).trim_start().starts_with("Tip: "));
    let (command, rest) = rows.split_first()?;
    let is_alone = !rest.iter().any(|r| shows_text_colour(frame, *r));
    Some(call(
        frame,
        "Bash",
        frame.text(*command).trim(),
        tips.is_empty() && is_alone && !shows_other_colour(frame, *command),
    ))
}

/// A question, remarks of the model, and the command behind a dollar sign as the last paragraph.
fn codex(frame: &Frame, row: usize) -> Option<ToolCall> {
    const QUESTION: &str = "Would you like to run the following command?";
    // The uppermost: what the program wants to run may hold the same words.
    let top = (0..row).find(|r| frame.text(*r).trim() == QUESTION)?;
    let rows: Vec<usize> = filled(frame, top + 1, row).collect();
    let commands = rows.iter().filter(|r| dollar(frame.text(**r)).is_some());
    let (last, is_alone) = (rows.last()?, commands.count() == 1);
    match dollar(frame.text(*last)) {
        Some(command) => Some(call(frame, "shell", command, is_alone)),
        None => Some(call(frame, "shell", "", false)),
    }
}

/// The command stands in a box of its own inside the dialog's.
fn gemini(frame: &Frame, row: usize) -> Option<ToolCall> {
    let inner = |r: usize| {
        let (_, text) = unboxed(frame.text(r));
        text.trim().to_owned()
    };
    let end = (0..row).rev().find(|r| inner(*r).starts_with('╰'))?;
    let top = (0..end).rev().find(|r| inner(*r).starts_with('╭'))?;
    let title = top.checked_sub(1).map(inner)?;
    if !title.starts_with("? Shell") {
        return None;
    }
    let text = inner(top + 1);
    let (_, command) = unboxed(&text);
    Some(call(frame, "Shell", command.trim(), end == top + 2))
}

fn call(frame: &Frame, tool: &str, command: &str, is_seen: bool) -> ToolCall {
    let fits = width(command) + EDGE < frame.cols && !command.ends_with(['…', '.']);
    ToolCall {
        tool: tool.to_owned(),
        input: command.to_owned(),
        cwd: None,
        is_complete: is_seen && fits && !command.is_empty(),
    }
}

/// Whether a row is a rule from the first column to the last.
fn is_edge(frame: &Frame, row: usize, dash: char) -> bool {
    let text = frame.text(row);
    text.chars().all(|c| c == dash) && width(text) + 1 >= frame.cols
}

fn dollar(text: &str) -> Option<&str> {
    text.trim().strip_prefix("$ ")
}

fn filled(frame: &Frame, from: usize, to: usize) -> impl Iterator<Item = usize> {
    (from..to).filter(|r| !frame.text(*r).trim().is_empty())
}

/// The colours of the characters of a row.
fn colours(frame: &Frame, row: usize) -> impl Iterator<Item = Colour> {
    let row = frame.row(row);
    row.into_iter().flat_map(|row| {
        let written = row.text.char_indices().filter(|(_, c)| !c.is_whitespace());
        written.map(|(byte, _)| row.style_at_byte(byte).fg)
    })
}

fn shows_text_colour(frame: &Frame, row: usize) -> bool {
    colours(frame, row).any(|colour| colour == Colour::Default)
}

fn shows_other_colour(frame: &Frame, row: usize) -> bool {
    colours(frame, row).any(|colour| colour != Colour::Default)
}
