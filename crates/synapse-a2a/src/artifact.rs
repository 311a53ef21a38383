//! Pieces of a reply with a type. An artifact opens, may grow, and closes; nothing follows after that.
//! Owns the shapes of the native dialect, since they are a plain function of the piece.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::FailureCode;
use crate::id::ArtifactId;
use crate::message::{Content, Part};

/// What a fence without an info string is taken for.
const PLAIN_LANGUAGE: &str = "text";

/// One artifact of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its name within the task.
    pub id: ArtifactId,
    /// What it holds so far.
    pub body: Body,
    /// Whether its last chunk has been seen.
    pub is_closed: bool,
}

/// What an artifact holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Body {
    Text {
        /// The words, without the blank lines around them.
        text: String,
    },
    /// A fenced block.
    Code {
        /// The info string of the fence as written, without the blanks around it.
        info: String,
        /// The lines between the fences, exact.
        text: String,
    },
    /// A file the reply names.
    File {
        /// Its path as written.
        path: String,
    },
    /// A block of JSON.
    Data { data: Value },
    /// Parts as the program itself gave them.
    Parts {
        /// What it calls the artifact.
        name: Option<String>,
        /// What it says of it.
        description: Option<String>,
        parts: Vec<Part>,
    },
    /// What went wrong, by evidence.
    Error {
        /// What kind of failure it is.
        code: FailureCode,
        /// What the CLI or the host said about it.
        text: String,
    },
}

impl Body {
    /// A text body.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// A code body.
    pub fn code(info: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Code {
            info: info.into(),
            text: text.into(),
        }
    }

    /// A file body.
    pub fn file(path: impl Into<String>) -> Self {
        Self::File { path: path.into() }
    }

    /// The text that grows as chunks arrive; files and data come whole and have none.
    pub fn growing_text(&mut self) -> Option<&mut String> {
        match self {
            Self::Text { text } | Self::Code { text, .. } | Self::Error { text, .. } => Some(text),
            Self::File { .. } | Self::Data { .. } | Self::Parts { .. } => None,
        }
    }

    /// What the program itself gave in parts.
    pub fn parts(&self) -> Option<&[Part]> {
        match self {
            Self::Parts { parts, .. } => Some(parts),
            _ => None,
        }
    }

    /// The list that grows as parts arrive; only what the program itself gave in parts has one.
    pub fn growing_parts(&mut self) -> Option<&mut Vec<Part>> {
        match self {
            Self::Parts { parts, .. } => Some(parts),
            _ => None,
        }
    }

    /// The artifact object of the native dialect.
    pub fn to_native_json(&self) -> Value {
        match self {
            Self::Text { text } => json!({
                "type": "text",
                "name": "output",
                "parts": [{"type": "text", "text": text}],
            }),
            Self::Code { info, text } => {
                let mut metadata =
                    json!({"language": language(info), "mimeType": mime_type(language(info))});
                if let (Some(path), Some(fields)) = (path(info), metadata.as_object_mut()) {
                    fields.insert("path".to_owned(), json!(path));
                }
                json!({
                    "type": "code",
                    "name": "code",
                    "parts": [{"type": "text", "text": text}],
                    "metadata": metadata,
                })
            }
            Self::File { path } => json!({
                "type": "file",
                "name": path,
                "parts": [{"type": "text", "text": format!("File reference: {path}")}],
                "metadata": {"path": path},
            }),
            Self::Data { data } => json!({
                "type": "data",
                "name": "json_output",
                "parts": [{"type": "data", "data": data}],
            }),
            Self::Parts { name, parts, .. } => json!({
                "type": if is_data(parts) { "data" } else { "parts" },
                "name": name.as_deref().unwrap_or("output"),
                "parts": parts.iter().map(native_part).collect::<Vec<_>>(),
            }),
            Self::Error { code, text } => json!({
                "type": "text",
                "name": "error",
                "parts": [{"type": "text", "text": text}],
                "metadata": {"isError": true, "errorCode": code},
            }),
        }
    }
}

/// Whether there is nothing in it but data.
fn is_data(parts: &[Part]) -> bool {
    let is_data = |part: &Part| matches!(part.content, Content::Data { .. });
    !parts.is_empty() && parts.iter().all(is_data)
}

/// A part in the native dialect.
pub fn native_part(part: &Part) -> Value {
    let mut file = Map::new();
    match &part.content {
        Content::Text { text } => return json!({"type": "text", "text": text}),
        Content::Data { data } => return json!({"type": "data", "data": data}),
        Content::Raw { bytes } => file.insert("bytes".to_owned(), json!(STANDARD.encode(bytes))),
        Content::Url { url } => file.insert("uri".to_owned(), json!(url)),
    };
    if let Some(name) = &part.filename {
        file.insert("name".to_owned(), json!(name));
    }
    if let Some(kind) = &part.media_type {
        file.insert("mimeType".to_owned(), json!(kind));
    }
    json!({"type": "file", "file": file})
}

