//! Parts of messages and artifacts as others spell them: `{text}` in 1.0, `{kind: text}` in 0.3, `{type: text}` in the native dialect.

use serde_json::Value;
use synapse_a2a::artifact::native_part;
use synapse_a2a::message::{Content, Part};
use synapse_a2a::wire::{decode_base64, v1, v03};

use super::Dialect;

/// A part in a dialect.
pub(super) fn write(part: &Part, dialect: Dialect) -> Value {
    match dialect {
        Dialect::RpcV1 | Dialect::RestV1 => v1::part(part),
        Dialect::RpcV03 => v03::part(part),
        Dialect::Native => native_part(part),
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
    let metadata = value.get("metadata").and_then(Value::as_object);
    let mut metadata = metadata.cloned().unwrap_or_default();
    let content = if let Some(text) = text(value, "text") {
        Content::Text { text }
    } else if let Some(bytes) = text(file, "raw")
        .or_else(|| text(file, "bytes"))
        .and_then(|raw| decode_base64(&raw))
    {
        Content::Raw { bytes }
    } else if let Some(url) = text(file, "url").or_else(|| text(file, "uri")) {
        Content::Url { url }
    } else {
        let data = value.get("data").unwrap_or(value);
        Content::Data {
            data: v03::unwrapped(data, &mut metadata),
        }
    };
    Part {
        content,
        media_type: text(file, "mediaType").or_else(|| text(file, "mimeType")),
        filename: text(file, "filename").or_else(|| text(file, "name")),
        metadata,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
        for part in [
            Part::text("hi"),
            Part::data(json!({ "a": 1 })),
            file,
            url,
            Part::data(json!([7])),
        ] {
            for dialect in [
                Dialect::RpcV1,
                Dialect::RestV1,
                Dialect::RpcV03,
                Dialect::Native,
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
