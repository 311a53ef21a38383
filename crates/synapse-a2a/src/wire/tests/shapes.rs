//! What goes over the wire, letter by letter.

use serde_json::json;

use super::*;
use crate::message::Part;
use crate::wire::narrator::Narrator;
use crate::wire::request::History;
use crate::wire::shown::Snapshot;
use crate::wire::{v01, v1, v03, v03_rest};

#[test]
fn a_finished_task_of_10() {
    let task = task([
        moved(Status::Working),
        opened("a-1", Body::code("rust", "fn main() {}")),
        closed("a-1"),
        opened("a-2", Body::Data { data: json!([1]) }),
        closed("a-2"),
        replied(),
        moved(Status::Completed),
    ]);
    assert_eq!(
        v1::sent_task(&Snapshot::of(&task, History::Last(1))),
        json!({ "task": {
            "id": "t-1",
            "contextId": "c-1",
            "status": { "state": "TASK_STATE_COMPLETED", "timestamp": "1970-01-01T00:00:08.000Z" },
            "artifacts": [
                {
                    "artifactId": "a-1",
                    "name": "code",
                    "parts": [{
                        "text": "fn main() {}",
                        "mediaType": "text/plain",
                        "metadata": { "language": "rust" },
                    }],
                },
                {
                    "artifactId": "a-2",
                    "name": "json_output",
                    "parts": [{ "data": [1], "mediaType": "application/json" }],
                },
            ],
            "history": [{
                "messageId": "m-1",
                "contextId": "c-1",
                "taskId": "t-1",
                "role": "ROLE_USER",
                "parts": [{ "text": "add a test" }],
            }],
            "metadata": { "synapse/source": "record" },
        } })
    );
}

#[test]
fn a_question_in_every_dialect() {
    let asking = task([moved(Status::Working), moved(question())]);
    let shown = Snapshot::of(&asking, History::Last(0));
    let metadata = json!({
        "synapse/kind": "confirmation",
        "synapse/options": ["y", "n"],
        "synapse/default": "y",
        "synapse/fingerprint": "f-1",
    });
    let text = "Continue? (y/n)\n1. y\n2. n";
    assert_eq!(
        v1::task(&shown)["status"],
        json!({
            "state": "TASK_STATE_INPUT_REQUIRED",
            "timestamp": "1970-01-01T00:00:03.000Z",
            "message": {
                "messageId": "t-1-f-1",
                "contextId": "c-1",
                "taskId": "t-1",
                "role": "ROLE_AGENT",
                "parts": [{ "text": text }],
                "metadata": metadata,
            },
        })
    );
    assert_eq!(
        v03::task(&shown)["status"]["message"],
        json!({
            "kind": "message",
            "messageId": "t-1-f-1",
            "contextId": "c-1",
            "taskId": "t-1",
            "role": "agent",
            "parts": [{ "kind": "text", "text": text }],
            "metadata": metadata,
        })
    );
    assert_eq!(v03::task(&shown)["status"]["state"], "input-required");
    assert_eq!(
        v03_rest::task(&shown)["status"]["message"]["content"],
        json!([{ "text": text }])
    );
    assert_eq!(
        v01::task(&shown, "mine"),
        json!({
            "id": "mine",
            "sessionId": "c-1",
            "status": {
                "state": "input-required",
                "timestamp": "1970-01-01T00:00:03.000Z",
                "message": {
                    "role": "agent",
                    "parts": [{ "type": "text", "text": text }],
                    "metadata": metadata,
                },
            },
        })
    );
}

#[test]
fn canceled_is_spelled_with_two_l_in_03_rest_only() {
    let canceled = task([moved(Status::canceled("no longer wanted"))]);
    let shown = Snapshot::of(&canceled, History::All);
    assert_eq!(v1::task(&shown)["status"]["state"], "TASK_STATE_CANCELED");
    assert_eq!(v03::task(&shown)["status"]["state"], "canceled");
    assert_eq!(
        v03_rest::task(&shown)["status"]["state"],
        "TASK_STATE_CANCELLED"
    );
}

#[test]
fn a_failure_says_why_in_words_and_as_a_code() {
    let failed = task([moved(Status::Working), moved(failure())]);
    let written = v1::task(&Snapshot::of(&failed, History::All));
    assert_eq!(written["status"]["message"]["parts"][0]["text"], "it left");
    assert_eq!(
        written["metadata"],
        json!({ "synapse/error": "AGENT_EXITED" })
    );
}

#[test]
fn a_file_in_every_dialect() {
    let task = task([moved(Status::Working), opened("a", Body::file("/tmp/a.rs"))]);
    let shown = Snapshot::of(&task, History::All);
    let part = |task: &serde_json::Value| task["artifacts"][0]["parts"][0].clone();
    assert_eq!(
        part(&v1::task(&shown)),
        json!({ "url": "file:///tmp/a.rs", "filename": "/tmp/a.rs" })
    );
    let file = json!({ "uri": "file:///tmp/a.rs", "name": "/tmp/a.rs" });
    assert_eq!(
        part(&v03::task(&shown)),
        json!({ "kind": "file", "file": file })
    );
    assert_eq!(
        part(&v01::task(&shown, "t")),
        json!({ "type": "file", "file": file })
    );
    assert_eq!(
        part(&v03_rest::task(&shown)),
        json!({ "file": { "fileWithUri": "file:///tmp/a.rs", "name": "/tmp/a.rs" } })
    );
}

