//! What a path can lead to, as far as it is known before anything has run.

use serde_json::Value;

use crate::expr::{Path, Segment};
use crate::flow::{Flow, Sort, Step, Task};
use crate::problem::{Place, Problem, hint};

/// What kind of value something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Text,
    Number,
    Flag,
    List,
    Object,
    /// Nobody knows.
    Any,
}

impl Type {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "a number",
            Self::Flag => "true or false",
            Self::List => "a list",
            Self::Object => "an object",
            Self::Any => "anything",
        }
    }
}

/// The step a path leads to; what cannot be there is told.
pub(super) fn of(
    flow: &Flow,
    from: Option<usize>,
    path: &Path,
    place: Place,
    problems: &mut Vec<Problem>,
) -> Option<usize> {
    match walk(flow, from, path) {
        Ok((step, _)) => step,
        Err(message) => {
            problems.push(Problem::new(place, message));
            None
        }
    }
}

/// What kind of value a path leads to.
pub(super) fn sort(flow: &Flow, from: Option<usize>, path: &Path) -> Type {
    walk(flow, from, path).map_or(Type::Any, |(_, sort)| sort)
}

/// A path as it was written.
pub(super) fn spelled(path: &Path) -> String {
    let mut text = path.root.clone();
    for segment in &path.segments {
        match segment {
            Segment::Field(name) => {
                text.push('.');
                text.push_str(name);
            }
            Segment::Index(index) => {
                text.push('.');
                text.push_str(&index.to_string());
            }
            Segment::Splat => text.push_str(".*"),
            Segment::Where(names) => {
                text.push_str("[?");
                text.push_str(&names.join("."));
                text.push(']');
            }
        }
    }
    text
}

fn walk(flow: &Flow, from: Option<usize>, path: &Path) -> Result<(Option<usize>, Type), String> {
    let written = || spelled(path);
    match path.root.as_str() {
        "inputs" => {
            let Some(Segment::Field(name)) = path.segments.first() else {
                return Ok((None, Type::Object));
            };
            let Some(input) = flow.inputs.iter().find(|input| input.name == *name) else {
                let near = hint(name, flow.inputs.iter().map(|input| input.name.as_str()));
                return Err(format!("{}: there is no input '{name}'{near}", written()));
            };
            let sort = match input.sort {
                Sort::Text => Type::Text,
                Sort::Number => Type::Number,
                Sort::Flag => Type::Flag,
                Sort::List | Sort::Command => Type::List,
            };
            let rest = path.segments.get(1..).unwrap_or_default();
            below(sort, rest, &written()).map(|sort| (None, sort))
        }
        // What an item is, only its list knows.
        "item" | "run" => Ok((None, Type::Any)),
        "round" => Ok((None, Type::Number)),
        name => {
            let Some(mut at) = flow.find(name) else {
                let near = hint(name, flow.steps.iter().map(|step| step.name.as_str()));
                return Err(format!("{}: there is no step '{name}'{near}", written()));
            };
            let mut segments = path.segments.as_slice();
            if let Some(Task::Group(members)) = flow.steps.get(at).map(|step| &step.task) {
                let Some((Segment::Field(inner), rest)) = segments.split_first() else {
                    return Ok((Some(at), Type::Any));
                };
                let Some(member) = flow.find(&format!("{name}.{inner}")) else {
                    return Err(format!(
                        "{}: the group '{name}' has no step '{inner}'",
                        written()
                    ));
                };
                segments = rest;
                // Those of the same group wait for each other, those outside for the whole group.
                if from.is_some_and(|from| members.contains(&from)) {
                    at = member;
                } else {
                    let step = flow.steps.get(member);
                    let sort =
                        step.map_or(Ok(Type::Any), |step| result(step, segments, &written()));
                    return sort.map(|sort| (Some(at), sort));
                }
            }
            let step = flow.steps.get(at);
            let sort = step.map_or(Ok(Type::Any), |step| result(step, segments, &written()));
            sort.map(|sort| (Some(at), sort))
        }
    }
}

/// What a step gives.
fn result(step: &Step, segments: &[Segment], written: &str) -> Result<Type, String> {
    if step.each.is_none() {
        return field(step, segments, written);
    }
    match segments.split_first() {
        None => Ok(Type::List),
        Some((Segment::Splat, rest)) => field(step, rest, written).map(|_| Type::List),
        Some((Segment::Index(_), rest)) => field(step, rest, written),
        Some((Segment::Where(names), rest)) => {
            let first: Vec<Segment> = names.iter().cloned().map(Segment::Field).collect();
            field(step, &first, written)?;
            match rest.split_first() {
                None => Ok(Type::List),
                Some((Segment::Splat, rest)) => field(step, rest, written).map(|_| Type::List),
                Some((Segment::Index(_), rest)) => field(step, rest, written),
                Some(_) => Err(list(step, written)),
            }
        }
        Some((Segment::Field(_), _)) => Err(list(step, written)),
    }
}

