//! What the program of an agent runs in: a terminal of its own, a pane of tmux with the agent's name on it, or none,
//! where it is reached by ACP.

use anyhow::Result;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Claim;
use synapse_pty::Spawn;
use synapse_session::{HookSetup, Under};
use synapse_term::profile::Backend;
use synapse_tmux::Adoption;

use super::{Agent, explained};
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
        let (under, hooks) = match (pane.clone(), profile.backend) {
            (Some(pane), _) => (Under::Terminal(synapse_tmux::open(pane)?), hooks),
            (None, Backend::Terminal) => (Under::Program(Box::new(spawn)), hooks),
            (None, Backend::Acp) => {
                let mcp_servers = launch::acp_servers(agent, claim.id().as_str())?;
                let (under, voice) = acp_backend(agent, spawn, mcp_servers)
                    .open()
                    .map_err(|error| explained(error, profile))?;
                (Under::Terminal(under), Some(HookSetup::acp(voice)))
            }
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

/// The program as it is reached by ACP.
fn acp_backend(
    agent: &Agent,
    spawn: Spawn,
    mcp_servers: Vec<serde_json::Value>,
) -> synapse_acp::Backend {
    synapse_acp::Backend {
        argv: spawn.argv,
        env: spawn.env,
        env_remove: spawn.env_remove,
        dir: spawn.cwd.unwrap_or_else(|| agent.dir.clone()),
        auth: agent.profile.acp.as_ref().and_then(|acp| acp.auth.clone()),
        mcp_servers,
        resume: agent.resume.clone(),
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
