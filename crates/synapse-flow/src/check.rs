//! What the steps mean to each other: which names are known, who waits for whom, where that runs in a circle, and
//! whether the values that are used can be there at all.

mod types;

use std::collections::BTreeSet;

use crate::expr::{Expr, Path, Segment};
use crate::flow::{Agents, Command, Each, Flow, OnError, Pattern, Sort, Step, Task, Words};
use crate::problem::{Place, Problem, hint};
use crate::template::Template;
use types::Type;

/// Turns names into places, and finds everything that does not fit.
pub(crate) fn link(flow: &mut Flow) -> Vec<Problem> {
    let mut problems = Vec::new();
    for at in 0..flow.steps.len() {
        let Some(step) = flow.steps.get(at) else {
            continue;
        };
        let found = look_at(flow, at, step, &mut problems);
        if let Some(step) = flow.steps.get_mut(at) {
            step.needs.extend(found.needs.iter().chain(&found.uses));
            step.needs.retain(|needed| *needed != at);
            step.needs.sort_unstable();
            step.needs.dedup();
            step.uses = found.uses;
            step.branches = found.branches;
            if let Some(until) = &mut step.until {
                until.again = found.again;
            }
            if let Some(handler) = found.handler {
                step.on_error = OnError::Then(handler);
            }
        }
    }
    handlers(flow, &mut problems);
    loops(flow, &mut problems);
    if let Some(output) = &flow.output {
        for expr in output.exprs() {
            for path in expr.paths() {
                let place = flow
                    .steps
                    .first()
                    .map_or(Place::default(), |step| step.place);
                types::of(flow, None, path, place, &mut problems);
            }
        }
    }
    if problems.is_empty() {
        circles(flow, &mut problems);
    }
    problems
}

#[derive(Default)]
struct Found {
    needs: Vec<usize>,
    uses: Vec<usize>,
    branches: Vec<usize>,
    again: Vec<usize>,
    handler: Option<usize>,
}

fn look_at(flow: &Flow, at: usize, step: &Step, problems: &mut Vec<Problem>) -> Found {
    let mut found = Found::default();
    let named = |names: &[(String, Place)], problems: &mut Vec<Problem>| {
        let places = names
            .iter()
            .filter_map(|(name, place)| find(flow, step, name, *place, problems));
        places.collect::<Vec<usize>>()
    };
    found.needs = named(step.named.needs.as_deref().unwrap_or_default(), problems);
    found.again = named(&step.named.again, problems);
    found.handler = step
        .named
        .on_error
        .as_ref()
        .and_then(|(name, place)| find(flow, step, name, *place, problems));
    for used in uses(step) {
        for path in used.expr.paths() {
            if path.root == "item" && (step.each.is_none() || !used.has_item) {
                let message = if step.each.is_none() {
                    format!("'{}' has no each, so there is no item", step.name)
                } else {
                    format!(
                        "{} is asked once for all items, so there is no item in it",
                        used.key
                    )
                };
                problems.push(Problem::new(step.place, message));
            }
            let mentioned = types::of(flow, Some(at), path, step.place, problems);
            if let Some(mentioned) = mentioned
                && mentioned != at
            {
                found.uses.push(mentioned);
            }
            if mentioned == Some(at) && used.key != "until" {
                let message = format!(
                    "{} of '{}' uses what the step itself gives",
                    used.key, step.name
                );
                problems.push(Problem::new(step.place, message));
            }
            let ends_with = |name: &str| matches!(path.segments.last(), Some(Segment::Field(last)) if last == name);
            if ends_with("branch") {
                found.branches.extend(mentioned);
            }
            if used.key == "dir" && !is_dir(path) {
                let message = format!(
                    "dir of '{}' must come from a step's dir, an input or the item: what an agent says cannot choose a folder",
                    step.name
                );
                problems.push(Problem::new(step.place, message));
            }
            if used.key == "find" && path.root != "inputs" {
                let message = format!("find of '{}' can only use inputs", step.name);
                problems.push(Problem::new(step.place, message));
            }
        }
        if used.key == "each"
            && let Expr::Path(path) = used.expr
        {
            let sort = types::sort(flow, Some(at), path);
            if !matches!(sort, Type::List | Type::Any) && matches!(step.each, Some(Each::Value(_)))
            {
                let message = format!(
                    "each of '{}' needs a list, and {} is {}",
                    step.name,
                    types::spelled(path),
                    sort.word()
                );
                problems.push(Problem::new(step.place, message));
            }
        }
    }
    if let Task::Run(Command {
        words: Words::Input(name),
        ..
    }) = &step.task
    {
        match flow.inputs.iter().find(|input| input.name == *name) {
            Some(input) if input.sort == Sort::Command => {}
            Some(_) => problems.push(Problem::new(
                step.place,
                format!(
                    "'{}' runs the input '{name}', which must have type: command",
                    step.name
                ),
            )),
            None => problems.push(Problem::new(
                step.place,
                format!("there is no input '{name}'"),
            )),
        }
    }
    found.uses.sort_unstable();
    found.uses.dedup();
    found
}

