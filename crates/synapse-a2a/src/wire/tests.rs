//! The dialects, by example and by property.

mod cards;
mod fold;
mod random;
mod requests;
mod shapes;

use crate::artifact::Body;
use crate::error::{Failure, FailureCode};
use crate::event::{Event, Fact, Origin, Question, Said, Source, Status, Timestamp};
use crate::id::{ArtifactId, ContextId, MessageId, TaskId};
use crate::message::{Message, Role};
use crate::task::Task;

fn at(at: u64, fact: Fact) -> Event {
    Event {
        at: Timestamp(at),
        fact,
    }
}

fn submitted() -> Fact {
    Fact::Submitted {
        task: TaskId::new("t-1"),
        context: ContextId::new("c-1"),
        message: Message::text(MessageId::new("m-1"), Role::User, "add a test"),
        origin: Origin::default(),
    }
}

fn moved(status: Status) -> Fact {
    Fact::Moved { status }
}

fn opened(id: &str, body: Body) -> Fact {
    Fact::ArtifactOpened {
        artifact: ArtifactId::new(id),
        body,
    }
}

fn closed(id: &str) -> Fact {
    Fact::ArtifactClosed {
        artifact: ArtifactId::new(id),
    }
}

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
