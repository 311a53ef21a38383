//! A snapshot and all frames behind it add up to the final task, from whichever point and in every dialect.
//! The frames are folded as the published clients do it: a status replaces the status, metadata is
//! merged, `append` puts parts behind those of the artifact, anything else replaces it.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::message::{Content, Part};
use crate::step::{Step, StepState};
use crate::wire::Dialect;
use crate::wire::answer;
use crate::wire::narrator::{Frame, Narrator};
use crate::wire::remote_task::{RemoteTask, Update};
use crate::wire::request::History;
use crate::wire::shown::Snapshot;

/// What tells the artifacts of a task apart.
fn key(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::V01 => "index",
        _ => "artifactId",
    }
}

fn any_fact() -> impl Strategy<Value = Fact> {
    let id = prop_oneof![Just("a-1"), Just("a-2")];
    let part = prop_oneof![
        Just(Part::text("p")),
        Just(Part::data(json!([1]))),
        Just(Part::new(Content::Raw { bytes: vec![1, 2] })),
    ];
    let parts = proptest::collection::vec(part, 1..3);
    let body = prop_oneof![
        Just(Body::text("x")),
        Just(Body::code("sh", "ls")),
        Just(Body::file("a.rs")),
        Just(Body::Data {
            data: json!({"k": 1})
        }),
        Just(Body::Error {
            code: FailureCode::RateLimited,
            text: "slow".into()
        }),
        parts.clone().prop_map(|parts| Body::Parts {
            name: Some("n".into()),
            description: Some("d".into()),
            parts
        }),
    ];
    let status = prop_oneof![
        4 => Just(Status::Working),
        3 => Just(question()),
        1 => Just(Status::Completed),
        1 => Just(failure()),
        1 => Just(Status::canceled("stop")),
        1 => Just(Status::Rejected { reason: "no".into() }),
    ];
    prop_oneof![
        3 => status.prop_map(moved),
        3 => (id.clone(), body).prop_map(|(id, body)| opened(id, body)),
        3 => id.clone().prop_map(|id| Fact::ArtifactGrew {
            artifact: ArtifactId::new(id),
            text: "y".into(),
        }),
        2 => id.clone().prop_map(closed),
        2 => (id, parts).prop_map(|(id, parts)| Fact::ArtifactExtended {
            artifact: ArtifactId::new(id),
            parts,
        }),
        1 => Just(Fact::Answered {
            message: Message::text(MessageId::new("m-2"), Role::User, "yes"),
        }),
        2 => Just(Fact::Noted { text: "halfway".into() }),
        1 => Just(Fact::Spoke {
            message: Message::text(MessageId::new("m-3"), Role::Agent, "hello"),
        }),
        1 => Just(replied()),
        3 => (prop_oneof![Just("s-1"), Just("s-2")], any::<bool>()).prop_map(|(id, is_over)| {
            let mut step = Step::call(id, "Bash", &json!({"command": "ls"}));
            if is_over {
                step.state = StepState::Ok;
            }
            Fact::Stepped { step: Box::new(step) }
        }),
    ]
}

/// Keeps what is legal, beginning with a turn.
pub(in crate::wire) fn any_events() -> impl Strategy<Value = Vec<Event>> {
    proptest::collection::vec((any_fact(), 0_u64..50), 0..30).prop_map(|facts| {
        let mut events = vec![at(10, submitted()), at(11, moved(Status::Working))];
        let mut task = Task::fold(events.clone()).unwrap();
        for (fact, time) in facts {
            let event = at(time, fact);
            if task.apply(event.clone()).is_ok() {
                events.push(event);
            }
        }
        events
    })
}

/// Does with a frame what a client does.
fn fold(task: &mut Value, frame: &Value, key: &str) {
    let update = frame
        .get("statusUpdate")
        .or_else(|| frame.get("artifactUpdate"))
        .unwrap_or(frame);
    if let Some(status) = update.get("status") {
        task["status"] = status.clone();
        if let Some(Value::Object(more)) = update.get("metadata") {
            for (name, value) in more {
                task["metadata"][name] = value.clone();
            }
        }
        return;
    }
    let chunk = &update["artifact"];
    let is_more = update["append"] == true || chunk["append"] == true;
    if task.get("artifacts").is_none() {
        task["artifacts"] = json!([]);
    }
    let artifacts = task["artifacts"].as_array_mut().unwrap();
    let known = artifacts.iter_mut().find(|one| one[key] == chunk[key]);
    match known {
        Some(known) if is_more => {
            let parts = chunk["parts"].as_array().unwrap().clone();
            known["parts"].as_array_mut().unwrap().extend(parts);
        }
        Some(known) => *known = chunk.clone(),
        None => {
            assert!(!is_more, "more of what was never begun: {chunk}");
            artifacts.push(chunk.clone());
        }
    }
}

