//! One step: which keys go together, and what they mean.

use std::collections::BTreeMap;

use regex::Regex;
use synapse_yaml::{Kind, Node};

use super::is_name;
use super::keys::{Keys, condition, template, text_of, wrong};
use crate::expr::{Expr, Segment};
use crate::flow::{
    Agents, Command, Each, Expect, Gate, Named, OnError, Pattern, Prompt, Retry, Script, Step,
    Task, Until, Words,
};
use crate::problem::{Place, Problem};
use crate::schema;
use crate::template::Template;

const KEYS: [&str; 24] = [
    "agent", "prompt", "each", "all", "run", "shell", "env", "find", "gate", "when", "until",
    "max", "again", "needs", "dir", "worktree", "expect", "timeout", "retry", "on_error",
    "at_once", "copies", "simulate", "about",
];

/// Names that mean something else in values.
const RESERVED: [&str; 7] = ["inputs", "item", "round", "true", "false", "null", "run"];

/// How often a loop goes round when it does not say.
const USUAL_MAX: u64 = 5;

/// Adds a step, or a group and its steps. Nothing if one of them could not be read.
pub(super) fn read(
    name: &str,
    place: Place,
    node: &Node,
    steps: &mut Vec<Step>,
    problems: &mut Vec<Problem>,
) -> Option<()> {
    if !is_name(name) || RESERVED.contains(&name) {
        let message = format!(
            "'{name}' cannot be the name of a step: use letters, digits, - and _, and none of {}",
            RESERVED.join(", ")
        );
        problems.push(Problem::new(place, message));
    }
    let what = format!("the step '{name}'");
    let mut keys = Keys::of(node, &what, &KEYS, problems)?;
    if let Some(below) = keys.take("all") {
        return group(name, place, below, keys, steps, problems);
    }
    steps.push(one(name, place, keys, problems)?);
    Some(())
}

/// Several steps at once. The group itself comes behind them and is over when they are.
fn group(
    name: &str,
    place: Place,
    below: &Node,
    mut keys: Keys<'_>,
    steps: &mut Vec<Step>,
    problems: &mut Vec<Problem>,
) -> Option<()> {
    let needs = keys.names("needs", problems);
    let at_once = keys.count("at_once", problems);
    let _ = keys.take("about");
    for key in KEYS {
        if keys.has(key) {
            let message = format!("the group '{name}' cannot have '{key}'; its steps can");
            problems.push(Problem::new(place, message));
        }
    }
    let Kind::Map(entries) = &below.kind else {
        problems.push(wrong("all", "a map from names to steps", below));
        return None;
    };
    let group = steps.len() + entries.len();
    let mut members = Vec::new();
    for (inner, node) in entries {
        let full = format!("{name}.{}", inner.text);
        if !is_name(&inner.text) {
            let message = format!("'{}' cannot be the name of a step", inner.text);
            problems.push(Problem::new(inner.place, message));
        }
        let Some(mut keys) = Keys::of(node, &format!("the step '{full}'"), &KEYS, problems) else {
            continue;
        };
        if keys.take("all").is_some() {
            problems.push(Problem::new(inner.place, "a group cannot stand in a group"));
        }
        let Some(mut step) = one(&full, inner.place, keys, problems) else {
            continue;
        };
        if step.named.needs.is_none() {
            step.named.needs.clone_from(&needs);
        }
        step.group = Some(group);
        members.push(steps.len());
        steps.push(step);
    }
    let mut step = blank(name.to_owned(), place, Task::Group(members.clone()));
    step.needs = members;
    step.named.needs = Some(Vec::new());
    step.at_once = at_once.and_then(|count| usize::try_from(count).ok());
    let is_whole = steps.len() == group;
    steps.push(step);
    is_whole.then_some(())
}

