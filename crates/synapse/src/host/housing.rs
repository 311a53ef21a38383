//! What the program of an agent runs in: a terminal of its own, or a pane of tmux with the agent's name on it.

use anyhow::Result;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Claim;
use synapse_session::{HookSetup, Under};
use synapse_tmux::Adoption;

use super::Agent;
use crate::launch::{self, Launch, ProgramPlace};

/// A program that is about to be hosted, and what was prepared for it.
pub(super) struct Housing {
    pub(super) under: Under,
    pub(super) pane: Option<LabelledPane>,
    pub(super) hooks: Option<HookSetup>,
    pub(super) transcript: Option<synapse_transcript::Source>,
    /// What the person should know.
    pub(super) notes: Vec<String>,
}

impl Housing {
    /// Prepares the program's start, or opens the pane that it is in.
    ///
    /// # Errors
    /// If it cannot be prepared, or tmux refuses.
    pub(super) fn open(agent: &Agent, claim: &Claim, paths: &Paths) -> Result<Self> {
        let profile = &agent.profile;
        let Launch {
            spawn,
            hooks,
            transcript,
            mut notes,
        } = match &agent.place {
            ProgramPlace::Pane(adoption) => launch::adopted(profile, adoption),
            ProgramPlace::Own | ProgramPlace::Window(_) => {
                launch::prepare(agent, claim.id().as_str(), paths)?
            }
        };
        let pane = match &agent.place {
            ProgramPlace::Own => None,
            ProgramPlace::Pane(adoption) => Some((**adoption).clone()),
            ProgramPlace::Window(wish) => Some(wish.open(&spawn, claim.handle(), profile)?),
        };
        let under = match pane.clone() {
            Some(pane) => Under::Terminal(synapse_tmux::open(pane)?),
            None => Under::Program(Box::new(spawn)),
        };
        // For people who look at their panes, and for whoever wants to adopt one that is an agent already.
        if let Some(pane) = &pane
            && let Err(error) = pane.label(Some(claim.handle().as_str()))
        {
            notes.push(format!("the pane is not labelled: {error}"));
        }
        Ok(Self {
            under,
            pane: pane.map(LabelledPane),
            hooks,
            transcript,
            notes,
        })
    }
}

/// A pane with the agent's name on it; dropped, the name is taken off.
pub(super) struct LabelledPane(Adoption);

impl LabelledPane {
    /// The program in it.
    pub(super) fn program(&self) -> u32 {
        self.0.program.as_raw_pid().cast_unsigned()
    }
}

impl Drop for LabelledPane {
    fn drop(&mut self) {
        // A pane that is gone needs no label taken off.
        let _ = self.0.label(None);
    }
}