#[test]
fn data_that_is_no_object_is_wrapped_for_03_and_unwrapped_again() {
    let task = task([
        moved(Status::Working),
        opened(
            "a",
            Body::Data {
                data: json!([1, 2]),
            },
        ),
    ]);
    let shown = Snapshot::of(&task, History::All);
    let part = v03::task(&shown)["artifacts"][0]["parts"][0].clone();
    assert_eq!(
        part,
        json!({
            "kind": "data",
            "data": { "value": [1, 2] },
            "metadata": { "data_part_compat": true },
        })
    );
    let request = json!({ "message": { "messageId": "m", "role": "user", "parts": [part] } });
    let read = v03::send_request(&request).unwrap();
    assert_eq!(read.message.parts, [Part::data(json!([1, 2]))]);
}

#[test]
fn the_frames_of_a_stream() {
    let steps = [
        moved(Status::Working),
        Fact::Noted {
            text: "reading".into(),
        },
        opened("a-1", Body::text("He")),
        Fact::ArtifactGrew {
            artifact: ArtifactId::new("a-1"),
            text: "llo".into(),
        },
        closed("a-1"),
        replied(),
        moved(Status::Completed),
    ];
    let mut narrator = Narrator::after(&task([]));
    let end = task(steps.clone());
    let told = steps
        .into_iter()
        .zip(2..)
        .filter_map(|(fact, second)| narrator.tell(&end, &at(second * 1_000, fact)));
    let told: Vec<_> = told.collect();
    let (id, context) = (end.id(), end.context());
    let v1: Vec<_> = told.iter().map(|one| v1::frame(one, id, context)).collect();
    assert_eq!(
        v1[1],
        json!({ "statusUpdate": {
            "taskId": "t-1",
            "contextId": "c-1",
            "status": {
                "state": "TASK_STATE_WORKING",
                "timestamp": "1970-01-01T00:00:03.000Z",
                "message": {
                    "messageId": "t-1-3000",
                    "contextId": "c-1",
                    "taskId": "t-1",
                    "role": "ROLE_AGENT",
                    "parts": [{ "text": "reading" }],
                },
            },
        } })
    );
    let chunk = |name: Option<&str>, text: &str, append: bool, last: bool| {
        let mut artifact = json!({ "artifactId": "a-1", "parts": [{ "text": text }] });
        if let Some(name) = name {
            artifact["name"] = json!(name);
        }
        json!({ "artifactUpdate": {
            "taskId": "t-1",
            "contextId": "c-1",
            "artifact": artifact,
            "append": append,
            "lastChunk": last,
        } })
    };
    assert_eq!(v1[2], chunk(Some("output"), "He", false, false));
    assert_eq!(v1[3], chunk(None, "llo", true, false));
    assert_eq!(v1[4], chunk(None, "", true, true));
    assert_eq!(v1.len(), 6);

    assert_eq!(
        v03::frame(&told[5], id, context, true),
        json!({
            "kind": "status-update",
            "taskId": "t-1",
            "contextId": "c-1",
            "status": { "state": "completed", "timestamp": "1970-01-01T00:00:08.000Z" },
            "final": true,
            "metadata": { "synapse/source": "record" },
        })
    );
    assert_eq!(
        v01::frame(&told[3], &end, "mine", false),
        json!({ "id": "mine", "artifact": {
            "index": 0,
            "parts": [{ "type": "text", "text": "llo" }],
            "append": true,
            "lastChunk": false,
        } })
    );
}

#[test]
fn a_message_instead_of_a_task() {
    let said = Message::text(MessageId::new("m-9"), Role::Agent, "hello");
    let spoke = Fact::Spoke {
        message: said.clone(),
    };
    let task = task([moved(Status::Working), spoke, moved(Status::Completed)]);
    assert_eq!(
        v1::sent_message(&said, task.context()),
        json!({ "message": {
            "messageId": "m-9",
            "contextId": "c-1",
            "role": "ROLE_AGENT",
            "parts": [{ "text": "hello" }],
        } })
    );
    let shown = Snapshot::of(&task, History::Last(0));
    let status = &v1::task(&shown)["status"];
    assert_eq!(status["message"]["parts"][0]["text"], "hello");
}

#[test]
fn a_page_always_has_its_four_members() {
    assert_eq!(
        v1::page(&[], None, 50, 0),
        json!({ "tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0 })
    );
    let task = task([moved(Status::Working), opened("a", Body::text("x"))]);
    let page = v1::page(
        &[Snapshot::without_pieces(&task, History::Last(0))],
        Some("n"),
        1,
        2,
    );
    assert!(page["tasks"][0].get("artifacts").is_none());
    assert!(page["tasks"][0].get("history").is_none());
    assert_eq!(page["nextPageToken"], "n");
}
