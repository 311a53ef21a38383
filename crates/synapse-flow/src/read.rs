//! From YAML to a flow: what each key means and what may stand there. What the steps mean to each other is found
//! afterwards, by `check`.

mod keys;
mod step;

pub(crate) use step::is_agent;

use serde_json::Value;
use synapse_yaml::{Kind, Node, Scalar};

use crate::flow::{Flow, Input, Limits, Sort, Step};
use crate::inputs;
use crate::problem::Problem;
use keys::{Keys, text_of};

const KEYS: [&str; 11] = [
    "name",
    "about",
    "inputs",
    "steps",
    "parallel",
    "at_once",
    "max_turns",
    "max_minutes",
    "max_tokens",
    "agents",
    "output",
];

const INPUT_KEYS: [&str; 3] = ["type", "default", "about"];

/// A flow whose steps could all be read, and everything that is wrong with it.
pub(crate) fn flow(node: &Node) -> (Option<Flow>, Vec<Problem>) {
    let mut problems = Vec::new();
    let flow = read(node, &mut problems);
    (flow, problems)
}

fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Flow> {
    let mut keys = Keys::of(node, "a flow", &KEYS, problems)?;
    let name = keys.text("name", problems);
    if let Some(name) = &name
        && !is_name(name)
    {
        let message =
            format!("'{name}' cannot be the name of a flow: use letters, digits, - and _");
        problems.push(Problem::new(node.place, message));
    }
    let usual = Limits::default();
    let limits = Limits {
        at_once: keys
            .count("at_once", problems)
            .map_or(usual.at_once, |count| usize::try_from(count).unwrap_or(1)),
        max_turns: keys.count("max_turns", problems).or(usual.max_turns),
        max_minutes: keys.count("max_minutes", problems),
        max_tokens: keys.count("max_tokens", problems),
    };
    let is_parallel = keys.flag("parallel", problems);
    let flow = Flow {
        name: name.unwrap_or_default(),
        about: keys.text("about", problems),
        inputs: keys
            .take("inputs")
            .map(|node| inputs(node, problems))
            .unwrap_or_default(),
        limits,
        agents: keys.flag("agents", problems),
        output: keys.template("output", problems),
        steps: Vec::new(),
    };
    if flow.name.is_empty() {
        problems.push(Problem::new(
            node.place,
            "a flow must have a name: name: review",
        ));
    }
    let steps = keys.take("steps");
    let Some(Node {
        kind: Kind::Map(entries),
        ..
    }) = steps
    else {
        let place = steps.map_or(node.place, |steps| steps.place);
        problems.push(Problem::new(
            place,
            "a flow must have steps: a map from names to steps",
        ));
        return None;
    };
    if entries.is_empty() {
        problems.push(Problem::new(
            node.place,
            "a flow must have at least one step",
        ));
    }
    let mut steps: Vec<Step> = Vec::new();
    let mut is_whole = true;
    for (name, node) in entries {
        is_whole &= step::read(&name.text, name.place, node, &mut steps, problems).is_some();
    }
    // Whatever names a step that could not be read would be called wrong as well.
    is_whole.then(|| Flow {
        steps: ordered(steps, is_parallel),
        ..flow
    })
}

/// Unless all that can run may do so, a step that does not say what it needs comes after the one above it.
fn ordered(mut steps: Vec<Step>, is_parallel: bool) -> Vec<Step> {
    if is_parallel {
        return steps;
    }
    let mut above: Option<usize> = None;
    for at in 0..steps.len() {
        let group = steps.get(at).and_then(|step| step.group);
        if let Some(step) = steps.get_mut(at)
            && step.named.needs.is_none()
        {
            step.needs.extend(above);
        }
        // Those of a group begin together.
        if group.is_none() {
            above = Some(at);
        }
    }
    steps
}

fn inputs(node: &Node, problems: &mut Vec<Problem>) -> Vec<Input> {
    let Kind::Map(entries) = &node.kind else {
        let message = format!(
            "inputs must be a map such as {{goal: {{}}, branch: {{default: main}}}}, not {}",
            node.sort()
        );
        problems.push(Problem::new(node.place, message));
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, node) in entries {
        if !is_name(&name.text) {
            let message = format!(
                "'{}' cannot be the name of an input: use letters, digits, - and _",
                name.text
            );
            problems.push(Problem::new(name.place, message));
            continue;
        }
        let mut input = Input {
            name: name.text.clone(),
            sort: Sort::Text,
            default: None,
            about: None,
        };
        if !node.is_null() {
            let Some(mut keys) = Keys::of(node, "an input", &INPUT_KEYS, problems) else {
                continue;
            };
            input.about = keys.text("about", problems);
            if let Some(word) = keys.text("type", problems) {
                match Sort::WORDS.iter().find(|(known, _)| *known == word) {
                    Some((_, sort)) => input.sort = *sort,
                    None => problems.push(Problem::new(
                        node.place,
                        format!(
                            "there is no type '{word}'; types are text, number, bool, list and command"
                        ),
                    )),
                }
            }
            if let Some(default) = keys.take("default") {
                match inputs::typed(input.sort, default_value(input.sort, default)) {
                    Ok(value) => input.default = Some(value),
                    Err(why) => problems.push(Problem::new(
                        default.place,
                        format!("the default of '{}' {why}", name.text),
                    )),
                }
            }
        }
        found.push(input);
    }
    found
}

/// A default as it is written, as far as its type asks for text or does not say.
fn default_value(sort: Sort, node: &Node) -> Value {
    match (sort, &node.kind) {
        (Sort::Text, Kind::Scalar(_)) => text_of(node).map_or(Value::Null, Value::from),
        (Sort::List, Kind::List(list)) => list.iter().map(as_written).collect(),
        _ => node.value(),
    }
}

/// A value in which a number that JSON would write in another way is the text that stands there.
fn as_written(node: &Node) -> Value {
    match &node.kind {
        Kind::Scalar(Scalar { text, value }) => {
            let json = value.to_string();
            if value.is_number() && json != *text {
                Value::from(text.as_str())
            } else {
                value.clone()
            }
        }
        Kind::List(list) => list.iter().map(as_written).collect(),
        Kind::Map(map) => {
            let values = map.iter();
            values
                .map(|(name, node)| (name.text.clone(), as_written(node)))
                .collect()
        }
    }
}

/// Whether a word can name a step, an input or a flow.
pub(crate) fn is_name(word: &str) -> bool {
    let is_begin = |c: char| c.is_alphabetic() || c == '_';
    word.starts_with(is_begin)
        && word.len() <= 64
        && word
            .chars()
            .all(|c| is_begin(c) || c.is_ascii_digit() || c == '-')
}

/// A scalar as the text it was written as.
pub(crate) fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
