//! What stands in a turn and is not said by the model: labels of speakers, receipts, tool calls,
//! questions that were answered. Told by its shape and its colours, and by what earlier turns
//! had in the same place.

use std::sync::LazyLock;

use regex::Regex;

use super::line::Line;
use super::repaint::after_repaints;
use crate::pattern::constant;
use crate::prompt::{Layout, Prompt};

/// How many shapes are kept.
const KEPT: usize = 24;

/// How many rows above the box a receipt may take.
const RECEIPT_ROWS: usize = 6;

/// A label is no longer than this.
const LABEL_COLS: usize = 40;

/// What was learned of a program's turns.
#[derive(Clone, Debug, Default)]
pub struct Furniture {
    /// Shapes of the rows that turns began and ended with.
    heads: Vec<String>,
    tails: Vec<String>,
    /// The glyph before what the model says.
    glyph: Option<char>,
    /// What was asked in the turn that runs: questions, options, the commands they are about.
    asked: Vec<String>,
    /// What was typed to answer it.
    answers: Vec<String>,
    /// It was asked in the middle of the text, at a line, and the text goes on behind it.
    is_asked_at_line: bool,
}

static RECEIPT: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)(~?\d[\d.,]*\s?k?m?\s*(tokens?|toks?|tok/s|words|credits?)\b|\b(tokens?|cost|usage|context|duration|elapsed|time)\s*:|[$€]\s?\d+\.\d+|\b\d+(\.\d+)?\s?(ms|s|secs?|seconds|mins?)\b\W*$|↑\s*\d|↓\s*\d)",
    )
});

static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)^\W{0,3}((assistant|ai|bot|agent|model|llm|gpt)\b[^a-z0-9]{0,12}|(response|answer|reply)\s?:)$",
    )
});

static INLINE_LABEL: LazyLock<Regex> =
    LazyLock::new(|| constant(r"^\W{0,3}([A-Za-z][\w.-]{1,24})\s?[:>›»➤❯|]\s+"));

static TOOL_HEAD: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?x)^(?:
            (?:[^\w\s'\x22(\[<{$\#`]{1,2}\s*|[xX]\s+)(?:[A-Za-z_][\w.-]*\(.*|(?:Ran|Running|Run|Used|Using|Read|Reading|Wrote|Writing|Write|Edited|Editing|Edit|Executed|Executing|Execute|Called|Calling|Searched|Searching|Listed|Created|Updated|Tool|Shell|Bash|Command)\b.*)
            | @\w+\(.*\):?
            | [A-Z][A-Za-z]+\(.*\)
            | \$\s\S.*
            | (?:Running|Executing|Ran)\s.{0,60}
            | (?:System|Tool|Function)(?:\s\w+)?:.*
        )$",
    )
});

static TOOL_OUTPUT: LazyLock<Regex> = LazyLock::new(|| constant(r"^\s*[⎿└├╰↳⤷↪]"));

impl Furniture {
    /// A question of the running turn: what it says is not the reply.
    pub fn note_question(&mut self, prompt: &Prompt) {
        self.is_asked_at_line = prompt.layout == Layout::Line;
        let labels = prompt.options.iter().map(|option| option.label.as_str());
        let texts = std::iter::once(prompt.question.as_str()).chain(prompt.detail.lines());
        let texts = texts.chain(labels.filter(|_| !self.is_asked_at_line));
        for text in texts {
            let text = text.trim();
            let is_known = self.asked.iter().any(|known| known == text);
            let is_telling = self.is_asked_at_line || text.chars().count() >= 3;
            if is_telling && !text.is_empty() && !is_known && self.asked.len() < KEPT {
                self.asked.push(text.to_owned());
            }
        }
    }

    /// What was typed to answer one.
    pub fn note_answer(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() && text.len() <= LABEL_COLS && self.answers.len() < KEPT {
            self.answers.push(text.to_owned());
        }
    }

    /// The turn is over.
    pub fn forget_questions(&mut self) {
        self.asked.clear();
        self.answers.clear();
        self.is_asked_at_line = false;
    }

