//! A run for people: a live tree on a terminal, a line for each event elsewhere, and the events themselves as JSON.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Arc, Weak};

use synapse_flow::event::{Event, Fact, Outcome, State};
use synapse_flow::run::Run;
use synapse_flow::view::{Ask, ItemView, RunView, StepState, StepView, brief};

use super::super::spinner::Spinner;
use crate::verbs::texts::{self, flow as words};
use crate::verbs::{print, table};

/// Items that are shown of a step.
const ITEMS: usize = 12;

/// How a run is shown while it goes on.
pub(super) enum Display {
    Tree {
        spinner: Arc<Spinner>,
        is_asking: bool,
    },
    Lines,
    Json,
}

impl Display {
    pub(super) fn new(is_json: bool) -> Self {
        if is_json {
            return Self::Json;
        }
        let spinner = Spinner::begin("");
        // Who cannot type an answer here is told how to give one elsewhere, which the tree does not say.
        let is_attended = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        if is_attended && spinner.room().is_some() {
            Self::Tree {
                spinner: Arc::new(spinner),
                is_asking: false,
            }
        } else {
            Self::Lines
        }
    }

    pub(super) fn take(&mut self, run: &Run, event: &Event) {
        match self {
            Self::Json => {
                if let Ok(text) = serde_json::to_string(event) {
                    let _ = writeln!(print::out(), "{text}");
                }
            }
            Self::Lines => {
                for line in lines(run, event) {
                    note!("{line}");
                }
            }
            Self::Tree { spinner, is_asking } => {
                let view = run.view();
                let (cols, rows) = spinner.room().unwrap_or((80, 24));
                let mut shown = tree(&view);
                let hidden = shown.len().saturating_sub(rows);
                shown.drain(..hidden);
                let shown: Vec<String> = shown.iter().map(|line| table::cut(line, cols)).collect();
                spinner.show(&shown);
                let was_asking = std::mem::replace(is_asking, !view.asks.is_empty());
                if let Some(ask) = view.asks.first() {
                    spinner.ask(&asked(ask));
                    return;
                }
                if was_asking {
                    spinner.go_on();
                }
                spinner.say(words::state(view.state.word()));
            }
        }
    }

    /// The tree while it is shown, for whoever types below it.
    pub(super) fn tree(&self) -> Weak<Spinner> {
        match self {
            Self::Tree { spinner, .. } => Arc::downgrade(spinner),
            Self::Lines | Self::Json => Weak::new(),
        }
    }

    /// Leaves the tree as it is at the end.
    pub(super) fn finish(self, run: &RunView) {
        if let Self::Tree { spinner, .. } = self {
            drop(spinner);
            for line in tree(run) {
                note!("{line}");
            }
        }
    }
}

fn asked(ask: &Ask) -> String {
    format!("{} [{}]", ask.question, ask.options.join("/"))
}

/// The whole run, a line for each step and each piece of its work.
pub(super) fn tree(view: &RunView) -> Vec<String> {
    let why = view.why.as_deref().map(|why| format!(": {why}"));
    let time = if view.state.is_over() {
        took(view.updated_at.saturating_sub(view.started_at))
    } else {
        String::new()
    };
    let mut lines = vec![format!(
        "{} {} {}{} {time}",
        view.name,
        short(&view.id),
        words::state(view.state.word()),
        why.unwrap_or_default()
    )];
    let wide = view.steps.iter();
    let wide = wide.map(|step| step.name.chars().count()).max();
    for step in view.steps.iter().filter(|step| group(view, step).is_none()) {
        lines.extend(step_lines(view, step, wide.unwrap_or(0)));
        for part in parts(view, step) {
            lines.extend(step_lines(view, part, wide.unwrap_or(0)));
        }
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// The step whose `all` this one belongs to.
fn group<'a>(view: &'a RunView, part: &StepView) -> Option<&'a StepView> {
    let (name, _) = part.name.split_once('.')?;
    view.steps.iter().find(|step| step.name == name)
}

fn parts<'a>(view: &'a RunView, step: &'a StepView) -> impl Iterator<Item = &'a StepView> {
    let is_part = |part: &&StepView| group(view, part).is_some_and(|of| of.name == step.name);
    view.steps.iter().filter(is_part)
}