/// The file an info string names: `python:src/cart.py`, `python title="src/cart.py"` or `python src/cart.py`.
fn path(info: &str) -> Option<&str> {
    let (first, rest) = info
        .split_once(|c: char| c.is_whitespace() || c == ':')
        .unwrap_or((info, ""));
    let rest = rest.trim();
    let named = ["title=", "file=", "filename=", "path="];
    let named = named.iter().find_map(|key| rest.strip_prefix(key));
    let word = match named {
        Some(value) => match value.strip_prefix(['"', '\'']) {
            Some(quoted) => quoted.split(['"', '\'']).next(),
            None => value.split_whitespace().next(),
        },
        None => Some(rest),
    };
    let is_path = |word: &&str| {
        let ending = word
            .rsplit('/')
            .next()
            .and_then(|name| name.rsplit_once('.'));
        let is_one_word = named.is_some() || !word.contains(char::is_whitespace);
        is_one_word && ending.is_some_and(|(_, ending)| !ending.is_empty() && !first.is_empty())
    };
    word.filter(is_path)
}

/// The language an info string names: its first word, where `rust,ignore` names `rust`.
pub fn language(info: &str) -> &str {
    info.split(|c: char| c.is_whitespace() || c == ',' || c == ':')
        .find(|word| !word.is_empty())
        .unwrap_or(PLAIN_LANGUAGE)
}

/// The media type of a language; `text/plain` for those without one of their own.
pub fn mime_type(language: &str) -> &'static str {
    match language.to_lowercase().as_str() {
        "python" => "text/x-python",
        "javascript" => "text/javascript",
        "typescript" => "text/typescript",
        "json" => "application/json",
        "yaml" => "text/yaml",
        "html" => "text/html",
        "css" => "text/css",
        "sql" => "text/x-sql",
        "bash" | "shell" => "text/x-shellscript",
        _ => "text/plain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_names_its_language_and_media_type() {
        assert_eq!(
            Body::code("python", "print('hello')").to_native_json(),
            json!({
                "type": "code",
                "name": "code",
                "parts": [{"type": "text", "text": "print('hello')"}],
                "metadata": {"language": "python", "mimeType": "text/x-python"},
            })
        );
    }

    #[test]
    fn code_without_an_info_string_is_text() {
        let native = Body::code("", "x").to_native_json();
        assert_eq!(
            native["metadata"],
            json!({"language": "text", "mimeType": "text/plain"})
        );
    }

    #[test]
    fn the_language_is_the_first_word_of_the_info_string() {
        for (info, expected) in [
            ("rust", "rust"),
            ("rust,ignore", "rust"),
            ("python title=\"a b.py\"", "python"),
            ("c++", "c++"),
            ("", "text"),
            (" , ", "text"),
        ] {
            assert_eq!(language(info), expected, "{info:?}");
        }
    }

    #[test]
    fn a_file_named_in_the_info_string_is_told() {
        for (info, expected) in [
            ("python:src/cart.py", Some("src/cart.py")),
            ("python src/cart.py", Some("src/cart.py")),
            ("python title=\"a b.py\"", Some("a b.py")),
            ("ts file=web/src/a.ts numbered", Some("web/src/a.ts")),
            ("python", None),
            ("rust,ignore", None),
            ("bash numbered", None),
            ("text see it. Then go", None),
            ("", None),
        ] {
            let native = Body::code(info, "x").to_native_json();
            let path = native.pointer("/metadata/path").and_then(Value::as_str);
            assert_eq!(path, expected, "{info:?}");
        }
        assert_eq!(language("python:src/cart.py"), "python");
    }

    #[test]
    fn the_media_type_does_not_mind_capitals() {
        assert_eq!(mime_type("JSON"), "application/json");
        assert_eq!(mime_type("Shell"), "text/x-shellscript");
        assert_eq!(mime_type("rust"), "text/plain");
    }

    #[test]
    fn text_file_data_and_error_have_the_native_shapes() {
        assert_eq!(
            Body::text("hello").to_native_json(),
            json!({"type": "text", "name": "output", "parts": [{"type": "text", "text": "hello"}]})
        );
        assert_eq!(
            Body::file("/tmp/test.py").to_native_json(),
            json!({
                "type": "file",
                "name": "/tmp/test.py",
                "parts": [{"type": "text", "text": "File reference: /tmp/test.py"}],
                "metadata": {"path": "/tmp/test.py"},
            })
        );
        assert_eq!(
            Body::Data {
                data: json!({"key": "value"})
            }
            .to_native_json(),
            json!({
                "type": "data",
                "name": "json_output",
                "parts": [{"type": "data", "data": {"key": "value"}}],
            })
        );
        assert_eq!(
            Body::Error {
                code: FailureCode::RateLimited,
                text: "slow down".into()
            }
            .to_native_json(),
            json!({
                "type": "text",
                "name": "error",
                "parts": [{"type": "text", "text": "slow down"}],
                "metadata": {"isError": true, "errorCode": "RATE_LIMITED"},
            })
        );
    }
}
