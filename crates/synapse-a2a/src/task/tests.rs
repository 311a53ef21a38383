use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::error::{Failure, FailureCode};
use crate::event::{Question, Source};
use crate::id::MessageId;
use crate::message::{Part, Role};

pub(crate) fn at(at: u64, fact: Fact) -> Event {
    Event {
        at: Timestamp(at),
        fact,
    }
}

pub(crate) fn submitted() -> Fact {
    Fact::Submitted {
        task: TaskId::new("t-1"),
        context: ContextId::new("c-1"),
        message: Message::text(MessageId::new("m-1"), Role::User, "add a test"),
        origin: Origin::default(),
    }
}

fn said(text: &str) -> Message {
    Message::text(MessageId::new("m-2"), Role::User, text)
}

pub(crate) fn moved(status: Status) -> Fact {
    Fact::Moved { status }
}

pub(crate) fn opened(id: &str, body: Body) -> Fact {
    Fact::ArtifactOpened {
        artifact: ArtifactId::new(id),
        body,
    }
}

fn grew(id: &str, text: &str) -> Fact {
    Fact::ArtifactGrew {
        artifact: ArtifactId::new(id),
        text: text.into(),
    }
}

pub(crate) fn closed(id: &str) -> Fact {
    Fact::ArtifactClosed {
        artifact: ArtifactId::new(id),
    }
}

fn status(state: TaskState) -> Status {
    match state {
        TaskState::Submitted => Status::Submitted,
        TaskState::Working => Status::Working,
        TaskState::InputRequired => Status::InputRequired {
            question: Question {
                kind: "confirmation".into(),
                prompt: "Continue? (y/n)".into(),
                options: vec!["y".into(), "n".into()],
                default: None,
                fingerprint: "f-1".into(),
            },
        },
        TaskState::Completed => Status::Completed,
        TaskState::Failed => Status::Failed {
            failure: Failure {
                code: FailureCode::AgentExited,
                message: "it left".into(),
            },
        },
        TaskState::Canceled => Status::canceled("no longer wanted"),
        TaskState::Rejected => Status::Rejected {
            reason: "not my trade".into(),
        },
    }
}

fn fold(facts: impl IntoIterator<Item = Fact>) -> Result<Task, IllegalEvent> {
    Task::fold(facts.into_iter().zip(1..).map(|(fact, t)| at(t, fact)))
}

fn working(facts: impl IntoIterator<Item = Fact>) -> Result<Task, IllegalEvent> {
    fold(
        [submitted(), moved(Status::Working)]
            .into_iter()
            .chain(facts),
    )
}

#[test]
fn a_task_walks_from_submission_over_a_question_to_its_reply() {
    let task = working([
        opened("a-1", Body::text("Let me")),
        grew("a-1", " see."),
        moved(status(TaskState::InputRequired)),
        moved(Status::Working),
        closed("a-1"),
        opened("a-2", Body::file("a.rs")),
        closed("a-2"),
        moved(Status::Completed),
    ])
    .unwrap();

    assert_eq!(task.state(), TaskState::Completed);
    assert_eq!(task.id(), &TaskId::new("t-1"));
    let bodies: Vec<_> = task
        .artifacts()
        .iter()
        .map(|artifact| &artifact.body)
        .collect();
    assert_eq!(bodies, [&Body::text("Let me see."), &Body::file("a.rs")]);
    assert!(task.artifacts().iter().all(|artifact| artifact.is_closed));
    assert_eq!(
        (task.created_at(), task.updated_at()),
        (Timestamp(1), Timestamp(10))
    );
}

#[test]
fn tasks_of_one_moment_are_in_the_order_of_their_names() {
    let task = |name: &str, when| {
        let mut fact = submitted();
        if let Fact::Submitted { task, .. } = &mut fact {
            *task = TaskId::new(name);
        }
        Task::begin(at(when, fact)).unwrap()
    };
    let mut tasks = [task("b", 7), task("a", 7), task("c", 6)];
    tasks.sort_by(|one, other| other.place().cmp(&one.place()));
    let names = tasks.map(|task| task.id().to_string());
    assert_eq!(names, ["b", "a", "c"], "the newest first");
}

