//! What the hub knows about one agent.

use std::collections::BTreeMap;

use super::change::{Answer, Place, Report};
use crate::shapes::{Agent, Prompt, Status, TaskLine};
use synapse_client::mesh::{machine_of, seen_of};
use synapse_machine::registry::{AgentId, Entry};

/// Everybody, by id.
pub(crate) type Agents = BTreeMap<AgentId, KnownAgent>;

#[derive(Debug)]
pub(crate) struct KnownAgent {
    /// What the registry says.
    pub(crate) entry: Entry,
    pub(super) place: Place,
    pub(super) report: Report,
    /// Why it cannot be asked, if so.
    pub(super) trouble: Option<String>,
    /// How many wait for it to stop.
    pub(super) stops: u32,
    pub(super) prompt: Option<Prompt>,
    /// The answer that was given to it through this hub.
    pub(super) answer: Option<Answer>,
    pub(super) task: Option<TaskLine>,
    since: String,
    shown: Status,
}

impl KnownAgent {
    pub(super) fn new(entry: Entry, place: Place, since: String) -> Self {
        Self {
            entry,
            place,
            report: Report::nothing_heard(),
            trouble: None,
            stops: 0,
            prompt: None,
            answer: None,
            task: None,
            since,
            shown: Status::Starting,
        }
    }

    /// What it does. A stop that is under way shows only where something is left to stop.
    pub(crate) fn status(&self) -> Status {
        match self.report.status() {
            _ if seen_of(&self.entry).is_some() => Status::Away,
            _ if self.trouble.is_some() => Status::Failed,
            Status::Working | Status::Waiting if self.stops > 0 => Status::Stopping,
            status => status,
        }
    }

    /// The question that is open.
    pub(crate) fn prompt(&self) -> Option<&Prompt> {
        self.prompt.as_ref()
    }

    /// Takes note of when the status last changed: the agent knows best, and of what only this hub knows
    /// (that it is being stopped, that it does not answer) the hub.
    pub(super) fn mark(&mut self, now: &str) {
        let status = self.status();
        let told = self.report.since.as_ref();
        if let Some(told) = told.filter(|_| status == self.report.status()) {
            told.clone_into(&mut self.since);
        } else if status != self.shown {
            now.clone_into(&mut self.since);
        }
        self.shown = status;
    }

    /// As the page sees it.
    pub(crate) fn view(&self) -> Agent {
        let entry = &self.entry;
        let evidence = self.trouble.as_ref().unwrap_or(&self.report.evidence);
        Agent {
            id: entry.agent_id.to_string(),
            handle: entry.handle.to_string(),
            profile: entry.profile.clone(),
            dir: entry.place().display().to_string(),
            machine: machine_of(entry).map(str::to_owned),
            seen: seen_of(entry).map(str::to_owned),
            worktree: self.place.worktree.clone(),
            branch: self.place.branch.clone(),
            repository: self.place.repository.clone(),
            pid: entry.pid,
            port: entry.port,
            version: entry.version.clone(),
            has_terminal: !entry.has_no_terminal,
            started_at: entry.started_at.map(|at| at.to_string()),
            status: self.shown,
            since: self.since.clone(),
            evidence: evidence.clone(),
            queue: self.report.queue,
            held: self.report.held.clone(),
            steps_from: self.report.steps_from.clone(),
            prompt: self.prompt.clone(),
            task: self.task.clone(),
            usage: self.report.priced.clone(),
        }
    }
}