fn step_lines(view: &RunView, step: &StepView, wide: usize) -> Vec<String> {
    let mark = mark(step.state);
    let round = if step.round > 1 {
        words::round(step.round)
    } else {
        String::new()
    };
    let asks = view.asks.iter().find(|ask| ask.step == step.name);
    let what = match (asks, &step.why) {
        (Some(ask), _) => asked(ask),
        (None, Some(why)) => why.clone(),
        (None, None) => match step.items.as_slice() {
            [only] => item_text(only),
            [] if step.kind == "all" => count(parts(view, step).map(|part| part.state)),
            [] if step.state == StepState::Done && step.kind != "gate" => words::nothing_to_do(),
            [] => String::new(),
            several => count(several.iter().map(|item| item.state)),
        },
    };
    let time = match (step.began_at, step.ended_at) {
        (Some(began), Some(ended)) => format!("  {}", took(ended.saturating_sub(began))),
        _ => String::new(),
    };
    let name = &step.name;
    let mut lines = vec![format!("  {mark} {name:wide$}  {what}{round}{time}")];
    if step.items.len() > 1 {
        let blank = " ".repeat(wide);
        for item in step.items.iter().take(ITEMS) {
            let mark = self::mark(item.state);
            lines.push(format!(
                "    {blank}{mark} {}  {}",
                item.label,
                item_text(item)
            ));
        }
        if step.items.len() > ITEMS {
            let more = step.items.len() - ITEMS;
            lines.push(format!("    {blank}{}", words::and_more(more)));
        }
    }
    lines.iter().map(|line| line.replace('\n', " ")).collect()
}

/// How many of them are done.
fn count(states: impl Iterator<Item = StepState>) -> String {
    let states: Vec<StepState> = states.collect();
    let done = states.iter().filter(|state| **state == StepState::Done);
    words::done_of(done.count(), states.len())
}

fn item_text(item: &ItemView) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(item.agent.clone());
    if item.attempt > 1 {
        parts.push(words::attempt(item.attempt));
    }
    if let Some(question) = &item.question {
        parts.push(texts::asks(question));
        if let Some(agent) = &item.agent {
            parts.push(format!("synapse answer {agent} …"));
        }
    }
    if let Some(why) = item.why.as_ref().filter(|_| item.state != StepState::Done) {
        parts.push(why.clone());
    }
    parts.join(", ")
}

fn mark(state: StepState) -> char {
    match state {
        StepState::Waiting => '·',
        StepState::Asking => '?',
        StepState::Running => '●',
        StepState::Done => '✓',
        StepState::Failed => '✗',
        StepState::Skipped | StepState::Refused => '–',
    }
}

/// What an event says in plain lines.
fn lines(run: &Run, event: &Event) -> Vec<String> {
    let name = |key: &synapse_flow::Key| {
        let item = if key.item > 0 {
            format!("[{}]", key.item)
        } else {
            String::new()
        };
        format!("{}{item}", key.step)
    };
    let mut told = match &event.fact {
        Fact::Began { key, job } => {
            let what = match &job.work {
                synapse_flow::event::Work::Prompt { agent, .. } => words::asks_agent(agent),
                synapse_flow::event::Work::Run { words: command, .. } => {
                    words::runs(brief(&command.join(" ")))
                }
            };
            let again = if key.attempt > 1 {
                format!(" ({})", words::attempt(key.attempt))
            } else {
                String::new()
            };
            vec![format!("{}: {what}{again}", name(key))]
        }
        Fact::Asking {
            key,
            question: Some(question),
        } => vec![format!("{}: {}", name(key), texts::agent_asks(question))],
        Fact::Ended { key, outcome } => match outcome {
            Outcome::Done { .. } => vec![words::is_done(name(key))],
            Outcome::Failed { why, .. } => vec![words::has_failed(name(key), why)],
            Outcome::Canceled { why } => vec![words::is_canceled(name(key), why)],
        },
        Fact::Answered {
            step, answer, by, ..
        } => vec![words::says(step, by, answer)],
        Fact::Stopping { by } => vec![words::stopped_by(by)],
        Fact::Resumed { .. } => vec![words::resumed(&run.begin.run)],
        Fact::Over { state, why } => {
            let why = why.as_deref().map(|why| format!(": {why}"));
            vec![format!(
                "{} {}{}",
                run.begin.name,
                words::state(state.word()),
                why.unwrap_or_default()
            )]
        }
        _ => Vec::new(),
    };
    if matches!(
        event.fact,
        Fact::Ended { .. }
            | Fact::Unknown { .. }
            | Fact::Started(_)
            | Fact::Resumed { .. }
            | Fact::Answered { .. }
    ) && run.state() == State::Running
    {
        for ask in run.asks() {
            let options = words::options(&ask.options);
            let id = short(&run.begin.run);
            told.push(words::step_asks(ask.step, ask.question, id, options));
        }
    }
    told
}

/// The part of an id that people type.
pub(super) fn short(id: &str) -> &str {
    id.get(id.len().saturating_sub(6)..).unwrap_or(id)
}

pub(super) fn took(millis: u64) -> String {
    match millis {
        0..1_000 => words::millis(millis),
        1_000..60_000 => words::seconds(format!("{}.{}", millis / 1_000, millis % 1_000 / 100)),
        _ => words::minutes(millis / 60_000, millis % 60_000 / 1_000),
    }
}

pub(super) fn ago(at: u64) -> String {
    let seconds = synapse::flow::now().saturating_sub(at) / 1_000;
    match seconds {
        0..60 => words::seconds_ago(seconds),
        60..3_600 => words::minutes_ago(seconds / 60),
        3_600..86_400 => words::hours_ago(seconds / 3_600),
        _ => words::days_ago(seconds / 86_400),
    }
}
