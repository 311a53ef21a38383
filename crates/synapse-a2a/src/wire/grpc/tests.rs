//! The binding by example, in the bytes of the published definitions, and by property.

mod random;

use serde_json::{Value, json};

use super::*;
use crate::wire::protocol_error::Violation;

/// What the published Python library writes for the messages below.
const SEND: &str = "0a0461636d6512b8010a036d2d311201631a017420012a080a06e697a5e69cac2a2612030001ff3205662e62696e3a186170706c69636174696f6e2f6f637465742d73747265616d2a0d1a0b68747470733a2f2f782f792a4022322a300a2e0a0161122932270a0911000000000000f03f0a091100000000000004c00a0208000a0220010a031a01730a022a002a0a0a080a016b12031a017632130a110a04686f707312091100000000000000403a0575726e3a783a0575726e3a794203742d301a2f0a0a746578742f706c61696e121d1201702208687474703a2f2f722a016b320b0a0642656172657212016318002001221f0a1d0a1073796e617073652f7072696f726974791209110000000000001440";
const TASK: &str = "0a750a01741201631a1a080612090a017120022a020a001a0b089897f7cb0610c0b2cd3b22280a016112016e1a01642204220208002a100a0e0a0178120911000000000000f83f320575726e3a782a0b0a016d20012a040a026869321a0a180a0e73796e617073652f736f7572636512061a04686f6f6b";
const PIECE: &str = "22200a01741201631a080a016122030a017820012801320a0a080a016112031a0162";
const STANDING: &str = "1a150a01741201631a02080322090a070a016112022000";
const LIST: &str = "120163180220002a017030073a1108ffffffffffffffffff011080cab5ee014000";
/// A `google.rpc.Status` with an `ErrorInfo`, and one with a `BadRequest` too.
const NOT_FOUND: &str = "CAUSFHRoZXJlIGlzIG5vIHRhc2sgdC0xGl0KKHR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xlLnJwYy5FcnJvckluZm8SMQoOVEFTS19OT1RfRk9VTkQSEGEyYS1wcm90b2NvbC5vcmcaDQoGdGFza0lkEgN0LTE";
const BAD_REQUEST: &str = "CAMSJidtZXNzYWdlLnJvbGUnIGlzIG1pc3NpbmcgKGFuZCAxIG1vcmUpGk4KKHR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xlLnJwYy5FcnJvckluZm8SIgoOSU5WQUxJRF9QQVJBTVMSEGEyYS1wcm90b2NvbC5vcmcaZAopdHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLkJhZFJlcXVlc3QSNwoaCgxtZXNzYWdlLnJvbGUSCmlzIG1pc3NpbmcKGQoNbWVzc2FnZS5wYXJ0cxIIaXMgZW1wdHk";
const PAGE: &str = "0a030a017412016e183220ac02";

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    let pairs = digits.map(|pair| std::str::from_utf8(pair).unwrap());
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

fn trailer(status: &Status, name: &str) -> Option<String> {
    let trailers = status.trailers();
    let found = trailers.into_iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| value)
}

#[test]
fn a_message_of_the_published_library_is_read() {
    let read = read(Operation::Send, &bytes(SEND)).unwrap();
    let expected = json!({
        "tenant": "acme",
        "message": {
            "messageId": "m-1", "contextId": "c", "taskId": "t", "role": "ROLE_USER",
            "parts": [
                { "text": "日本" },
                { "raw": "AAH/", "filename": "f.bin", "mediaType": "application/octet-stream" },
                { "url": "https://x/y" },
                { "data": { "a": [1, -2.5, null, true, "s", {}] }, "metadata": { "k": "v" } },
            ],
            "metadata": { "hops": 2 }, "extensions": ["urn:x", "urn:y"], "referenceTaskIds": ["t-0"],
        },
        "configuration": {
            "acceptedOutputModes": ["text/plain"],
            "taskPushNotificationConfig": {
                "id": "p", "url": "http://r", "token": "k",
                "authentication": { "scheme": "Bearer", "credentials": "c" },
            },
            "historyLength": 0, "returnImmediately": true,
        },
        "metadata": { "synapse/priority": 5 },
    });
    assert_eq!(read, expected);
    // A client that asks for priority 5 writes a double.
    assert_eq!(read["metadata"]["synapse/priority"].as_u64(), Some(5));
    assert_eq!(
        encode::message(request(Operation::Send), &read),
        Ok(bytes(SEND))
    );
}

