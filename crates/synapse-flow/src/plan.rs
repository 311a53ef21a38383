//! What a run would do, told before it begins: the order, who is asked what, and what is run.

use std::fmt::Write as _;

use crate::event::Beginning;
use crate::flow::{OnError, Task};
use crate::run::{Run, RunError, Values};

/// A run in text, step by step.
///
/// # Errors
/// When the flow is not in order.
pub fn tell(begin: &Beginning) -> Result<String, RunError> {
    let run = Run::new(begin.clone(), 0)?;
    let view = run.view();
    let values = Values::of(&run, None);
    let known = ["inputs", "run"];
    let mut out = String::new();
    let mut line = |text: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{text}");
    };
    line(format!("{} in {}", view.name, view.dir));
    for (step, shown) in run.flow.steps.iter().zip(&view.steps) {
        let depth = if step.group.is_some() { "    " } else { "  " };
        let after = if step.is_handler {
            "  only when a step fails".to_owned()
        } else if shown.needs.is_empty() {
            "  at once".to_owned()
        } else {
            format!("  after {}", shown.needs.join(", "))
        };
        let who = match &step.task {
            Task::Prompt(_) => format!("  asks {}", shown.who),
            Task::Run(_) | Task::Shell(_) => format!("  runs {}", shown.who),
            Task::Gate | Task::Group(_) => String::new(),
        };
        line(format!("{depth}{}{who}{after}", step.name));
        let mut detail = |text: String| line(format!("{depth}    {text}"));
        if let Some(each) = &step.each {
            let each = match each {
                crate::flow::Each::List(list) => {
                    let items: Vec<String> = list
                        .iter()
                        .map(|item| item.partial(&values, &known))
                        .collect();
                    items.join(", ")
                }
                crate::flow::Each::Value(value) => {
                    value.partial(&values, &known).replace('\n', ", ")
                }
            };
            detail(format!("once for each of {each}"));
        }
        if let Some(gate) = &step.gate {
            detail(format!(
                "a person is asked: {}",
                gate.ask.partial(&values, &known)
            ));
        }
        if step.worktree {
            detail("in a worktree of its own".to_owned());
        }
        if let Some(dir) = &step.dir {
            detail(format!("in {}", dir.partial(&values, &known)));
        }
        if let Some(until) = &step.until {
            detail(format!(
                "goes round until its condition holds, at most {} times",
                until.max
            ));
            for again in &until.again {
                let name = run.flow.steps.get(*again).map_or("", |step| &step.name);
                detail(format!("then {name} is done again"));
            }
        }
        if step.when.is_some() {
            detail("only when its condition holds".to_owned());
        }
        if let Some(expect) = &step.expect {
            let schema = if expect.schema.is_some() {
                " that fits its schema"
            } else {
                ""
            };
            detail(format!(
                "expects JSON{schema}, and asks once more if it gets none"
            ));
        }
        if step.retry.times > 0 {
            detail(format!(
                "is tried {} times more if it fails",
                step.retry.times
            ));
        }
        if let Some(timeout) = step.timeout_ms {
            detail(format!("has {} s", timeout / 1_000));
        }
        match step.on_error {
            OnError::Stop => {}
            OnError::Continue => detail("if it fails, the flow goes on".to_owned()),
            OnError::Then(handler) => {
                let name = run.flow.steps.get(handler).map_or("", |step| &step.name);
                detail(format!("if it fails, {name} is done"));
            }
        }
        if let Task::Prompt(prompt) = &step.task {
            for text in prompt.text.partial(&values, &known).lines() {
                detail(format!("| {text}"));
            }
        }
    }
    Ok(out)
}
