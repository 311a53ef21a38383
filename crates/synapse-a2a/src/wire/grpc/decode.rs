//! From bytes to the JSON that the dialect of 1.0 reads. A field that the message does not have, or of another kind
//! than it has, is passed over, as the format wants it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::protobuf::{Content, DEEPEST, Malformed, Reader};
use super::schema::{Field, Kind, Label, Message};
use super::well_known;

/// How many values a message may have. A message of a few megabytes has room for millions of empty ones, each of which
/// takes many times its bytes in memory.
const MOST_VALUES: usize = 1 << 20;

/// Reads a message.
pub(super) fn message(schema: &Message, bytes: &[u8]) -> Result<Value, Malformed> {
    let mut room = Room::default();
    let mut object = Map::new();
    merge(schema, bytes, &mut object, &mut room)?;
    Ok(Value::Object(object))
}

/// How much may still come.
pub(super) struct Room {
    values: usize,
    depth: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            values: MOST_VALUES,
            depth: DEEPEST,
        }
    }
}

impl Room {
    /// Takes the place of one more value.
    pub(super) fn take(&mut self) -> Result<(), Malformed> {
        self.values = self.values.checked_sub(1).ok_or(Malformed::TooMany)?;
        Ok(())
    }

    /// Reads something that lies one deeper.
    pub(super) fn below<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Malformed>,
    ) -> Result<T, Malformed> {
        self.depth = self.depth.checked_sub(1).ok_or(Malformed::TooDeep)?;
        let done = read(self);
        self.depth += 1;
        done
    }
}

/// Text, which must be UTF-8.
pub(super) fn text(bytes: &[u8], name: &'static str) -> Result<String, Malformed> {
    let text = std::str::from_utf8(bytes).map_err(|_| Malformed::NotText(name))?;
    Ok(text.to_owned())
}

/// Adds the fields of a message to those that are there. A message that comes in two pieces is both of them.
fn merge(
    schema: &Message,
    bytes: &[u8],
    object: &mut Map<String, Value>,
    room: &mut Room,
) -> Result<(), Malformed> {
    let mut fields = Reader::new(bytes);
    while let Some((number, content)) = fields.next()? {
        let Some(field) = schema.0.iter().find(|field| field.number == number) else {
            continue;
        };
        let former = match field.label {
            Label::List => None,
            _ => object.remove(field.name),
        };
        let Some(value) = value(field, content, former, room)? else {
            continue;
        };
        room.take()?;
        if field.label == Label::OneOf {
            let others = schema.0.iter().filter(|other| other.label == Label::OneOf);
            for other in others {
                object.remove(other.name);
            }
        }
        if field.label != Label::List {
            object.insert(field.name.to_owned(), value);
            continue;
        }
        let list = object
            .entry(field.name)
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(value);
        }
    }
    Ok(())
}

/// What a field holds, added to what it held before; nothing if it is of another kind.
fn value(
    field: &Field,
    content: Content<'_>,
    former: Option<Value>,
    room: &mut Room,
) -> Result<Option<Value>, Malformed> {
    let name = field.name;
    Ok(Some(match (field.kind, content) {
        (Kind::Text, Content::Bytes(bytes)) => Value::String(text(bytes, name)?),
        (Kind::Bytes, Content::Bytes(bytes)) => Value::String(STANDARD.encode(bytes)),
        (Kind::Flag, Content::Varint(value)) => Value::Bool(value != 0),
        (Kind::Int, Content::Varint(value)) => Value::from(value as i32),
        (Kind::Enum(names), Content::Varint(value)) => {
            let number = value as i32;
            let known = usize::try_from(number).ok().and_then(|at| names.get(at));
            known.map_or_else(|| Value::from(number), |name| Value::from(*name))
        }
        (Kind::Message(schema), Content::Bytes(bytes)) => {
            let mut object = object_of(former);
            room.below(|room| merge(schema, bytes, &mut object, room))?;
            Value::Object(object)
        }
        (Kind::Struct, Content::Bytes(bytes)) => {
            let mut object = object_of(former);
            room.below(|room| well_known::read_struct(bytes, name, &mut object, room))?;
            Value::Object(object)
        }
        (Kind::Value, Content::Bytes(bytes)) => {
            room.below(|room| well_known::read_value(bytes, name, room))?
        }
        (Kind::Timestamp, Content::Bytes(bytes)) => {
            Value::String(well_known::read_timestamp(bytes, name)?)
        }
        (Kind::Texts, Content::Bytes(bytes)) => {
            let mut object = object_of(former);
            let (key, value) = well_known::read_texts_entry(bytes, name)?;
            object.insert(key, Value::String(value));
            Value::Object(object)
        }
        _ => return Ok(former),
    }))
}

fn object_of(former: Option<Value>) -> Map<String, Value> {
    match former {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    }
}