fn one(name: &str, place: Place, mut keys: Keys<'_>, problems: &mut Vec<Problem>) -> Option<Step> {
    // What is there and cannot be read is told once, by whoever reads it.
    let (has_each, has_gate, has_until) = (keys.has("each"), keys.has("gate"), keys.has("until"));
    let each = keys.take("each").and_then(|node| each(node, problems));
    let gate = keys.take("gate").and_then(|node| gate(node, problems));
    let task = task(name, place, &mut keys, has_each, has_gate, problems);
    let again = keys.names("again", problems).unwrap_or_default();
    let max = keys.count("max", problems);
    let until = keys.condition("until", problems);
    if !has_until && (!again.is_empty() || max.is_some()) {
        let message = format!("'{name}' has max or again, but no until");
        problems.push(Problem::new(place, message));
    }
    let (on_error, handler) = on_error(&mut keys, problems);
    let step = Step {
        each,
        gate,
        until: until.map(|condition| Until {
            condition,
            max: u32::try_from(max.unwrap_or(USUAL_MAX)).unwrap_or(u32::MAX),
            again: Vec::new(),
        }),
        at_once: keys
            .count("at_once", problems)
            .and_then(|count| usize::try_from(count).ok()),
        when: keys.condition("when", problems),
        expect: keys.take("expect").and_then(|node| expect(node, problems)),
        timeout_ms: keys.time("timeout", problems),
        retry: keys
            .take("retry")
            .map(|node| retry(node, problems))
            .unwrap_or_default(),
        on_error,
        worktree: keys.flag("worktree", problems),
        dir: keys.template("dir", problems),
        simulate: keys.text("simulate", problems),
        named: Named {
            needs: keys.names("needs", problems),
            again,
            on_error: handler,
        },
        ..blank(name.to_owned(), place, task?)
    };
    let is_prompt = matches!(step.task, Task::Prompt(_));
    for (is_there, key) in [
        (step.expect.is_some(), "expect"),
        (step.simulate.is_some(), "simulate"),
    ] {
        if is_there && !is_prompt {
            let message = format!("'{name}' has {key}, which only a step with a prompt can have");
            problems.push(Problem::new(place, message));
        }
    }
    if step.worktree && step.dir.is_some() {
        let message = format!("'{name}' has both worktree and dir; a worktree is a dir of its own");
        problems.push(Problem::new(place, message));
    }
    Some(step)
}

fn blank(name: String, place: Place, task: Task) -> Step {
    Step {
        name,
        place,
        task,
        needs: Vec::new(),
        uses: Vec::new(),
        branches: Vec::new(),
        group: None,
        each: None,
        at_once: None,
        when: None,
        until: None,
        gate: None,
        expect: None,
        timeout_ms: None,
        retry: Retry::default(),
        on_error: OnError::Stop,
        is_handler: false,
        worktree: false,
        dir: None,
        simulate: None,
        named: Named::default(),
    }
}

fn task(
    name: &str,
    place: Place,
    keys: &mut Keys<'_>,
    has_each: bool,
    has_gate: bool,
    problems: &mut Vec<Problem>,
) -> Option<Task> {
    let sorts: Vec<&str> = ["prompt", "run", "shell"]
        .into_iter()
        .filter(|key| keys.has(key))
        .collect();
    if sorts.len() > 1 {
        let message = format!(
            "'{name}' has both {}; one step does one thing",
            sorts.join(" and ")
        );
        problems.push(Problem::new(place, message));
        return None;
    }
    let copies = keys.count("copies", problems);
    let agents = keys.take("agent");
    let is_asked = agents.is_some() || copies.is_some();
    if is_asked && !keys.has("prompt") {
        let message = format!("'{name}' has an agent, but no prompt");
        problems.push(Problem::new(place, message));
        return None;
    }
    if keys.has("prompt") {
        let text = keys.template("prompt", problems)?;
        let agents = match agents {
            Some(node) => Agents::Pool(pool(node, copies, problems)),
            None if has_each => Agents::Item,
            None => {
                let message = format!("'{name}' must name its agent: agent: claude");
                problems.push(Problem::new(place, message));
                return None;
            }
        };
        return Some(Task::Prompt(Prompt { agents, text }));
    }
    let env = keys.take("env").map(|node| env(node, problems));
    let env = env.unwrap_or_default();
    let find = keys.take("find").and_then(|node| pattern(node, problems));
    if let Some(node) = keys.take("run") {
        let words = words(node, problems)?;
        return Some(Task::Run(Command { words, env, find }));
    }
    if let Some(node) = keys.take("shell") {
        let Some(text) = text_of(node) else {
            problems.push(wrong("shell", "text", node));
            return None;
        };
        if text.contains("${") {
            let message = "a shell text takes no values, which could become commands: give them as env: {NAME: \"${…}\"} and write \"$NAME\"";
            problems.push(Problem::new(node.place, message));
        }
        return Some(Task::Shell(Script { text, env, find }));
    }
    if has_gate {
        return Some(Task::Gate);
    }
    let message = format!("'{name}' does nothing: it needs a prompt, run, shell, all or gate");
    problems.push(Problem::new(place, message));
    None
}