/// A value that may choose a folder.
fn is_dir(path: &Path) -> bool {
    let last = path.segments.last();
    let is_dir = matches!(last, Some(Segment::Field(name)) if name == "dir");
    path.root == "inputs" || is_dir || (path.root == "item" && path.segments.is_empty())
}

/// An expression, and the key it stands in.
struct Used<'a> {
    key: &'static str,
    expr: &'a Expr,
    has_item: bool,
}

fn add<'a>(key: &'static str, has_item: bool, templates: Vec<&'a Template>) -> Vec<Used<'a>> {
    let exprs = templates.into_iter().flat_map(Template::exprs);
    exprs
        .map(|expr| Used {
            key,
            expr,
            has_item,
        })
        .collect()
}

fn uses(step: &Step) -> Vec<Used<'_>> {
    let mut found: Vec<Used<'_>> = Vec::new();
    match &step.task {
        Task::Prompt(prompt) => {
            found.extend(add("prompt", true, vec![&prompt.text]));
            if let Agents::Pool(pool) = &prompt.agents {
                found.extend(add("agent", true, pool.iter().collect()));
            }
        }
        Task::Run(command) => {
            if let Words::List(words) = &command.words {
                found.extend(add("run", true, words.iter().collect()));
            }
            found.extend(add("env", true, command.env.values().collect()));
            if let Some(Pattern::Input(pattern)) = &command.find {
                found.extend(add("find", false, vec![pattern]));
            }
        }
        Task::Shell(script) => {
            found.extend(add("env", true, script.env.values().collect()));
            if let Some(Pattern::Input(pattern)) = &script.find {
                found.extend(add("find", false, vec![pattern]));
            }
        }
        Task::Gate | Task::Group(_) => {}
    }
    if let Some(dir) = &step.dir {
        found.extend(add("dir", true, vec![dir]));
    }
    match &step.each {
        Some(Each::List(list)) => found.extend(add("each", false, list.iter().collect())),
        Some(Each::Value(value)) => found.extend(add("each", false, vec![value])),
        None => {}
    }
    if let Some(gate) = &step.gate {
        found.extend(add("gate", false, vec![&gate.ask]));
        found.extend(gate.yes_if.iter().map(|expr| Used {
            key: "yes_if",
            expr,
            has_item: false,
        }));
    }
    let conditions = [
        ("when", step.when.as_ref()),
        ("until", step.until.as_ref().map(|until| &until.condition)),
    ];
    for (key, expr) in conditions {
        found.extend(expr.map(|expr| Used {
            key,
            expr,
            has_item: false,
        }));
    }
    found
}

/// The place of a step that another names: one of its own group, or any.
fn find(
    flow: &Flow,
    step: &Step,
    name: &str,
    place: Place,
    problems: &mut Vec<Problem>,
) -> Option<usize> {
    let of_group = step
        .name
        .split_once('.')
        .map(|(group, _)| format!("{group}.{name}"));
    let found = of_group
        .and_then(|full| flow.find(&full))
        .or_else(|| flow.find(name));
    if found.is_none() {
        let near = hint(name, flow.steps.iter().map(|step| step.name.as_str()));
        problems.push(Problem::new(
            place,
            format!("there is no step '{name}'{near}"),
        ));
    }
    found
}

