//! The tasks the hub has heard of lately, and who talks to whom by them.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;
use synapse_a2a::event::Origin;

use super::change::TaskEvent;
use crate::shapes::{Edge, TaskLine};

/// Tasks that are remembered; the store has the others.
pub(crate) const LINES: usize = 1_000;
/// A person, at the keyboard or anywhere else.
pub(crate) const PERSON: &str = Origin::SOMEBODY;
/// How much of a message is told in a line.
const TEXT: usize = 200;

/// The tasks, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Tasks(VecDeque<TaskLine>);

impl Tasks {
    /// Takes note of a task as it stands.
    pub(super) fn note(&mut self, task: TaskLine) {
        if let Some(line) = self.0.iter_mut().find(|line| line.id == task.id) {
            *line = task;
            return;
        }
        if self.0.len() == LINES {
            self.0.pop_front();
        }
        self.0.push_back(task);
    }

    /// Takes note of an event. Whether the task is in another state than before.
    pub(super) fn hear(&mut self, agent: &str, to: &str, event: &TaskEvent, now: &str) -> bool {
        let text = |name: &str| event.data.get(name).and_then(Value::as_str);
        let Some(state) = text("state") else {
            return false;
        };
        let at = text("timestamp").unwrap_or(now).to_owned();
        if !self.0.iter().any(|line| line.id == event.task_id) {
            // Only the first event says who asked for what; the store has those that were missed.
            let (1, Some(sender)) = (event.number, text("sender")) else {
                return false;
            };
            let priority = event.data.get("priority").and_then(Value::as_u64);
            self.note(TaskLine {
                id: event.task_id.clone(),
                agent: agent.to_owned(),
                to: to.to_owned(),
                from: name_of(sender),
                priority: priority
                    .and_then(|number| u8::try_from(number).ok())
                    .unwrap_or(1),
                state: String::new(),
                text: text_of(event.data.get("message")),
                at: at.clone(),
                updated_at: at.clone(),
            });
        }
        let line = self.0.iter_mut().find(|line| line.id == event.task_id);
        let Some(line) = line.filter(|line| line.state != state) else {
            return false;
        };
        state.clone_into(&mut line.state);
        line.updated_at = at;
        true
    }

    /// What an agent is at.
    pub(super) fn running(&self, agent: &str) -> Option<&TaskLine> {
        let is_running = |line: &&TaskLine| {
            line.agent == agent && matches!(line.state.as_str(), "working" | "input_required")
        };
        self.0.iter().rfind(is_running)
    }

    /// An agent is gone, and with it whatever it was at. Whether it was at anything.
    pub(super) fn abandon(&mut self, agent: &str) -> bool {
        let mut has_any = false;
        for line in &mut self.0 {
            if line.agent == agent && !is_over(&line.state) {
                "failed".clone_into(&mut line.state);
                has_any = true;
            }
        }
        has_any
    }

    /// The tasks, the newest first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = &TaskLine> {
        self.0.iter().rev()
    }

    /// Who talks to whom.
    pub(crate) fn edges(&self) -> Vec<Edge> {
        let mut edges: BTreeMap<(&str, &str), Edge> = BTreeMap::new();
        for line in &self.0 {
            let new = || Edge {
                from: line.from.clone(),
                to: line.to.clone(),
                count: 0,
                live: 0,
                last_at: String::new(),
                last_task: String::new(),
            };
            let edge = edges.entry((&line.from, &line.to)).or_insert_with(new);
            edge.count += 1;
            edge.live += u32::from(!is_over(&line.state));
            edge.last_at.clone_from(&line.at);
            edge.last_task.clone_from(&line.id);
        }
        edges.into_values().collect()
    }

    /// The edge a task belongs to.
    pub(super) fn edge_of(&self, task: &str) -> Option<Edge> {
        let line = self.0.iter().find(|line| line.id == task)?;
        let mut edges = self.edges().into_iter();
        edges.find(|edge| edge.from == line.from && edge.to == line.to)
    }
}

/// Whether nothing more can happen to a task.
pub(crate) fn is_over(state: &str) -> bool {
    matches!(state, "completed" | "failed" | "canceled" | "rejected")
}

/// What somebody is called in the mesh: agents have an `@`, people have none.
pub(crate) fn name_of(sender: &str) -> String {
    match sender.strip_prefix('@').unwrap_or(sender) {
        Origin::SOMEBODY | Origin::KEYBOARD => PERSON.to_owned(),
        other => format!("@{}", other.to_lowercase()),
    }
}

/// The beginning of what a message says.
fn text_of(message: Option<&Value>) -> String {
    let parts = message.and_then(|message| message.get("parts")?.as_array());
    let texts = parts.into_iter().flatten();
    let texts = texts.filter_map(|part| part.get("text")?.as_str());
    line_text(&texts.collect::<Vec<_>>().join("\n"))
}

/// As much of a text as a line tells.
pub(crate) fn line_text(text: &str) -> String {
    text.chars().take(TEXT).collect()
}