fn pool(node: &Node, copies: Option<u64>, problems: &mut Vec<Problem>) -> Vec<Template> {
    let nodes = match &node.kind {
        Kind::List(list) => list.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let mut pool = Vec::new();
    for node in nodes {
        let Some(agent) = template("agent", node, problems) else {
            continue;
        };
        if let Some(name) = agent.literal()
            && !is_agent(name)
        {
            let message = format!("'{name}' cannot be the name of an agent");
            problems.push(Problem::new(node.place, message));
        }
        let Some(copies) = copies else {
            pool.push(agent);
            continue;
        };
        let Some(name) = agent.literal() else {
            let message = "copies needs agents that are named, not given by a value";
            problems.push(Problem::new(node.place, message));
            continue;
        };
        let copies = (1..=copies.min(100)).map(|copy| Template::plain(&format!("{name}#{copy}")));
        pool.extend(copies);
    }
    pool
}

/// Whether a word can name an agent: `claude`, `@claude`, `codex@server`, and `dummy#2` for a copy.
pub(crate) fn is_agent(word: &str) -> bool {
    let word = word.strip_prefix('@').unwrap_or(word);
    let is_begin = |c: char| c.is_alphanumeric() || c == '_';
    word.starts_with(is_begin)
        && word.len() <= 200
        && word
            .chars()
            .all(|c| is_begin(c) || matches!(c, '.' | '-' | '@' | '#'))
}

fn words(node: &Node, problems: &mut Vec<Problem>) -> Option<Words> {
    if let Kind::List(list) = &node.kind {
        let words: Vec<Template> = list
            .iter()
            .filter_map(|node| template("run", node, problems))
            .collect();
        match words.first().map(Template::literal) {
            None => problems.push(Problem::new(node.place, "run names no program")),
            Some(None) => problems.push(Problem::new(
                node.place,
                "the program of run must be written out: no value can choose it",
            )),
            Some(Some(program)) if program.is_empty() || program.starts_with('-') => {
                problems.push(Problem::new(node.place, "run names no program"));
            }
            Some(_) => {}
        }
        return Some(Words::List(words));
    }
    let template = template("run", node, problems)?;
    if let Some(Expr::Path(path)) = template.single()
        && let ("inputs", [Segment::Field(name)]) = (path.root.as_str(), path.segments.as_slice())
    {
        return Some(Words::Input(name.clone()));
    }
    let message = "run must be a list of arguments such as [git, status], or one input of type command; for a shell, write shell:";
    problems.push(Problem::new(node.place, message));
    None
}

fn env(node: &Node, problems: &mut Vec<Problem>) -> BTreeMap<String, Template> {
    let Kind::Map(entries) = &node.kind else {
        problems.push(wrong("env", "a map from names to values", node));
        return BTreeMap::new();
    };
    let mut env = BTreeMap::new();
    for (name, node) in entries {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.text.is_empty() || !name.text.chars().all(is_plain) {
            let message = format!("'{}' cannot be the name of a variable", name.text);
            problems.push(Problem::new(name.place, message));
            continue;
        }
        if let Some(value) = template("env", node, problems) {
            env.insert(name.text.clone(), value);
        }
    }
    env
}

fn pattern(node: &Node, problems: &mut Vec<Problem>) -> Option<Pattern> {
    let template = template("find", node, problems)?;
    let Some(text) = template.literal() else {
        return Some(Pattern::Input(template));
    };
    match Regex::new(text) {
        Ok(regex) => Some(Pattern::Fixed(regex)),
        Err(error) => {
            let why = error.to_string();
            let why = why.lines().last().unwrap_or_default();
            problems.push(Problem::new(
                node.place,
                format!("find is no pattern: {why}"),
            ));
            None
        }
    }
}

fn each(node: &Node, problems: &mut Vec<Problem>) -> Option<Each> {
    if let Kind::List(list) = &node.kind {
        let items: Vec<Template> = list
            .iter()
            .filter_map(|node| template("each", node, problems))
            .collect();
        return Some(Each::List(items));
    }
    let template = template("each", node, problems)?;
    if template.single().is_none() {
        let message = "each must be a list, or one ${…} that gives a list";
        problems.push(Problem::new(node.place, message));
        return None;
    }
    Some(Each::Value(template))
}

fn gate(node: &Node, problems: &mut Vec<Problem>) -> Option<Gate> {
    let Kind::Map(_) = &node.kind else {
        return Some(Gate {
            ask: template("gate", node, problems)?,
            options: Vec::new(),
            yes_if: None,
        });
    };
    let mut keys = Keys::of(node, "a gate", &["ask", "options", "yes_if"], problems)?;
    let options = keys.names("options", problems).unwrap_or_default();
    let yes_if = keys
        .take("yes_if")
        .and_then(|node| condition("yes_if", node, problems));
    if yes_if.is_some() && !options.is_empty() {
        let message = "a gate with options cannot have yes_if: there is no yes among them";
        problems.push(Problem::new(node.place, message));
    }
    let Some(ask) = keys.template("ask", problems) else {
        problems.push(Problem::new(
            node.place,
            "a gate must ask something: ask: Merge it?",
        ));
        return None;
    };
    Some(Gate {
        ask,
        options: options.into_iter().map(|(option, _)| option).collect(),
        yes_if,
    })
}

fn expect(node: &Node, problems: &mut Vec<Problem>) -> Option<Expect> {
    if text_of(node).as_deref() == Some("json") {
        return Some(Expect { schema: None });
    }
    if !matches!(node.kind, Kind::Map(_)) {
        problems.push(wrong("expect", "json, or a JSON Schema", node));
        return None;
    }
    let schema = node.value();
    if let Err(why) = schema::check(&schema, "expect") {
        problems.push(Problem::new(node.place, why));
    }
    Some(Expect {
        schema: Some(schema),
    })
}

fn retry(node: &Node, problems: &mut Vec<Problem>) -> Retry {
    let count = |value: Option<u64>| value.and_then(|count| u32::try_from(count).ok());
    if let Some(times) = count(node.value().as_u64()) {
        return Retry { times, wait_ms: 0 };
    }
    let Some(mut keys) = Keys::of(node, "retry", &["times", "wait"], problems) else {
        return Retry::default();
    };
    Retry {
        times: count(keys.count("times", problems)).unwrap_or(1),
        wait_ms: keys.time("wait", problems).unwrap_or(0),
    }
}

fn on_error(
    keys: &mut Keys<'_>,
    problems: &mut Vec<Problem>,
) -> (OnError, Option<(String, Place)>) {
    let Some(node) = keys.take("on_error") else {
        return (OnError::Stop, None);
    };
    match text_of(node).as_deref() {
        Some("stop") => (OnError::Stop, None),
        Some("continue") => (OnError::Continue, None),
        Some(name) => (OnError::Stop, Some((name.to_owned(), node.place))),
        None => {
            problems.push(wrong(
                "on_error",
                "stop, continue or the name of a step",
                node,
            ));
            (OnError::Stop, None)
        }
    }
}
