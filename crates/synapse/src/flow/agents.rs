//! The agents of a run: those that run already, those elsewhere, and those that are started for it and stopped after it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};
use synapse_client::address::{AddressBook, FindError, Whom};
use synapse_client::client::{Callable, Web};
use synapse_client::delivery::Recipient;
use synapse_client::external::Contacts;
use synapse_flow::event::Beginning;
use synapse_machine::child;
use synapse_machine::config::Config;
use synapse_machine::handle::AddressError;
use synapse_machine::hex::hex;
use synapse_machine::paths::{Paths, create_folder};
use synapse_machine::private_file;
use synapse_machine::registry::{Entry, Registry};
use tokio::time::timeout;

/// How long an agent may take to be started or stopped.
const PATIENCE: Duration = Duration::from_mins(1);

/// Who stands in for everybody in a simulation.
const DUMMY: &str = "dummy";

/// An agent that can be sent to.
#[derive(Clone)]
pub(super) struct Reached {
    pub(super) name: String,
    /// Nothing for an agent elsewhere.
    pub(super) id: Option<String>,
    recipient: Option<Recipient>,
}

impl Reached {
    pub(super) fn recipient(&self) -> Result<&Recipient> {
        let recipient = self.recipient.as_ref();
        recipient.with_context(|| format!("{} is gone", self.name))
    }

    /// One that has answered and is not there any more.
    pub(super) fn gone(name: &str, id: &str) -> Self {
        Self {
            name: name.to_owned(),
            id: Some(id.to_owned()),
            recipient: None,
        }
    }

    fn local(entry: &Entry) -> Result<Self> {
        Ok(Self {
            name: entry.handle.to_string(),
            id: Some(entry.agent_id.as_str().to_owned()),
            recipient: Some(Recipient::local(entry)?),
        })
    }
}

pub(super) struct AgentPool {
    paths: Paths,
    run: String,
    dir: PathBuf,
    simulate: bool,
    book: AddressBook,
    contacts: Contacts,
    /// One file for each agent that was started, so that whoever takes up the run knows of them.
    started: PathBuf,
    /// Two steps that need the same agent start it once.
    turns: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

impl AgentPool {
    pub(super) fn new(paths: &Paths, begin: &Beginning, folder: &Path) -> Result<Self> {
        let config = Config::load(&paths.config())?.config;
        let contacts = Contacts::new(paths, Web::new(Callable::Any, config.ca_file));
        let book = AddressBook::new(paths, contacts.clone(), &config.agents);
        Ok(Self {
            paths: paths.clone(),
            run: begin.run.clone(),
            dir: PathBuf::from(&begin.dir),
            simulate: begin.simulate,
            book,
            contacts,
            started: folder.join("agents"),
            turns: Mutex::default(),
        })
    }

