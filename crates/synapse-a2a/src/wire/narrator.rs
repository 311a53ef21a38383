//! Tells a stream what happens to a task, one frame at a time. A snapshot with all frames behind it adds
//! up to the task as it is shown at the end, from whichever point the snapshot is.

use serde_json::{Map, Value, json};

use crate::artifact::Body;
use crate::event::{Event, Fact, Status, Timestamp};
use crate::id::ArtifactId;
use crate::message::Part;
use crate::step::Step;
use crate::task::Task;

use super::shown::{Piece, Standing, ending, step_name};

/// One frame of a stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// The task stands somewhere else.
    Standing {
        standing: Standing,
        /// What is noted about the task from here on.
        metadata: Map<String, Value>,
    },
    /// Something has come of it.
    Piece {
        /// The artifact, or what comes at its end.
        piece: Piece,
        /// Whether it goes behind what is there.
        growth: Growth,
        /// Whether the artifact is complete.
        is_last: bool,
    },
}

/// Where a chunk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// In the place of whatever has that name (`append: false`).
    Whole,
    /// Behind what is there (`append: true`).
    More,
}

/// Who follows one task. Holds only what an event does not say by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narrator {
    status: Status,
    note: Option<String>,
    since: Timestamp,
}

impl Narrator {
    /// Goes on from a task as it was shown.
    pub fn after(task: &Task) -> Self {
        Self {
            status: task.status().clone(),
            note: task.note().map(str::to_owned),
            since: task.since(),
        }
    }

    /// Takes note of the next event without telling it, for who has it in words already.
    pub fn pass(&mut self, event: &Event) {
        match &event.fact {
            Fact::Moved { status } => {
                self.status.clone_from(status);
                self.note = None;
            }
            Fact::Noted { text } if self.status == Status::Working => {
                self.note = Some(text.clone());
            }
            _ => return,
        }
        self.since = self.since.max(event.at);
    }

    /// What a client sees of the next event, if anything; the same for every client. `task` may be ahead of
    /// the event: only what can no longer change is read from it.
    pub fn tell(&mut self, task: &Task, event: &Event) -> Option<Frame> {
        self.pass(event);
        match &event.fact {
            Fact::Moved { status } => Some(Frame::Standing {
                standing: self.standing(task),
                metadata: if status.state().is_final() {
                    ending(task)
                } else {
                    Map::new()
                },
            }),
            Fact::Noted { .. } if self.status == Status::Working => Some(Frame::Standing {
                standing: self.standing(task),
                metadata: Map::new(),
            }),
            Fact::ArtifactOpened { artifact, body } => Some(Frame::Piece {
                piece: Piece::new(artifact.clone(), body),
                growth: Growth::Whole,
                // Files and data come whole, so their first chunk is their last.
                is_last: matches!(body, Body::File { .. } | Body::Data { .. }),
            }),
            Fact::ArtifactGrew { artifact, text } => {
                Some(more(artifact, vec![Part::text(text)], false))
            }
            Fact::ArtifactExtended { parts, .. } if parts.is_empty() => None,
            Fact::ArtifactExtended { artifact, parts } => {
                Some(more(artifact, parts.clone(), false))
            }
            Fact::ArtifactClosed { artifact } => close(task, artifact),
            // The standing is told again as it was: only what is noted is news.
            Fact::Stepped { step } => Some(Frame::Standing {
                standing: self.standing(task),
                metadata: step_of(task, step)?,
            }),
            // The first is in every snapshot; of the others a client sees what comes of them.
            Fact::Submitted { .. }
            | Fact::Noted { .. }
            | Fact::Acted { .. }
            | Fact::Answered { .. }
            | Fact::Spoke { .. }
            | Fact::Replied { .. } => None,
        }
    }

    fn standing(&self, task: &Task) -> Standing {
        Standing::new(task, &self.status, self.note.as_deref(), self.since)
    }
}

/// One step, under the name that its place in the task gives it. A task that has too many has no place for it.
fn step_of(task: &Task, step: &Step) -> Option<Map<String, Value>> {
    let place = task.steps().iter().position(|known| known.id == step.id)?;
    Some(Map::from_iter([(step_name(place), json!(step))]))
}

/// The end of an artifact. The protocol has no chunk without parts: text ends with an empty piece of
/// text, and what the program gave in parts is told once more, whole, since nothing could be put behind a
/// file without changing it.
fn close(task: &Task, id: &ArtifactId) -> Option<Frame> {
    let artifact = task
        .artifacts()
        .iter()
        .find(|artifact| artifact.id == *id)?;
    match &artifact.body {
        Body::Text { .. } | Body::Code { .. } | Body::Error { .. } => {
            Some(more(id, vec![Part::text("")], true))
        }
        Body::Parts { .. } => Some(Frame::Piece {
            piece: Piece::of(artifact),
            growth: Growth::Whole,
            is_last: true,
        }),
        Body::File { .. } | Body::Data { .. } => None,
    }
}

fn more(id: &ArtifactId, parts: Vec<Part>, is_last: bool) -> Frame {
    Frame::Piece {
        piece: Piece::chunk(id.clone(), parts),
        growth: Growth::More,
        is_last,
    }
}
