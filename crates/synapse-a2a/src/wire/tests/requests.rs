//! What clients send, in the spelling of each dialect, and what they are told is wrong with it.

use serde_json::json;

use super::*;
use crate::message::{Content, Part};
use crate::wire::request::{Authentication, History, Patience, PushConfig, StateFilter};
use crate::wire::{v01, v1, v03, v03_rest};

#[test]
fn every_kind_of_part_is_read_in_every_dialect() {
    let file = |content| Part {
        media_type: Some("text/plain".into()),
        filename: Some("a.txt".into()),
        ..Part::new(content)
    };
    let expected = [
        Part::text("hi"),
        file(Content::Raw {
            bytes: b"hi".to_vec(),
        }),
        file(Content::Url {
            url: "https://example.com/a".into(),
        }),
        Part::data(json!({ "k": 1 })),
    ];
    let v1 = v1::send_request(&json!({ "message": {
        "message_id": "m", "role": "ROLE_USER", "parts": [
            { "text": "hi" },
            { "raw": "aGk", "filename": "a.txt", "media_type": "text/plain" },
            { "url": "https://example.com/a", "filename": "a.txt", "mediaType": "text/plain" },
            { "data": { "k": 1 } },
        ],
    } }));
    let v03 = v03::send_request(&json!({ "message": {
        "kind": "message", "messageId": "m", "role": "user", "parts": [
            { "kind": "text", "text": "hi" },
            { "kind": "file", "file": { "bytes": "aGk=", "name": "a.txt", "mimeType": "text/plain" } },
            { "kind": "file", "file": {
                "uri": "https://example.com/a", "name": "a.txt", "mimeType": "text/plain",
            } },
            { "kind": "data", "data": { "k": 1 } },
        ],
    } }));
    let v03_rest = v03_rest::send_request(&json!({ "message": {
        "messageId": "m", "role": "ROLE_USER", "content": [
            { "text": "hi" },
            { "file": { "fileWithBytes": "aGk=", "name": "a.txt", "mimeType": "text/plain" } },
            { "file": {
                "fileWithUri": "https://example.com/a", "name": "a.txt", "mimeType": "text/plain",
            } },
            { "data": { "data": { "k": 1 } } },
        ],
    } }));
    let v01 = v01::send_request(&json!({ "id": "m", "message": {
        "role": "user", "parts": [
            { "type": "text", "text": "hi" },
            { "type": "file", "file": { "bytes": "aGk=", "name": "a.txt", "mimeType": "text/plain" } },
            { "type": "file", "file": {
                "uri": "https://example.com/a", "name": "a.txt", "mimeType": "text/plain",
            } },
            { "type": "data", "data": { "k": 1 } },
        ],
    } }));
    for read in [v1, v03, v03_rest, v01] {
        let read = read.unwrap();
        assert_eq!(read.message.parts, expected);
        assert_eq!(read.message.id, MessageId::new("m"));
        assert_eq!(read.wish.patience, Patience::UntilSettled);
    }
}

