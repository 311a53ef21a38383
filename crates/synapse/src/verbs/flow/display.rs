//! A run for people: a live tree on a terminal, a line for each event elsewhere, and the events themselves as JSON.

use std::io::{IsTerminal as _, Write as _};

use synapse_flow::event::{Event, Fact, Outcome, State};
use synapse_flow::run::Run;
use synapse_flow::view::{ItemView, RunView, StepState, StepView};

use super::super::spinner::Spinner;
use crate::verbs::print;

/// Items that are shown of a step.
const ITEMS: usize = 12;

/// How a run is shown while it goes on.
pub(super) enum Display {
    Tree(Spinner),
    Lines,
    Json,
}

impl Display {
    pub(super) fn new(is_json: bool) -> Self {
        if is_json {
            return Self::Json;
        }
        let spinner = Spinner::begin("");
        if std::io::stderr().is_terminal() && spinner.room().is_some() {
            Self::Tree(spinner)
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
            Self::Tree(spinner) => {
                let view = run.view();
                let (cols, rows) = spinner.room().unwrap_or((80, 24));
                let mut shown = tree(&view);
                let hidden = shown.len().saturating_sub(rows);
                shown.drain(..hidden);
                let shown: Vec<String> = shown.iter().map(|line| cut(line, cols)).collect();
                spinner.show(&shown);
                let asks = view.asks.first();
                let what = asks.map_or_else(
                    || view.state.word().to_owned(),
                    |ask| format!("{} [{}]", ask.question, ask.options.join("/")),
                );
                spinner.say(what);
            }
        }
    }

    /// Leaves the tree as it is at the end.
    pub(super) fn finish(self, run: &RunView) {
        if let Self::Tree(spinner) = self {
            drop(spinner);
            for line in tree(run) {
                note!("{line}");
            }
        }
    }
}

fn cut(line: &str, cols: usize) -> String {
    line.chars().take(cols).collect()
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
        view.state.word(),
        why.unwrap_or_default()
    )];
    let wide = view
        .steps
        .iter()
        .map(|step| step.name.chars().count())
        .max();
    for step in &view.steps {
        lines.extend(step_lines(view, step, wide.unwrap_or(0)));
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

fn step_lines(view: &RunView, step: &StepView, wide: usize) -> Vec<String> {
    let mark = mark(step.state);
    let round = if step.round > 1 {
        format!(" (round {})", step.round)
    } else {
        String::new()
    };
    let asks = view.asks.iter().find(|ask| ask.step == step.name);
    let what = match (asks, &step.why) {
        (Some(ask), _) => format!("{} [{}]", ask.question, ask.options.join("/")),
        (None, Some(why)) => why.clone(),
        (None, None) => match step.items.as_slice() {
            [only] => item_text(only),
            [] => String::new(),
            several => {
                let done = several.iter().filter(|item| item.state == StepState::Done);
                format!("{} of {}", done.count(), several.len())
            }
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
            lines.push(format!("    {blank}… and {more} more"));
        }
    }
    lines.iter().map(|line| line.replace('\n', " ")).collect()
}

fn item_text(item: &ItemView) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(item.agent.clone());
    if item.attempt > 1 {
        parts.push(format!("attempt {}", item.attempt));
    }
    if let Some(question) = &item.question {
        parts.push(format!("asks: {question}"));
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
                synapse_flow::event::Work::Prompt { agent, .. } => format!("asks {agent}"),
                synapse_flow::event::Work::Run { words, .. } => {
                    format!("runs {}", words.join(" ").replace('\n', " "))
                }
            };
            let again = if key.attempt > 1 {
                format!(" (attempt {})", key.attempt)
            } else {
                String::new()
            };
            vec![format!("{}: {what}{again}", name(key))]
        }
        Fact::Asking {
            key,
            question: Some(question),
        } => vec![format!("{}: the agent asks: {question}", name(key))],
        Fact::Ended { key, outcome } => match outcome {
            Outcome::Done { .. } => vec![format!("{}: done", name(key))],
            Outcome::Failed { why, .. } => vec![format!("{}: failed: {why}", name(key))],
            Outcome::Canceled { why } => vec![format!("{}: canceled: {why}", name(key))],
        },
        Fact::Answered {
            step, answer, by, ..
        } => vec![format!("{step}: {by} says {answer}")],
        Fact::Stopping { by } => vec![format!("stopped by {by}")],
        Fact::Resumed { .. } => vec![format!("resumed {}", run.begin.run)],
        Fact::Over { state, why } => {
            let why = why.as_deref().map(|why| format!(": {why}"));
            vec![format!(
                "{} {}{}",
                run.begin.name,
                state.word(),
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
            let options = ask.options.join(" or ");
            let id = short(&run.begin.run);
            told.push(format!(
                "{} asks: {} (synapse flow answer {id} {options})",
                ask.step, ask.question
            ));
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
        0..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        _ => format!("{} min {} s", millis / 60_000, millis % 60_000 / 1_000),
    }
}

pub(super) fn ago(at: u64) -> String {
    let seconds = synapse::flow::now().saturating_sub(at) / 1_000;
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}
