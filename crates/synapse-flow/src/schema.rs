//! JSON Schema, as far as replies need it: types, properties, items, enumerations and limits. A keyword that is not
//! known here is refused when the flow is checked, so that nobody trusts a rule that is not kept.

use serde_json::{Map, Value, json};

use crate::expr::is_equal;

/// The keywords that are kept.
const RULES: [&str; 14] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "anyOf",
];

/// The keywords that only tell people something.
const REMARKS: [&str; 6] = [
    "$schema",
    "$id",
    "title",
    "description",
    "default",
    "examples",
];

const TYPES: [&str; 7] = [
    "object", "array", "string", "number", "integer", "boolean", "null",
];

/// What is wrong with a schema itself.
///
/// # Errors
/// The first keyword or type that is not known, and where.
pub fn check(schema: &Value, path: &str) -> Result<(), String> {
    let Value::Object(rules) = schema else {
        return match schema {
            Value::Bool(_) => Ok(()),
            _ => Err(format!("{path} must be a map of rules")),
        };
    };
    for (name, rule) in rules {
        if REMARKS.contains(&name.as_str()) {
            continue;
        }
        if !RULES.contains(&name.as_str()) {
            let known = RULES.join(", ");
            return Err(format!(
                "{path} has the rule '{name}', which is not known here; known are {known}"
            ));
        }
        match (name.as_str(), rule) {
            ("type", rule) => {
                for word in types(rule) {
                    if !TYPES.contains(&word) {
                        return Err(format!("{path}.type: there is no type '{word}'"));
                    }
                }
            }
            ("properties", Value::Object(below)) => {
                for (name, schema) in below {
                    check(schema, &format!("{path}.properties.{name}"))?;
                }
            }
            ("properties", _) => return Err(format!("{path}.properties must be a map")),
            ("required" | "enum", rule) if !rule.is_array() => {
                return Err(format!("{path}.{name} must be a list"));
            }
            ("items" | "additionalProperties", below) => check(below, &format!("{path}.{name}"))?,
            ("anyOf", Value::Array(choices)) => {
                for choice in choices {
                    check(choice, &format!("{path}.anyOf"))?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether a value fits.
///
/// # Errors
/// What does not fit, and where in the value.
pub fn fits(schema: &Value, value: &Value) -> Result<(), String> {
    fits_at(schema, value, "the reply")
}

fn fits_at(schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    let rules = match schema {
        Value::Object(rules) => rules,
        Value::Bool(false) => return Err(format!("{path} must not be there")),
        _ => return Ok(()),
    };
    if let Some(rule) = rules.get("type") {
        let is_one = types(rule).iter().any(|word| is_type(word, value));
        if !is_one {
            let wanted = types(rule).join(" or ");
            return Err(format!("{path} must be {wanted}, not {}", type_of(value)));
        }
    }
    if let Some(Value::Array(choices)) = rules.get("enum")
        && !choices.iter().any(|choice| is_equal(choice, value))
    {
        return Err(format!(
            "{path} must be one of {}",
            Value::from(choices.clone())
        ));
    }
    if let Some(wanted) = rules.get("const")
        && !is_equal(wanted, value)
    {
        return Err(format!("{path} must be {wanted}"));
    }
    if let Some(Value::Array(choices)) = rules.get("anyOf")
        && !choices
            .iter()
            .any(|choice| fits_at(choice, value, path).is_ok())
    {
        return Err(format!("{path} fits none of the choices"));
    }
    size(rules, value, path)?;
    match value {
        Value::Object(map) => object(rules, map, path),
        Value::Array(list) => {
            let Some(schema) = rules.get("items") else {
                return Ok(());
            };
            let mut items = list.iter().enumerate();
            items.try_for_each(|(at, item)| fits_at(schema, item, &format!("{path}[{at}]")))
        }
        _ => Ok(()),
    }
}

fn object(rules: &Map<String, Value>, map: &Map<String, Value>, path: &str) -> Result<(), String> {
    for name in rules
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let name = name.as_str().unwrap_or_default();
        if !map.contains_key(name) {
            return Err(format!("{path} must have '{name}'"));
        }
    }
    let known = rules.get("properties").and_then(Value::as_object);
    for (name, value) in map {
        let below = format!("{path}.{name}");
        match known.and_then(|known| known.get(name)) {
            Some(schema) => fits_at(schema, value, &below)?,
            None => {
                if let Some(schema) = rules.get("additionalProperties") {
                    fits_at(schema, value, &below)?;
                }
            }
        }
    }
    Ok(())
}

fn size(rules: &Map<String, Value>, value: &Value, path: &str) -> Result<(), String> {
    let (measure, least, most, what) = match value {
        Value::Number(number) => (number.as_f64(), "minimum", "maximum", ""),
        #[expect(clippy::cast_precision_loss, reason = "no text is that long")]
        Value::String(text) => (
            Some(text.chars().count() as f64),
            "minLength",
            "maxLength",
            " characters",
        ),
        #[expect(clippy::cast_precision_loss, reason = "no list is that long")]
        Value::Array(list) => (Some(list.len() as f64), "minItems", "maxItems", " items"),
        _ => return Ok(()),
    };
    let measure = measure.unwrap_or_default();
    let limit = |name: &str| rules.get(name).and_then(Value::as_f64);
    if let Some(least) = limit(least).filter(|least| measure < *least) {
        return Err(format!("{path} must be at least {least}{what}"));
    }
    if let Some(most) = limit(most).filter(|most| measure > *most) {
        return Err(format!("{path} must be at most {most}{what}"));
    }
    Ok(())
}

/// A value that fits, for a trial without an agent: true where there is a choice, and as little as may be.
pub fn sample(schema: &Value) -> Value {
    let Value::Object(rules) = schema else {
        return json!({});
    };
    if let Some(value) = rules.get("const").or_else(|| rules.get("default")) {
        return value.clone();
    }
    if let Some(Value::Array(choices)) = rules.get("enum") {
        return choices.first().cloned().unwrap_or_default();
    }
    if let Some(Value::Array(choices)) = rules.get("anyOf") {
        return choices.first().map(sample).unwrap_or_default();
    }
    let least = |name: &str| {
        let least = rules.get(name).and_then(Value::as_u64).unwrap_or(0);
        usize::try_from(least).unwrap_or(0).min(1_000)
    };
    let word = rules.get("type").map(types).unwrap_or_default();
    match word.first().copied() {
        Some("string") => "x".repeat(least("minLength").max(1)).into(),
        Some("number" | "integer") => rules.get("minimum").cloned().unwrap_or(json!(0)),
        Some("boolean") => true.into(),
        Some("null") => Value::Null,
        Some("array") => {
            let item = rules.get("items").map(sample).unwrap_or_default();
            vec![item; least("minItems")].into()
        }
        _ => {
            let known = rules.get("properties").and_then(Value::as_object);
            let fields = known.into_iter().flatten();
            fields
                .map(|(name, schema)| (name.clone(), sample(schema)))
                .collect()
        }
    }
}

fn types(rule: &Value) -> Vec<&str> {
    match rule {
        Value::String(word) => vec![word],
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => vec![""],
    }
}

fn is_type(word: &str, value: &Value) -> bool {
    match word {
        "integer" => value
            .as_f64()
            .is_some_and(|number| number.fract().abs() < f64::EPSILON),
        word => type_of(value) == word,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review() -> Value {
        json!({
            "type": "object",
            "required": ["ok", "issues"],
            "additionalProperties": false,
            "properties": {
                "ok": {"type": "boolean"},
                "score": {"type": "integer", "minimum": 1, "maximum": 5},
                "issues": {"type": "array", "maxItems": 3, "items": {"type": "string", "minLength": 2}},
            },
        })
    }

    #[test]
    fn what_does_not_fit_is_named() {
        assert_eq!(fits(&review(), &json!({"ok": true, "issues": []})), Ok(()));
        for (value, part) in [
            (json!([]), "the reply must be object, not array"),
            (json!({"ok": true}), "must have 'issues'"),
            (
                json!({"ok": 1, "issues": []}),
                "the reply.ok must be boolean",
            ),
            (
                json!({"ok": true, "issues": ["ab", "c"]}),
                "the reply.issues[1] must be at least 2 characters",
            ),
            (
                json!({"ok": true, "issues": [], "score": 9}),
                "must be at most 5",
            ),
            (
                json!({"ok": true, "issues": [], "score": 1.5}),
                "must be integer",
            ),
            (
                json!({"ok": true, "issues": [], "more": 1}),
                "the reply.more must not be there",
            ),
        ] {
            let error = fits(&review(), &value).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        assert!(fits(&json!({"enum": ["a"]}), &json!("b")).is_err());
        assert!(
            fits(
                &json!({"anyOf": [{"type": "null"}, {"const": 1}]}),
                &json!(1)
            )
            .is_ok()
        );
    }

    #[test]
    fn a_number_is_the_same_however_it_is_written() {
        for (rule, value) in [
            (json!({"const": 7.0}), json!(7)),
            (json!({"enum": [1, 7]}), json!(7.0)),
            (json!({"const": [{"n": 7}]}), json!([{"n": 7.0}])),
        ] {
            assert_eq!(fits(&rule, &value), Ok(()), "{rule} {value}");
        }
        for (rule, value) in [
            (json!({"const": 7}), json!("7")),
            (
                json!({"const": 9_007_199_254_740_993_u64}),
                json!(9_007_199_254_740_992_u64),
            ),
            (json!({"enum": [[7], {"n": 7}]}), json!([7, 7])),
            (json!({"const": {"n": 7}}), json!({"m": 7.0})),
        ] {
            assert!(fits(&rule, &value).is_err(), "{rule} {value}");
        }
    }

    #[test]
    fn a_rule_that_is_not_kept_is_refused() {
        let error = check(
            &json!({"type": "object", "properties": {"a": {"pattern": "x"}}}),
            "expect",
        );
        assert!(error.unwrap_err().contains("'pattern'"));
        assert!(check(&json!({"type": "thing"}), "expect").is_err());
        assert_eq!(check(&review(), "expect"), Ok(()));
    }

    #[test]
    fn a_sample_fits() {
        let sample = sample(&review());
        assert_eq!(fits(&review(), &sample), Ok(()), "{sample}");
    }
}
