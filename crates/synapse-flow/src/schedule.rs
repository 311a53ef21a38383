//! What is to be done next. Pure: the same run at the same time gives the same actions.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::event::{Event, Job, Key, State, Work};
use crate::expr::is_true;
use crate::flow::{Agents, Flow, Pattern, Step, Task, Words};
use crate::read::scalar_text;
use crate::run::{ItemPhase, ItemRun, Phase, Run, RunError, Values};
use crate::template::Template;

/// Something for the runner to do. It tells what came of it by an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Write down that it begins, then do it.
    Begin { key: Key, job: Job },
    /// It cannot be begun: its values do not fit. Write down that it failed.
    Refuse { key: Key, why: String },
    /// Stop what is under way, then write down how it ended.
    Cancel { key: Key, why: Canceled },
    /// A rule answers a gate.
    Answer { step: String, round: u32 },
    /// Write down that a limit is reached.
    Exceed { why: String },
    /// Ask again at this time, if nothing happens before.
    Wake { at: u64 },
    /// Write down that it is over.
    Finish { state: State, why: Option<String> },
}

/// Why work is stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Canceled {
    /// It took longer than it may: it has failed.
    TimedOut { after_ms: u64 },
    /// The run stops: it may be begun anew.
    Stopping,
}

impl Run {
    /// Takes note of what has happened, and says what is to be done.
    ///
    /// # Errors
    /// When it cannot follow what happened before.
    pub fn step(&mut self, event: &Event, now: u64) -> Result<Vec<Action>, RunError> {
        self.apply(event)?;
        Ok(self.next(now))
    }

