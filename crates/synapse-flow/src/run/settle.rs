//! What follows from the events by itself: steps that may begin, are skipped, go round or are over.

use serde_json::{Value, json};

use super::{ItemPhase, ItemRun, Phase, Run, Values};
use crate::event::State;
use crate::expr::is_true;
use crate::flow::{Each, MOST_ITEMS, OnError, Step, Task};

impl Run {
    pub(super) fn settle(&mut self, at: u64) {
        while (0..self.steps.len()).any(|place| self.settle_step(place, at)) {}
    }

    /// Whether something has changed.
    fn settle_step(&mut self, place: usize, at: u64) -> bool {
        let (Some(step), Some(run)) = (self.flow.steps.get(place), self.steps.get(place)) else {
            return false;
        };
        // Once it fails, nothing but what was named for that case begins.
        if self.state != State::Running || (self.failing.is_some() && !step.is_handler) {
            return run.phase == Phase::Active && self.gather(place, at);
        }
        match run.phase {
            Phase::Waiting => {
                let is_due = if step.is_handler {
                    run.is_triggered
                } else {
                    step.needs.iter().all(|needed| self.is_over(*needed))
                };
                is_due && self.begin(place, at)
            }
            Phase::Active => self.gather(place, at),
            Phase::Again => {
                let again = step.until.as_ref().map(|until| until.again.as_slice());
                let again = again.unwrap_or_default();
                if !again.iter().all(|place| self.is_over(*place)) {
                    return false;
                }
                self.set(place, Phase::Waiting, at);
                true
            }
            _ => false,
        }
    }

    /// All that a step needs is there: it is skipped, asked about, begun or over.
    fn begin(&mut self, place: usize, at: u64) -> bool {
        let (Some(step), Some(run)) = (self.flow.steps.get(place), self.steps.get(place)) else {
            return false;
        };
        let refused = step.needs.iter().find(|needed| {
            let needed = self.steps.get(**needed);
            needed.is_some_and(|needed| needed.phase == Phase::Refused)
        });
        if let Some(refused) = refused.and_then(|place| self.flow.steps.get(*place)) {
            let why = format!("'{}' was refused", refused.name);
            return self.over(place, Phase::Refused, Some(why), at);
        }
        let values = Values::of(self, None).in_round(run.round + 1);
        let is_first = run.round == run.base;
        if is_first
            && let Some(when) = &step.when
            && !is_true(&when.eval(&values))
        {
            return self.over(
                place,
                Phase::Skipped,
                Some("its when is not true".to_owned()),
                at,
            );
        }
        if let Some(until) = &step.until {
            if is_true(&until.condition.eval(&values)) {
                return self.over(place, Phase::Done, None, at);
            }
            if run.round - run.base >= until.max {
                let why = format!("its until is not true after {} rounds", until.max);
                return self.fail(place, why, at);
            }
        }
        if let Some(gate) = &step.gate {
            match &run.answer {
                None => {
                    self.set(place, Phase::Gate, at);
                    return true;
                }
                Some((answer, by)) if gate.options.is_empty() && !is_yes(answer) => {
                    let why = format!("{by} said {answer}");
                    return self.over(place, Phase::Refused, Some(why), at);
                }
                Some((answer, _)) if matches!(step.task, Task::Gate) => {
                    let result = json!({ "answer": answer, "ok": true });
                    return self.done(place, result, at);
                }
                Some(_) => {}
            }
        }
        if let Task::Group(_) = &step.task {
            return self.over(place, Phase::Done, None, at);
        }
        match items(step, &values) {
            Err(why) => self.fail(place, why, at),
            Ok(items) => {
                let Some(run) = self.steps.get_mut(place) else {
                    return false;
                };
                run.round += 1;
                run.items = items.into_iter().map(ItemRun::new).collect();
                self.set(place, Phase::Active, at);
                true
            }
        }
    }

