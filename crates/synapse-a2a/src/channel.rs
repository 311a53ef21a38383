//! The channel (docs/channel.md): what a wrapped program says about its task beside its screen, as base64 of
//! one JSON object with one member. A program's output can be hostile, so everything is checked and an
//! error changes nothing.

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::artifact::Body;
use crate::event::Question;
use crate::message::{Content, Part};
use crate::step::Step;

/// Base64 with or without its padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    /// A piece of the answer.
    Artifact(ChannelArtifact),
    /// The answer, as a message instead of artifacts.
    Message(Vec<Part>),
    /// A question; the task waits for its answer. The fingerprint is still empty.
    Ask(Question),
    /// The task is refused, and why.
    Reject(String),
    /// How far it is.
    Progress(String),
    /// More of the reply, word for word.
    Say(String),
    /// A tool call or a thought, or what is news of one.
    Step(Box<Step>),
}

/// A piece of the answer as the program gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelArtifact {
    /// The program's name for it, by which it can be extended.
    pub id: Option<String>,
    pub body: Body,
    /// What it holds, for an artifact that is extended.
    pub parts: Vec<Part>,
    /// Whether this comes behind what was given before under the same name.
    pub is_appended: bool,
    /// Whether nothing more comes.
    pub is_last: bool,
}

/// Why something said is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChannelError {
    #[error("it is not base64: {0}")]
    NotBase64(String),
    /// Not JSON, or not of the right shape.
    #[error("it is not one of artifact, message, ask, reject, progress, say, step: {0}")]
    NotAWord(String),
    /// A part without content, or with two.
    #[error("part {0} must have exactly one of text, raw, url, data")]
    BadPart(usize),
}

impl Word {
    /// Understands the text of one OSC 7710.
    ///
    /// # Errors
    /// If it is not base64 of a JSON object that is a word of the channel.
    pub fn parse(text: &str) -> Result<Self, ChannelError> {
        let bytes = BASE64
            .decode(text.trim())
            .map_err(|error| ChannelError::NotBase64(error.to_string()))?;
        let said: ChannelMessage = serde_json::from_slice(&bytes)
            .map_err(|error| ChannelError::NotAWord(error.to_string()))?;
        Ok(match said {
            ChannelMessage::Artifact(given) => Self::Artifact(given.into_artifact()?),
            ChannelMessage::Message(given) => Self::Message(parts(given.parts)?),
            ChannelMessage::Ask(asked) => Self::Ask(asked.into_question()),
            ChannelMessage::Reject(reason) => Self::Reject(reason),
            ChannelMessage::Progress(text) => Self::Progress(text),
            ChannelMessage::Say(text) => Self::Say(text),
            ChannelMessage::Step(step) => Self::Step(Box::new(step.bounded())),
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ChannelMessage {
    Artifact(GivenArtifact),
    Message(GivenMessage),
    Ask(Asked),
    Reject(String),
    Progress(String),
    Say(String),
    Step(Step),
}

#[derive(Deserialize)]
struct GivenArtifact {
    id: Option<String>,
    name: Option<String>,
    description: Option<String>,
    parts: Vec<GivenPart>,
    #[serde(default)]
    append: bool,
    #[serde(default = "yes", alias = "lastChunk")]
    last: bool,
}

#[derive(Deserialize)]
struct GivenMessage {
    parts: Vec<GivenPart>,
}

#[derive(Deserialize)]
struct Asked {
    prompt: String,
    #[serde(rename = "type", default = "text")]
    kind: String,
    #[serde(default)]
    options: Vec<String>,
    default: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GivenPart {
    text: Option<String>,
    raw: Option<String>,
    url: Option<String>,
    // Absent and null must differ: null is a value like any other.
    #[serde(default, deserialize_with = "some")]
    data: Option<Value>,
    media_type: Option<String>,
    filename: Option<String>,
    #[serde(default)]
    metadata: Map<String, Value>,
}

impl GivenArtifact {
    fn into_artifact(self) -> Result<ChannelArtifact, ChannelError> {
        let parts = parts(self.parts)?;
        Ok(ChannelArtifact {
            id: self.id,
            body: Body::Parts {
                name: self.name,
                description: self.description,
                parts: parts.clone(),
            },
            parts,
            is_appended: self.append,
            is_last: self.last,
        })
    }
}

impl Asked {
    fn into_question(self) -> Question {
        Question {
            kind: self.kind,
            prompt: self.prompt,
            options: self.options,
            default: self.default,
            fingerprint: String::new(),
        }
    }
}

fn parts(given: Vec<GivenPart>) -> Result<Vec<Part>, ChannelError> {
    let parts = given.into_iter().enumerate();
    parts.map(|(index, part)| one_part(index, part)).collect()
}

fn one_part(index: usize, given: GivenPart) -> Result<Part, ChannelError> {
    let raw = given.raw.map(|raw| BASE64.decode(raw)).transpose();
    let raw = raw.map_err(|error| ChannelError::NotBase64(error.to_string()))?;
    let content = match (given.text, raw, given.url, given.data) {
        (Some(text), None, None, None) => Content::Text { text },
        (None, Some(bytes), None, None) => Content::Raw { bytes },
        (None, None, Some(url), None) => Content::Url { url },
        (None, None, None, Some(data)) => Content::Data { data },
        _ => return Err(ChannelError::BadPart(index)),
    };
    Ok(Part {
        content,
        media_type: given.media_type,
        filename: given.filename,
        metadata: given.metadata,
    })
}

fn some<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

fn yes() -> bool {
    true
}

fn text() -> String {
    "text".to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn say(word: &Value) -> Result<Word, ChannelError> {
        Word::parse(&BASE64.encode(word.to_string()))
    }

    #[test]
    fn an_artifact_may_hold_every_kind_of_part() {
        let parts = json!([
            {"text": "hi"},
            {"raw": "AAE=", "mediaType": "text/plain", "filename": "output.txt"},
            {"url": "https://example.com/output.txt"},
            {"data": null},
        ]);
        let Ok(Word::Artifact(given)) =
            say(&json!({"artifact": {"id": "a", "append": true, "last": false, "parts": parts}}))
        else {
            panic!("not an artifact");
        };
        assert_eq!(given.parts.len(), 4);
        assert!(given.is_appended && !given.is_last);
        assert_eq!(given.parts[3].content, Content::Data { data: Value::Null });
    }

    #[test]
    fn questions_refusals_and_progress_are_words() {
        let asked = say(&json!({"ask": {"prompt": "Which?", "options": ["a", "b"]}}));
        assert!(matches!(asked, Ok(Word::Ask(question)) if question.options == ["a", "b"]));
        assert_eq!(say(&json!({"reject": "no"})), Ok(Word::Reject("no".into())));
        let progress = say(&json!({"progress": "half"}));
        assert_eq!(progress, Ok(Word::Progress("half".into())));
    }

    #[test]
    fn what_is_not_a_word_is_refused() {
        assert!(matches!(
            Word::parse("%%%"),
            Err(ChannelError::NotBase64(_))
        ));
        assert!(matches!(
            say(&json!({"shout": 1})),
            Err(ChannelError::NotAWord(_))
        ));
        let two = json!({"message": {"parts": [{"text": "a", "url": "b"}]}});
        assert_eq!(say(&two), Err(ChannelError::BadPart(0)));
    }

    proptest! {
        #[test]
        fn random_text_never_panics(text in ".{0,200}", json in "[{}\\[\\]\":a-z0-9, ]{0,200}") {
            let _ = Word::parse(&text);
            let _ = Word::parse(&BASE64.encode(json));
        }
    }
}