#[test]
fn zero_and_absent_are_told_apart_where_they_differ() {
    let asked = read(Operation::List, &bytes(LIST)).unwrap();
    assert_eq!(
        asked,
        json!({
            "contextId": "c", "status": "TASK_STATE_WORKING", "pageSize": 0, "pageToken": "p", "historyLength": 7,
            "statusTimestampAfter": "1969-12-31T23:59:59.5Z", "includeArtifacts": false,
        })
    );
    assert_eq!(
        encode::message(request(Operation::List), &asked),
        Ok(bytes(LIST))
    );
    assert_eq!(read(Operation::List, b""), Ok(json!({})));
}

#[test]
fn answers_are_written_as_the_published_library_writes_them() {
    let task = json!({ "task": {
        "id": "t", "contextId": "c",
        "status": {
            "state": "TASK_STATE_INPUT_REQUIRED", "timestamp": "2026-01-31T09:30:00.125Z",
            "message": { "messageId": "q", "role": "ROLE_AGENT", "parts": [{ "text": "" }] },
        },
        "artifacts": [{
            "artifactId": "a", "name": "n", "description": "d", "parts": [{ "data": null }],
            "extensions": ["urn:x"], "metadata": { "x": 1.5 },
        }],
        "history": [{ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "hi" }] }],
        "metadata": { "synapse/source": "hook" },
    } });
    assert_eq!(write(Operation::Send, &task), Ok(bytes(TASK)));
    assert_eq!(write(Operation::Stream, &task), Ok(bytes(TASK)));
    let piece = json!({ "artifactUpdate": {
        "taskId": "t", "contextId": "c", "artifact": { "artifactId": "a", "parts": [{ "text": "x" }] },
        "append": true, "lastChunk": true, "metadata": { "a": "b" },
    } });
    assert_eq!(write(Operation::Subscribe, &piece), Ok(bytes(PIECE)));
    let standing = json!({ "statusUpdate": {
        "taskId": "t", "contextId": "c", "status": { "state": "TASK_STATE_COMPLETED" },
        "metadata": { "a": false },
    } });
    assert_eq!(write(Operation::Stream, &standing), Ok(bytes(STANDING)));
    let page =
        json!({ "tasks": [{ "id": "t" }], "nextPageToken": "n", "pageSize": 50, "totalSize": 300 });
    assert_eq!(write(Operation::List, &page), Ok(bytes(PAGE)));
    assert_eq!(write(Operation::PushDelete, &Value::Null), Ok(Vec::new()));
}

#[test]
fn an_answer_with_a_member_that_the_protocol_does_not_have_is_not_sent() {
    for odd in [
        json!({ "id": "t", "kind": "task" }),
        json!({ "id": 7 }),
        json!({ "history": {} }),
        json!({ "status": { "state": "working" } }),
        json!([]),
    ] {
        assert!(write(Operation::Get, &odd).is_err(), "{odd}");
    }
}

