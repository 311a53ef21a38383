//! What is said to an agent and by it: parts in order, with the sender's role.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::{MessageId, TaskId};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its name, chosen by the sender.
    pub id: MessageId,
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
    /// What the sender noted about it; kept and given back, never read by us.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// The extensions of the protocol it makes use of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Other tasks it speaks of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<TaskId>,
}

impl Message {
    /// A message of these parts and nothing else.
    pub fn new(id: MessageId, role: Role, parts: Vec<Part>) -> Self {
        Self {
            id,
            role,
            parts,
            metadata: Map::new(),
            extensions: Vec::new(),
            references: Vec::new(),
        }
    }

    /// A message of one text part.
    pub fn text(id: MessageId, role: Role, text: impl Into<String>) -> Self {
        Self::new(id, role, vec![Part::text(text)])
    }

    /// Its words: the text parts, one below the other.
    pub fn words(&self) -> String {
        let words: Vec<&str> = self.parts.iter().filter_map(Part::as_text).collect();
        words.join("\n")
    }
}

/// Parts as a person reads them: words, data as JSON, files by their name or address. A line each.
pub fn readable(parts: &[Part]) -> String {
    let lines: Vec<String> = parts.iter().map(Part::readable).collect();
    lines.join("\n")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Whoever asks: a person, a program, another agent.
    User,
    /// The wrapped agent.
    Agent,
}

/// A piece of a message or of an artifact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    #[serde(flatten)]
    pub content: Content,
    /// What kind of thing that is, such as `text/plain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The name of the file it is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// What was noted about it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl Part {
    /// A part of this content and nothing else.
    pub fn new(content: Content) -> Self {
        Self {
            content,
            media_type: None,
            filename: None,
            metadata: Map::new(),
        }
    }

    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Content::Text { text: text.into() })
    }

    /// Any JSON value.
    pub fn data(data: Value) -> Self {
        Self::new(Content::Data { data })
    }

    fn readable(&self) -> String {
        match (&self.content, &self.filename) {
            (Content::Text { text }, _) => text.clone(),
            (Content::Data { data }, _) => data.to_string(),
            (Content::Url { url }, _) => url.clone(),
            (Content::Raw { .. }, Some(name)) => name.clone(),
            (Content::Raw { bytes }, None) => format!("{} bytes", bytes.len()),
        }
    }

    /// The words, if it is words.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text { text } => Some(text),
            Content::Raw { .. } | Content::Url { .. } | Content::Data { .. } => None,
        }
    }
}

/// What a part holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    Text {
        text: String,
    },
    /// A file, whole.
    Raw {
        #[serde(with = "base64_text")]
        bytes: Vec<u8>,
    },
    /// A file that lies elsewhere.
    Url {
        url: String,
    },
    /// Any JSON value.
    Data {
        data: Value,
    },
}

/// Bytes as text: what the wire and the store have in common.
mod base64_text {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize as _, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        STANDARD.decode(text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_part_survives_being_written_down() {
        let file = Part {
            media_type: Some("image/png".to_owned()),
            filename: Some("a.png".to_owned()),
            ..Part::new(Content::Raw {
                bytes: vec![0, 255, 7],
            })
        };
        let url = Part::new(Content::Url {
            url: "https://example.com/a".to_owned(),
        });
        for part in [Part::text("hi"), Part::data(Value::Bool(true)), file, url] {
            let written = serde_json::to_string(&part).unwrap();
            assert_eq!(serde_json::from_str::<Part>(&written).unwrap(), part);
        }
    }

    #[test]
    fn the_words_of_a_message_are_its_text_parts() {
        let parts = vec![
            Part::text("one"),
            Part::data(Value::Null),
            Part::text("two"),
        ];
        let message = Message::new(MessageId::new("m"), Role::User, parts);
        assert_eq!(message.words(), "one\ntwo");
    }
}
