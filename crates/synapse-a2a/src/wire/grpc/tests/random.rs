//! Whatever bytes come in, a reader answers; whatever a message holds, it is read back as it was written.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::task::Task;
use crate::wire::Dialect;
use crate::wire::ask::Ask;
use crate::wire::grpc::schema::{BAD_REQUEST, ERROR_INFO, Field, Kind, Label, Message};
use crate::wire::grpc::{Inbox, decode, encode, frame, read, request, response, timeout, write};
use crate::wire::narrator::Narrator;
use crate::wire::operation::Operation;
use crate::wire::request::History;
use crate::wire::tests::any_events;

const ALL: [Operation; 11] = [
    Operation::Send,
    Operation::Stream,
    Operation::Get,
    Operation::List,
    Operation::Cancel,
    Operation::Subscribe,
    Operation::PushSet,
    Operation::PushGet,
    Operation::PushList,
    Operation::PushDelete,
    Operation::ExtendedCard,
];

/// Any JSON that a double can hold.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-(1_i64 << 53)..=1 << 53).prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON writes it as a whole number", |number| number.fract()
                != 0.0)
            .prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((any::<String>(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Anything that a field may hold and that is not as good as absent.
fn any_value(kind: Kind) -> BoxedStrategy<Value> {
    let object = proptest::collection::vec((any::<String>(), any_json()), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()));
    match kind {
        Kind::Text => ".{1,12}".prop_map(Value::from).boxed(),
        Kind::Bytes => any::<Vec<u8>>()
            .prop_map(|bytes| Value::from(STANDARD.encode(bytes)))
            .boxed(),
        Kind::Flag => Just(Value::Bool(true)).boxed(),
        Kind::Int => prop_oneof![1..=i32::MAX, i32::MIN..=-1]
            .prop_map(Value::from)
            .boxed(),
        Kind::Enum(names) => proptest::sample::select(&names[1..])
            .prop_map(Value::from)
            .boxed(),
        Kind::Message(schema) => any_message(schema),
        Kind::Struct => object.boxed(),
        Kind::Value => any_json().boxed(),
        Kind::Timestamp => (-62_135_596_800_i64..253_402_207_200, 0..1_000_000_000)
            .prop_map(|(second, nano)| {
                let at = jiff::Timestamp::new(second, nano).unwrap_or_default();
                Value::from(at.to_string())
            })
            .boxed(),
        Kind::Texts => proptest::collection::vec((any::<String>(), any::<String>()), 1..4)
            .prop_map(|pairs| {
                let pairs = pairs.into_iter();
                Value::Object(pairs.map(|(key, value)| (key, value.into())).collect())
            })
            .boxed(),
    }
}

/// Any message of this kind.
fn any_message(schema: &'static Message) -> BoxedStrategy<Value> {
    let has_choice = schema.0.iter().any(|field| field.label == Label::OneOf);
    let choice = if has_choice {
        let choices = schema.0.iter().filter(|field| field.label == Label::OneOf);
        let choices = choices.map(any_field).collect::<Vec<_>>();
        proptest::strategy::Union::new(choices)
            .prop_map(Some)
            .boxed()
    } else {
        Just(None).boxed()
    };
    let others = schema.0.iter().filter(|field| field.label != Label::OneOf);
    let others = others.map(|field| proptest::option::weighted(0.6, any_field(field)));
    (others.collect::<Vec<_>>(), choice)
        .prop_map(|(others, choice)| {
            let members = others.into_iter().flatten().chain(choice);
            Value::Object(members.collect::<Map<_, _>>())
        })
        .boxed()
}

fn any_field(field: &'static Field) -> BoxedStrategy<(String, Value)> {
    let value = any_value(field.kind);
    let value = if field.label == Label::List {
        proptest::collection::vec(value, 1..3)
            .prop_map(Value::from)
            .boxed()
    } else {
        value
    };
    value
        .prop_map(move |value| (field.name.to_owned(), value))
        .boxed()
}

fn any_schema() -> impl Strategy<Value = (&'static Message, Value)> {
    let schemas = ALL
        .into_iter()
        .flat_map(|operation| [request(operation), response(operation)]);
    let schemas: Vec<_> = schemas.chain([&ERROR_INFO, &BAD_REQUEST]).collect();
    proptest::sample::select(schemas)
        .prop_flat_map(|schema| any_message(schema).prop_map(move |value| (schema, value)))
}

/// JSON without what is as good as absent, and times without zeros at their end.
fn plain(value: Value) -> Value {
    let respell = |name: &str, value: Value| match value {
        Value::String(text) if name == "timestamp" => {
            let at: jiff::Timestamp = text.parse().unwrap();
            Value::from(at.to_string())
        }
        value => plain(value),
    };
    match value {
        Value::Object(members) => {
            let members = members.into_iter();
            let told = members.filter(|(name, value)| {
                !(matches!(name.as_str(), "append" | "lastChunk") && *value == false)
            });
            Value::Object(
                told.map(|(name, value)| {
                    let value = respell(&name, value);
                    (name, value)
                })
                .collect(),
            )
        }
        Value::Array(values) => values.into_iter().map(plain).collect(),
        value => value,
    }
}

proptest! {
    #[test]
    fn no_bytes_bring_a_reader_down(bytes in any::<Vec<u8>>(), text in any::<String>()) {
        for operation in ALL {
            if let Ok(asked) = read(operation, &bytes) {
                // Whatever was read is JSON that the dialect takes or refuses.
                let _ = Ask::from_rpc(operation, Dialect::V1, &asked);
            }
        }
        let _ = timeout(&text);
    }

    /// Random bytes are hardly ever a message; a message with a few bytes changed is nearly one.
    #[test]
    fn no_broken_message_brings_a_reader_down(
        (schema, value) in any_schema(),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
        end in any::<proptest::sample::Index>(),
    ) {
        let mut bytes = encode::message(schema, &value).unwrap();
        for (place, byte) in changes {
            if !bytes.is_empty() {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
        }
        let _ = decode::message(schema, &bytes);
        let _ = decode::message(schema, &bytes[..end.index(bytes.len() + 1)]);
    }

    #[test]
    fn any_message_is_read_back_as_it_was_written((schema, value) in any_schema()) {
        let bytes = encode::message(schema, &value).unwrap();
        prop_assert_eq!(decode::message(schema, &bytes).unwrap(), value);
    }

    /// The dialect and the table of fields agree: nothing that is told of a task gets lost.
    #[test]
    fn any_task_and_what_is_told_of_it_comes_back(events in any_events()) {
        let comes_back = |operation, told: Value| {
            let bytes = write(operation, &told).unwrap();
            let back = decode::message(response(operation), &bytes).unwrap();
            prop_assert_eq!(plain(back), plain(told));
            Ok(())
        };
        let mut task = Task::fold(events.iter().take(1).cloned()).unwrap();
        let mut narrator = Narrator::after(&task);
        for event in events.into_iter().skip(1) {
            task.apply(event.clone()).unwrap();
            if let Some(frame) = narrator.tell(&task, &event) {
                comes_back(Operation::Stream, Dialect::V1.frame(&frame, &task, false))?;
            }
        }
        comes_back(Operation::Get, Dialect::V1.task(&task, History::All))?;
        comes_back(Operation::Send, Dialect::V1.sent(&task, History::All))?;
    }

    #[test]
    fn a_frame_is_the_same_however_it_is_split(
        body in proptest::collection::vec(any::<u8>(), 0..40),
        is_framed in any::<bool>(),
        size in 1_usize..12,
    ) {
        let body = if is_framed { frame(&body) } else { body };
        let take = |size: usize| {
            let mut inbox = Inbox::new(30);
            for chunk in body.chunks(size) {
                inbox.take(chunk)?;
            }
            inbox.done()
        };
        prop_assert_eq!(take(size), take(usize::MAX));
    }
}
