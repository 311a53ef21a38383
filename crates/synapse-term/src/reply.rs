//! The reply of a turn, read from the screen: mark before, follow while it streams, cut after.
//!
//! It must survive a program that clears and repaints everything, one that keeps no scrollback
//! and one that paints words with cursor jumps. What it gives is the text as it was painted: exact
//! replies come from the program's own record where there is one.

mod blocks;
mod follow;
mod furniture;
mod line;
mod plain;
mod printed;
mod region;
mod repaint;
mod unwrap;

use crate::frame::Row;
use crate::profile::Profile;

pub use blocks::{Block, Speaker};
pub use follow::Follower;
pub use furniture::Furniture;
pub use plain::Extent;
pub(crate) use printed::is_addressed;

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The program said what it had to say.
    Completed,
    /// It was interrupted, or refused what it wanted to do.
    Interrupted,
    /// It said that it failed.
    Failed,
    /// It has not ended.
    Open,
}

/// What came of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// What was said after the last tool call: the reply.
    pub text: String,
    /// Everything of the turn in order: speech and tools.
    pub blocks: Vec<Block>,
    /// What the screen says about how it ended.
    pub outcome: Outcome,
    /// Its beginning was lost: it was longer than what is kept of a turn.
    pub is_truncated: bool,
}

impl Reply {
    /// What a program said that uses no tools; where it is nothing, a turn that seems complete has not ended.
    fn of_text(text: String, outcome: Outcome, reason: Option<Block>) -> Self {
        let speech = Block {
            speaker: Speaker::Model,
            text: text.clone(),
        };
        Self {
            outcome: match outcome {
                Outcome::Completed if text.is_empty() => Outcome::Open,
                outcome => outcome,
            },
            blocks: std::iter::once(speech).chain(reason).collect(),
            text,
            is_truncated: false,
        }
    }
}

/// What is needed to cut a reply out of a conversation.
pub struct Cut<'a> {
    /// How the program paints.
    pub profile: &'a Profile,
    /// The message as it was typed.
    pub typed: &'a str,
    /// The program's own prompt, for a line program.
    pub usual_prompt: Option<&'a str>,
    /// The screen before the turn: what stands at its bottom is furniture.
    pub resting: &'a [&'a Row],
    /// What was learned of this program's turns.
    pub furniture: &'a Furniture,
    /// What stands before the text in the program's input box, as far as it was seen.
    pub place: Option<&'a str>,
    /// The row in which the cursor is shown.
    pub cursor: Option<usize>,
    /// The row in which the message was typed, as far as that is known.
    pub mark: Option<usize>,
    /// The kernel was seen to give the program whole lines.
    pub reads_lines: bool,
    /// The turn was painted: the cursor was hidden in between.
    pub is_painted: bool,
    /// Columns of the screen.
    pub cols: usize,
}

impl Cut<'_> {
    /// Whether the profile says how the program paints a conversation.
    fn is_described(&self) -> bool {
        self.profile.speech.echo.is_some() || self.profile.speech.say.is_some()
    }
}

/// Where message, reply and furniture stand on a screen, read without the profile's own rules.
pub fn explain(rows: &[&Row], how: &Cut<'_>) -> Extent {
    printed::explain(rows, how).unwrap_or_else(|| plain::explain(rows, how))
}

/// Learns from a finished turn what the program puts around a reply.
pub fn learn(rows: &[&Row], how: &Cut<'_>, furniture: &mut Furniture) {
    if !how.is_described() {
        plain::learn(rows, how, furniture);
    }
}

/// Cuts the replies out of the rows of a conversation: that of the turn itself, and those of the
/// messages that were queued behind it, each with its message.
pub fn cut(rows: &[&Row], how: &Cut<'_>) -> Vec<(String, Reply)> {
    if !how.is_described() {
        let reply = printed::cut(rows, how).unwrap_or_else(|| plain::cut(rows, how));
        return vec![(how.typed.to_owned(), reply)];
    }
    let segments = region::segments(rows, how);
    let last = segments.len().saturating_sub(1);
    let reply = |(index, segment): (usize, region::Segment<'_>)| {
        let blocks = blocks::split(&segment.rows, how);
        let text = spoken(&blocks);
        let outcome = match blocks::outcome(&segment.rows, how) {
            // The next message took its place before it could answer.
            Outcome::Completed if text.is_empty() && index < last => Outcome::Interrupted,
            outcome => outcome,
        };
        (
            segment.typed,
            Reply {
                text,
                blocks,
                outcome,
                is_truncated: false,
            },
        )
    };
    segments.into_iter().enumerate().map(reply).collect()
}

/// Whether the last message the program shows as given to it is this one, with something said
/// below it.
pub fn is_answered(rows: &[&Row], how: &Cut<'_>) -> bool {
    region::below(rows, how).is_some_and(|rows| !blocks::split(&rows, how).is_empty())
}

/// What was said after the last tool call.
fn spoken(blocks: &[Block]) -> String {
    let tools = blocks
        .iter()
        .rposition(|block| block.speaker == Speaker::Tool);
    blocks
        .iter()
        .skip(tools.map_or(0, |at| at + 1))
        .filter(|block| block.speaker == Speaker::Model && !block.text.is_empty())
        .map(|block| block.text.as_str())
        .collect::<Vec<_>>()
        .join("\n\n")
}
