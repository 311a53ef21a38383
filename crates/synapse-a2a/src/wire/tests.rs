//! The dialects, by example and by property.

mod cards;
mod fold;
mod random;
mod requests;
mod shapes;

pub(in crate::wire) use fold::any_events;

use crate::artifact::Body;
use crate::error::{Failure, FailureCode};
use crate::event::{Event, Fact, Question, Said, Source, Status, Timestamp};
use crate::id::{ArtifactId, MessageId, TaskId};
use crate::message::{Message, Role};
use crate::task::Task;
use crate::task::tests::{at, closed, moved, opened, submitted};

fn question() -> Status {
    Status::InputRequired {
        question: Question {
            kind: "confirmation".into(),
            prompt: "Continue? (y/n)".into(),
            options: vec!["y".into(), "n".into()],
            default: Some("y".into()),
            fingerprint: "f-1".into(),
        },
    }
}

fn failure() -> Status {
    Status::Failed {
        failure: Failure {
            code: FailureCode::AgentExited,
            message: "it left".into(),
        },
    }
}

fn replied() -> Fact {
    Fact::Replied {
        said: Said {
            text: "done".into(),
            source: Source::Record,
            is_truncated: false,
        },
    }
}

/// A task after these facts, one a second.
fn task(facts: impl IntoIterator<Item = Fact>) -> Task {
    let facts = std::iter::once(submitted()).chain(facts);
    let events = facts
        .zip(1..)
        .map(|(fact, second)| at(second * 1_000, fact));
    Task::fold(events).unwrap()
}