    /// What is to be done now.
    pub fn next(&self, now: u64) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.state.is_over() {
            return actions;
        }
        let is_ending = self.state == State::Stopping || self.failing.is_some();
        let mut wake: Option<u64> = None;
        let mut sleep_until = |at: u64| wake = Some(wake.map_or(at, |known| known.min(at)));
        for (place, step) in self.flow.steps.iter().enumerate() {
            let Some(run) = self.steps.get(place) else {
                continue;
            };
            if run.phase != Phase::Active {
                continue;
            }
            for (number, item) in run.items.iter().enumerate() {
                let ItemPhase::Open(open) = &item.phase else {
                    continue;
                };
                let key = self.key(place, number, item.attempt);
                let is_stopped =
                    self.state == State::Stopping || (self.failing.is_some() && !step.is_handler);
                if is_stopped {
                    let why = Canceled::Stopping;
                    actions.push(Action::Cancel { key, why });
                } else if let Some(limit) = step.timeout_ms
                    && open.unknown.is_none()
                {
                    let due = open.since + limit;
                    if now >= due {
                        let why = Canceled::TimedOut { after_ms: limit };
                        actions.push(Action::Cancel { key, why });
                    } else {
                        sleep_until(due);
                    }
                }
            }
        }
        if !is_ending && let Some(minutes) = self.flow.limits.max_minutes {
            let due = self.resumed_at + minutes * 60_000;
            if now >= due {
                let why = format!("it took longer than max_minutes: {minutes}");
                return vec![Action::Exceed { why }];
            }
            sleep_until(due);
        }
        if let Some(exceeded) = self.exceeded().filter(|_| !is_ending) {
            return vec![exceeded];
        }
        self.begin_what_can(now, &mut actions, &mut sleep_until);
        if !is_ending {
            self.answer_by_rule(&mut actions);
        }
        if actions.is_empty()
            && let Some(finish) = self.finish(wake.is_some())
        {
            return vec![finish];
        }
        actions.extend(wake.map(|at| Action::Wake { at }));
        actions
    }

    fn begin_what_can(
        &self,
        now: u64,
        actions: &mut Vec<Action>,
        sleep_until: &mut impl FnMut(u64),
    ) {
        let mut crowd = Crowd::of(self);
        let turns_left = self
            .flow
            .limits
            .max_turns
            .map(|most| most.saturating_sub(self.turns));
        let mut turns_left = turns_left.unwrap_or(u64::MAX);
        for (place, step) in self.flow.steps.iter().enumerate() {
            let Some(run) = self
                .steps
                .get(place)
                .filter(|run| run.phase == Phase::Active)
            else {
                continue;
            };
            if self.state == State::Stopping || (self.failing.is_some() && !step.is_handler) {
                continue;
            }
            for (number, item) in run.items.iter().enumerate() {
                let ItemPhase::Todo { not_before } = item.phase else {
                    continue;
                };
                if not_before > now {
                    sleep_until(not_before);
                    continue;
                }
                if !crowd.has_room(&self.flow, place) {
                    break;
                }
                let key = self.key(place, number, item.attempt);
                match self.job(step, item, run.round, &crowd) {
                    Err(why) => actions.push(Action::Refuse { key, why }),
                    Ok(None) => break,
                    Ok(Some(job)) => {
                        let is_turn = matches!(job.work, Work::Prompt { .. });
                        if is_turn && turns_left == 0 {
                            let most = self.flow.limits.max_turns.unwrap_or(0);
                            let why = format!("it needs more than max_turns: {most}");
                            actions.push(Action::Exceed { why });
                            return;
                        }
                        turns_left -= u64::from(is_turn);
                        crowd.add(&self.flow, place, &job);
                        actions.push(Action::Begin { key, job });
                    }
                }
            }
        }
    }

    /// What is to be done for one item; nothing while all who could do it are at work.
    fn job(
        &self,
        step: &Step,
        item: &ItemRun,
        round: u32,
        crowd: &Crowd,
    ) -> Result<Option<Job>, String> {
        let given = step.each.is_some().then_some(&item.item);
        let values = Values::of(self, given).in_round(round);
        let texts = |env: &BTreeMap<String, Template>| {
            let env = env.iter();
            env.map(|(name, value)| (name.clone(), value.text(&values)))
                .collect::<BTreeMap<_, _>>()
        };
        let find = |pattern: &Option<Pattern>| match pattern {
            None => None,
            Some(Pattern::Fixed(regex)) => Some(regex.as_str().to_owned()),
            Some(Pattern::Input(template)) => Some(template.text(&values)),
        };
        let work = match &step.task {
            Task::Gate | Task::Group(_) => return Ok(None),
            Task::Prompt(prompt) => {
                let names: Vec<String> = match &prompt.agents {
                    Agents::Item => vec![scalar_text(&item.item).unwrap_or_default()],
                    Agents::Pool(pool) => {
                        let names = pool.iter().flat_map(|agent| match agent.value(&values) {
                            Value::Array(list) => list.iter().filter_map(scalar_text).collect(),
                            one => scalar_text(&one).into_iter().collect::<Vec<_>>(),
                        });
                        names.collect()
                    }
                };
                if let Some(bad) = names.iter().find(|name| !crate::read::is_agent(name)) {
                    return Err(format!("'{bad}' cannot be the name of an agent"));
                }
                let Some(agent) = crowd.free(&names)? else {
                    return Ok(None);
                };
                let text = prompt.text.text(&values);
                if text.trim().is_empty() {
                    return Err("the prompt is empty".to_owned());
                }
                Work::Prompt {
                    agent,
                    prompt: text,
                }
            }
            Task::Run(command) => {
                let words = match &command.words {
                    Words::List(words) => arguments(words, &values)?,
                    Words::Input(name) => {
                        let words = self.begin.inputs.get(name).and_then(Value::as_array);
                        let words = words.into_iter().flatten();
                        words.filter_map(scalar_text).collect()
                    }
                };
                Work::Run {
                    words,
                    env: texts(&command.env),
                    find: find(&command.find),
                }
            }
            Task::Shell(script) => Work::Run {
                words: vec!["sh".to_owned(), "-c".to_owned(), script.text.clone()],
                env: texts(&script.env),
                find: find(&script.find),
            },
        };
        let dir = step.dir.as_ref().map(|dir| dir.text(&values));
        if dir
            .as_ref()
            .is_some_and(|dir| dir.trim().is_empty() || dir.contains('\0'))
        {
            return Err("its dir is empty".to_owned());
        }
        Ok(Some(Job {
            work,
            dir,
            worktree: step.worktree,
            commit: self.worktrees(&step.branches),
            item: item.item.clone(),
        }))
    }

    /// The worktrees that stand in what steps gave, also in what they were done for.
    fn worktrees(&self, steps: &[usize]) -> Vec<String> {
        let mut dirs: Vec<String> = Vec::new();
        for place in steps {
            collect_worktrees(&self.result_of(*place), &mut dirs);
        }
        dirs.sort();
        dirs.dedup();
        dirs
    }

    fn answer_by_rule(&self, actions: &mut Vec<Action>) {
        for (step, run) in self.flow.steps.iter().zip(&self.steps) {
            let rule = step.gate.as_ref().and_then(|gate| gate.yes_if.as_ref());
            if run.phase == Phase::Gate
                && let Some(rule) = rule
                && is_true(&rule.eval(&Values::of(self, None).in_round(run.round + 1)))
            {
                actions.push(Action::Answer {
                    step: step.name.clone(),
                    round: run.round + 1,
                });
            }
        }
    }

    fn exceeded(&self) -> Option<Action> {
        let most = self.flow.limits.max_tokens?;
        (self.tokens > most).then(|| Action::Exceed {
            why: format!("it used {} tokens, and max_tokens is {most}", self.tokens),
        })
    }

    /// Whether nothing more can happen.
    fn finish(&self, is_timed: bool) -> Option<Action> {
        let is_open = !self.open().is_empty();
        if is_open {
            return None;
        }
        if self.state == State::Stopping {
            let (state, why) = (State::Stopped, self.why.clone());
            return Some(Action::Finish { state, why });
        }
        if let Some(why) = &self.failing {
            let mut steps = self.flow.steps.iter().zip(&self.steps);
            let is_handled = steps
                .all(|(step, run)| !step.is_handler || !run.is_triggered || run.phase.is_over());
            let (state, why) = (State::Failed, Some(why.clone()));
            return is_handled.then_some(Action::Finish { state, why });
        }
        let mut steps = self.flow.steps.iter().zip(&self.steps);
        if steps.all(|(step, run)| step.is_handler || run.phase.is_over()) {
            let (state, why) = (State::Done, self.refusal());
            return Some(Action::Finish { state, why });
        }
        let is_asking = self.steps.iter().any(|run| run.phase == Phase::Gate);
        (!is_asking && !is_timed).then(|| Action::Finish {
            state: State::Failed,
            why: Some("nothing can go on, although not all steps are over".to_owned()),
        })
    }
}