#[test]
fn fields_that_nobody_knows_are_passed_over_and_a_message_in_two_pieces_is_both() {
    let get = |hex: &str| read(Operation::Get, &bytes(hex));
    // Field 99 as each kind there is, a group with a group in it among them; then the id.
    let all = "980601 99060000000000000000 9a0601ff 9b069b0608019c06 9c06 9d0600000000 120174";
    assert_eq!(get(&all.replace(' ', "")), Ok(json!({ "id": "t" })));
    // The id as a number is not the id.
    assert_eq!(get("1001"), Ok(json!({})));
    assert_eq!(get("120161120162"), Ok(json!({ "id": "b" })));
    let twice = "1205 0a036d2d31 1203 1a0174".replace(' ', "");
    assert_eq!(
        read(Operation::Send, &bytes(&twice)),
        Ok(json!({ "message": { "messageId": "m-1", "taskId": "t" } }))
    );
    // Of a part's contents the last counts.
    let part = "120a 2a08 0a0161 1a0162 6000".replace(' ', "");
    assert_eq!(
        read(Operation::Send, &bytes(&part)).unwrap()["message"]["parts"],
        json!([{ "url": "b" }])
    );
}

#[test]
fn what_is_no_message_is_refused_by_name() {
    let get = |hex: &str| read(Operation::Get, &bytes(hex)).unwrap_err();
    for short in ["12", "1205", "120574", "08", "09", "0d00", "1b", "1bffff"] {
        assert!(
            matches!(get(short), Malformed::Short | Malformed::NoField),
            "{short}"
        );
    }
    assert_eq!(get("10ffffffffffffffffff02"), Malformed::LongNumber);
    assert_eq!(get("0000"), Malformed::NoField);
    assert_eq!(get("1c"), Malformed::NoField);
    assert_eq!(get("1b24"), Malformed::NoField);
    assert_eq!(get("1201ff"), Malformed::NotText("id"));
    let time = |hex| read(Operation::List, &bytes(hex)).unwrap_err();
    // Seconds that no calendar has, and a fraction of a whole second and of less than none.
    for odd in [
        "3a0a08ffffffffffffffff7f",
        "3a06108094ebdc03",
        "3a0b10ffffffffffffffffff01",
    ] {
        assert_eq!(
            time(odd),
            Malformed::NoTime("statusTimestampAfter"),
            "{odd}"
        );
    }
    // NaN as metadata.
    let number = "220f 0a0d 0a00 1209 11 000000000000f87f".replace(' ', "");
    assert_eq!(
        read(Operation::Send, &bytes(&number)),
        Err(Malformed::NoNumber("metadata"))
    );
}

#[test]
fn neither_depth_nor_number_of_values_is_without_bound() {
    let mut deep = Vec::new();
    for _ in 0..1_000 {
        let mut list = protobuf::Writer::default();
        list.bytes(1, &deep);
        let mut value = protobuf::Writer::default();
        value.bytes(6, &list.done());
        deep = value.done();
    }
    let mut part = protobuf::Writer::default();
    part.bytes(4, &deep);
    let mut message = protobuf::Writer::default();
    message.bytes(5, &part.done());
    let mut request = protobuf::Writer::default();
    request.bytes(2, &message.done());
    assert_eq!(
        read(Operation::Send, &request.done()),
        Err(Malformed::TooDeep)
    );
    assert_eq!(
        read(Operation::Get, &[0x1b; 1_000]),
        Err(Malformed::TooDeep)
    );
    // Two million empty extensions are four megabytes.
    let mut request = protobuf::Writer::default();
    request.bytes(2, &[0x3a, 0].repeat(2_000_000));
    assert_eq!(
        read(Operation::Send, &request.done()),
        Err(Malformed::TooMany)
    );
}

#[test]
fn a_frame_that_is_not_taken_is_refused_by_its_first_bytes() {
    let take = |bytes: &[u8]| {
        let mut inbox = Inbox::new(3);
        inbox.take(bytes)?;
        inbox.done()
    };
    assert_eq!(take(&frame(b"abc")), Ok(b"abc".to_vec()));
    assert_eq!(take(&frame(b"")), Ok(Vec::new()));
    assert_eq!(take(b""), Err(FrameError::Short));
    assert_eq!(take(&[0, 0, 0, 0, 3, 1]), Err(FrameError::Short));
    assert_eq!(take(&[1, 0, 0, 0, 0]), Err(FrameError::Compressed));
    let large = FrameError::TooLarge { size: 4, most: 3 };
    assert_eq!(Inbox::new(3).take(&[0, 0, 0, 0, 4]), Err(large));
    assert_eq!(
        Inbox::new(3).take(&[0, 0, 0, 0, 0, 0]),
        Err(FrameError::More)
    );
}

