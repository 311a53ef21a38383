//! Splits the rows of a turn into what the model said and what its tools did.

use super::{Cut, Outcome, unwrap};
use crate::frame::Row;
use crate::profile::Pattern;

/// A stretch of a turn by one speaker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub speaker: Speaker,
    /// What, with soft wraps joined.
    pub text: String,
}

/// Who a stretch of a conversation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    Model,
    Tool,
    /// The program itself.
    Program,
}

/// The blocks of a turn's rows.
pub(super) fn split(rows: &[&Row], how: &Cut<'_>) -> Vec<Block> {
    if how.profile.speech.say.is_none() {
        return vec![Block {
            speaker: Speaker::Model,
            text: unwrap::block(rows, Speaker::Model, how),
        }];
    }
    let is_speech = |row: &&Row| !matches(&how.profile.chrome, &row.text);
    let rows: Vec<&Row> = rows.iter().copied().filter(is_speech).collect();
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
    for row in rows.iter().rev() {
        if matches(&rules.interrupted, &row.text) {
            return Outcome::Interrupted;
        }
        if matches(&rules.failed, &row.text) {
            return Outcome::Failed;
        }
    }
    Outcome::Completed
}

/// The words with which the program says so, if its turn went wrong.
pub(super) fn reason(rows: &[&Row], how: &Cut<'_>) -> Option<Block> {
    let mut rows = rows.iter().rev();
    let row = rows.find(|row| tells_outcome(&row.text, how))?;
    Some(Block {
        speaker: Speaker::Program,
        text: row.text.trim().to_owned(),
    })
}

/// Whether a row says that the turn went wrong.
pub(super) fn tells_outcome(text: &str, how: &Cut<'_>) -> bool {
    let rules = &how.profile.outcome;
    matches(&rules.interrupted, text) || matches(&rules.failed, text)
}

/// Whether a row begins a block, and whose.
fn head(rows: &[&Row], index: usize, how: &Cut<'_>) -> Option<Speaker> {
    let speech = &how.profile.speech;
    let text = rows.get(index)?.text.as_str();
    if tells_outcome(text, how) || matches(&speech.notice, text) {
        return Some(Speaker::Program);
    }
    if matches(&speech.tool, text) {
        return Some(Speaker::Tool);
    }
    let say = speech.say.as_ref()?;
    if say.find(text).is_none_or(|found| found.start() != 0) {
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

fn matches(patterns: &[Pattern], text: &str) -> bool {
    patterns.iter().any(|pattern| pattern.is_match(text))
}
