//! What a person attaches to a prompt, and the parts of the message that is made of it. Files and images become files of
//! the task; a link to a file that lies on this machine stays a link, since the agent can read it itself.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use synapse_a2a::message::{Content, Part};

use crate::rpc::RpcError;

/// One piece of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentBlock {
    Text {
        text: String,
    },
    #[serde(rename_all = "camelCase")]
    Image {
        data: String,
        mime_type: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        uri: Option<String>,
    },
    #[serde(rename_all = "camelCase")]
    Audio {
        data: String,
        mime_type: String,
    },
    #[serde(rename_all = "camelCase")]
    ResourceLink {
        uri: String,
        #[serde(default)]
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
    },
    Resource {
        resource: Resource,
    },
}

/// A file that a prompt brings along.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    pub uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its bytes in base64, where it is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

/// Whom the first words of a prompt are for, and the rest.
#[derive(Debug, PartialEq, Eq)]
pub struct Addressed<'a> {
    pub name: &'a str,
    pub rest: &'a str,
}

impl<'a> Addressed<'a> {
    /// Reads `@name words`; nothing if the text does not begin so.
    pub fn read(text: &'a str) -> Option<Self> {
        let after = text.trim_start().strip_prefix('@')?;
        let end = after.find(char::is_whitespace).unwrap_or(after.len());
        let (name, rest) = after.split_at(end);
        (!name.is_empty()).then(|| Self {
            name,
            rest: rest.trim_start(),
        })
    }
}

/// The parts of the message that a prompt makes.
///
/// # Errors
/// What cannot be sent, and which block it is.
pub fn message_parts(prompt: &[ContentBlock]) -> Result<Vec<Part>, RpcError> {
    let parts = prompt.iter().enumerate();
    let parts = parts.map(|(index, block)| part(index, block));
    let parts: Vec<Part> = parts.collect::<Result<_, _>>()?;
    let is_empty = |part: &Part| part.as_text().is_some_and(|text| text.trim().is_empty());
    if parts.iter().all(is_empty) {
        return Err(RpcError::bad_params("the prompt is empty"));
    }
    Ok(parts)
}

fn part(index: usize, block: &ContentBlock) -> Result<Part, RpcError> {
    Ok(match block {
        ContentBlock::Text { text } => Part::text(text),
        ContentBlock::Image {
            data,
            mime_type,
            uri,
        } => {
            let name = uri.as_deref().and_then(file_name);
            let name = name.unwrap_or_else(|| format!("image.{}", ending(mime_type)));
            raw(decoded(index, "data", data)?, name, Some(mime_type.clone()))
        }
        ContentBlock::Audio { .. } => {
            return Err(RpcError::bad_params(format!(
                "prompt[{index}] is audio, which no agent here takes; the capabilities say so"
            )));
        }
        ContentBlock::ResourceLink {
            uri,
            name,
            mime_type,
        } => Part {
            media_type: mime_type.clone(),
            filename: Some(name.clone()).filter(|name| !name.is_empty()),
            ..Part::new(Content::Url {
                url: local_path(uri).unwrap_or_else(|| uri.clone()),
            })
        },
        ContentBlock::Resource { resource } => {
            let name = file_name(&resource.uri).unwrap_or_else(|| "file".to_owned());
            let bytes = match (&resource.text, &resource.blob) {
                (Some(text), _) => text.clone().into_bytes(),
                (None, Some(blob)) => decoded(index, "resource.blob", blob)?,
                (None, None) => {
                    return Err(RpcError::bad_params(format!(
                        "prompt[{index}].resource must have 'text' or 'blob'"
                    )));
                }
            };
            raw(bytes, name, resource.mime_type.clone())
        }
    })
}

fn raw(bytes: Vec<u8>, name: String, media_type: Option<String>) -> Part {
    Part {
        media_type,
        filename: Some(name),
        ..Part::new(Content::Raw { bytes })
    }
}

fn decoded(index: usize, field: &str, text: &str) -> Result<Vec<u8>, RpcError> {
    STANDARD.decode(text).map_err(|error| {
        RpcError::bad_params(format!("prompt[{index}].{field} is not base64: {error}"))
    })
}

