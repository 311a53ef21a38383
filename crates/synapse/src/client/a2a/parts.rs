//! Parts of messages and artifacts as others spell them: `{text}` in 1.0, `{kind: text}` in 0.3, `{type: text}` in the seeds.

use base64::Engine as _;
use base64::alphabet::{STANDARD as PLAIN, URL_SAFE};
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use serde_json::{Map, Value, json};
use synapse_a2a::artifact::seed_part;
use synapse_a2a::message::{Content, Part};

use super::Dialect;

/// Padding or none: senders differ.
const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

/// A part in a dialect.
pub(super) fn write(part: &Part, dialect: Dialect) -> Value {
    match dialect {
        Dialect::RpcV1 | Dialect::RestV1 => write_v1(part),
        Dialect::RpcV03 => write_v03(part),
        Dialect::Seed => seed_part(part),
    }
}

fn write_v1(part: &Part) -> Value {
    let mut value = match &part.content {
        Content::Text { text } => json!({ "text": text }),
        Content::Raw { bytes } => json!({ "raw": STANDARD.encode(bytes) }),
        Content::Url { url } => json!({ "url": url }),
        Content::Data { data } => json!({ "data": data }),
    };
    if let Some(value) = value.as_object_mut() {
        let named = [
            ("mediaType", &part.media_type),
            ("filename", &part.filename),
        ];
        for (name, known) in named {
            if let Some(known) = known {
                value.insert(name.to_owned(), json!(known));
            }
        }
        note(value, part);
    }
    value
}

fn write_v03(part: &Part) -> Value {
    let mut value = match &part.content {
        Content::Text { text } => json!({ "kind": "text", "text": text }),
        Content::Data { data } => json!({ "kind": "data", "data": data }),
        Content::Raw { .. } | Content::Url { .. } => {
            let mut part = seed_part(part);
            let file = part.get_mut("file").map(Value::take);
            json!({ "kind": "file", "file": file })
        }
    };
    if let Some(value) = value.as_object_mut() {
        note(value, part);
    }
    value
}

fn note(value: &mut Map<String, Value>, part: &Part) {
    if !part.metadata.is_empty() {
        value.insert("metadata".to_owned(), json!(part.metadata));
    }
}

/// Parts in whatever dialect; what cannot be understood is kept as data.
pub(super) fn read_all(parts: Option<&Value>) -> Vec<Part> {
    let parts = parts.and_then(Value::as_array).into_iter().flatten();
    parts.map(read).collect()
}

fn read(value: &Value) -> Part {
    let file = value.get("file").unwrap_or(value);
    let text =
        |holder: &Value, name: &str| holder.get(name).and_then(Value::as_str).map(str::to_owned);
    let content = if let Some(text) = text(value, "text") {
        Content::Text { text }
    } else if let Some(bytes) = text(file, "raw")
        .or_else(|| text(file, "bytes"))
        .and_then(|raw| decode(&raw))
    {
        Content::Raw { bytes }
    } else if let Some(url) = text(file, "url").or_else(|| text(file, "uri")) {
        Content::Url { url }
    } else {
        let data = value.get("data").unwrap_or(value).clone();
        Content::Data { data }
    };
    Part {
        content,
        media_type: text(file, "mediaType").or_else(|| text(file, "mimeType")),
        filename: text(file, "filename").or_else(|| text(file, "name")),
        metadata: value
            .get("metadata")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
    }
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let ways = [PLAIN, URL_SAFE].map(|letters| GeneralPurpose::new(&letters, LENIENT));
    ways.iter().find_map(|way| way.decode(text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_the_same_in_every_dialect() {
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
        for part in [Part::text("hi"), Part::data(json!({ "a": 1 })), file, url] {
            for dialect in [
                Dialect::RpcV1,
                Dialect::RestV1,
                Dialect::RpcV03,
                Dialect::Seed,
            ] {
                let written = json!([write(&part, dialect)]);
                assert_eq!(read_all(Some(&written)).first(), Some(&part), "{written}");
            }
        }
    }

    #[test]
    fn bytes_may_be_spelled_in_any_way() {
        for text in ["+/8=", "+/8", "-_8=", "-_8"] {
            let part = read(&json!({ "raw": text }));
            assert_eq!(
                part.content,
                Content::Raw {
                    bytes: vec![0xfb, 0xff]
                },
                "{text}"
            );
        }
    }

    #[test]
    fn an_odd_part_is_data() {
        for odd in [json!(7), json!({ "raw": "%%" }), json!({ "kind": "poem" })] {
            assert!(matches!(read(&odd).content, Content::Data { .. }), "{odd}");
        }
        assert!(read_all(None).is_empty() && read_all(Some(&json!("x"))).is_empty());
    }
}
