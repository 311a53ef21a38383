//! What a flow is told when it is started: `--input goal=x` and defaults, as typed values.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::flow::{Flow, Sort};
use crate::problem::hint;

/// Who starts a flow: an agent may not choose commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starter {
    Person,
    Agent,
}

/// The inputs of a run.
///
/// # Errors
/// What is missing, unknown or of another type, and what would be right.
pub fn gather(
    flow: &Flow,
    given: &BTreeMap<String, Value>,
    starter: Starter,
) -> Result<Value, String> {
    let names = || flow.inputs.iter().map(|input| input.name.as_str());
    for name in given.keys() {
        if !names().any(|known| known == name) {
            let known: Vec<&str> = names().collect();
            let all = if known.is_empty() {
                "it has none".to_owned()
            } else {
                format!("it has {}", known.join(", "))
            };
            let near = hint(name, names());
            return Err(format!(
                "the flow '{}' has no input '{name}'{near} ({all})",
                flow.name
            ));
        }
    }
    let mut values = Map::new();
    for input in &flow.inputs {
        let name = &input.name;
        let value = match given.get(name) {
            Some(_) if input.sort == Sort::Command && starter == Starter::Agent => {
                return Err(format!(
                    "the input '{name}' is a command: no agent may give it"
                ));
            }
            Some(value) => typed(input.sort, value.clone())
                .map_err(|why| format!("the input '{name}' {why}"))?,
            None => input.default.clone().ok_or_else(|| {
                let about = input.about.as_deref();
                let about = about.map(|about| format!(" ({about})")).unwrap_or_default();
                format!(
                    "the flow '{}' needs the input '{name}'{about}: --input {name}=…",
                    flow.name
                )
            })?,
        };
        values.insert(name.clone(), value);
    }
    Ok(values.into())
}

/// A value as what it must be; text is read as such.
pub(crate) fn typed(sort: Sort, value: Value) -> Result<Value, String> {
    match (sort, value) {
        (Sort::Text, value @ Value::String(_))
        | (Sort::Number, value @ Value::Number(_))
        | (Sort::Flag, value @ Value::Bool(_))
        | (Sort::List, value @ Value::Array(_)) => Ok(value),
        (Sort::Text, value @ (Value::Number(_) | Value::Bool(_))) => Ok(value.to_string().into()),
        (Sort::Number, Value::String(text)) => match serde_json::from_str(text.trim()) {
            Ok(number @ Value::Number(_)) => Ok(number),
            _ => Err(format!("must be a number, not '{text}'")),
        },
        (Sort::Flag, Value::String(text)) => match text.trim() {
            "true" | "yes" => Ok(true.into()),
            "false" | "no" | "" => Ok(false.into()),
            _ => Err(format!("must be true or false, not '{text}'")),
        },
        (Sort::List, Value::String(text)) => {
            if let Ok(list @ Value::Array(_)) = serde_json::from_str(&text) {
                return Ok(list);
            }
            let items = text.split(',').map(str::trim);
            Ok(items.filter(|item| !item.is_empty()).collect())
        }
        (Sort::Command, Value::Array(words)) => command(&words),
        (Sort::Command, Value::String(text)) => {
            if let Ok(Value::Array(words)) = serde_json::from_str(&text) {
                return command(&words);
            }
            let words: Vec<Value> = text.split_whitespace().map(Value::from).collect();
            command(&words)
        }
        (sort, _) => Err(format!("must be of the type {}", sort.word())),
    }
}

fn command(words: &[Value]) -> Result<Value, String> {
    match words.first() {
        Some(Value::String(first))
            if !first.is_empty()
                && !first.starts_with('-')
                && words.iter().all(Value::is_string) =>
        {
            Ok(words.to_vec().into())
        }
        _ => Err(
            "must be a command: words such as 'cargo test', or a list of them in JSON".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_is_read_as_what_it_must_be() {
        for (sort, text, value) in [
            (Sort::Text, "a=b", json!("a=b")),
            (Sort::Number, "3.5", json!(3.5)),
            (Sort::Flag, "no", json!(false)),
            (Sort::List, "a, b,", json!(["a", "b"])),
            (Sort::List, "[1, 2]", json!([1, 2])),
            (
                Sort::Command,
                "cargo test -q",
                json!(["cargo", "test", "-q"]),
            ),
            (
                Sort::Command,
                r#"["sh", "-c", "a b"]"#,
                json!(["sh", "-c", "a b"]),
            ),
        ] {
            assert_eq!(typed(sort, text.into()), Ok(value));
        }
        assert!(typed(Sort::Number, "x".into()).is_err());
        assert!(typed(Sort::Command, "-rf".into()).is_err());
        assert!(typed(Sort::Text, json!([])).is_err());
    }

    #[test]
    fn what_is_missing_or_unknown_is_told() {
        let text = "name: f\ninputs: {goal: {about: what to do}, test: {type: command, default: make}}\nsteps: {a: {gate: 'ok?'}}";
        let flow = Flow::parse(text).unwrap();
        let gather = |given: &[(&str, &str)], starter| {
            let given = given
                .iter()
                .map(|(name, value)| ((*name).to_owned(), Value::from(*value)));
            super::gather(&flow, &given.collect(), starter)
        };
        let error = gather(&[], Starter::Person).unwrap_err();
        assert!(
            error.contains("needs the input 'goal' (what to do)"),
            "{error}"
        );
        let error = gather(&[("gaol", "x")], Starter::Person).unwrap_err();
        assert!(error.contains("did you mean 'goal'?"), "{error}");
        let both = [("goal", "x"), ("test", "rm -rf x")];
        assert!(gather(&both, Starter::Person).is_ok());
        let error = gather(&both, Starter::Agent).unwrap_err();
        assert!(error.contains("no agent may give it"), "{error}");
        assert_eq!(
            gather(&[("goal", "x")], Starter::Agent),
            Ok(json!({"goal": "x", "test": ["make"]}))
        );
    }

    #[test]
    fn what_looks_like_a_number_is_text_as_it_is_written_in_defaults_too() {
        let of_nothing = |inputs: &str| {
            let text = format!("name: f\ninputs: {inputs}\nsteps: {{a: {{gate: x}}}}");
            let flow = Flow::parse(&text).unwrap();
            gather(&flow, &BTreeMap::new(), Starter::Person).unwrap()
        };
        let texts = [
            "1.10",
            "007",
            "0x1F",
            "1e3",
            "12345678901234567890123",
            "True",
        ];
        for text in texts {
            let inputs = of_nothing(&format!("{{v: {{default: {text}}}}}"));
            assert_eq!(inputs, json!({ "v": text }));
        }
        // What JSON would write in another way.
        let (numbers, _) = texts.split_at(5);
        let list = of_nothing(&format!(
            "{{v: {{type: list, default: [{}]}}}}",
            numbers.join(", ")
        ));
        assert_eq!(list, json!({ "v": numbers }));
        let list = of_nothing("{v: {type: list, default: [2, 1.5, no, false, [1.10], {b: 1.10}]}}");
        let kept = json!([2, 1.5, "no", false, ["1.10"], {"b": "1.10"}]);
        assert_eq!(list, json!({ "v": kept }));

        let numbers = "{n: {type: number, default: 007}, m: {type: number, default: 1.10}}";
        assert_eq!(of_nothing(numbers), json!({ "n": 7, "m": 1.1 }));
    }
}
