//! The reply of a program that prints lines and shows its prompt again, as shells and interpreters do: whatever
//! stands between the line that was typed and the prompt, word for word.

use std::sync::LazyLock;

use regex::Regex;

use super::{Cut, Extent, Reply, blocks};
use crate::chrome::is_rule;
use crate::frame::{Row, join_wrapped, width};
use crate::pattern::constant;

static ADDRESSED: LazyLock<Regex> = LazyLock::new(|| {
    constant(r"(?i)\b(you|user|human|me|ask|chat|message|query|question|say)\b[\s:>›»❯➜|)\]]{0,4}$")
});

/// Whether a prompt speaks to somebody: `You:`.
pub(crate) fn is_addressed(prompt: &str) -> bool {
    ADDRESSED.is_match(prompt)
}

/// How much of a message is looked for where its echo is spoilt.
const HEAD: usize = 20;

/// Cuts the reply out of the rows of a conversation, if this program is one that prints lines.
pub(super) fn cut(rows: &[&Row], how: &Cut<'_>) -> Option<Reply> {
    let prompt = how.usual_prompt.map_or("", str::trim_end);
    if !prints_lines(prompt, how) {
        return None;
    }
    let start = echo_end(rows, how.mark?, prompt, how)?;
    let said = rows.get(start..)?;
    let outcome = blocks::outcome(said, how);
    let reason = blocks::reason(said, how);
    let is_said = |row: &&&Row| !blocks::tells_outcome(&row.text, how);
    let said: Vec<&Row> = said.iter().filter(is_said).copied().collect();
    let last = said.iter().rposition(|row| !row.text.trim().is_empty());
    let mut lines: Vec<String> =
        join_wrapped(said.iter().copied().take(last.map_or(0, |at| at + 1)))
            .into_iter()
            .map(|(_, line)| line.trim_end().to_owned())
            .collect();
    how.furniture.without_questions(&mut lines);
    if !prompt.is_empty()
        && let Some(line) = lines.last_mut()
        && let Some(output) = line.strip_suffix(prompt)
    {
        *line = output.to_owned();
    }
    let text = lines.join("\n").trim_matches('\n').trim_end().to_owned();
    Some(Reply::of_text(text, outcome, reason))
}

/// What the rows of a screen were taken for, if this program is one that prints lines.
pub(super) fn explain(rows: &[&Row], how: &Cut<'_>) -> Option<Extent> {
    let prompt = how.usual_prompt.map_or("", str::trim_end);
    if !prints_lines(prompt, how) {
        return None;
    }
    let filled = |row: &&Row| !row.text.trim().is_empty();
    let end = rows.iter().rposition(filled).map_or(0, |at| at + 1);
    let is_prompt = |row: &&Row| !prompt.is_empty() && row.text.trim_end() == prompt;
    let is_back = end.checked_sub(1).and_then(|at| rows.get(at));
    let floor = end - usize::from(is_back.is_some_and(is_prompt));
    let first = squeeze(how.typed.trim().lines().next().unwrap_or(""));
    let is_typed = |row: &&Row| {
        let typed = row.text.trim_end().strip_prefix(prompt).map(squeeze);
        typed.is_some_and(|typed| !typed.is_empty() && first.starts_with(&typed))
    };
    let last = rows.get(..floor)?.iter().rposition(is_typed)?;
    // A program that repeats what it is told, without a prompt before it, shows it twice.
    let is_twice = |at: &usize| prompt.is_empty() && rows.get(*at).is_some_and(is_typed);
    let start = last.checked_sub(1).filter(is_twice).unwrap_or(last);
    let end = echo_end(rows, start, prompt, how).unwrap_or(start + 1);
    let is_said = |at: &usize| rows.get(*at).is_some_and(filled);
    Some(Extent {
        echo: Some((start, end)),
        said: (end..floor).filter(is_said).collect(),
        floor,
    })
}

/// Whether the program was at rest at a bare prompt in the last row, or reads lines without one. One that speaks to
/// somebody (`You:`) talks, one that rests below a rule across the screen paints, and so does one that hides the
/// cursor, unless it is a shell: there some command did.
fn prints_lines(prompt: &str, how: &Cut<'_>) -> bool {
    if how.is_painted && !is_shell(prompt) {
        return false;
    }
    if prompt.is_empty() {
        return how.reads_lines;
    }
    let filled = |row: &&&Row| !row.text.trim().is_empty();
    let mut above = how.resting.iter().rev().filter(filled);
    let is_bare = |row: &&Row| row.text.trim_end().ends_with(prompt);
    let is_across = |row: &&Row| is_rule(&row.text) && width(&row.text) + 2 >= how.cols;
    above.next().is_some_and(is_bare)
        && !above.next().is_some_and(is_across)
        && !is_addressed(prompt)
}

/// Whether a prompt is one of a shell: it ends as theirs do, or says where one is.
fn is_shell(prompt: &str) -> bool {
    let is_place = prompt.contains(['@', '~', '/']);
    prompt.ends_with(['$', '#', '%']) || prompt.ends_with(['>', '❯']) && is_place
}

/// The row after the line that was typed, which began at the mark.
fn echo_end(rows: &[&Row], mark: usize, prompt: &str, how: &Cut<'_>) -> Option<usize> {
    let typed = squeeze(how.typed);
    let mut rest = typed.as_str();
    let mut end = mark;
    while let Some(row) = rows.get(end).filter(|_| !rest.is_empty()) {
        let text = row.text.trim_end();
        let text = text.strip_prefix(prompt).unwrap_or(text);
        let bare = text
            .trim_start()
            .trim_start_matches(|c: char| !c.is_whitespace());
        let more = [text, bare]
            .into_iter()
            .map(squeeze)
            .find_map(|text| rest.strip_prefix(text.as_str()));
        match more {
            Some(more) => rest = more,
            None => break,
        }
        end += 1;
    }
    if rest.is_empty() {
        return Some(end);
    }
    spoilt_echo_end(rows, mark, how)
}

/// The same where a line editor took its prompt for the beginning of the row, though an output without a line break
/// stands before it: what it paints lies over its prompt, and the end of an earlier painting sticks out behind it.
fn spoilt_echo_end(rows: &[&Row], mark: usize, how: &Cut<'_>) -> Option<usize> {
    let head: String = squeeze(how.typed.lines().next()?)
        .chars()
        .take(HEAD)
        .collect();
    let line = rows.get(mark..)?;
    let wrapped = line.iter().take_while(|row| row.is_wrapped).count();
    let shown: String = line
        .iter()
        .take(wrapped + 1)
        .map(|row| squeeze(&row.text))
        .collect();
    let is_single = !how.typed.trim().contains('\n');
    (is_single && !head.is_empty() && shown.contains(&head)).then_some(mark + wrapped + 1)
}

fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
