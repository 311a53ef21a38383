//! A run as people see it: what each step does, who has it, since when, and what is asked.

use serde::Serialize;
use serde_json::Value;

use crate::event::{Key, State, Work};
use crate::flow::{Agents, Each, Step, Task};
use crate::run::{ItemPhase, ItemRun, Phase, Run, StepRun, Values};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunView {
    pub id: String,
    pub name: String,
    pub state: State,
    pub why: Option<String>,
    pub dir: String,
    pub by: String,
    pub simulate: bool,
    pub inputs: Value,
    pub started_at: u64,
    pub updated_at: u64,
    pub turns: u64,
    pub tokens: u64,
    pub steps: Vec<StepView>,
    pub asks: Vec<Ask>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepView {
    pub name: String,
    pub kind: &'static str,
    pub state: StepState,
    /// In which round of its loop it is.
    pub round: u32,
    /// The steps it waits for.
    pub needs: Vec<String>,
    /// The steps whose values it uses.
    pub uses: Vec<String>,
    /// Who is asked or what is run, before it is known exactly.
    pub who: String,
    pub why: Option<String>,
    pub began_at: Option<u64>,
    pub ended_at: Option<u64>,
    pub items: Vec<ItemView>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    Waiting,
    Asking,
    Running,
    Done,
    Failed,
    Skipped,
    Refused,
}

impl StepState {
    pub fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Asking => "asking",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Refused => "refused",
        }
    }
}

/// One piece of work of a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ItemView {
    pub label: String,
    pub state: StepState,
    pub attempt: u32,
    pub agent: Option<String>,
    pub agent_id: Option<String>,
    pub task: Option<String>,
    pub dir: Option<String>,
    pub branch: Option<String>,
    /// What the agent asks.
    pub question: Option<String>,
    pub why: Option<String>,
    pub began_at: Option<u64>,
    pub ended_at: Option<u64>,
}

/// What a person is asked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ask {
    pub step: String,
    /// Which opening of it: the same step may ask again later.
    pub id: String,
    pub question: String,
    pub options: Vec<String>,
    pub since: u64,
    /// It is not a gate, but work of which nobody knows whether it was done.
    #[serde(skip)]
    pub doubt: Option<Key>,
    #[serde(skip)]
    pub round: u32,
}

/// Of a command or a label that is longer, this much is shown.
const BRIEF: usize = 200;

