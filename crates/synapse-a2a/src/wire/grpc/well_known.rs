//! The messages of protocol buffers that have a JSON form of their own: any JSON value, and points in time.

use serde_json::{Map, Number, Value};

use super::decode::{Room, text};
use super::protobuf::{Content, Malformed, Reader, Writer};

/// Up to here every whole number is a double.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Adds the members of a `google.protobuf.Struct` to an object.
pub(super) fn read_struct(
    bytes: &[u8],
    name: &'static str,
    object: &mut Map<String, Value>,
    room: &mut Room,
) -> Result<(), Malformed> {
    let mut fields = Reader::new(bytes);
    while let Some(field) = fields.next()? {
        let (1, Content::Bytes(entry)) = field else {
            continue;
        };
        let (mut key, mut value) = (String::new(), Value::Null);
        let mut entry = Reader::new(entry);
        while let Some(field) = entry.next()? {
            match field {
                (1, Content::Bytes(bytes)) => key = text(bytes, name)?,
                (2, Content::Bytes(bytes)) => {
                    value = room.below(|room| read_value(bytes, name, room))?;
                }
                _ => {}
            }
        }
        room.take()?;
        object.insert(key, value);
    }
    Ok(())
}

/// Reads a `google.protobuf.Value`; one that says nothing is `null`.
pub(super) fn read_value(
    bytes: &[u8],
    name: &'static str,
    room: &mut Room,
) -> Result<Value, Malformed> {
    let mut fields = Reader::new(bytes);
    let mut value = Value::Null;
    while let Some(field) = fields.next()? {
        match field {
            (1, Content::Varint(_)) => value = Value::Null,
            (2, Content::Double(number)) => {
                let number = number_of(number).ok_or(Malformed::NoNumber(name))?;
                value = Value::Number(number);
            }
            (3, Content::Bytes(bytes)) => value = Value::String(text(bytes, name)?),
            (4, Content::Varint(flag)) => value = Value::Bool(flag != 0),
            (5, Content::Bytes(bytes)) => {
                let mut object = Map::new();
                room.below(|room| read_struct(bytes, name, &mut object, room))?;
                value = Value::Object(object);
            }
            (6, Content::Bytes(bytes)) => {
                value = Value::Array(room.below(|room| read_list(bytes, name, room))?);
            }
            _ => {}
        }
    }
    Ok(value)
}

fn read_list(bytes: &[u8], name: &'static str, room: &mut Room) -> Result<Vec<Value>, Malformed> {
    let mut fields = Reader::new(bytes);
    let mut values = Vec::new();
    while let Some(field) = fields.next()? {
        if let (1, Content::Bytes(bytes)) = field {
            room.take()?;
            values.push(room.below(|room| read_value(bytes, name, room))?);
        }
    }
    Ok(values)
}

/// A number as JSON has it: a whole one without a point. Nothing for what JSON has no number for.
#[allow(
    clippy::cast_possible_truncation,
    reason = "whole, and within the bounds"
)]
fn number_of(number: f64) -> Option<Number> {
    let is_whole = number.fract() == 0.0 && number.abs() <= WHOLE;
    let is_negative_zero = number == 0.0 && number.is_sign_negative();
    if is_whole && !is_negative_zero {
        return Some(Number::from(number as i64));
    }
    Number::from_f64(number)
}

/// Writes a `google.protobuf.Struct`.
pub(super) fn write_struct(object: &Map<String, Value>) -> Vec<u8> {
    let mut writer = Writer::default();
    for (key, value) in object {
        let mut entry = Writer::default();
        entry.bytes(1, key.as_bytes());
        entry.bytes(2, &write_value(value));
        writer.bytes(1, &entry.done());
    }
    writer.done()
}

/// Writes a `google.protobuf.Value`.
pub(super) fn write_value(value: &Value) -> Vec<u8> {
    let mut writer = Writer::default();
    match value {
        Value::Null => writer.varint(1, 0),
        // Every number of JSON is a double here, as it is in JavaScript.
        Value::Number(number) => writer.double(2, number.as_f64().unwrap_or_default()),
        Value::String(text) => writer.bytes(3, text.as_bytes()),
        Value::Bool(flag) => writer.varint(4, (*flag).into()),
        Value::Object(object) => writer.bytes(5, &write_struct(object)),
        Value::Array(values) => {
            let mut list = Writer::default();
            for value in values {
                list.bytes(1, &write_value(value));
            }
            writer.bytes(6, &list.done());
        }
    }
    writer.done()
}

/// Reads a `google.protobuf.Timestamp` as text.
pub(super) fn read_timestamp(bytes: &[u8], name: &'static str) -> Result<String, Malformed> {
    let (mut seconds, mut nanos) = (0, 0);
    let mut fields = Reader::new(bytes);
    while let Some(field) = fields.next()? {
        match field {
            (1, Content::Varint(value)) => seconds = value.cast_signed(),
            (2, Content::Varint(value)) => nanos = value as i32,
            _ => {}
        }
    }
    let is_fraction = (0..1_000_000_000).contains(&nanos);
    let at = jiff::Timestamp::new(seconds, nanos).ok();
    let text = at.filter(|_| is_fraction).map(|at| at.to_string());
    // A year that is not written with four digits is out of bounds.
    text.filter(|text| !text.starts_with(['-', '+']))
        .ok_or(Malformed::NoTime(name))
}

/// Writes a time as a `google.protobuf.Timestamp`; nothing if it is none.
pub(super) fn write_timestamp(text: &str) -> Option<Vec<u8>> {
    let at: jiff::Timestamp = text.parse().ok()?;
    let nanos = at.as_nanosecond();
    let second = 1_000_000_000;
    let seconds = i64::try_from(nanos.div_euclid(second)).ok()?;
    let mut writer = Writer::default();
    writer.varint(1, seconds.cast_unsigned());
    writer.varint(2, u64::try_from(nanos.rem_euclid(second)).ok()?);
    Some(writer.done())
}

/// Reads one entry of a map from text to text.
pub(super) fn read_texts_entry(
    bytes: &[u8],
    name: &'static str,
) -> Result<(String, String), Malformed> {
    let (mut key, mut value) = (String::new(), String::new());
    let mut fields = Reader::new(bytes);
    while let Some(field) = fields.next()? {
        match field {
            (1, Content::Bytes(bytes)) => key = text(bytes, name)?,
            (2, Content::Bytes(bytes)) => value = text(bytes, name)?,
            _ => {}
        }
    }
    Ok((key, value))
}

/// Writes one entry of a map from text to text.
pub(super) fn write_texts_entry(key: &str, value: &str) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.bytes(1, key.as_bytes());
    writer.bytes(2, value.as_bytes());
    writer.done()
}