#[test]
fn a_deadline_is_digits_and_a_unit() {
    for (text, wait) in [
        ("1H", Duration::from_hours(1)),
        ("2M", Duration::from_mins(2)),
        ("30S", Duration::from_secs(30)),
        ("99999999m", Duration::from_millis(99_999_999)),
        ("5u", Duration::from_micros(5)),
        ("0n", Duration::ZERO),
    ] {
        assert_eq!(timeout(text), Ok(wait), "{text}");
    }
    for odd in ["", "S", "1", "-1S", "1.5S", "123456789S", "1x", "1日", "日"] {
        assert_eq!(timeout(odd).unwrap_err().code(), -32600, "{odd}");
    }
}

#[test]
fn an_error_says_its_code_its_reason_and_its_fields() {
    let status = Status::from(&ProtocolError::TaskNotFound("t-1".into()));
    assert_eq!(trailer(&status, "grpc-status").as_deref(), Some("5"));
    assert_eq!(
        trailer(&status, "grpc-message").as_deref(),
        Some("there is no task t-1")
    );
    assert_eq!(
        trailer(&status, "grpc-status-details-bin").as_deref(),
        Some(NOT_FOUND)
    );
    let status = Status::from(&ProtocolError::InvalidParams(vec![
        Violation::new("message.role", "is missing"),
        Violation::new("message.parts", "is empty"),
    ]));
    assert_eq!(
        trailer(&status, "grpc-status-details-bin").as_deref(),
        Some(BAD_REQUEST)
    );
    let status = Status::new(Code::Internal, "100 % 日\n");
    assert_eq!(
        trailer(&status, "grpc-message").as_deref(),
        Some("100 %25 %E6%97%A5%0A")
    );
    for (error, code) in [
        (ProtocolError::NoMethod("x".into()), Code::Unimplemented),
        (
            ProtocolError::VersionNotSupported("x".into()),
            Code::FailedPrecondition,
        ),
        (
            ProtocolError::Unsupported("x".into()),
            Code::FailedPrecondition,
        ),
        (
            ProtocolError::TaskNotCancelable("x".into()),
            Code::FailedPrecondition,
        ),
        (
            ProtocolError::ContentType("x".into()),
            Code::InvalidArgument,
        ),
        (ProtocolError::field("x", "y"), Code::InvalidArgument),
        (ProtocolError::Busy("x".into()), Code::ResourceExhausted),
        (ProtocolError::Unavailable("x".into()), Code::Unavailable),
        (ProtocolError::Internal("x".into()), Code::Internal),
    ] {
        assert_eq!(Status::from(&error).code, code, "{error:?}");
    }
    assert_eq!(Status::OK.trailers(), [("grpc-status", "0".to_owned())]);
}

#[test]
fn whatever_a_client_sent_its_error_fits_into_trailers() {
    let long = "日%\n".repeat(100_000);
    let violations = (0..10_000).map(|at| Violation::new(format!("message.parts[{at}]"), "is odd"));
    for error in [
        ProtocolError::TaskNotFound(long.clone()),
        ProtocolError::field(long.clone(), long.clone()),
        ProtocolError::InvalidParams(violations.collect()),
        ProtocolError::Internal(long.clone()),
    ] {
        let trailers = Status::from(&error).trailers();
        let size: usize = trailers
            .iter()
            .map(|(name, value)| name.len() + value.len())
            .sum();
        assert!(size < 7_000, "{size}");
        assert!(trailers.iter().all(|(_, value)| value.is_ascii()));
        assert_eq!(
            trailers.len(),
            3,
            "the reason is told whatever the client sent"
        );
    }
}
