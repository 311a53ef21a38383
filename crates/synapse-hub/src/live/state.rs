//! The hub's state, folded from changes. Pure: the time is an argument.

use jiff::Timestamp;
use serde::Serialize;

use super::change::{Change, Gone, Report, TaskEvent};
use super::delta::Delta;
use super::known::{Agents, KnownAgent};
use super::tasks::{Tasks, name_of};
use crate::deaths::Death;
use crate::shapes::{Agent, Edge, Prompt, Status, TaskLine};
use synapse_machine::registry::{AgentId, Entry};

/// Everything the hub knows.
#[derive(Debug)]
pub(crate) struct State {
    boot: String,
    seq: u64,
    /// How many questions were opened: no two openings share an id.
    openings: u64,
    pub(crate) agents: Agents,
    pub(crate) tasks: Tasks,
    /// The latest first.
    pub(crate) deaths: Vec<Death>,
}

/// Everything a page starts from.
#[derive(Debug, Serialize)]
pub(crate) struct Snapshot {
    pub(crate) seq: u64,
    boot: String,
    agents: Vec<Agent>,
    edges: Vec<Edge>,
    deaths: Vec<Death>,
}

impl State {
    pub(super) fn new(boot: String) -> Self {
        Self {
            boot,
            seq: 0,
            openings: 0,
            agents: Agents::new(),
            tasks: Tasks::default(),
            deaths: Vec::new(),
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            seq: self.seq,
            boot: self.boot.clone(),
            agents: self.views(),
            edges: self.tasks.edges(),
            deaths: self.deaths.clone(),
        }
    }

    /// All agents as the page sees them: those that wait for somebody first, then the oldest first.
    pub(crate) fn views(&self) -> Vec<Agent> {
        let mut known: Vec<&KnownAgent> = self.agents.values().collect();
        known.sort_by_key(|known| {
            let is_waiting = known.status() == Status::Waiting;
            (!is_waiting, known.entry.started_at)
        });
        known.into_iter().map(KnownAgent::view).collect()
    }

    /// Takes note of a change; what pages are to be told of it, with numbers.
    pub(super) fn apply(&mut self, change: Change, at: Timestamp) -> Vec<(u64, Delta)> {
        let now = at.to_string();
        let deltas = match change {
            Change::Appeared(entry, place) => {
                let id = entry.agent_id.clone();
                let known = KnownAgent::new(*entry, place, now);
                let agent = Box::new(known.view());
                match self.agents.insert(id, known) {
                    None => vec![Delta::AgentAdded { agent }],
                    Some(_) => vec![Delta::AgentChanged { agent }],
                }
            }
            Change::Vanished(id, reason, how) => self.forget(&id, reason, how),
            Change::Reported(id, report) => self.report(&id, *report, &now),
            Change::Unreachable(id, why) => {
                self.update(&id, &now, |known| known.trouble = Some(why))
            }
            Change::Moved(id, place) => self.update(&id, &now, |known| known.place = place),
            Change::StopSent(id) => self.update(&id, &now, |known| known.stops += 1),
            Change::StopDone(id) => self.update(&id, &now, |known| {
                known.stops = known.stops.saturating_sub(1);
            }),
            Change::Answered(id, answer) => {
                self.update(&id, &now, |known| known.answer = Some(answer))
            }
            Change::Tasks(lines) => self.list_tasks(lines, &now),
            Change::Task(id, event) => self.hear(&id, event, &now),
            Change::Worktrees => vec![Delta::Worktrees],
            Change::Deaths(deaths) if deaths == self.deaths => Vec::new(),
            Change::Deaths(deaths) => {
                self.deaths.clone_from(&deaths);
                vec![Delta::Deaths { deaths }]
            }
            Change::AutoAnswer => vec![Delta::AutoAnswer],
        };
        let number = |delta| {
            self.seq += 1;
            (self.seq, delta)
        };
        deltas.into_iter().map(number).collect()
    }

    /// The agent with this id or handle.
    pub(crate) fn find(&self, word: &str) -> Option<&Entry> {
        let mut known = self.agents.values().map(|known| &known.entry);
        known.find(|entry| entry.agent_id.as_str() == word || entry.handle.is(word))
    }

    /// Changes what is known of an agent, and tells the page if it can see a difference.
    fn update(
        &mut self,
        id: &AgentId,
        now: &str,
        change: impl FnOnce(&mut KnownAgent),
    ) -> Vec<Delta> {
        let Some(known) = self.agents.get_mut(id) else {
            return Vec::new();
        };
        let before = known.view();
        change(known);
        known.mark(now);
        let agent = known.view();
        if agent == before {
            return Vec::new();
        }
        let agent = Box::new(agent);
        vec![Delta::AgentChanged { agent }]
    }