    /// The agent that is meant, to work in a folder if that is said; started if it must be.
    pub(super) async fn reach(&self, agent: &str, dir: Option<&Path>) -> Result<Reached> {
        let agent = agent.strip_prefix('@').unwrap_or(agent);
        let own = self.own_handle(agent, dir);
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(turns.entry(own.clone()).or_default())
        };
        let _turn = turn.lock().await;
        let entries = self.book.local()?;
        if let Some(entry) = entries.iter().find(|entry| entry.handle.is(&own)) {
            return Reached::local(entry);
        }
        let (base, is_copy) = match agent.split_once('#') {
            Some((base, _)) => (base, true),
            None => (agent, false),
        };
        if self.simulate {
            return self.start(DUMMY, &own, &self.dir).await;
        }
        let of_flows = self.of_flows();
        let is_free = |entry: &Entry| !of_flows.iter().any(|handle| entry.handle.is(handle));
        let can_be = |entry: &Entry| entry.handle.is(base) || is_free(entry);
        let is_meant = |entry: &&Entry| {
            entry.handle.is(base) || (entry.profile.eq_ignore_ascii_case(base) && is_free(entry))
        };
        if let Some(dir) = dir {
            let here = entries.iter().filter(is_meant);
            let mut here = here.filter(|entry| entry.working_dir == dir && !is_copy);
            if let Some(entry) = here.next() {
                return Reached::local(entry);
            }
            let named = entries.iter().find(|entry| entry.handle.is(base));
            let profile = named.map_or(base, |entry| &entry.profile);
            if let Ok(Whom::External(_) | Whom::Mesh(_)) =
                self.book.find_among(base, &self.dir, can_be)
            {
                bail!(
                    "{base} is an agent elsewhere: it cannot work in {}",
                    dir.display()
                );
            }
            return self.start(profile, &own, dir).await;
        }
        if is_copy {
            return self.start(base, &own, &self.dir).await;
        }
        match self.book.find_among(base, &self.dir, can_be) {
            Ok(Whom::Local(entry)) => Reached::local(&entry),
            Ok(Whom::External(external)) => Ok(Reached {
                name: external.alias.to_string(),
                id: None,
                recipient: Some(Recipient::external(&self.contacts, &external)?),
            }),
            Ok(Whom::Mesh(found)) => {
                if !found.is_here {
                    bail!("{base} cannot be reached: {} is away", found.machine);
                }
                Ok(Reached {
                    name: found.entry.handle.to_string(),
                    id: None,
                    recipient: Some(Recipient::local(&found.entry)?),
                })
            }
            Ok(Whom::Startable(profile)) => self.start(&profile, &own, &self.dir).await,
            Err(FindError::Address(error @ AddressError::Nobody { .. })) => {
                if base.contains('@') {
                    return Err(error.into());
                }
                self.start(base, &own, &self.dir).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Those that were started for runs: each is its run's alone, and stopped with it.
    fn of_flows(&self) -> Vec<String> {
        let runs = std::fs::read_dir(self.paths.flow_runs());
        let runs = runs.into_iter().flatten().flatten();
        let agents = runs.filter_map(|run| std::fs::read_dir(run.path().join("agents")).ok());
        let agents = agents.flatten().flatten();
        agents
            .map(|agent| agent.file_name().to_string_lossy().into_owned())
            .collect()
    }

    /// An agent of this machine by its id, while it runs.
    pub(super) fn by_id(&self, id: &str, handle: &str) -> Option<Reached> {
        let entries = Registry::new(self.paths.registry()).list().ok()?;
        let mut entries = entries.iter().filter(|entry| entry.agent_id.as_str() == id);
        let entry = entries.find(|entry| entry.handle.is(handle))?;
        Reached::local(entry).ok()
    }

    /// What an agent is called that is started for this run: the same whoever takes it up.
    fn own_handle(&self, agent: &str, dir: Option<&Path>) -> String {
        let dir = dir.unwrap_or(&self.dir);
        let text = format!("{}|{agent}|{}", self.run, dir.display());
        let digits = hex(&Sha256::digest(text.as_bytes()));
        let base = agent.split(['#', '@']).next().unwrap_or(agent);
        let base: String = base.chars().take(40).collect();
        format!("{base}-{}", digits.get(..6).unwrap_or_default())
    }

    async fn start(&self, profile: &str, handle: &str, dir: &Path) -> Result<Reached> {
        create_folder(&self.started)?;
        private_file::open(&self.started.join(handle))?;
        let dir_text = dir.to_string_lossy().into_owned();
        let args = [
            "start", profile, "--name", handle, "--port", "0", "--cwd", &dir_text,
        ];
        self.synapse(&args)
            .await
            .with_context(|| format!("the agent '{profile}' cannot be started"))?;
        let entries = self.book.local()?;
        let entry = entries.iter().find(|entry| entry.handle.is(handle));
        let entry =
            entry.with_context(|| format!("{profile} was started but has already ended"))?;
        Reached::local(entry)
    }

    /// Stops all that were started for the run.
    pub(super) async fn stop_all(&self) {
        let entries = std::fs::read_dir(&self.started)
            .into_iter()
            .flatten()
            .flatten();
        let handles: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        let running = self.book.local().unwrap_or_default();
        let is_running = |handle: &&String| running.iter().any(|entry| entry.handle.is(handle));
        let mut words = vec!["stop"];
        words.extend(handles.iter().filter(is_running).map(String::as_str));
        if words.len() > 1
            && let Err(error) = self.synapse(&words).await
        {
            tracing::warn!(%error, "agents that were started for the flow could not be stopped");
            return;
        }
        let _ = std::fs::remove_dir_all(&self.started);
    }

    async fn synapse(&self, args: &[&str]) -> Result<()> {
        let program = synapse_machine::child::own_program()
            .context("cannot find the path of this program")?;
        let mut command = child::command(program);
        command
            .args(args)
            .current_dir(&self.dir)
            // They are nobody's child agents.
            .env_remove(synapse_client::current_agent::ID)
            .stdin(Stdio::null());
        let done = tokio::task::spawn_blocking(move || command.output());
        let done = timeout(PATIENCE, done)
            .await
            .context("it took too long")???;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr);
            bail!("{}", said.trim().trim_start_matches("synapse: "));
        }
        Ok(())
    }
}