    /// Learns from a finished turn: the rows around what was said.
    pub(super) fn learn(&mut self, lines: &[Line<'_>], cut: &Said) {
        let text = |line: &&Line<'_>| !line.is_blank() && !line.is_rule();
        let head = lines.iter().take(cut.from).filter(text);
        let tail = lines.iter().skip(cut.to).filter(text);
        for line in head {
            keep(&mut self.heads, line.shape());
        }
        for line in tail {
            keep(&mut self.tails, line.shape());
        }
        if let Some(line) = lines.get(cut.from)
            && let Some((glyph, _)) = glyph(line)
        {
            self.glyph = Some(glyph);
        }
    }

    /// Which of the lines below a message hold the reply.
    pub(super) fn find(&self, lines: &[Line<'_>], resting: &[String]) -> Said {
        let mut to = lines.len();
        let mut from = 0;
        loop {
            let before = (from, to);
            to = self.end(lines, from, to, resting);
            from = self.start(lines, from, to);
            if (from, to) == before {
                break;
            }
        }
        from = self.after_label(lines, from, to);
        from = after_repaints(lines, from, to);
        let all = Said { from, to };
        let after = self.after_tools(lines, &all);
        Said { from: after, to }
    }

    /// Drops what stands below the reply.
    fn end(&self, lines: &[Line<'_>], from: usize, mut to: usize, resting: &[String]) -> usize {
        let spoken = lines.get(from..to).unwrap_or_default();
        let first = spoken.iter().find(|line| {
            let is_marked = RECEIPT.is_match(line.said()) && is_marked(line.said());
            !line.is_blank() && !line.is_rule() && !is_marked && !self.is_name(line)
        });
        let says = spoken
            .iter()
            .any(|line| !line.is_blank() && !line.is_rule() && !line.is_hint());
        let mut dropped = 0;
        while let Some(line) = to
            .checked_sub(1)
            .filter(|at| *at >= from)
            .and_then(|at| lines.get(at))
        {
            let is_alone = !spoken
                .iter()
                .take(to - 1 - from)
                .any(|line| !line.is_blank() && !line.is_rule());
            let is_nothing = line.is_blank() || line.is_rule();
            let is_known = first.is_some_and(|first| !line.looks_like(first))
                && resting.iter().any(|known| known == line.said());
            let is_receipt = dropped < RECEIPT_ROWS
                && first.is_some_and(|first| self.is_receipt(line, first, is_apart(lines, to - 1)));
            let is_furniture =
                says && line.is_hint() || is_known || is_receipt || self.is_asked(line);
            if !is_nothing && (is_alone || !is_furniture) {
                break;
            }
            dropped += usize::from(!is_nothing);
            to -= 1;
        }
        to
    }

    /// Drops what stands above the reply.
    fn start(&self, lines: &[Line<'_>], mut from: usize, to: usize) -> usize {
        while let Some(line) = lines.get(from).filter(|_| from < to) {
            let mut below = lines.iter().take(to).skip(from + 1);
            let next = below.find(|line| !line.is_blank() && !line.is_rule());
            let is_nothing = line.is_blank() || line.is_rule();
            let is_label = next.is_some_and(|next| {
                self.heads.contains(&line.shape()) && !line.looks_like(next)
                    || is_label(line, next)
                    || line.is_hint() && !next.is_hint()
                    || self.is_receipt(line, next, is_apart(lines, from))
            });
            if !is_nothing && !is_label {
                break;
            }
            from += 1;
        }
        from
    }

    /// Whether a line below what was said tells of its cost: apart from it, in other colours or
    /// with the marks of a receipt.
    fn is_receipt(&self, line: &Line<'_>, speech: &Line<'_>, is_apart: bool) -> bool {
        let text = line.said();
        let differs = !line.looks_like(speech);
        if differs && self.tails.contains(&line.shape()) {
            return true;
        }
        let counts = RECEIPT.is_match(text) && text.split_whitespace().count() <= 14;
        counts && is_apart && (differs || is_marked(text))
    }

    /// Whether a line can only be the name of a speaker.
    fn is_name(&self, line: &Line<'_>) -> bool {
        let text = line.said();
        let is_known = self.heads.contains(&line.shape());
        LABEL.is_match(text) || text.ends_with(':') && (is_known || text.split(' ').count() == 1)
    }

    /// Where the model speaks for the last time, if its name stands above what it says.
    fn after_label(&self, lines: &[Line<'_>], from: usize, to: usize) -> usize {
        let turn = lines.get(from..to).unwrap_or_default();
        let is_name = |line: &Line<'_>| {
            let is_known = self.heads.contains(&line.shape()) && line.said().ends_with(':');
            LABEL.is_match(line.said()) || is_known
        };
        let last = turn.iter().rposition(is_name);
        let says = |line: &Line<'_>| !line.is_blank() && !line.is_rule();
        match last {
            Some(at) if turn.iter().skip(at + 1).any(says) => self.start(lines, from + at + 1, to),
            _ => from,
        }
    }

    /// Whether a line shows a question of this turn.
    pub(super) fn is_asked(&self, line: &Line<'_>) -> bool {
        self.asks(line.said()) || self.answers.iter().any(|answer| answer == line.said())
    }

    /// The lines of a program that prints, without its questions and the answers typed behind or below them.
    pub(super) fn without_questions(&self, lines: &mut Vec<String>) {
        let mut answers = self.answers.iter().peekable();
        let mut is_asked = false;
        lines.retain(|line| {
            let text = line.trim();
            let answer = answers.peek().map_or("", |answer| answer.as_str());
            let is_answer = is_asked && text == answer;
            // A short question, such as `...`, with its answer.
            let question = text.strip_suffix(answer).map(str::trim_end);
            let is_both =
                question.is_some_and(|question| self.asked.iter().any(|asked| asked == question));
            let asks = self.asks(text) || is_both;
            if is_answer || asks && !answer.is_empty() && text.ends_with(answer) {
                answers.next();
            }
            is_asked = asks || is_asked && text.is_empty();
            !is_answer && !asks
        });
    }

    /// Whether a text is a question of this turn, or begins with one.
    pub(super) fn asks(&self, text: &str) -> bool {
        self.asked.iter().any(|asked| {
            let is_long = asked.chars().count() >= 8;
            text == asked
                || is_long
                    && (text.starts_with(asked.as_str())
                        || asked.starts_with(text) && text.chars().count() >= 12)
        })
    }

    /// Where the reply begins behind the last tool call, if it goes on there.
    fn after_tools(&self, lines: &[Line<'_>], said: &Said) -> usize {
        let Some(turn) = lines.get(said.from..said.to) else {
            return said.from;
        };
        let last_bar = turn
            .iter()
            .rfind(|line| !line.is_blank() && !line.is_rule())
            .and_then(|line| line.bar);
        let is_tool = |index: usize| {
            let line = turn.get(index)?;
            let text = line.said();
            if line.is_blank() || line.is_rule() {
                return None;
            }
            let is_command = self.asked.iter().any(|asked| {
                asked.chars().count() >= 6
                    && text.contains(asked.as_str())
                    && asked.len() * 5 >= text.len() * 2
            });
            // A block in a box, where the speech is not in one.
            let is_boxed = line.bar.is_some() && last_bar.is_none();
            let is_head = TOOL_HEAD.is_match(text)
                && (line.paint != turn.last()?.paint
                    || next_is_output(turn, index)
                    || text.starts_with(|c: char| !c.is_alphanumeric())
                    || text.starts_with("x "));
            (is_command
                || is_boxed
                || is_head
                || TOOL_OUTPUT.is_match(&line.text)
                || !self.is_asked_at_line && self.is_asked(line))
            .then_some(index)
        };
        let Some(last) = (0..turn.len()).rev().find_map(is_tool) else {
            return said.from;
        };
        // Its output follows without a gap, or further in.
        let depth = turn.get(last).map_or(0, Line::indent);
        let bar = turn.get(last).and_then(|line| line.bar);
        // What has the same glyph in the same column is no output, but the next thing.
        let head = turn.get(last).and_then(glyph).map(|(glyph, _)| glyph);
        let mut end = last + 1;
        while let Some(line) = turn.get(end) {
            let is_gap = line.is_blank() && line.bar == bar;
            if is_gap && bar.is_none() || line.bar != bar || line.is_rule() {
                break;
            }
            let is_next = head.is_some() && glyph(line).map(|(glyph, _)| glyph) == head;
            if bar.is_none() && (line.indent() < depth || line.indent() == depth && is_next) {
                break;
            }
            end += 1;
        }
        let says = |line: &Line<'_>| !line.is_blank() && !line.is_rule() && !self.is_asked(line);
        if turn.iter().skip(end).any(says) {
            return self.start(lines, said.from + end, said.to);
        }
        said.from
    }

    /// Where what the model said before its first tool call ends, if it said nothing after the last.
    pub(super) fn before_tools(&self, lines: &[Line<'_>], said: &Said) -> usize {
        let turn = lines.get(said.from..said.to).unwrap_or_default();
        let is_tool = |line: &Line<'_>| {
            !self.is_asked_at_line && self.is_asked(line)
                || !line.is_rule() && TOOL_OUTPUT.is_match(&line.text)
        };
        let Some(first) = turn.iter().position(is_tool).filter(|at| *at > 0) else {
            return said.to;
        };
        self.end(lines, said.from, said.from + first, &[])
    }

    /// The text of a line that begins what was said, without the glyph or label before it.
    pub(super) fn unlabelled<'a>(&self, lines: &[Line<'_>], text: &'a str) -> (usize, &'a str) {
        let Some(line) = lines.first() else {
            return (0, text);
        };
        // A list has more than one item, and they stand below each other.
        let is_under = |other: &Line<'_>| other.is_blank() || other.indent() > line.indent();
        let is_lone = line.said().starts_with(['•', '*']) && lines.iter().skip(1).all(is_under);
        let indent = text.len() - text.trim_start().len();
        let inner = text.trim_start();
        if let Some((glyph, is_painted)) = glyph(line)
            && (is_painted || is_lone || self.glyph == Some(glyph) || !"*-•+".contains(glyph))
        {
            let rest = inner.get(glyph.len_utf8()..).unwrap_or("");
            let rest = rest
                .trim_start_matches('\u{fe0e}')
                .trim_start_matches('\u{fe0f}');
            let gap = rest.len() - rest.trim_start().len();
            return (indent + 1 + gap, rest.trim_start());
        }
        if let Some(found) = INLINE_LABEL.find(inner)
            && inner.len() > found.end()
        {
            let col = crate::frame::width(line.row.text.split(inner).next().unwrap_or(""))
                + crate::frame::width(found.as_str());
            let behind = line.row.style_at(col);
            let is_painted = line.row.style_at(col.saturating_sub(found.len())).fg != behind.fg;
            if is_painted || LABEL.is_match(found.as_str()) {
                return (indent + found.end(), inner.get(found.end()..).unwrap_or(""));
            }
        }
        (0, text)
    }
}

/// The lines that hold a reply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said {
    pub(super) from: usize,
    /// The one after the last.
    pub(super) to: usize,
}

/// Whether a line has the marks of a receipt.
fn is_marked(text: &str) -> bool {
    text.contains(" · ")
        || text.contains(" | ")
        || text.contains(" • ")
        || text.starts_with(|c: char| !c.is_alphanumeric() && !"\"'([{`-*".contains(c))
        || text.to_lowercase().starts_with("token")
}

/// Whether nothing stands right above a line.
fn is_apart(lines: &[Line<'_>], at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|above| lines.get(above))
        .is_none_or(|above| above.is_blank() || above.is_rule())
}

/// Whether a line names who speaks in the lines below it.
fn is_label(line: &Line<'_>, next: &Line<'_>) -> bool {
    let text = line.said();
    let count = text.split_whitespace().count();
    if crate::frame::width(text) > LABEL_COLS || count > 4 {
        return false;
    }
    let differs = !line.looks_like(next) || line.style != next.style;
    LABEL.is_match(text)
        || differs
            && count <= 3
            && (text.ends_with(':') || !text.ends_with(['.', '!', '?', ',', ';', ')']))
            && line.indent() <= next.indent()
            && has_colour(line)
}

fn has_colour(line: &Line<'_>) -> bool {
    line.style != crate::frame::Style::default()
}

/// The glyph with which a line begins, and whether it is painted unlike the text behind it.
fn glyph(line: &Line<'_>) -> Option<(char, bool)> {
    let text = line.text.trim_start();
    let mut chars = text.chars();
    let glyph = chars.next()?;
    let next = chars.find(|c| *c != '\u{fe0e}' && *c != '\u{fe0f}');
    let is_glyph = !glyph.is_alphanumeric() && !"\"'([{<`#$@~/\\.,:;=+_&%!?|^".contains(glyph);
    if !is_glyph || !next.is_none_or(char::is_whitespace) || text.chars().count() < 3 {
        return None;
    }
    let col = crate::frame::width(&line.text) - crate::frame::width(text);
    let rest = text.get(glyph.len_utf8()..)?;
    let gap = rest.len() - rest.trim_start().len();
    let behind = col + crate::frame::width(text.get(..glyph.len_utf8()).unwrap_or("")) + gap;
    Some((
        glyph,
        line.row.style_at(col).fg != line.row.style_at(behind).fg,
    ))
}

fn next_is_output(turn: &[Line<'_>], index: usize) -> bool {
    turn.get(index + 1)
        .is_some_and(|next| TOOL_OUTPUT.is_match(&next.text))
}

fn keep(shapes: &mut Vec<String>, shape: String) {
    if !shapes.contains(&shape) {
        shapes.push(shape);
    }
    let excess = shapes.len().saturating_sub(KEPT);
    shapes.drain(..excess);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(RECEIPT.is_match("▣  Build · Fake Model · 10.9s"));
        assert!(LABEL.is_match("Assistant:"));
        assert!(INLINE_LABEL.is_match("goose> hello"));
        assert!(TOOL_HEAD.is_match("● Bash(ls)") && TOOL_HEAD.is_match("x run(ls)"));
        assert!(TOOL_OUTPUT.is_match("  ⎿ made-it"));
    }
}
