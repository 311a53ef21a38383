//! What agents reply in a simulation, where nobody thinks: text that names the step, or JSON with which the flow comes
//! to its end.

use serde_json::{Map, Value, json};

use crate::expr::{Expr, Segment};
use crate::flow::{Flow, Task};
use crate::schema;

/// What the agent of a step replies.
pub fn reply(flow: &Flow, step: &str) -> String {
    let Some(found) = flow.find(step).and_then(|at| flow.steps.get(at)) else {
        return String::new();
    };
    if let Some(text) = &found.simulate {
        return text.clone();
    }
    match &found.expect {
        None => format!("(simulated) what {step} would say"),
        Some(expect) => match &expect.schema {
            Some(schema) => schema::sample(schema),
            None => wanted(flow, step),
        }
        .to_string(),
    }
}

/// JSON with the fields that the flow asks for: true where a condition looks, an empty list elsewhere.
fn wanted(flow: &Flow, step: &str) -> Value {
    let mut value = json!({});
    let mut add = |expr: &Expr, leaf: Value| {
        for path in expr.paths() {
            let mut segments = path.segments.iter();
            let is_json = segments.any(|segment| *segment == Segment::Field("json".to_owned()));
            if path.root != step.split('.').next().unwrap_or_default() || !is_json {
                continue;
            }
            let names: Vec<&str> = segments
                .filter_map(|segment| match segment {
                    Segment::Field(name) => Some(name.as_str()),
                    _ => None,
                })
                .collect();
            insert(&mut value, &names, leaf.clone());
        }
    };
    for step in &flow.steps {
        if let Task::Prompt(prompt) = &step.task {
            prompt.text.exprs().for_each(|expr| add(expr, json!([])));
        }
    }
    for step in &flow.steps {
        let until = step.until.as_ref().map(|until| &until.condition);
        let rule = step.gate.as_ref().and_then(|gate| gate.yes_if.as_ref());
        for expr in [until, step.when.as_ref(), rule].into_iter().flatten() {
            add(expr, json!(true));
        }
    }
    value
}

fn insert(value: &mut Value, names: &[&str], leaf: Value) {
    match names {
        [] => {}
        [last] => {
            if let Some(map) = value.as_object_mut() {
                map.insert((*last).to_owned(), leaf);
            }
        }
        [first, rest @ ..] => {
            if let Some(map) = value.as_object_mut() {
                let below = map
                    .entry((*first).to_owned())
                    .or_insert_with(|| Map::new().into());
                insert(below, rest, leaf);
            }
        }
    }
}
