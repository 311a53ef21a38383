//! Tells a stream what happens to a task, one frame at a time. A snapshot with all frames behind it adds
//! up to the task as it is shown at the end, from whichever point the snapshot is.

use serde_json::{Map, Value};

use crate::artifact::Body;
use crate::event::{Event, Fact, Status, Timestamp};
use crate::id::ArtifactId;
use crate::message::Part;
use crate::task::{Task, TaskState};

use super::shown::{Piece, Standing, ending};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrator {
    state: TaskState,
    since: Timestamp,
}

impl Narrator {
    /// Goes on from a task as it was shown.
    pub fn after(task: &Task) -> Self {
        Self {
            state: task.state(),
            since: task.since(),
        }
    }

    /// Takes note of the next event without telling it, for who has it in words already.
    pub fn pass(&mut self, event: &Event) {
        match &event.fact {
            Fact::Moved { status } => self.state = status.state(),
            Fact::Noted { .. } if self.state == TaskState::Working => {}
            _ => return,
        }
        self.since = self.since.max(event.at);
    }

    /// What a client sees of the next event, if anything; the same for every client. `task` may be ahead of
    /// the event: only what can no longer change is read from it.
    pub fn tell(&mut self, task: &Task, event: &Event) -> Option<Frame> {
        self.pass(event);
        match &event.fact {
            Fact::Moved { status } => Some(self.standing(task, status, None)),
            Fact::Noted { text } if self.state == TaskState::Working => {
                Some(self.standing(task, &Status::Working, Some(text)))
            }
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
            // The first is in every snapshot; of the others a client sees what comes of them.
            Fact::Submitted { .. }
            | Fact::Noted { .. }
            | Fact::Answered { .. }
            | Fact::Spoke { .. }
            | Fact::Replied { .. } => None,
        }
    }

    fn standing(&self, task: &Task, status: &Status, note: Option<&str>) -> Frame {
        let metadata = if status.state().is_final() {
            ending(task)
        } else {
            Map::new()
        };
        Frame::Standing {
            standing: Standing::new(task, status, note, self.since),
            metadata,
        }
    }
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
