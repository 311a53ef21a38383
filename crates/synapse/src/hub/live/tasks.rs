//! The tasks the hub has heard of lately, and who talks to whom by them.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::change::TaskEvent;
use crate::hub::shapes::{Edge, TaskLine};

/// Tasks that are remembered; the store has the others.
const LINES: usize = 1_000;
/// The default sender of a message: whoever sits at this machine.
pub(in crate::hub) const PERSON: &str = "user";
/// How much of a message is told in a line.
const TEXT: usize = 200;

/// The tasks, the oldest first.
#[derive(Debug, Default)]
pub(in crate::hub) struct Tasks(VecDeque<Line>);

/// A task, and the name of whom it was sent to.
#[derive(Debug)]
struct Line {
    task: TaskLine,
    to: String,
}

impl Tasks {
    /// Takes note of a task as it stands.
    pub(super) fn note(&mut self, task: TaskLine, to: &str) {
        if let Some(line) = self.0.iter_mut().find(|line| line.task.id == task.id) {
            // What was heard live may know more than the list.
            let before = std::mem::replace(&mut line.task, task);
            let task = &mut line.task;
            task.from = task.from.take().or(before.from);
            task.priority = task.priority.or(before.priority);
            return;
        }
        if self.0.len() == LINES {
            self.0.pop_front();
        }
        let to = to.to_owned();
        self.0.push_back(Line { task, to });
    }

    /// Takes note of an event. The task, if it is in another state than before.
    pub(super) fn hear(
        &mut self,
        agent: &str,
        to: &str,
        event: &TaskEvent,
        now: &str,
    ) -> Option<&TaskLine> {
        let state = event.data.get("state")?.as_str()?;
        let at = event.data.get("timestamp").and_then(Value::as_str);
        let at = at.unwrap_or(now).to_owned();
        if !self.0.iter().any(|line| line.task.id == event.task_id) {
            let priority = event.data.get("priority").and_then(Value::as_u64);
            let task = TaskLine {
                id: event.task_id.clone(),
                agent: agent.to_owned(),
                from: event
                    .data
                    .get("sender")
                    .and_then(Value::as_str)
                    .map(name_of),
                priority: priority.and_then(|number| u8::try_from(number).ok()),
                state: String::new(),
                text: text_of(event.data.get("message")),
                at: at.clone(),
                updated_at: at.clone(),
            };
            self.note(task, to);
        }
        let line = self
            .0
            .iter_mut()
            .find(|line| line.task.id == event.task_id)?;
        if line.task.state == state {
            return None;
        }
        state.clone_into(&mut line.task.state);
        line.task.updated_at = at;
        Some(&line.task)
    }

    /// What an agent is at.
    pub(super) fn running(&self, agent: &str) -> Option<&TaskLine> {
        let is_running = |line: &&Line| {
            line.task.agent == agent
                && matches!(line.task.state.as_str(), "working" | "input_required")
        };
        self.0.iter().rfind(is_running).map(|line| &line.task)
    }

    /// An agent is gone, and with it whatever it was at. Whether it was at anything.
    pub(super) fn abandon(&mut self, agent: &str) -> bool {
        let mut has_any = false;
        for line in &mut self.0 {
            if line.task.agent == agent && !is_over(&line.task.state) {
                "failed".clone_into(&mut line.task.state);
                has_any = true;
            }
        }
        has_any
    }

    /// The tasks, the newest first.
    pub(in crate::hub) fn newest(&self) -> impl Iterator<Item = &TaskLine> {
        self.0.iter().rev().map(|line| &line.task)
    }

    /// Who talks to whom.
    pub(in crate::hub) fn edges(&self) -> Vec<Edge> {
        let mut edges: BTreeMap<(&str, &str), Edge> = BTreeMap::new();
        for line in &self.0 {
            let Some(from) = &line.task.from else {
                continue;
            };
            let new = || Edge {
                from: from.clone(),
                to: line.to.clone(),
                count: 0,
                live: 0,
                last_at: String::new(),
                last_task: String::new(),
            };
            let edge = edges.entry((from, &line.to)).or_insert_with(new);
            edge.count += 1;
            edge.live += u32::from(!is_over(&line.task.state));
            edge.last_at.clone_from(&line.task.at);
            edge.last_task.clone_from(&line.task.id);
        }
        edges.into_values().collect()
    }

    /// The edge a task belongs to.
    pub(super) fn edge_of(&self, task: &str) -> Option<Edge> {
        let line = self.0.iter().find(|line| line.task.id == task)?;
        let from = line.task.from.as_ref()?;
        let mut edges = self.edges().into_iter();
        edges.find(|edge| edge.from == *from && edge.to == line.to)
    }
}

/// Whether nothing more can happen to a task.
pub(in crate::hub) fn is_over(state: &str) -> bool {
    matches!(state, "completed" | "failed" | "canceled" | "rejected")
}

/// What a sender is called in the mesh: agents have an `@`.
pub(in crate::hub) fn name_of(sender: &str) -> String {
    match sender.strip_prefix('@').unwrap_or(sender) {
        PERSON => PERSON.to_owned(),
        other => format!("@{}", other.to_lowercase()),
    }
}

/// The beginning of what a message says.
pub(in crate::hub) fn text_of(message: Option<&Value>) -> String {
    let parts = message.and_then(|message| message.get("parts")?.as_array());
    let texts = parts.into_iter().flatten();
    let texts = texts.filter_map(|part| part.get("text")?.as_str());
    texts
        .collect::<Vec<_>>()
        .join("\n")
        .chars()
        .take(TEXT)
        .collect()
}