fn collect_worktrees(result: &Value, dirs: &mut Vec<String>) {
    match result {
        Value::Array(list) => list.iter().for_each(|one| collect_worktrees(one, dirs)),
        Value::Object(fields) => {
            let text = |name: &str| fields.get(name).and_then(Value::as_str);
            if let (Some(dir), Some(_)) = (text("dir"), text("branch")) {
                dirs.push(dir.to_owned());
            }
            if let Some(item) = fields.get("item") {
                collect_worktrees(item, dirs);
            }
        }
        _ => {}
    }
}

/// The arguments of a command. One that begins with a value must not look like an option.
fn arguments(words: &[Template], values: &Values<'_>) -> Result<Vec<String>, String> {
    let mut arguments = Vec::new();
    for word in words {
        let text = word.text(values);
        if word.beginning().is_empty() && text.starts_with('-') {
            return Err(format!(
                "the argument '{text}' comes from a value and begins with -, so it would be an option"
            ));
        }
        if text.contains('\0') {
            return Err("an argument has a NUL in it".to_owned());
        }
        arguments.push(text);
    }
    Ok(arguments)
}

/// Who is at work: in all, by step, by group and by agent.
struct Crowd {
    all: usize,
    steps: BTreeMap<usize, usize>,
    groups: BTreeMap<usize, usize>,
    agents: BTreeMap<String, usize>,
}

impl Crowd {
    fn of(run: &Run) -> Self {
        let mut crowd = Self {
            all: 0,
            steps: BTreeMap::new(),
            groups: BTreeMap::new(),
            agents: BTreeMap::new(),
        };
        for (place, step) in run.steps.iter().enumerate() {
            for item in &step.items {
                if let ItemPhase::Open(open) = &item.phase
                    && open.unknown.is_none()
                {
                    crowd.add(&run.flow, place, &open.job);
                }
            }
        }
        crowd
    }

    fn add(&mut self, flow: &Flow, place: usize, job: &Job) {
        self.all += 1;
        *self.steps.entry(place).or_default() += 1;
        if let Some(group) = flow.steps.get(place).and_then(|step| step.group) {
            *self.groups.entry(group).or_default() += 1;
        }
        if let Work::Prompt { agent, .. } = &job.work {
            *self.agents.entry(agent.clone()).or_default() += 1;
        }
    }

    fn has_room(&self, flow: &Flow, place: usize) -> bool {
        let Some(step) = flow.steps.get(place) else {
            return false;
        };
        let count = |map: &BTreeMap<usize, usize>, place| map.get(&place).copied().unwrap_or(0);
        let group = step.group.and_then(|group| {
            let limit = flow.steps.get(group)?.at_once?;
            Some(count(&self.groups, group) < limit)
        });
        self.all < flow.limits.at_once
            && step
                .at_once
                .is_none_or(|limit| count(&self.steps, place) < limit)
            && group.unwrap_or(true)
    }

    /// The only agent there is, or the first of several that has nothing to do.
    fn free(&self, names: &[String]) -> Result<Option<String>, String> {
        match names {
            [] => Err("no agent is named".to_owned()),
            [only] => Ok(Some(only.clone())),
            several => {
                let is_free = |name: &&String| !self.agents.contains_key(*name);
                Ok(several.iter().find(is_free).cloned())
            }
        }
    }
}