fn list(step: &Step, written: &str) -> String {
    format!(
        "{written}: '{name}' has each, so it gives a list: {name}.* is all of it, {name}.0 the first",
        name = step.name
    )
}

/// What one result of a step has.
fn field(step: &Step, segments: &[Segment], written: &str) -> Result<Type, String> {
    let Some((first, rest)) = segments.split_first() else {
        return Ok(Type::Object);
    };
    let Segment::Field(name) = first else {
        return match first {
            Segment::Splat => Ok(Type::List),
            _ => Err(format!(
                "{written}: '{}' has no each, so it gives no list",
                step.name
            )),
        };
    };
    let has_find = match &step.task {
        Task::Run(command) => command.find.is_some(),
        Task::Shell(script) => script.find.is_some(),
        _ => false,
    };
    let is_prompt = matches!(step.task, Task::Prompt(_));
    let is_command = matches!(step.task, Task::Run(_) | Task::Shell(_));
    let known = [
        ("ok", Type::Flag, true),
        ("error", Type::Text, true),
        ("item", Type::Any, step.each.is_some()),
        ("answer", Type::Text, step.gate.is_some()),
        ("reply", Type::Text, is_prompt),
        ("agent", Type::Text, is_prompt),
        ("task", Type::Text, is_prompt),
        ("files", Type::List, is_prompt || step.worktree),
        ("json", Type::Any, step.expect.is_some()),
        ("out", Type::Text, is_command),
        ("code", Type::Number, is_command),
        ("found", Type::List, has_find),
        ("dir", Type::Text, is_prompt || is_command),
        ("branch", Type::Text, step.worktree),
        ("diff", Type::Text, step.worktree),
    ];
    match known.iter().find(|(known, ..)| known == name) {
        Some((_, sort, true)) => {
            if name == "json"
                && let Some(schema) = step
                    .expect
                    .as_ref()
                    .and_then(|expect| expect.schema.as_ref())
            {
                return schema_type(schema, rest, written);
            }
            below(*sort, rest, written)
        }
        Some((_, _, false)) => {
            let why = match name.as_str() {
                "json" => "it has no expect: json",
                "branch" | "diff" => "it has no worktree: true",
                "found" => "it has no find",
                "item" => "it has no each",
                _ => "it does something else",
            };
            Err(format!("{written}: '{}' gives no {name}: {why}", step.name))
        }
        None => {
            let names = known.iter().filter(|(_, _, is_there)| *is_there);
            let names: Vec<&str> = names.map(|(name, ..)| *name).collect();
            let (near, all) = (hint(name, names.iter().copied()), names.join(", "));
            Err(format!(
                "{written}: '{}' gives no '{name}'{near} (it gives {all})",
                step.name
            ))
        }
    }
}

fn below(sort: Type, rest: &[Segment], written: &str) -> Result<Type, String> {
    match (sort, rest.first()) {
        (sort, None) => Ok(sort),
        (Type::List | Type::Any | Type::Object, Some(_)) => Ok(Type::Any),
        (sort, Some(_)) => Err(format!("{written}: there is nothing below {}", sort.word())),
    }
}

fn schema_type(schema: &Value, rest: &[Segment], written: &str) -> Result<Type, String> {
    let sort = match schema.get("type").and_then(Value::as_str) {
        Some("string") => Type::Text,
        Some("number" | "integer") => Type::Number,
        Some("boolean") => Type::Flag,
        Some("array") => Type::List,
        Some("object") => Type::Object,
        _ => Type::Any,
    };
    match rest.split_first() {
        None => Ok(sort),
        Some((Segment::Field(name), rest)) if sort == Type::Object => {
            let known = schema.get("properties").and_then(Value::as_object);
            match known.map(|known| known.get(name)) {
                Some(Some(below)) => schema_type(below, rest, written),
                Some(None) => Err(format!(
                    "{written}: the schema of the reply has no '{name}'"
                )),
                None => Ok(Type::Any),
            }
        }
        Some((Segment::Index(_) | Segment::Splat, rest)) if sort == Type::List => {
            let item = schema.get("items").unwrap_or(&Value::Null);
            schema_type(item, rest, written).map(|_| Type::Any)
        }
        _ => below(sort, rest, written),
    }
}