#[test]
fn wishes_are_read_as_each_dialect_spells_them() {
    let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "x" }] });
    let push = PushConfig {
        id: Some("p".into()),
        url: "https://example.com/hook".into(),
        token: Some("s".into()),
        authentication: Some(Authentication {
            scheme: "Bearer".into(),
            credentials: Some("c".into()),
        }),
    };
    let read = v1::send_request(&json!({ "message": message, "configuration": {
        "returnImmediately": true,
        "historyLength": "0",
        "acceptedOutputModes": ["text/plain"],
        "taskPushNotificationConfig": {
            "id": "p", "url": "https://example.com/hook", "token": "s",
            "authentication": { "scheme": "Bearer", "credentials": "c" },
        },
    } }))
    .unwrap();
    assert_eq!(read.wish.patience, Patience::None);
    assert_eq!(read.wish.history, History::Last(0));
    assert_eq!(read.wish.output_modes, ["text/plain"]);
    assert_eq!(read.wish.push.as_ref(), Some(&push));

    let older = json!({
        "id": "p", "url": "https://example.com/hook", "token": "s",
        "authentication": { "schemes": ["Bearer"], "credentials": "c" },
    });
    let read = v03::send_request(&json!({
        "message": { "messageId": "m", "role": "user", "parts": [{ "text": "x" }] },
        "configuration": { "blocking": false, "historyLength": 0, "pushNotificationConfig": older },
    }))
    .unwrap();
    assert_eq!(read.wish.patience, Patience::None);
    assert_eq!(read.wish.history, History::All, "0 is no limit in 0.3");
    assert_eq!(read.wish.push.as_ref(), Some(&push));

    for (configuration, patience) in [
        (json!(null), Patience::UntilSettled),
        (json!({ "blocking": true }), Patience::UntilSettled),
        (json!({ "blocking": false }), Patience::None),
        (json!({ "historyLength": 3 }), Patience::None),
    ] {
        let read = v03_rest::send_request(&json!({
            "message": { "messageId": "m", "role": "ROLE_USER", "content": [{ "text": "x" }] },
            "configuration": configuration,
        }));
        assert_eq!(read.unwrap().wish.patience, patience, "{configuration}");
    }

    let task = TaskId::new("t");
    assert_eq!(
        v1::push_config(&v1::push(&push, &task), None),
        Ok((task.clone(), push.clone()))
    );
    assert_eq!(
        v03::push_config(&v03::push(&push, &task)),
        Ok((task.clone(), push.clone()))
    );
    let rest = v03_rest::push(&push, &task);
    assert_eq!(rest["name"], "tasks/t/pushNotificationConfigs/p");
    for body in [json!({ "configId": "q", "config": rest }), rest, older] {
        assert_eq!(v03_rest::push_config(&body), Ok(push.clone()), "{body}");
    }
}

#[test]
fn whatever_is_wrong_is_named() {
    for (request, fields) in [
        (json!({}), &["message"][..]),
        (json!({ "message": null }), &["message"]),
        (json!([]), &[""]),
        (
            json!({ "message": { "parts": [{ "text": "bare" }] } }),
            &["message.messageId", "message.role"],
        ),
        (
            json!({ "message": { "messageId": "m", "role": "user", "parts": [] } }),
            &["message.role", "message.parts"],
        ),
        (
            json!({
                "message": { "messageId": "m", "role": "ROLE_USER", "parts": [
                    {}, { "text": 1 }, { "text": "a", "url": "b" }, { "raw": "%" }, 7,
                ] },
                "configuration": {
                    "historyLength": -1,
                    "returnImmediately": 3,
                    "taskPushNotificationConfig": { "url": "ftp://x", "authentication": {} },
                },
            }),
            &[
                "configuration.returnImmediately",
                "configuration.historyLength",
                "configuration.taskPushNotificationConfig.authentication.scheme",
                "configuration.taskPushNotificationConfig.url",
                "message.parts[0]",
                "message.parts[1].text",
                "message.parts[2]",
                "message.parts[3].raw",
                "message.parts[4]",
            ],
        ),
    ] {
        let error = v1::send_request(&request).unwrap_err();
        let written = error.to_jsonrpc();
        let violations = written["data"][1]["fieldViolations"].as_array().unwrap();
        let mut named: Vec<&str> = violations
            .iter()
            .map(|v| v["field"].as_str().unwrap())
            .collect();
        let mut fields = fields.to_vec();
        named.sort_unstable();
        fields.sort_unstable();
        assert_eq!(named, fields, "{request}");
    }
}

#[test]
fn a_list_is_asked_for_within_its_bounds() {
    let query =
        |name: &str, value: &str| v1::list_query(json!({ name: value }).as_object().unwrap());
    assert_eq!(query("pageSize", "100").unwrap().page_size, Some(100));
    assert_eq!(query("pageSize", "").unwrap().page_size, None);
    assert!(query("includeArtifacts", "true").unwrap().has_artifacts);
    assert_eq!(
        query("status", "TASK_STATE_AUTH_REQUIRED").unwrap().state,
        StateFilter::Never
    );
    assert_eq!(
        query("statusTimestampAfter", "1970-01-01T00:00:01Z")
            .unwrap()
            .since,
        Some(Timestamp(1_000))
    );
    for (name, value) in [
        ("pageSize", "0"),
        ("pageSize", "101"),
        ("pageSize", "-5"),
        ("pageSize", "many"),
        ("status", "working"),
        ("statusTimestampAfter", "soon"),
        ("includeArtifacts", "perhaps"),
        ("historyLength", "-1"),
    ] {
        let error = query(name, value).unwrap_err();
        assert_eq!(error.code(), -32602);
        assert!(error.to_string().contains(name), "{error}");
    }
}
