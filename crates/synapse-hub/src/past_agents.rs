//! Past agents: their conversations stay readable, because the store keeps them. The id of an agent stays with
//! its folder, whoever works there next, so a conversation is named by the id and the handle.

use std::collections::HashMap;

use super::Hub;
use super::history::{read, time};
use super::problem::Problem;
use super::shapes::Former;
use synapse_machine::registry::Entry;
use synapse_store::KeptAgent;
use synapse_store::lives::End;

/// Between the id and the name where both are needed; neither has it.
const MARK: char = '~';

/// Who runs and who ran, so that it can be told whose a task is.
pub(super) struct Roll {
    running: Vec<Entry>,
    /// The one that was last heard of first.
    kept: Vec<KeptAgent>,
    /// How the last run of each ended, by id and name.
    ends: HashMap<(String, String), End>,
}

impl Roll {
    pub(super) async fn read(hub: &Hub) -> Result<Self, Problem> {
        let kept = read(hub, |reader| Ok((reader.agents()?, reader.last_ends()?)));
        let (kept, ends) = kept.await?;
        Ok(Self {
            running: hub.entries(),
            kept,
            ends,
        })
    }

    /// The agent that runs, or runs again, with this id and under this name.
    pub(super) fn running(&self, agent: &str, handle: &str) -> Option<&Entry> {
        let found = self.running.iter().find(|entry| is_named(entry, agent));
        found.filter(|entry| entry.handle.is(handle))
    }

    /// The name of a conversation: the agent's id, or, if that means another one by now, the id and the handle.
    pub(super) fn conversation(&self, agent: &str, handle: &str) -> String {
        let named = self.running.iter().find(|entry| is_named(entry, agent));
        let is_plain = match named {
            Some(entry) => entry.handle.is(handle),
            None => self.of_id(agent).is_none_or(|kept| is_called(kept, handle)),
        };
        if is_plain {
            agent.to_owned()
        } else {
            format!("{agent}{MARK}{handle}")
        }
    }

    fn of_id(&self, agent: &str) -> Option<&KeptAgent> {
        self.kept.iter().find(|kept| kept.agent == agent)
    }

    /// Those that do not run, the one that was last heard of first.
    pub(super) fn past(&self) -> Vec<Former> {
        let is_gone = |kept: &&KeptAgent| self.running(&kept.agent, &kept.handle).is_none();
        let gone = self.kept.iter().filter(is_gone);
        gone.map(|kept| self.view(kept)).collect()
    }

    /// One that was there once, by id, by name, or by both. Where several fit, the last of them.
    pub(super) fn find(&self, word: &str) -> Option<Former> {
        let found = if let Some((agent, handle)) = word.split_once(MARK) {
            let mut kept = self.kept.iter();
            kept.find(|kept| kept.agent == agent && is_called(kept, handle))
        } else {
            let called = || self.kept.iter().find(|kept| is_called(kept, word));
            self.of_id(word).or_else(called)
        };
        found.map(|kept| self.view(kept))
    }

    /// Of what its last run died, if it did.
    fn death_of(&self, kept: &KeptAgent) -> Option<String> {
        let name = (kept.agent.clone(), kept.handle.to_lowercase());
        let end = self.ends.get(&name).filter(|end| end.is_death());
        end.map(|end| end.words())
    }

    fn view(&self, kept: &KeptAgent) -> Former {
        Former {
            id: self.conversation(&kept.agent, &kept.handle),
            agent: kept.agent.clone(),
            handle: kept.handle.clone(),
            profile: kept.profile.clone(),
            dir: kept.dir.display().to_string(),
            tasks: u32::try_from(kept.tasks).unwrap_or(u32::MAX),
            last_at: time(kept.last),
            died: self.death_of(kept),
        }
    }
}

/// Those that do not run, the one that was last heard of first.
pub(super) async fn list(hub: &Hub) -> Result<Vec<Former>, Problem> {
    Ok(Roll::read(hub).await?.past())
}

/// One that was there once, by id, by name, or by both.
pub(super) async fn find(hub: &Hub, word: &str) -> Result<Former, Problem> {
    Roll::read(hub).await?.find(word).ok_or_else(|| {
        let error = format!("no agent is or was called '{word}'");
        Problem::missing("no_such_agent", error)
    })
}

fn is_named(entry: &Entry, agent: &str) -> bool {
    entry.agent_id.as_str() == agent
}

fn is_called(kept: &KeptAgent, word: &str) -> bool {
    kept.handle.to_lowercase() == word.to_lowercase()
}
