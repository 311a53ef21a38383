//! From the JSON that the dialect of 1.0 writes to bytes. A member that the message does not have is an error, so that
//! the dialect and the table of fields cannot drift apart unnoticed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::protobuf::Writer;
use super::schema::{Kind, Label, Message};
use super::well_known;

/// JSON that a message has no place for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer has no place for '{0}' as it stands")]
pub struct Misfit(String);

/// Writes a message.
pub(super) fn message(schema: &Message, value: &Value) -> Result<Vec<u8>, Misfit> {
    let mut writer = Writer::default();
    let members = match value {
        Value::Object(members) => members,
        Value::Null => return Ok(writer.done()),
        _ => return Err(Misfit(value.to_string())),
    };
    let is_known = |name: &str| schema.0.iter().any(|field| field.name == name);
    if let Some(odd) = members.keys().find(|name| !is_known(name)) {
        return Err(Misfit(odd.clone()));
    }
    for field in schema.0 {
        let Some(value) = members.get(field.name) else {
            continue;
        };
        let misfit = || Misfit(field.name.to_owned());
        let mut write = |value: &Value, is_plain: bool| {
            one(&mut writer, field.number, field.kind, value, is_plain)?.ok_or_else(misfit)
        };
        match (field.label, value) {
            (Label::List, Value::Array(values)) => {
                for value in values {
                    write(value, false)?;
                }
            }
            (Label::List, Value::Null) => {}
            (Label::List, _) => return Err(misfit()),
            (label, value) => write(value, label == Label::Plain)?,
        }
    }
    Ok(writer.done())
}

/// Writes one value; nothing if it is of another kind. What is plain and empty is not written.
fn one(
    writer: &mut Writer,
    number: u32,
    kind: Kind,
    value: &Value,
    is_plain: bool,
) -> Result<Option<()>, Misfit> {
    let mut varint = |value: u64| {
        if value != 0 || !is_plain {
            writer.varint(number, value);
        }
    };
    match (kind, value) {
        (Kind::Value, value) => writer.bytes(number, &well_known::write_value(value)),
        // Everywhere else, `null` is as good as absent.
        (_, Value::Null) => {}
        (Kind::Text, Value::String(text)) => {
            if !text.is_empty() || !is_plain {
                writer.bytes(number, text.as_bytes());
            }
        }
        (Kind::Bytes, Value::String(text)) => {
            let Ok(bytes) = STANDARD.decode(text) else {
                return Ok(None);
            };
            writer.bytes(number, &bytes);
        }
        (Kind::Flag, Value::Bool(flag)) => varint((*flag).into()),
        (Kind::Int, Value::Number(value)) => {
            let Some(value) = value.as_i64() else {
                return Ok(None);
            };
            // What has no room in 32 bits is as large as can be; a negative number has the bits of a 64-bit one.
            let value = i32::try_from(value).unwrap_or(i32::MAX);
            varint(i64::from(value).cast_unsigned());
        }
        (Kind::Enum(names), Value::String(name)) => {
            let Some(place) = names.iter().position(|known| known == name) else {
                return Ok(None);
            };
            varint(place as u64);
        }
        (Kind::Message(schema), Value::Object(_)) => {
            writer.bytes(number, &message(schema, value)?);
        }
        (Kind::Struct, Value::Object(object)) => {
            writer.bytes(number, &well_known::write_struct(object));
        }
        (Kind::Timestamp, Value::String(text)) => {
            let Some(bytes) = well_known::write_timestamp(text) else {
                return Ok(None);
            };
            writer.bytes(number, &bytes);
        }
        (Kind::Texts, Value::Object(object)) => {
            for (key, value) in object {
                let Some(value) = value.as_str() else {
                    return Ok(None);
                };
                writer.bytes(number, &well_known::write_texts_entry(key, value));
            }
        }
        _ => return Ok(None),
    }
    Ok(Some(()))
}