/// What cannot be told apart: text in one piece or in several. What was said before is left out: every
/// client keeps its own record of that.
fn leveled(mut task: Value) -> Value {
    task.as_object_mut().unwrap().remove("history");
    let artifacts = task.get_mut("artifacts").and_then(Value::as_array_mut);
    for artifact in artifacts.into_iter().flatten() {
        let members = artifact.as_object_mut().unwrap();
        members.remove("append");
        members.remove("lastChunk");
        let mut parts: Vec<Value> = Vec::new();
        for part in artifact["parts"].as_array().unwrap() {
            let is_bare = part
                .as_object()
                .unwrap()
                .keys()
                .all(|name| name == "text" || name == "kind" || name == "type");
            match (parts.last_mut(), part["text"].as_str()) {
                (Some(before), Some(more)) if is_bare && before["text"].is_string() => {
                    let text = before["text"].as_str().unwrap().to_owned() + more;
                    before["text"] = json!(text);
                }
                _ => parts.push(part.clone()),
            }
        }
        artifact["parts"] = json!(parts);
    }
    task
}

/// What a client knows of a task, as far as the dialect can say it.
fn known(task: &Task, dialect: Dialect) -> RemoteTask {
    let shown = Snapshot::of(task, History::All);
    let mut pieces = shown.pieces.unwrap();
    for (index, piece) in pieces.iter_mut().enumerate() {
        if dialect == Dialect::V01 {
            piece.id = ArtifactId::new(index.to_string());
        }
        for part in &mut piece.parts {
            if dialect != Dialect::V1 && matches!(part.content, Content::Data { .. }) {
                part.media_type = None;
            }
        }
    }
    RemoteTask {
        id: match dialect {
            Dialect::V01 => task.message().id.to_string(),
            _ => task.id().to_string(),
        },
        context: Some(task.context().to_string()),
        state: task.state(),
        said: shown.standing.message.map(|said| said.words()),
        pieces,
        exact: None,
    }
}

/// Text in one part or in several cannot be told apart.
fn joined(mut task: RemoteTask) -> RemoteTask {
    for piece in &mut task.pieces {
        let mut parts: Vec<Part> = Vec::new();
        for part in piece.parts.drain(..) {
            match (
                parts.last_mut().map(|part| &mut part.content),
                &part.content,
            ) {
                (Some(Content::Text { text: before }), Content::Text { text }) => {
                    before.push_str(text);
                }
                _ => parts.push(part),
            }
        }
        piece.parts = parts;
    }
    task
}

proptest! {
    #[test]
    fn what_a_dialect_writes_it_reads_back(events in any_events()) {
        let end = Task::fold(events).unwrap();
        for dialect in Dialect::ALL {
            for written in [dialect.task(&end, History::All), dialect.sent_task(&end, History::All)] {
                let read = answer::read(dialect, &written);
                prop_assert_eq!(read, Some(Update::Snapshot(known(&end, dialect))));
            }
            if let Some(said) = dialect.spoken(&end) {
                let mut task = None;
                let written = dialect.sent(&end, History::All);
                let read = RemoteTask::fold(&mut task, answer::read(dialect, &written).unwrap());
                prop_assert_eq!((read.reply(), read.is_settled()), (said.words(), true));
            }
        }
    }

    #[test]
    fn a_snapshot_and_the_frames_behind_it_are_the_final_task(
        events in any_events(),
        from in any::<prop::sample::Index>(),
    ) {
        let from = 1 + from.index(events.len());
        let end = Task::fold(events.clone()).unwrap();
        for dialect in Dialect::ALL {
            let mut current = Task::fold(events[..from].to_vec()).unwrap();
            let mut narrator = Narrator::after(&current);
            let (mut late, mut silent) = (narrator.clone(), narrator.clone());
            let mut shown = dialect.task(&current, History::All);
            let mut read = Some(known(&current, dialect));
            for event in &events[from..] {
                current.apply(event.clone()).unwrap();
                let frame = narrator.tell(&current, event);
                // A reader that is behind tells the same.
                prop_assert_eq!(&late.tell(&end, event), &frame);
                silent.pass(event);
                prop_assert_eq!(&silent, &narrator);
                if let Some(frame) = frame {
                    let written = dialect.frame(&frame, &current, false);
                    fold(&mut shown, &written, key(dialect));
                    RemoteTask::fold(&mut read, answer::read(dialect, &written).unwrap());
                }
            }
            let expected = dialect.task(&end, History::All);
            prop_assert_eq!(leveled(shown), leveled(expected));
            prop_assert_eq!(joined(read.unwrap()), joined(known(&end, dialect)));
        }
    }

    #[test]
    fn nothing_is_told_behind_the_end(events in any_events()) {
        let mut narrator = Narrator::after(&Task::fold(events[..1].to_vec()).unwrap());
        let end = Task::fold(events.clone()).unwrap();
        let mut is_over = false;
        for event in &events[1..] {
            let frame = narrator.tell(&end, event);
            prop_assert!(!is_over);
            is_over = matches!(frame, Some(Frame::Standing { standing, .. }) if standing.state.is_final());
        }
        prop_assert_eq!(is_over, end.state().is_final());
    }
}
