//! What every transcript comes down to: a list of what was asked, said, called and answered. A program
//! whose file needs nothing more has a reader that turns its lines into these entries.

use std::collections::HashSet;
use std::path::Path;

use super::steps::{Call, Outcome, Steps};
use super::tokens::{Took, TurnUsage};
use super::{Asked, Needle, TurnRecord, Verdict, bound};

/// One thing that happened in a conversation.
#[derive(Debug)]
pub(super) enum Entry {
    /// The folder that the conversation belongs to.
    Folder(String),
    /// A message of the user's.
    Asked(Asked),
    /// The model said something, and called these tools after it.
    Said { text: String, calls: Vec<Call> },
    /// The model thought something.
    Thought(String),
    /// An answer of the model took this much.
    Took(Took),
    /// A tool gave its result.
    Result(Outcome),
    /// The turn went wrong, in the program's own words.
    Failed(String),
    /// The user stopped it, or refused what it wanted to do.
    Interrupted,
    /// The program wrote that the turn is over.
    Closed,
}

/// What was read of a session.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    entries: Vec<Entry>,
    folder: Option<String>,
}

impl Conversation {
    pub(super) fn extend(&mut self, entries: impl IntoIterator<Item = Entry>) {
        for entry in entries {
            match entry {
                Entry::Folder(folder) => self.folder = Some(folder),
                entry => self.entries.push(entry),
            }
        }
        bound(&mut self.entries);
    }

    pub(super) fn is_of(&self, dir: &Path) -> Option<bool> {
        self.folder.as_deref().map(|own| Path::new(own) == dir)
    }

    /// The last turn that began with this message. An answer without tool calls is its reply.
    pub(super) fn turn(&self, needle: &Needle) -> Option<TurnRecord> {
        let asks = |entry: &Entry| matches!(entry, Entry::Asked(asked) if needle.is_in(asked));
        let ours = self.entries.iter().rposition(asks)?;
        let mut turn = TurnRecord::default();
        let (mut said, mut open) = (Vec::new(), HashSet::new());
        let (mut steps, mut usage) = (Steps::default(), TurnUsage::default());
        for entry in self.entries.iter().skip(ours + 1) {
            match entry {
                Entry::Asked(_) => break,
                Entry::Said { text, calls } => {
                    if !text.trim().is_empty() {
                        said.push(text.as_str());
                    }
                    turn.verdict = None;
                    turn.is_closed = false;
                    if calls.is_empty() && !said.is_empty() {
                        turn.verdict = Some(Verdict::Replied(said.join("\n\n")));
                    }
                    if !calls.is_empty() {
                        said.clear();
                        open.extend(calls.iter().map(|call| call.step.id.as_str()));
                        for call in calls {
                            steps.begin(call);
                        }
                    }
                }
                Entry::Thought(words) => steps.think(words),
                Entry::Took(took) => usage.add(took),
                Entry::Result(outcome) => {
                    open.remove(outcome.id.as_str());
                    steps.end(outcome);
                }
                Entry::Failed(why) => turn.verdict = Some(Verdict::Failed(why.clone())),
                Entry::Interrupted => turn.verdict = Some(Verdict::Interrupted),
                Entry::Closed => turn.is_closed = true,
                Entry::Folder(_) => {}
            }
        }
        turn.said = said.join("\n\n");
        turn.has_open_tool = !open.is_empty();
        turn.steps = steps.into_list();
        turn.usage = usage.known();
        Some(turn)
    }
}
