//! What names mean in the expressions of a run.

use serde_json::{Map, Value, json};

use super::Run;
use crate::expr::Scope;
use crate::flow::Task;

/// The values of a run, and the item at hand.
pub struct Values<'a> {
    run: &'a Run,
    item: Option<&'a Value>,
    round: u32,
}

impl<'a> Values<'a> {
    pub(crate) fn of(run: &'a Run, item: Option<&'a Value>) -> Self {
        Self {
            run,
            item,
            round: 0,
        }
    }

    pub(crate) fn in_round(self, round: u32) -> Self {
        Self { round, ..self }
    }
}

impl Scope for Values<'_> {
    fn look_up(&self, name: &str) -> Value {
        match name {
            "inputs" => self.run.begin.inputs.clone(),
            "item" => self.item.cloned().unwrap_or_default(),
            "round" => self.round.into(),
            "run" => json!({ "id": self.run.begin.run, "dir": self.run.begin.dir }),
            name => self
                .run
                .flow
                .find(name)
                .map(|at| self.run.result_of(at))
                .unwrap_or_default(),
        }
    }
}

impl Run {
    /// What a step gave; for a group, what each of its steps gave.
    pub(crate) fn result_of(&self, at: usize) -> Value {
        let Some(step) = self.flow.steps.get(at) else {
            return Value::Null;
        };
        if let Task::Group(members) = &step.task {
            let mut all = Map::new();
            for member in members {
                let name = self.flow.steps.get(*member).map_or("", |step| &step.name);
                let name = name.split_once('.').map_or(name, |(_, inner)| inner);
                all.insert(name.to_owned(), self.result_of(*member));
            }
            return all.into();
        }
        self.steps
            .get(at)
            .map(|run| run.result.clone())
            .unwrap_or_default()
    }
}