/// A text in one line, and not more of it than a person reads: an argument can be a whole reply.
pub fn brief(text: &str) -> String {
    let mut chars = text.chars().map(|c| if c == '\n' { ' ' } else { c });
    let mut shown: String = chars.by_ref().take(BRIEF).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

/// The answers to a doubt.
pub const AGAIN: &str = "again";
pub const NOT_AGAIN: &str = "fail";

impl Run {
    pub fn view(&self) -> RunView {
        let steps = self.flow.steps.iter().zip(&self.steps);
        RunView {
            id: self.begin.run.clone(),
            name: self.begin.name.clone(),
            state: self.state(),
            why: self.why.clone().or_else(|| self.failing.clone()),
            dir: self.begin.dir.clone(),
            by: self.begin.by.clone(),
            simulate: self.begin.simulate,
            inputs: self.begin.inputs.clone(),
            started_at: self.started_at,
            updated_at: self.updated_at,
            turns: self.turns,
            tokens: self.tokens,
            steps: steps.map(|(step, run)| self.step_view(step, run)).collect(),
            asks: self.asks(),
        }
    }

    /// What people are asked now.
    pub fn asks(&self) -> Vec<Ask> {
        if self.state() != State::Running {
            return Vec::new();
        }
        let mut asks = Vec::new();
        for (place, (step, run)) in self.flow.steps.iter().zip(&self.steps).enumerate() {
            if let (Phase::Gate, Some(gate)) = (run.phase, &step.gate) {
                let round = run.round + 1;
                let values = Values::of(self, None).in_round(round);
                let options = if gate.options.is_empty() {
                    vec!["yes".to_owned(), "no".to_owned()]
                } else {
                    gate.options.clone()
                };
                asks.push(Ask {
                    step: step.name.clone(),
                    id: format!("{}.{round}", step.name),
                    question: gate.ask.text(&values),
                    options,
                    since: run.since,
                    doubt: None,
                    round,
                });
            }
            for (number, item) in run.items.iter().enumerate() {
                let ItemPhase::Open(open) = &item.phase else {
                    continue;
                };
                let Some(why) = &open.unknown else { continue };
                let key = self.key(place, number, item.attempt);
                asks.push(Ask {
                    step: step.name.clone(),
                    id: key.name(),
                    question: format!("{why}. Do it again?"),
                    options: vec![AGAIN.to_owned(), NOT_AGAIN.to_owned()],
                    since: open.since,
                    doubt: Some(key),
                    round: run.round,
                });
            }
        }
        asks
    }

    fn step_view(&self, step: &Step, run: &StepRun) -> StepView {
        let names = |places: &[usize]| {
            let steps = places
                .iter()
                .filter_map(|place| self.flow.steps.get(*place));
            steps.map(|step| step.name.clone()).collect()
        };
        let members: Vec<&StepRun> = match &step.task {
            Task::Group(members) => members
                .iter()
                .filter_map(|place| self.steps.get(*place))
                .collect(),
            _ => Vec::new(),
        };
        let began_at = members.iter().filter_map(|member| member.began_at).min();
        let state = match run.phase {
            // A group is at work as soon as one of its steps is.
            Phase::Waiting if began_at.is_some() => StepState::Running,
            Phase::Waiting if step.is_handler && self.state().is_over() => StepState::Skipped,
            Phase::Waiting | Phase::Again => StepState::Waiting,
            Phase::Gate => StepState::Asking,
            Phase::Active => StepState::Running,
            // The flow went on without it.
            Phase::Done if !run.items.is_empty() && run.items.iter().all(ItemRun::has_failed) => {
                StepState::Failed
            }
            Phase::Done => StepState::Done,
            Phase::Failed => StepState::Failed,
            Phase::Skipped => StepState::Skipped,
            Phase::Refused => StepState::Refused,
        };
        let state = match state {
            StepState::Running if self.state().is_over() => StepState::Waiting,
            state => state,
        };
        let items = run.items.iter().enumerate();
        StepView {
            name: step.name.clone(),
            kind: step.task.word(),
            state,
            round: run.round,
            needs: names(&step.needs),
            uses: names(&step.uses),
            who: self.who(step),
            why: run.why.clone(),
            began_at: run.began_at.or(began_at),
            ended_at: run.ended_at.filter(|_| run.phase.is_over()),
            items: items
                .map(|(number, item)| item_view(step, item, number))
                .collect(),
        }
    }

    fn who(&self, step: &Step) -> String {
        let values = Values::of(self, None);
        let known = ["inputs", "run"];
        match &step.task {
            Task::Prompt(prompt) => match (&prompt.agents, &step.each) {
                (Agents::Pool(pool), _) => {
                    let names: Vec<String> = pool
                        .iter()
                        .map(|agent| agent.partial(&values, &known).replace('\n', ", "))
                        .collect();
                    names.join(", ")
                }
                (Agents::Item, Some(Each::List(list))) => {
                    let names: Vec<String> = list
                        .iter()
                        .map(|agent| agent.partial(&values, &known))
                        .collect();
                    names.join(", ")
                }
                (Agents::Item, Some(Each::Value(value))) => {
                    value.partial(&values, &known).replace('\n', ", ")
                }
                (Agents::Item, None) => String::new(),
            },
            Task::Run(command) => match &command.words {
                crate::flow::Words::List(words) => {
                    let words: Vec<String> = words
                        .iter()
                        .map(|word| word.partial(&values, &known))
                        .collect();
                    brief(&words.join(" "))
                }
                crate::flow::Words::Input(name) => {
                    let words = self.begin.inputs.get(name).and_then(Value::as_array);
                    let words: Vec<&str> = words
                        .into_iter()
                        .flatten()
                        .filter_map(Value::as_str)
                        .collect();
                    brief(&words.join(" "))
                }
            },
            Task::Shell(script) => script.text.clone(),
            Task::Gate | Task::Group(_) => String::new(),
        }
    }
}

fn item_view(step: &Step, item: &ItemRun, number: usize) -> ItemView {
    let label = match &item.item {
        Value::Null => step.name.clone(),
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let known = ["name", "item", "agent"]
                .iter()
                .find_map(|name| fields.get(*name)?.as_str());
            known.map_or_else(|| number.to_string(), str::to_owned)
        }
        other => other.to_string(),
    };
    let label: String = label.chars().take(80).collect();
    let (state, result, question) = match &item.phase {
        ItemPhase::Todo { .. } => (StepState::Waiting, None, None),
        ItemPhase::Open(open) => {
            let state = match (&open.asking, &open.unknown) {
                (None, None) => StepState::Running,
                _ => StepState::Asking,
            };
            (state, None, open.asking.clone())
        }
        ItemPhase::Done(result) => (StepState::Done, Some(result), None),
        ItemPhase::Failed { result, .. } => (StepState::Failed, Some(result), None),
    };
    let field = |name: &str| {
        let value = result.and_then(|result| result.get(name)?.as_str());
        value.map(str::to_owned)
    };
    let open_dir = match &item.phase {
        ItemPhase::Open(open) => match &open.job.work {
            Work::Prompt { .. } | Work::Run { .. } => open.job.dir.clone(),
        },
        _ => None,
    };
    ItemView {
        label,
        state,
        attempt: item.attempt,
        agent: item.agent.clone(),
        agent_id: item.agent_id.clone(),
        task: item.task.clone(),
        dir: field("dir").or(open_dir),
        branch: field("branch"),
        question,
        why: item.why.clone(),
        began_at: item.began_at,
        ended_at: item.ended_at,
    }
}