    /// The work of a step may be over.
    fn gather(&mut self, place: usize, at: u64) -> bool {
        let (Some(step), Some(run)) = (self.flow.steps.get(place), self.steps.get(place)) else {
            return false;
        };
        let mut results = Vec::new();
        let mut failed = None;
        for (number, item) in run.items.iter().enumerate() {
            match &item.phase {
                ItemPhase::Done(result) => results.push(result.clone()),
                ItemPhase::Failed { why, result } => {
                    let why = if step.each.is_some() {
                        format!("item {number}: {why}")
                    } else {
                        why.clone()
                    };
                    failed.get_or_insert(why);
                    results.push(result.clone());
                }
                // One that has failed for good ends the run, whatever the others do.
                _ if failed.is_some() && step.on_error != OnError::Continue => {}
                _ => {
                    let is_lost = run
                        .items
                        .iter()
                        .any(|item| matches!(item.phase, ItemPhase::Failed { .. }));
                    if step.on_error == OnError::Continue || !is_lost {
                        return false;
                    }
                }
            }
        }
        let answer = run.answer.clone().map(|(answer, _)| answer);
        let result = match (&step.each, results.pop()) {
            (None, only) => {
                let mut only = only.unwrap_or_default();
                if let (Some(answer), Some(fields)) = (answer, only.as_object_mut()) {
                    fields.insert("answer".to_owned(), answer.into());
                }
                only
            }
            (Some(_), last) => {
                results.extend(last);
                results.into()
            }
        };
        match failed {
            Some(why) if step.on_error != OnError::Continue => {
                if let Some(run) = self.steps.get_mut(place) {
                    run.result = result;
                }
                let is_open = self.steps.get(place).is_some_and(|run| {
                    let mut items = run.items.iter();
                    items.any(|item| matches!(item.phase, ItemPhase::Open(_)))
                });
                if is_open {
                    // What is under way is canceled first; the run fails meanwhile.
                    return self.failing_of(place, &why);
                }
                self.fail(place, why, at)
            }
            _ => self.done(place, result, at),
        }
    }

    /// A round is over.
    fn done(&mut self, place: usize, result: Value, at: u64) -> bool {
        let Some(step) = self.flow.steps.get(place) else {
            return false;
        };
        let again = step.until.as_ref().map(|until| until.again.clone());
        if let Some(run) = self.steps.get_mut(place) {
            run.result = result;
            // A gate is asked anew in each round.
            run.answer = None;
        }
        match again {
            None => self.over(place, Phase::Done, None, at),
            Some(again) => {
                for other in again {
                    if let Some(run) = self.steps.get_mut(other) {
                        run.phase = Phase::Waiting;
                        run.base = run.round;
                        run.answer = None;
                        run.since = at;
                    }
                }
                self.set(place, Phase::Again, at);
                true
            }
        }
    }

    fn failing_of(&mut self, place: usize, why: &str) -> bool {
        let name = self.flow.steps.get(place).map_or("", |step| &step.name);
        let why = format!("{name}: {why}");
        let is_news = self.failing.is_none();
        self.failing.get_or_insert(why);
        is_news
    }

    fn fail(&mut self, place: usize, why: String, at: u64) -> bool {
        let Some(step) = self.flow.steps.get(place) else {
            return false;
        };
        let (on_error, is_handler) = (step.on_error, step.is_handler);
        if on_error == OnError::Continue
            && let Some(run) = self.steps.get_mut(place)
            && run.result.is_null()
        {
            run.result = json!({ "ok": false, "error": why });
        }
        if on_error != OnError::Continue && !is_handler {
            self.failing_of(place, &why);
        }
        if let OnError::Then(handler) = on_error
            && let Some(run) = self.steps.get_mut(handler)
        {
            run.is_triggered = true;
        }
        if let OnError::Then(_) = on_error
            && let Some(run) = self.steps.get_mut(place)
            && run.result.is_null()
        {
            run.result = json!({ "ok": false, "error": why });
        }
        self.over(place, Phase::Failed, Some(why), at)
    }

    fn over(&mut self, place: usize, phase: Phase, why: Option<String>, at: u64) -> bool {
        if let Some(run) = self.steps.get_mut(place) {
            run.why = why;
            run.ended_at = Some(at);
        }
        self.set(place, phase, at);
        true
    }

    fn set(&mut self, place: usize, phase: Phase, at: u64) {
        if let Some(run) = self.steps.get_mut(place) {
            run.phase = phase;
            run.since = at;
        }
    }

    fn is_over(&self, place: usize) -> bool {
        let step = self.flow.steps.get(place);
        let is_handler = step.is_some_and(|step| step.is_handler);
        is_handler || self.steps.get(place).is_none_or(|run| run.phase.is_over())
    }
}

/// What a step is done for: nothing in particular, or each of a list.
fn items(step: &Step, values: &Values<'_>) -> Result<Vec<Value>, String> {
    let list = match &step.each {
        None => return Ok(vec![Value::Null]),
        Some(Each::List(list)) => list.iter().map(|item| item.value(values)).collect(),
        Some(Each::Value(value)) => match value.value(values) {
            Value::Array(list) => list,
            Value::Null => Vec::new(),
            other => return Err(format!("each needs a list, and got {other}")),
        },
    };
    if list.len() > MOST_ITEMS {
        return Err(format!(
            "each has {} items, and {MOST_ITEMS} is the most",
            list.len()
        ));
    }
    Ok(list)
}

/// Whether an answer lets the step go on.
pub(crate) fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "yes" | "y" | "ok")
}