#[test]
fn only_the_legal_moves_are_possible() {
    use TaskState::{Canceled, Completed, Failed, InputRequired, Rejected, Submitted, Working};
    let legal: [(TaskState, &[TaskState]); 7] = [
        (Submitted, &[Working, Failed, Canceled, Rejected]),
        (
            Working,
            &[InputRequired, Completed, Failed, Canceled, Rejected],
        ),
        (
            InputRequired,
            &[
                Working,
                InputRequired,
                Completed,
                Failed,
                Canceled,
                Rejected,
            ],
        ),
        (Completed, &[]),
        (Failed, &[]),
        (Canceled, &[]),
        (Rejected, &[]),
    ];
    for (from, nexts) in legal {
        for to in TaskState::ALL {
            assert_eq!(from.can_become(to), nexts.contains(&to), "{from} to {to}");
        }
        assert_eq!(from.is_final(), nexts.is_empty(), "{from}");
    }
}

#[test]
fn a_canceled_task_stays_canceled_whatever_the_program_prints() {
    let canceled = working([moved(status(TaskState::Canceled))]).unwrap();
    for fact in [
        opened("a-1", Body::text("late")),
        grew("a-1", "late"),
        closed("a-1"),
        moved(Status::Working),
        moved(Status::Completed),
    ] {
        let mut task = canceled.clone();
        assert!(task.apply(at(9, fact)).is_err());
        assert_eq!(task, canceled);
    }
}

#[test]
fn a_history_begins_with_its_submission_and_has_just_one() {
    assert_eq!(fold([]), Err(IllegalEvent::NotSubmitted));
    assert_eq!(
        fold([moved(Status::Working)]),
        Err(IllegalEvent::NotSubmitted)
    );
    assert_eq!(
        fold([submitted(), submitted()]),
        Err(IllegalEvent::SubmittedTwice)
    );
}