/// A step that another names in `on_error` waits for nobody else, and nobody waits for it.
fn handlers(flow: &mut Flow, problems: &mut Vec<Problem>) {
    let handled: Vec<(usize, usize)> = flow
        .steps
        .iter()
        .enumerate()
        .filter_map(|(at, step)| match step.on_error {
            OnError::Then(handler) => Some((at, handler)),
            _ => None,
        })
        .collect();
    let handlers: BTreeSet<usize> = handled.iter().map(|(_, handler)| *handler).collect();
    for (at, handler) in handled {
        if at == handler || handlers.contains(&at) {
            let step = flow.steps.get(at);
            let (name, place) =
                step.map_or(("", Place::default()), |step| (&step.name, step.place));
            let message = format!(
                "'{name}' is run when a step fails, so it cannot have an on_error step itself"
            );
            problems.push(Problem::new(place, message));
        }
    }
    for handler in &handlers {
        let above = flow
            .steps
            .get(*handler)
            .map(|step| step.needs.clone())
            .unwrap_or_default();
        for (at, step) in flow.steps.iter_mut().enumerate() {
            if at == *handler {
                step.is_handler = true;
                // What it tells of is whatever failed; it may look at steps that were never reached.
                step.needs.clear();
            } else if step.needs.contains(handler) {
                if step.uses.contains(handler)
                    || step
                        .named
                        .needs
                        .as_ref()
                        .is_some_and(|needs| !needs.is_empty())
                {
                    let message = format!(
                        "'{}' waits for a step that is only run when another fails",
                        step.name
                    );
                    problems.push(Problem::new(step.place, message));
                }
                // The one below it comes after the one above it.
                step.needs.retain(|needed| needed != handler);
                step.needs
                    .extend(above.iter().filter(|needed| **needed != at));
                step.needs.sort_unstable();
                step.needs.dedup();
            }
        }
    }
}

/// What a loop does again must come before it, and belongs to one loop.
fn loops(flow: &mut Flow, problems: &mut Vec<Problem>) {
    let mut taken = BTreeSet::new();
    let mut more: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, step) in flow.steps.iter().enumerate() {
        let Some(until) = &step.until else { continue };
        for again in &until.again {
            let name = flow.steps.get(*again).map_or("", |step| &step.name);
            if *again == at {
                let message = format!(
                    "'{name}' goes round by itself; again names the steps that are done after it"
                );
                problems.push(Problem::new(step.place, message));
            }
            if !taken.insert(*again) {
                let message = format!("'{name}' is done again by two loops; it can belong to one");
                problems.push(Problem::new(step.place, message));
            }
        }
        more.push((at, until.again.clone()));
    }
    for (at, again) in more {
        // A group is done again with all that is in it.
        let mut all = again.clone();
        for place in &again {
            if let Some(Task::Group(members)) = flow.steps.get(*place).map(|step| &step.task) {
                all.extend(members);
            }
        }
        all.sort_unstable();
        all.dedup();
        if let Some(step) = flow.steps.get_mut(at) {
            step.needs.extend(all.iter().filter(|again| **again != at));
            step.needs.sort_unstable();
            step.needs.dedup();
            if let Some(until) = &mut step.until {
                until.again = all;
            }
        }
    }
}

/// Finds steps that wait for each other.
fn circles(flow: &Flow, problems: &mut Vec<Problem>) {
    let mut is_free = vec![false; flow.steps.len()];
    loop {
        let next = flow.steps.iter().enumerate().find(|(at, step)| {
            let is_done = |at: &usize| is_free.get(*at).copied().unwrap_or(true);
            !is_done(at) && step.needs.iter().all(is_done)
        });
        let Some((at, _)) = next else { break };
        if let Some(free) = is_free.get_mut(at) {
            *free = true;
        }
    }
    let stuck: Vec<usize> = (0..flow.steps.len())
        .filter(|at| !is_free.get(*at).copied().unwrap_or(true))
        .collect();
    let Some(mut at) = stuck.first().copied() else {
        return;
    };
    // From a stuck step on, each waits for another stuck one, so this comes round.
    let mut way: Vec<usize> = Vec::new();
    while !way.contains(&at) {
        way.push(at);
        let needs = flow.steps.get(at).map(|step| step.needs.as_slice());
        let next = needs
            .unwrap_or_default()
            .iter()
            .find(|need| stuck.contains(need));
        match next {
            Some(next) => at = *next,
            None => return,
        }
    }
    let begin = way.iter().position(|step| *step == at).unwrap_or(0);
    let ring: Vec<&str> = way
        .iter()
        .skip(begin)
        .chain([&at])
        .filter_map(|at| flow.steps.get(*at))
        .map(|step| step.name.as_str())
        .collect();
    let place = flow
        .steps
        .get(at)
        .map_or(Place::default(), |step| step.place);
    let message = format!("these steps wait for each other: {}", ring.join(" → "));
    problems.push(Problem::new(place, message));
}
