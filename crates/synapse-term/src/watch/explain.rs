//! Why a screen is read as it is: what each of its rows was taken for.

use std::sync::Arc;

use super::Watcher;
use crate::chrome::is_rule;
use crate::frame::{Frame, Row};
use crate::prompt::Prompt;
use crate::reading::Reading;
use crate::reply::{self, Cut, Extent};

/// What a row of the screen was taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Nothing stands in it.
    Blank,
    /// The place where one types, with its edges.
    Box,
    /// A question, its options, or what they are about.
    Dialog,
    /// A picture that moves while nothing is asked.
    Decoration,
    /// The message of the turn.
    Echo,
    /// The reply of the turn.
    Speech,
    /// Labels, receipts, tools, rules: in the turn, and not the reply.
    Furniture,
    /// Rows beside the input box.
    Status,
    /// What was there before the turn.
    Earlier,
}

impl Part {
    /// The part in a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Box => "box",
            Self::Dialog => "dialog",
            Self::Decoration => "decoration",
            Self::Echo => "echo",
            Self::Speech => "speech",
            Self::Furniture => "furniture",
            Self::Status => "status",
            Self::Earlier => "earlier",
        }
    }
}

/// A row of the screen and why it was taken for what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowPart {
    /// What it was taken for.
    pub part: Part,
    pub why: &'static str,
}

impl Watcher {
    /// What each row of the present screen is taken for, from top to bottom.
    pub fn explain(&mut self) -> Vec<RowPart> {
        let frame = self.screen.frame();
        let extent = self.extent(&frame);
        (0..frame.rows.len())
            .map(|row| {
                let (part, why) = self.part(&frame, &extent, row);
                RowPart { part, why }
            })
            .collect()
    }

    fn extent(&self, frame: &Frame) -> Extent {
        let typed = match &self.turn {
            Some(turn) => turn.typed.as_str(),
            None => self.last_typed.as_str(),
        };
        let rows: Vec<&Row> = frame.rows.iter().map(Arc::as_ref).collect();
        let resting: Vec<&Row> = self.resting.iter().map(Arc::as_ref).collect();
        reply::explain(
            &rows,
            &Cut {
                profile: &self.profile,
                typed,
                usual_prompt: self.judge.usual_prompt(),
                resting: &resting,
                furniture: &self.furniture,
                place: self.place.as_deref(),
                cursor: frame.cursor.is_visible.then_some(frame.cursor.row),
                mark: None,
                reads_lines: self.judge.reads_lines(),
                is_painted: self.follower.is_painted() || self.was_painted,
                cols: frame.cols,
            },
        )
    }

    fn part(&self, frame: &Frame, extent: &Extent, row: usize) -> (Part, &'static str) {
        let text = frame.text(row);
        if text.trim().is_empty() {
            return (Part::Blank, "nothing in it");
        }
        if let Reading::Asking(prompt) = self.judge.reading()
            && let Some(why) = dialog_row(prompt, text)
        {
            return (Part::Dialog, why);
        }
        if let Some(found) = self.judge.input_box()
            && (found.top..=found.bottom).contains(&row)
        {
            return (Part::Box, "text between the edges of an input box");
        }
        let edge = self
            .judge
            .input_box()
            .is_some_and(|found| row + 1 == found.top || row == found.bottom + 1 && is_rule(text));
        if edge {
            return (Part::Box, "edge of the input box");
        }
        if self.judge.is_decoration(row) {
            return (Part::Decoration, "moves while nothing is asked");
        }
        let prompt = self.judge.usual_prompt().map(str::trim_end);
        if frame.cursor.row == row && prompt.is_some_and(|prompt| text.starts_with(prompt)) {
            return (Part::Box, "the prompt, with the cursor");
        }
        if extent.said.contains(&row) {
            return (Part::Speech, "below the message, and no furniture");
        }
        if row >= extent.floor {
            let place = self.place.as_deref().map(str::trim_end);
            let is_place = place.is_some_and(|place| !place.is_empty() && text.starts_with(place));
            return if is_place {
                (Part::Box, "begins as the row in which a message was typed")
            } else {
                (Part::Status, "beside the place where one types")
            };
        }
        match extent.echo {
            Some((start, end)) if (start..end).contains(&row) => {
                (Part::Echo, "shows the message that was typed")
            }
            Some((_, end)) if row >= end => (Part::Furniture, furniture(text)),
            _ => (Part::Earlier, "above the message"),
        }
    }
}

/// Why a row is part of a question, if it is.
fn dialog_row(prompt: &Prompt, text: &str) -> Option<&'static str> {
    let says = |part: &str| !part.trim().is_empty() && text.contains(part.trim());
    if prompt.options.iter().any(|option| says(&option.label)) {
        return Some("an option");
    }
    if says(&prompt.question) {
        return Some("the question");
    }
    let is_detail = prompt.detail.lines().any(says);
    is_detail.then_some("what the question is about")
}

fn furniture(text: &str) -> &'static str {
    if is_rule(text) {
        "a rule"
    } else {
        "a label, a receipt, a hint or a tool"
    }
}