#[test]
fn an_illegal_move_says_from_where_to_where() {
    let error = fold([submitted(), moved(Status::Completed)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a task that is submitted cannot become completed"
    );
}

#[test]
fn a_queued_task_writes_nothing() {
    let error = fold([submitted(), opened("a-1", Body::text("x"))]).unwrap_err();
    assert_eq!(error, IllegalEvent::ArtifactOutOfTurn(TaskState::Submitted));
}

#[test]
fn an_open_artifact_can_be_replaced_and_keeps_its_place() {
    let task = working([
        opened("a-1", Body::text("as painted")),
        opened("a-2", Body::file("b.rs")),
        opened("a-1", Body::code("rust", "as written")),
    ])
    .unwrap();
    let bodies: Vec<_> = task
        .artifacts()
        .iter()
        .map(|artifact| &artifact.body)
        .collect();
    assert_eq!(
        bodies,
        [&Body::code("rust", "as written"), &Body::file("b.rs")]
    );
}

#[test]
fn nothing_follows_the_last_chunk_of_an_artifact() {
    for fact in [
        opened("a-1", Body::text("again")),
        grew("a-1", "more"),
        closed("a-1"),
    ] {
        let error = working([opened("a-1", Body::text("x")), closed("a-1"), fact]).unwrap_err();
        assert_eq!(error, IllegalEvent::ClosedArtifact(ArtifactId::new("a-1")));
    }
}

#[test]
fn an_artifact_must_be_opened_before_it_grows() {
    for fact in [grew("a-1", "more"), closed("a-1")] {
        let error = working([fact]).unwrap_err();
        assert_eq!(error, IllegalEvent::UnknownArtifact(ArtifactId::new("a-1")));
    }
}

#[test]
fn files_and_data_come_whole() {
    for body in [Body::file("a.rs"), Body::Data { data: json!({}) }] {
        let error = working([opened("a-1", body), grew("a-1", "more")]).unwrap_err();
        assert_eq!(error, IllegalEvent::NotGrowing(ArtifactId::new("a-1")));
    }
}

#[test]
fn an_answer_is_kept_behind_the_question_it_answers() {
    let task = working([
        moved(status(TaskState::InputRequired)),
        Fact::Answered { message: said("2") },
    ])
    .unwrap();
    let words: Vec<String> = task.history().iter().map(Message::words).collect();
    assert_eq!(words, ["add a test", "Continue? (y/n)\n1. y\n2. n", "2"]);
}

#[test]
fn a_note_belongs_to_the_state_it_was_made_in() {
    let note = |text: &str| Fact::Noted { text: text.into() };
    let task = working([note("halfway")]).unwrap();
    assert_eq!((task.note(), task.since()), (Some("halfway"), Timestamp(3)));

    let task = working([
        note("halfway"),
        moved(status(TaskState::InputRequired)),
        note("unheard"),
        opened("a-1", Body::text("x")),
    ])
    .unwrap();
    assert_eq!((task.note(), task.since()), (None, Timestamp(4)));
    assert_eq!(task.updated_at(), Timestamp(6));
}

#[test]
fn states_are_spelled_on_the_wire_as_they_are_shown() {
    for state in TaskState::ALL {
        assert_eq!(serde_json::to_value(state).unwrap(), state.to_string());
        assert_eq!(
            serde_json::to_value(status(state)).unwrap()["state"],
            state.to_string()
        );
    }
}

#[test]
fn a_question_has_the_native_members_and_a_fingerprint() {
    let Status::InputRequired { question } = status(TaskState::InputRequired) else {
        unreachable!()
    };
    assert_eq!(
        serde_json::to_value(question).unwrap(),
        json!({
            "type": "confirmation",
            "prompt": "Continue? (y/n)",
            "options": ["y", "n"],
            "default": null,
            "fingerprint": "f-1",
        })
    );
}

fn any_fact() -> impl Strategy<Value = Fact> {
    let id = prop_oneof![Just("a-1"), Just("a-2")];
    let body = prop_oneof![
        Just(Body::text("x")),
        Just(Body::code("sh", "ls")),
        Just(Body::file("a.rs")),
        Just(Body::Data {
            data: json!({"k": 1})
        }),
        Just(Body::Parts {
            name: None,
            description: None,
            parts: vec![Part::text("p")]
        }),
    ];
    prop_oneof![
        1 => Just(submitted()),
        4 => proptest::sample::select(TaskState::ALL.to_vec()).prop_map(|to| moved(status(to))),
        3 => (id.clone(), body).prop_map(|(id, body)| opened(id, body)),
        3 => id.clone().prop_map(|id| grew(id, "y")),
        2 => id.clone().prop_map(closed),
        1 => id.prop_map(|id| Fact::ArtifactExtended {
            artifact: ArtifactId::new(id),
            parts: vec![Part::text("z")],
        }),
        1 => Just(Fact::Answered { message: said("yes") }),
        1 => Just(Fact::Noted { text: "halfway".into() }),
        1 => Just(Fact::Spoke { message: said("hello") }),
        1 => Just(Fact::Replied {
            said: Said { text: "done".into(), source: Source::Record, is_truncated: false },
        }),
    ]
}

proptest! {
    #[test]
    fn an_illegal_event_leaves_the_task_as_it_was(
        facts in proptest::collection::vec((any_fact(), 0_u64..50), 0..40),
    ) {
        let mut task = Task::begin(at(10, submitted())).unwrap();
        let mut history = vec![at(10, submitted())];
        for (fact, t) in facts {
            let before = task.clone();
            let event = at(t, fact);
            if task.apply(event.clone()).is_ok() {
                history.push(event);
            } else {
                prop_assert_eq!(&task, &before);
            }
            prop_assert!(!before.state().is_final() || task == before);
            prop_assert!(task.updated_at() >= before.updated_at());
        }
        prop_assert_eq!(Task::fold(history.clone()).unwrap(), task);

        let stored = serde_json::to_string(&history).unwrap();
        prop_assert_eq!(serde_json::from_str::<Vec<Event>>(&stored).unwrap(), history);
    }
}
