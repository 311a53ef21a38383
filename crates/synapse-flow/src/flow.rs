//! A flow as it was written, read and found to be in order.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;
use synapse_yaml::Booleans;

use crate::expr::Expr;
use crate::problem::{Place, Problem};
use crate::template::Template;
use crate::{check, read};

/// How many things one step may be done for.
pub const MOST_ITEMS: usize = 1_000;

/// A flow.
#[derive(Clone, Debug)]
pub struct Flow {
    pub name: String,
    pub about: Option<String>,
    pub inputs: Vec<Input>,
    /// In the order of the file, those of a group before the group itself.
    pub steps: Vec<Step>,
    pub limits: Limits,
    /// An agent may start it although it runs commands.
    pub agents: bool,
    /// What it gives in the end; by default what its last step gave.
    pub output: Option<Template>,
}

impl Flow {
    /// Reads a flow.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the file.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        // `y`, `on` and the like are words here: agents and options may be called so.
        let node = synapse_yaml::parse(text, Booleans::Strict)
            .map_err(|error| vec![Problem::new(error.place(), error.to_string())])?;
        let (flow, mut problems) = read::flow(&node);
        let Some(mut flow) = flow else {
            return Err(problems);
        };
        problems.extend(check::link(&mut flow));
        problems.sort();
        problems.dedup();
        if problems.is_empty() {
            Ok(flow)
        } else {
            Err(problems)
        }
    }

    /// The place of a step, by its name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.steps.iter().position(|step| step.name == name)
    }

    /// Whether it runs commands.
    pub fn runs_commands(&self) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| matches!(step.task, Task::Run(_) | Task::Shell(_)))
    }

    /// The agents it names, with where; those that only a value names are left out.
    pub fn agents_named(&self) -> Vec<(&str, Place)> {
        let mut found: Vec<(&str, Place)> = Vec::new();
        for step in &self.steps {
            let Task::Prompt(prompt) = &step.task else {
                continue;
            };
            let each = match (&prompt.agents, &step.each) {
                (Agents::Item, Some(Each::List(list))) => list.as_slice(),
                (Agents::Pool(pool), _) => pool.as_slice(),
                _ => &[],
            };
            found.extend(
                each.iter()
                    .filter_map(|one| Some((one.literal()?, step.place))),
            );
        }
        found
    }
}

/// What a flow is told when it is started.
#[derive(Clone, Debug)]
pub struct Input {
    pub name: String,
    pub sort: Sort,
    /// It must be given where there is none.
    pub default: Option<Value>,
    pub about: Option<String>,
}

/// What kind of value an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Text,
    Number,
    Flag,
    List,
    /// Words of a command line. No agent may give one.
    Command,
}

impl Sort {
    pub(crate) const WORDS: [(&str, Self); 5] = [
        ("text", Self::Text),
        ("number", Self::Number),
        ("bool", Self::Flag),
        ("list", Self::List),
        ("command", Self::Command),
    ];

    pub fn word(self) -> &'static str {
        let mut words = Self::WORDS.iter();
        words
            .find(|(_, sort)| *sort == self)
            .map_or("text", |(word, _)| word)
    }
}

/// What a flow may use up before it is stopped.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub at_once: usize,
    pub max_turns: Option<u64>,
    pub max_minutes: Option<u64>,
    pub max_tokens: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            at_once: 8,
            max_turns: Some(1_000),
            max_minutes: None,
            max_tokens: None,
        }
    }
}

/// One step.
#[derive(Clone, Debug)]
pub struct Step {
    /// `build`, or `checks.lint` in a group.
    pub name: String,
    pub place: Place,
    pub task: Task,
    /// The steps that must be over before, by their places.
    pub needs: Vec<usize>,
    /// The steps whose values are used, by their places.
    pub uses: Vec<usize>,
    /// The steps whose branches are used: what stands in their worktrees is committed first.
    pub branches: Vec<usize>,
    /// The group it is in, by its place.
    pub group: Option<usize>,
    pub each: Option<Each>,
    pub at_once: Option<usize>,
    pub(crate) when: Option<Expr>,
    pub(crate) until: Option<Until>,
    pub gate: Option<Gate>,
    pub expect: Option<Expect>,
    pub timeout_ms: Option<u64>,
    pub retry: Retry,
    pub on_error: OnError,
    /// It is run only when another step has failed.
    pub is_handler: bool,
    pub worktree: bool,
    pub dir: Option<Template>,
    /// What an agent replies in a simulation.
    pub simulate: Option<String>,
    /// The names in its `needs` and the like, until they are linked.
    pub(crate) named: Named,
}

/// Names of other steps, with their places, as they were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    pub(crate) needs: Option<Vec<(String, Place)>>,
    pub(crate) again: Vec<(String, Place)>,
    pub(crate) on_error: Option<(String, Place)>,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Task {
    /// Asks an agent.
    Prompt(Prompt),
    Run(Command),
    Shell(Script),
    /// Asks a person and does nothing else.
    Gate,
    /// Waits for the steps of a group.
    Group(Vec<usize>),
}

impl Task {
    pub fn word(&self) -> &'static str {
        match self {
            Self::Prompt(_) => "agent",
            Self::Run(_) => "run",
            Self::Shell(_) => "shell",
            Self::Gate => "gate",
            Self::Group(_) => "all",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Prompt {
    pub agents: Agents,
    pub text: Template,
}

/// Who is asked.
#[derive(Clone, Debug)]
pub enum Agents {
    /// One of these, whichever has nothing to do.
    Pool(Vec<Template>),
    /// The item of `each` is the agent.
    Item,
}

#[derive(Clone, Debug)]
pub struct Command {
    pub words: Words,
    pub env: BTreeMap<String, Template>,
    /// Which lines of the output are of interest.
    pub find: Option<Pattern>,
}

/// The words of a command.
#[derive(Clone, Debug)]
pub enum Words {
    /// One argument each; the first has no value in it.
    List(Vec<Template>),
    /// An input of type `command`.
    Input(String),
}

/// A pattern for lines.
#[derive(Clone, Debug)]
pub enum Pattern {
    Fixed(Regex),
    /// An input has it.
    Input(Template),
}

#[derive(Clone, Debug)]
pub struct Script {
    pub text: String,
    pub env: BTreeMap<String, Template>,
    pub find: Option<Pattern>,
}

/// What a step is done for, once each.
#[derive(Clone, Debug)]
pub enum Each {
    List(Vec<Template>),
    Value(Template),
}

#[derive(Clone, Debug)]
pub(crate) struct Until {
    pub(crate) condition: Expr,
    pub(crate) max: u32,
    /// The steps that are done again after each round, by their places.
    pub(crate) again: Vec<usize>,
}

/// A question for a person.
#[derive(Clone, Debug)]
pub struct Gate {
    pub ask: Template,
    /// Empty where yes or no is asked.
    pub options: Vec<String>,
    /// When this holds, a rule answers yes.
    pub(crate) yes_if: Option<Expr>,
}

/// What a reply must be.
#[derive(Clone, Debug)]
pub struct Expect {
    /// Any JSON, where there is none.
    pub schema: Option<Value>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Retry {
    pub times: u32,
    pub wait_ms: u64,
}

/// What happens when a step fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// The flow fails.
    #[default]
    Stop,
    /// The flow goes on, with `${step.error}`.
    Continue,
    /// This step is run, then the flow fails.
    Then(usize),
}