/// The last part of an address.
fn file_name(uri: &str) -> Option<String> {
    let path = uri.split(['?', '#']).next().unwrap_or(uri);
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    (!name.is_empty() && !name.contains(':')).then(|| unescaped(name))
}

/// The path that a `file:` address means, with the lines it names as editors write them.
fn local_path(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let (path, lines) = match path.split_once('#') {
        Some((path, lines)) => (path, format!("#{lines}")),
        None => (path, String::new()),
    };
    path.starts_with('/')
        .then(|| format!("{}{lines}", unescaped(path)))
}

/// A piece of an address without its percent signs.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let digits = (byte == b'%').then(|| [ahead.next(), ahead.next()]);
        let value = digits.and_then(|digits| match digits {
            [Some(high), Some(low)] => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                u8::try_from(digit(high)? * 16 + digit(low)?).ok()
            }
            _ => None,
        });
        if value.is_some() {
            rest = ahead;
        }
        bytes.push(value.unwrap_or(byte));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How files of a media type end.
fn ending(mime_type: &str) -> &str {
    match mime_type {
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        _ => "png",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn parts(prompt: Value) -> Result<Vec<Part>, RpcError> {
        let prompt: Vec<ContentBlock> = serde_json::from_value(prompt).unwrap();
        message_parts(&prompt)
    }

    #[test]
    fn files_and_images_come_along_and_local_links_become_paths() {
        let parts = parts(json!([
            { "type": "text", "text": "look" },
            { "type": "image", "mimeType": "image/jpeg", "data": "/wA=" },
            { "type": "resource", "resource": { "uri": "file:///w/a%20b.rs", "text": "fn" } },
            { "type": "resource_link", "name": "c.rs", "uri": "file:///w/c%C3%A9.rs#L3-L9" },
            { "type": "resource_link", "name": "d", "uri": "https://example.com/d" },
        ]))
        .unwrap();
        let shown: Vec<Value> = parts
            .iter()
            .map(|part| serde_json::to_value(part).unwrap())
            .collect();
        assert_eq!(
            shown,
            [
                json!({ "type": "text", "text": "look" }),
                json!({ "type": "raw", "bytes": "/wA=", "media_type": "image/jpeg", "filename": "image.jpg" }),
                json!({ "type": "raw", "bytes": "Zm4=", "filename": "a b.rs" }),
                json!({ "type": "url", "url": "/w/cé.rs#L3-L9", "filename": "c.rs" }),
                json!({ "type": "url", "url": "https://example.com/d", "filename": "d" }),
            ]
        );
    }

    #[test]
    fn what_cannot_be_sent_is_named() {
        for (prompt, named) in [
            (json!([]), "empty"),
            (json!([{ "type": "text", "text": " \n" }]), "empty"),
            (
                json!([{ "type": "image", "mimeType": "image/png", "data": "?" }]),
                "prompt[0].data",
            ),
            (
                json!([{ "type": "text", "text": "x" }, { "type": "audio", "mimeType": "a/b", "data": "" }]),
                "prompt[1] is audio",
            ),
            (
                json!([{ "type": "resource", "resource": { "uri": "x" } }]),
                "prompt[0].resource",
            ),
        ] {
            let error = parts(prompt).unwrap_err();
            assert!(error.message.contains(named), "{error}");
        }
    }

    #[test]
    fn the_first_word_may_name_an_agent() {
        let read = Addressed::read("  @codex\tfix it").unwrap();
        assert_eq!((read.name, read.rest), ("codex", "fix it"));
        assert_eq!(Addressed::read("mail a@b.c"), None);
        assert_eq!(Addressed::read("@ x"), None);
    }

    proptest! {
        #[test]
        fn any_address_is_taken(uri in "\\PC*") {
            let block = json!([{ "type": "resource_link", "name": "n", "uri": uri }]);
            prop_assert_eq!(parts(block).unwrap().len(), 1);
        }
    }
}
