//! What a scalar is: the core schema of YAML 1.2, and what people are used to besides.

use serde_json::{Number, Value};

/// Which words are true and false where nobody asks for a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Booleans {
    /// `true` and `false` alone: `y`, `on` and the like are text.
    Strict,
    /// Also yes, no, y, n, on and off.
    Words,
}

/// What a scalar without quotes is.
pub(crate) fn plain(text: &str, booleans: Booleans) -> Value {
    if is_null(text) {
        return Value::Null;
    }
    let is_meant = |flag: &bool| {
        booleans == Booleans::Words || trimmed(text).eq_ignore_ascii_case(&flag.to_string())
    };
    if let Some(flag) = flag(text).filter(is_meant) {
        return Value::Bool(flag);
    }
    number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~") || text.eq_ignore_ascii_case("null")
}

/// A number that JSON can hold; what is infinite stays text.
fn number(text: &str) -> Option<Number> {
    whole(text)
        .and_then(Number::from_i128)
        .or_else(|| Number::from_f64(float(text)?))
}

/// Where a boolean is asked for, each of these words is one, quoted or not.
pub(crate) fn flag(text: &str) -> Option<bool> {
    let word = trimmed(text);
    let is_in = |words: [&str; 4]| words.iter().any(|one| word.eq_ignore_ascii_case(one));
    if is_in(["true", "yes", "y", "on"]) {
        return Some(true);
    }
    is_in(["false", "no", "n", "off"]).then_some(false)
}

/// A whole number: decimal, whatever zeros it begins with, or after 0x, 0o or 0b; `_` may stand between digits.
pub(crate) fn whole(text: &str) -> Option<i128> {
    let text = trimmed(text);
    let is_below = text.starts_with('-');
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, digits.get(2..)?),
        Some("0o" | "0O") => (8, digits.get(2..)?),
        Some("0b" | "0B") => (2, digits.get(2..)?),
        _ => (10, digits),
    };
    let is_odd = digits.starts_with(['_', '+', '-']) || digits.ends_with('_');
    if is_odd || digits.contains("__") {
        return None;
    }
    let size = i128::from_str_radix(&digits.replace('_', ""), radix).ok()?;
    Some(if is_below { -size } else { size })
}

pub(crate) fn float(text: &str) -> Option<f64> {
    let text = trimmed(text);
    match text.to_ascii_lowercase().as_str() {
        ".nan" | "+.nan" | "-.nan" => Some(f64::NAN),
        ".inf" | "+.inf" => Some(f64::INFINITY),
        "-.inf" => Some(f64::NEG_INFINITY),
        // Rust also knows `inf` and `nan`, which are words here, and makes `inf` of what is too large.
        _ => text.parse().ok().filter(|number: &f64| number.is_finite()),
    }
}

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\r', '\n'])
}
