//! Reads JSON objects as `ProtoJSON` is read: a member may be spelled in camelCase or `snake_case`, `null`
//! is absent, a number may come as text. Whatever is not as it should be is noted with its path, and reading
//! goes on, so that a caller is told everything at once.

use base64::Engine as _;
use base64::engine::general_purpose::GeneralPurpose;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};
use serde_json::{Map, Value};

use super::protocol_error::{ProtocolError, Violation};

/// Base64 with padding or without it.
const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&base64::alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&base64::alphabet::URL_SAFE, LENIENT);

/// Bytes that somebody spelled in base64, of either alphabet, padded or not.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let standard = STANDARD.decode(text);
    standard.or_else(|_| URL_SAFE.decode(text)).ok()
}

/// What was found wrong so far.
#[derive(Debug, Default)]
pub(super) struct Complaints(Vec<Violation>);

impl Complaints {
    pub(super) fn add(&mut self, field: impl Into<String>, description: impl Into<String>) {
        self.0.push(Violation::new(field, description));
    }
}

/// Reads an object. Either nothing is wrong with it, or every field that is wrong is named.
pub(super) fn read<T>(
    value: &Value,
    read: impl FnOnce(&Fields<'_>, &mut Complaints) -> Option<T>,
) -> Result<T, ProtocolError> {
    let mut wrong = Complaints::default();
    let fields = Fields::of(value, String::new(), &mut wrong);
    match fields.and_then(|fields| read(&fields, &mut wrong)) {
        Some(read) if wrong.0.is_empty() => Ok(read),
        _ => Err(ProtocolError::InvalidParams(wrong.0)),
    }
}

/// An object, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    object: &'a Map<String, Value>,
    path: String,
}

impl<'a> Fields<'a> {
    /// The members of a value that must be an object. The path of the outermost one is empty.
    pub(super) fn of(value: &'a Value, path: String, wrong: &mut Complaints) -> Option<Self> {
        if let Value::Object(object) = value {
            return Some(Self { object, path });
        }
        wrong.add(path, "must be an object");
        None
    }

    /// The path of a member.
    pub(super) fn path(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    /// A member, unless it is absent or `null`.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.get_with_null(name).filter(|value| !value.is_null())
    }

    /// A member, even if it is `null`.
    pub(super) fn get_with_null(&self, name: &str) -> Option<&'a Value> {
        let exact = self.object.get(name);
        exact.or_else(|| {
            let mut members = self.object.iter();
            members
                .find(|(key, _)| is_snake_of(key, name))
                .map(|(_, value)| value)
        })
    }

    /// Notes that a member is missing.
    pub(super) fn missing(&self, name: &str, wrong: &mut Complaints) {
        wrong.add(self.path(name), "is missing");
    }

    /// Words, and not the empty ones that stand for absent.
    pub(super) fn text(&self, name: &str, wrong: &mut Complaints) -> Option<String> {
        match self.get(name)? {
            Value::String(text) if text.is_empty() => None,
            Value::String(text) => Some(text.clone()),
            _ => {
                wrong.add(self.path(name), "must be a string");
                None
            }
        }
    }

    /// Words that must be there.
    pub(super) fn required_text(&self, name: &str, wrong: &mut Complaints) -> Option<String> {
        let is_absent = match self.get(name) {
            None => true,
            Some(value) => value.as_str().is_some_and(str::is_empty),
        };
        if is_absent {
            self.missing(name, wrong);
        }
        self.text(name, wrong)
    }

    /// A yes or no, which a query spells as text.
    pub(super) fn flag(&self, name: &str, wrong: &mut Complaints) -> Option<bool> {
        match self.get(name)? {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) if text == "true" => Some(true),
            Value::String(text) if text == "false" => Some(false),
            _ => {
                wrong.add(self.path(name), "must be true or false");
                None
            }
        }
    }

    /// A whole number within bounds.
    pub(super) fn number(
        &self,
        name: &str,
        bounds: std::ops::RangeInclusive<i64>,
        wrong: &mut Complaints,
    ) -> Option<usize> {
        let number = match self.get(name)? {
            Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        let (least, most) = (*bounds.start(), *bounds.end());
        let number = number.filter(|number| bounds.contains(number));
        if number.is_none() {
            let wanted = if most == i64::from(i32::MAX) {
                format!("must be a whole number, at least {least}")
            } else {
                format!("must be a whole number from {least} to {most}")
            };
            wrong.add(self.path(name), wanted);
        }
        usize::try_from(number?).ok()
    }

    /// An object that must be there.
    pub(super) fn required_object(&self, name: &str, wrong: &mut Complaints) -> Option<Self> {
        if self.get(name).is_none() {
            self.missing(name, wrong);
        }
        self.object(name, wrong)
    }

    pub(super) fn object(&self, name: &str, wrong: &mut Complaints) -> Option<Self> {
        Fields::of(self.get(name)?, self.path(name), wrong)
    }

    /// An object of whatever its sender liked.
    pub(super) fn metadata(&self, name: &str, wrong: &mut Complaints) -> Map<String, Value> {
        let object = self.object(name, wrong);
        object
            .map(|fields| fields.object.clone())
            .unwrap_or_default()
    }

    /// A list, with the path of each element.
    pub(super) fn list(&self, name: &str, wrong: &mut Complaints) -> Vec<(String, &'a Value)> {
        let path = self.path(name);
        match self.get(name) {
            None => Vec::new(),
            Some(Value::Array(list)) => {
                let place = |(at, value)| (format!("{path}[{at}]"), value);
                list.iter().enumerate().map(place).collect()
            }
            Some(_) => {
                wrong.add(path, "must be a list");
                Vec::new()
            }
        }
    }

    /// A list of words.
    pub(super) fn texts(&self, name: &str, wrong: &mut Complaints) -> Vec<String> {
        let mut texts = Vec::new();
        for (path, value) in self.list(name, wrong) {
            match value.as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => wrong.add(path, "must be a string"),
            }
        }
        texts
    }

    /// Bytes as base64 of either alphabet.
    pub(super) fn bytes(&self, name: &str, wrong: &mut Complaints) -> Option<Vec<u8>> {
        let text = self.get(name)?.as_str();
        let decoded = text.and_then(decode);
        if decoded.is_none() {
            wrong.add(self.path(name), "must be base64");
        }
        decoded
    }
}

