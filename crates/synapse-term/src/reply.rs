//! The reply of a turn, read from the screen: mark before, follow while it streams, cut after.
//!
//! It must survive a program that clears and repaints everything, one that keeps no scrollback
//! and one that paints words with cursor jumps. What it gives is the text as it was painted: exact
//! replies come from the program's own record where there is one.

mod blocks;
mod follow;
mod unwrap;

use crate::frame::Row;
use crate::profile::Profile;

pub use blocks::{Block, Speaker};
pub use follow::Follower;

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
    /// Columns of the screen.
    pub cols: usize,
}

/// Cuts the reply out of the rows of a conversation.
pub fn cut(rows: &[&Row], how: &Cut<'_>) -> Reply {
    let blocks = blocks::split(rows, how);
    let outcome = blocks::outcome(rows, how);
    let after_tools = blocks
        .iter()
        .rposition(|b| b.speaker == Speaker::Tool)
        .map_or(0, |at| at + 1);
    let text = blocks
        .iter()
        .skip(after_tools)
        .map(|block| block.text.as_str())
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n");
    Reply {
        text,
        blocks,
        outcome,
    }
}