    fn forget(&mut self, id: &AgentId, reason: Gone, how: Option<String>) -> Vec<Delta> {
        let Some(known) = self.agents.remove(id) else {
            return Vec::new();
        };
        let mut deltas = Vec::new();
        if let Some(prompt) = known.prompt {
            deltas.push(Delta::PromptClosed {
                agent: id.to_string(),
                id: prompt.id,
                answer: None,
            });
        }
        let handle = known.entry.handle.to_string();
        let to = name_of(&handle);
        if self.tasks.abandon(id.as_str()) {
            deltas.extend(self.edges_to(&to));
        }
        let id = id.to_string();
        deltas.push(Delta::AgentRemoved {
            id,
            handle,
            reason,
            how,
        });
        deltas
    }

    fn report(&mut self, id: &AgentId, report: Report, now: &str) -> Vec<Delta> {
        let Some(known) = self.agents.get_mut(id) else {
            return Vec::new();
        };
        let mut deltas = Vec::new();
        let open = known
            .prompt
            .as_ref()
            .map(|prompt| &prompt.asked.fingerprint);
        let asked = report.prompt.as_ref().map(|asked| &asked.fingerprint);
        let agent = id.to_string();
        let mut prompt = known.prompt.clone();
        if open != asked {
            if let Some(closed) = prompt.take() {
                let answer = known.answer.take();
                deltas.push(Delta::PromptClosed {
                    agent: agent.clone(),
                    answer: answer.filter(|answer| answer.prompt == closed.id),
                    id: closed.id,
                });
            }
            if let Some(asked) = report.prompt.clone() {
                self.openings += 1;
                let opened = Prompt {
                    id: format!("{}-{}", self.boot, self.openings),
                    asked,
                    since: report.since.clone().unwrap_or_else(|| now.to_owned()),
                };
                deltas.push(Delta::PromptOpened {
                    agent,
                    prompt: opened.clone(),
                });
                prompt = Some(opened);
            }
        } else if let (Some(prompt), Some(asked)) = (&mut prompt, report.prompt.clone()) {
            // The cursor of a menu moves without another question.
            prompt.asked = asked;
        }
        deltas.extend(self.update(id, now, |known| {
            known.report = report;
            known.trouble = None;
            known.prompt = prompt;
        }));
        deltas
    }

    fn list_tasks(&mut self, lines: Vec<TaskLine>, now: &str) -> Vec<Delta> {
        let before = self.tasks.edges();
        for line in lines {
            self.tasks.note(line);
        }
        let mut edges = self.tasks.edges();
        edges.retain(|edge| !before.contains(edge));
        let mut deltas: Vec<Delta> = Vec::new();
        deltas.extend(edges.into_iter().map(|edge| Delta::MeshEdge { edge }));
        let ids: Vec<AgentId> = self.agents.keys().cloned().collect();
        for id in ids {
            deltas.extend(self.show_task(&id, now));
        }
        deltas
    }

    fn edges_to(&self, to: &str) -> Vec<Delta> {
        let edges = self.tasks.edges().into_iter();
        let edges = edges.filter(|edge| edge.to == to);
        edges.map(|edge| Delta::MeshEdge { edge }).collect()
    }

    fn hear(&mut self, id: &AgentId, event: TaskEvent, now: &str) -> Vec<Delta> {
        let Some(to) = self.node_of(id) else {
            return Vec::new();
        };
        let has_moved = self.tasks.hear(id.as_str(), &to, &event, now);
        let edge = if has_moved {
            self.tasks.edge_of(&event.task_id)
        } else {
            None
        };
        let mut deltas = vec![Delta::Task {
            agent: id.to_string(),
            task: event.task_id,
            number: event.number,
            event: event.event,
            data: event.data,
        }];
        deltas.extend(edge.map(|edge| Delta::MeshEdge { edge }));
        deltas.extend(self.show_task(id, now));
        deltas
    }

    fn show_task(&mut self, id: &AgentId, now: &str) -> Vec<Delta> {
        let running = self.tasks.running(id.as_str()).cloned();
        self.update(id, now, |known| known.task = running)
    }

    /// What an agent is called in the mesh.
    fn node_of(&self, id: &AgentId) -> Option<String> {
        let known = self.agents.get(id)?;
        Some(name_of(known.entry.handle.as_str()))
    }
}

#[cfg(test)]
mod tests;
