//! The value of an expression. Nothing here can fail: what is missing is null, what cannot be compared is unequal.

use std::cmp::Ordering;

use serde_json::Value;

use super::{Expr, Function, Operator, Segment};

/// What names mean.
pub(crate) trait Scope {
    /// The value a name stands for; null if there is none.
    fn look_up(&self, name: &str) -> Value;
}

impl Expr {
    pub(crate) fn eval(&self, scope: &impl Scope) -> Value {
        match self {
            Self::Literal(value) => value.clone(),
            Self::Path(path) => walk(scope.look_up(&path.root), &path.segments),
            Self::Not(inner) => (!is_true(&inner.eval(scope))).into(),
            Self::Binary(Operator::And, left, right) => {
                (is_true(&left.eval(scope)) && is_true(&right.eval(scope))).into()
            }
            Self::Binary(Operator::Or, left, right) => {
                (is_true(&left.eval(scope)) || is_true(&right.eval(scope))).into()
            }
            Self::Binary(operator, left, right) => {
                compare(*operator, &left.eval(scope), &right.eval(scope)).into()
            }
            Self::Call(function, arguments) => {
                let values = arguments.iter().map(|argument| argument.eval(scope));
                call(*function, &values.collect::<Vec<_>>())
            }
        }
    }
}

/// Whether a condition holds. A list is true when it has something in it and all of that is true.
pub(crate) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is_true) => *is_true,
        Value::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty() && list.iter().all(is_true),
        Value::Object(map) => !map.is_empty(),
    }
}

/// A value as people read it: text as it is, a list one below the other, anything else as JSON.
pub(crate) fn to_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let lines: Vec<String> = list.iter().map(to_text).collect();
            let lines = lines.iter().filter(|line| !line.is_empty());
            lines.cloned().collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

fn walk(value: Value, segments: &[Segment]) -> Value {
    let Some((first, rest)) = segments.split_first() else {
        return value;
    };
    match (first, value) {
        (Segment::Field(name), Value::Object(mut map)) => {
            walk(map.remove(name).unwrap_or_default(), rest)
        }
        (Segment::Index(index), Value::Array(mut list)) => {
            let item = (*index < list.len()).then(|| list.swap_remove(*index));
            walk(item.unwrap_or_default(), rest)
        }
        (Segment::Splat, Value::Array(list)) => {
            list.into_iter().map(|item| walk(item, rest)).collect()
        }
        (Segment::Splat, Value::Object(map)) => {
            map.into_iter().map(|(_, item)| walk(item, rest)).collect()
        }
        (Segment::Where(names), Value::Array(list)) => {
            let is_wanted = |item: &Value| {
                let fields: Vec<Segment> = names.iter().cloned().map(Segment::Field).collect();
                is_true(&walk(item.clone(), &fields))
            };
            let kept: Vec<Value> = list.into_iter().filter(is_wanted).collect();
            walk(kept.into(), rest)
        }
        _ => Value::Null,
    }
}

fn compare(operator: Operator, left: &Value, right: &Value) -> bool {
    let order = order(left, right);
    match operator {
        Operator::Equal => is_equal(left, right),
        Operator::Unequal => !is_equal(left, right),
        Operator::Less => order == Some(Ordering::Less),
        Operator::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Operator::Greater => order == Some(Ordering::Greater),
        Operator::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        Operator::In => match (left, right) {
            (Value::String(part), Value::String(text)) => text.contains(part.as_str()),
            (item, Value::Array(list)) => list.iter().any(|other| is_equal(item, other)),
            (Value::String(name), Value::Object(map)) => map.contains_key(name),
            _ => false,
        },
        Operator::And | Operator::Or => false,
    }
}

/// Whether two values are the same; 7 and 7.0 are, also within them.
pub(crate) fn is_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        // Two whole numbers may differ in what a float has no room for.
        (Value::Number(one), Value::Number(other)) if one.is_f64() != other.is_f64() => {
            order(left, right) == Some(Ordering::Equal)
        }
        (Value::Array(left), Value::Array(right)) => {
            let mut pairs = left.iter().zip(right);
            left.len() == right.len() && pairs.all(|(left, right)| is_equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let is_there =
                |(name, value)| right.get(name).is_some_and(|other| is_equal(value, other));
            left.len() == right.len() && left.iter().all(is_there)
        }
        _ => left == right,
    }
}

fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64()?.partial_cmp(&right.as_f64()?),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

fn call(function: Function, arguments: &[Value]) -> Value {
    let first = arguments.first().unwrap_or(&Value::Null);
    let list = first.as_array();
    match function {
        Function::Len => match first {
            Value::Array(list) => list.len(),
            Value::Object(map) => map.len(),
            Value::String(text) => text.chars().count(),
            _ => 0,
        }
        .into(),
        Function::Any => list.is_some_and(|list| list.iter().any(is_true)).into(),
        Function::All => list.is_none_or(|list| list.iter().all(is_true)).into(),
        Function::First => list
            .and_then(|list| list.first().cloned())
            .unwrap_or_default(),
        Function::Join => {
            let between = arguments.get(1).map(to_text).unwrap_or_default();
            let pieces: Vec<String> = list.into_iter().flatten().map(to_text).collect();
            pieces.join(&between).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::parse;
    use super::*;

    struct Names(Value);

    impl Scope for Names {
        fn look_up(&self, name: &str) -> Value {
            self.0.get(name).cloned().unwrap_or_default()
        }
    }

    fn eval(text: &str) -> Value {
        let scope = Names(json!({
            "plan": {"reply": "do it", "n": 3},
            "review": [
                {"agent": "claude", "json": {"ok": true, "issues": []}},
                {"agent": "gemini", "json": {"ok": false, "issues": ["a", "b"]}},
            ],
            "inputs": {"goal": "x", "odd key": 1},
        }));
        parse(text).unwrap().eval(&scope)
    }

    #[test]
    fn paths_splats_and_filters_find_what_steps_gave() {
        assert_eq!(eval("plan.reply"), json!("do it"));
        assert_eq!(eval("review.*.json.ok"), json!([true, false]));
        assert_eq!(eval("review.1.json.issues"), json!(["a", "b"]));
        assert_eq!(eval("review[?json.ok].*.agent"), json!(["claude"]));
        assert_eq!(eval("review[?json.ok].0.agent"), json!("claude"));
        assert_eq!(eval("inputs['odd key']"), json!(1));
        assert_eq!(eval("plan.nothing.at.all"), json!(null));
        assert_eq!(eval("nobody"), json!(null));
    }

    #[test]
    fn conditions_compare_and_combine() {
        for text in [
            "plan.n == 3.0",
            "plan.n >= 3 && plan.n < 4",
            "!review.*.json.ok",
            "any(review.*.json.ok) and not all(review.*.json.ok)",
            "len(review) == 2",
            "'do' in plan.reply",
            "'a' in review.1.json.issues",
            "plan.reply != 'x' or nobody",
            "(plan.n > 5 || plan.n == 3) && first(review.*.agent) == 'claude'",
            "'b' > 'a'",
            "9007199254740993 != 9007199254740992",
        ] {
            assert!(is_true(&eval(text)), "{text}");
        }
        for text in [
            "review.*.json.ok",
            "plan.n > 'x'",
            "nobody",
            "''",
            "0",
            "first(nobody)",
        ] {
            assert!(!is_true(&eval(text)), "{text}");
        }
        assert_eq!(eval("join(review.*.agent, ', ')"), json!("claude, gemini"));
    }

    #[test]
    fn a_list_is_told_one_below_the_other() {
        assert_eq!(to_text(&eval("review.*.json.issues")), "a\nb");
        assert_eq!(to_text(&json!([1, true, {"a": 1}])), "1\ntrue\n{\"a\":1}");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,60}") {
            let _ = parse(&text);
        }

        #[test]
        fn no_expression_panics(text in "[a-c.*\\[\\]?()!&|=<> 0-9'-]{0,40}") {
            if let Ok(expr) = parse(&text) {
                let scope = Names(json!({"a": [1, {"b": null}], "b": "x", "c": {"a": [[]]}}));
                let _ = to_text(&expr.eval(&scope));
            }
        }
    }
}
