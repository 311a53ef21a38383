//! Whatever JSON comes in, every reader answers with a request or a refusal that names a field.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::wire::protocol_error::ProtocolError;
use crate::wire::{jsonrpc, page, v01, v1, v03, v03_rest};

/// Members the readers look for, so that random values reach them.
const NAMES: &str = "message messageId message_id role parts content text raw url data kind type file bytes uri \
    fileWithBytes mediaType filename metadata contextId taskId task_id id sessionId configuration \
    historyLength returnImmediately blocking taskPushNotificationConfig pushNotificationConfig \
    pushNotification config configId authentication scheme schemes credentials token pageSize \
    pageToken status statusTimestampAfter includeArtifacts extensions referenceTaskIds \
    acceptedOutputModes jsonrpc method params";

/// Values they look for; the first is empty.
const TEXTS: &str = " x ROLE_USER user text file data 2.0 -1 0 7 true TASK_STATE_WORKING \
    2026-01-31T09:30:00Z https://example.com/x aGk= 日本";

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        proptest::sample::select(TEXTS.split(' ').collect::<Vec<_>>()).prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        let names = proptest::sample::select(NAMES.split(' ').collect::<Vec<_>>());
        prop_oneof![
            1 => proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            3 => proptest::collection::vec((names, inner), 0..6).prop_map(|members| {
                let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
                Value::Object(members.collect::<Map<_, _>>())
            }),
        ]
    })
}

/// A refusal must say what is wrong, and where if it can.
fn is_clear(error: &ProtocolError) -> bool {
    match error {
        ProtocolError::InvalidParams(violations) => {
            !violations.is_empty() && violations.iter().all(|v| !v.description.is_empty())
        }
        other => !other.to_string().is_empty(),
    }
}

fn check<T>(read: Result<T, ProtocolError>) -> Result<(), TestCaseError> {
    if let Err(error) = read {
        prop_assert!(is_clear(&error), "{error:?}");
    }
    Ok(())
}

proptest! {
    #[test]
    fn no_json_brings_a_reader_down(value in any_json()) {
        check(v1::send_request(&value))?;
        check(v1::task_request(&value))?;
        check(v1::list_request(&value))?;
        check(v1::push_config(&value, None))?;
        check(v1::push_config(&value, Some("t")))?;
        check(v1::push_request(&value))?;
        check(v1::push_list_request(&value))?;
        check(v03::send_request(&value))?;
        check(v03::task_request(&value))?;
        check(v03::push_config(&value))?;
        check(v03::push_request(&value))?;
        check(v03_rest::send_request(&value))?;
        check(v03_rest::push_config(&value))?;
        check(v01::send_request(&value))?;
        check(v01::push_config(&value))?;
        if let Value::Object(query) = &value {
            check(v1::list_query(query))?;
            check(v1::task_query("t", query))?;
            check(v03_rest::task_query("t", query))?;
        }
        check(jsonrpc::read(value.to_string().as_bytes()).map_err(|refused| refused.error))?;
    }

    #[test]
    fn no_bytes_bring_the_envelope_down(body in any::<Vec<u8>>(), token in any::<String>()) {
        check(jsonrpc::read(&body).map_err(|refused| refused.error))?;
        check(page::Cursor::read(&token))?;
    }

    #[test]
    fn a_message_of_10_is_read_back_as_it_was_written(
        texts in proptest::collection::vec(any::<String>(), 1..4),
        bytes in any::<Vec<u8>>(),
        data in any_json(),
    ) {
        let mut parts: Vec<Value> = texts.iter().map(|text| json!({ "text": text })).collect();
        parts.push(json!({ "data": data, "mediaType": "application/json" }));
        let mut request = json!({ "message": {
            "messageId": "m", "role": "ROLE_USER", "parts": parts, "contextId": "c", "taskId": "t",
            "metadata": { "k": 1 }, "extensions": ["urn:x"], "referenceTaskIds": ["t-0"],
        } });
        let read = v1::send_request(&request).unwrap();
        let context = read.context.clone().unwrap();
        let mut written = v1::sent_message(&read.message, &context);
        written["message"]["taskId"] = json!(read.task.unwrap().as_str());
        prop_assert_eq!(&written, &request);

        request["message"]["parts"] = json!([{
            "raw": base64::Engine::encode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, &bytes),
            "filename": "f",
        }]);
        let read = v1::send_request(&request).unwrap();
        prop_assert_eq!(&read.message.parts[0].content, &crate::message::Content::Raw { bytes });
    }
}