/// Whether a `snake_case` key is this camelCase name.
fn is_snake_of(key: &str, name: &str) -> bool {
    if !key.contains('_') {
        return false;
    }
    let mut letters = key.chars();
    let is_same = name.chars().all(|letter| {
        if letter.is_ascii_uppercase() {
            letters.next() == Some('_') && letters.next() == Some(letter.to_ascii_lowercase())
        } else {
            letters.next() == Some(letter)
        }
    });
    is_same && letters.next().is_none()
}

/// A number that has nothing behind the point.
#[allow(
    clippy::cast_precision_loss,
    reason = "the bound is far below where f64 gets coarse"
)]
fn whole(number: f64) -> Option<i64> {
    let is_whole = number.fract() == 0.0 && number.abs() < i64::from(i32::MAX) as f64;
    is_whole.then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(value: &Value) -> Fields<'_> {
        Fields::of(value, String::new(), &mut Complaints::default()).unwrap()
    }

    #[test]
    fn a_member_may_be_spelled_both_ways_and_null_is_absent() {
        let value = json!({ "contextId": "c", "task_id": "t", "messageId": null, "url": "" });
        let (fields, wrong) = (fields(&value), &mut Complaints::default());
        assert_eq!(fields.text("contextId", wrong).as_deref(), Some("c"));
        assert_eq!(fields.text("taskId", wrong).as_deref(), Some("t"));
        assert_eq!(fields.text("messageId", wrong), None);
        assert_eq!(fields.text("url", wrong), None);
        assert!(wrong.0.is_empty());
    }

    #[test]
    fn a_number_may_come_as_text_and_must_keep_its_bounds() {
        let value = json!({ "a": 5, "b": "6", "c": 7.0, "d": 7.5, "e": 0, "f": "x", "g": true });
        let (fields, wrong) = (fields(&value), &mut Complaints::default());
        assert_eq!(fields.number("a", 1..=100, wrong), Some(5));
        assert_eq!(fields.number("b", 1..=100, wrong), Some(6));
        assert_eq!(fields.number("c", 1..=100, wrong), Some(7));
        assert!(wrong.0.is_empty());
        for name in ["d", "e", "f", "g"] {
            assert_eq!(fields.number(name, 1..=100, wrong), None);
        }
        let said = wrong.0.iter().map(ToString::to_string);
        assert_eq!(
            said.collect::<Vec<_>>(),
            ["d", "e", "f", "g"]
                .map(|name| format!("'{name}' must be a whole number from 1 to 100"))
        );
    }

    #[test]
    fn base64_is_read_in_both_alphabets_with_or_without_padding() {
        for text in ["+/8=", "+/8", "-_8=", "-_8"] {
            let value = json!({ "raw": text });
            let wrong = &mut Complaints::default();
            assert_eq!(fields(&value).bytes("raw", wrong), Some(vec![0xfb, 0xff]));
        }
        let wrong = &mut Complaints::default();
        assert_eq!(fields(&json!({ "raw": "%" })).bytes("raw", wrong), None);
        assert_eq!(wrong.0.len(), 1);
    }

    #[test]
    fn a_path_tells_where_in_the_request() {
        let value = json!({ "message": { "parts": [1] } });
        let wrong = &mut Complaints::default();
        let message = fields(&value).object("message", wrong).unwrap();
        let parts = message.list("parts", wrong);
        assert_eq!(parts[0].0, "message.parts[0]");
    }
}
