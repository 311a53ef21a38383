//! The agents that the tools reach: those of this machine, those elsewhere, and those that a message may start.

use std::time::Duration;

use anyhow::{Result, bail};
use synapse_a2a::event::Origin;
use synapse_client::address::{AddressBook, Whom};
use synapse_client::auto_start;
use synapse_client::client::{Callable, Client, Web};
use synapse_client::current_agent;
use synapse_client::delivery::{self, Recipient};
use synapse_client::external::{Contacts, External};
use synapse_client::mesh::{Found, Handed, MeshView, hand_over, is_elsewhere};
use synapse_client::message::OutgoingMessage;
use synapse_client::native::state_word;
use synapse_machine::config::Config;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Entry;
use tokio::time::timeout;

use super::tools::{Brief, Outcome};

/// Everybody who can be spoken to, and who speaks.
pub(super) struct Neighbours {
    pub(super) others: Vec<Entry>,
    pub(super) elsewhere: Vec<External>,
    own: Option<Entry>,
    book: AddressBook,
    contacts: Contacts,
}

impl Neighbours {
    pub(super) fn look(paths: &Paths) -> Result<Self> {
        let config = Config::load(&paths.config())?.config;
        // Only those that a person has added are called.
        let contacts = Contacts::new(paths, Web::new(Callable::Any, config.ca_file));
        let book = AddressBook::new(paths, contacts.clone(), &config.agents);
        let (own, mut others): (Vec<Entry>, Vec<Entry>) = book
            .local()?
            .into_iter()
            .partition(current_agent::is_around);
        let view = MeshView::read(paths)?;
        others.extend(view.map(|view| view.entries()).unwrap_or_default());
        Ok(Self {
            others,
            elsewhere: contacts.list()?,
            own: own.into_iter().next(),
            book,
            contacts,
        })
    }

    /// The agent a word means. One that is not running, and that a message may start, is started.
    pub(super) async fn find(&self, word: &str) -> Result<Recipient> {
        let here = std::env::current_dir()?;
        let whom = match self.book.find(word, &here)? {
            Whom::Startable(name) => {
                auto_start::start(&name, &here).await?;
                self.book.find(word, &here)?
            }
            whom => whom,
        };
        match whom {
            Whom::Local(entry) if current_agent::is_around(&entry) => {
                bail!("{} is this agent itself", entry.handle)
            }
            Whom::Local(entry) => Recipient::local(&entry),
            Whom::Mesh(found) => Recipient::local(&found.entry),
            Whom::External(external) => Recipient::external(&self.contacts, &external),
            Whom::Startable(name) => bail!("{name} was started but has already ended"),
        }
    }

    /// The agent that a word means, if its machine is away.
    pub(super) fn away(&self, word: &str) -> Option<Found> {
        let here = std::env::current_dir().ok()?;
        match self.book.find(word, &here) {
            Ok(Whom::Mesh(found)) if !found.is_here => Some(*found),
            _ => None,
        }
    }

    /// Those of this machine.
    pub(super) fn here(&self) -> impl Iterator<Item = &Entry> {
        self.others.iter().filter(|entry| !is_elsewhere(entry))
    }

    /// Who speaks: our own agent, or whoever runs us.
    pub(super) fn sender(&self) -> String {
        let own = self.own.as_ref().map(|entry| entry.handle.to_string());
        own.unwrap_or_else(|| Origin::SOMEBODY.to_owned())
    }

    /// How many agents a message of ours has passed through: one more than what we are working on.
    pub(super) async fn hops(&self) -> Result<u8> {
        match &self.own {
            Some(own) => current_agent::hops(own).await,
            None => Ok(0),
        }
    }
}

/// How an agent stands, in a line.
pub(super) async fn brief(entry: &Entry) -> Brief {
    let status = async { Client::of(entry)?.status().await };
    let status = status.await.ok();
    let state = status.as_ref().map_or("", |status| status.status.as_str());
    Brief {
        handle: entry.handle.to_string(),
        profile: entry.profile.clone(),
        state: state_word(state).to_owned(),
        asks: status.and_then(|status| Some(status.prompt?.question)),
        directory: entry.place().display().to_string(),
    }
}

/// An agent elsewhere, of which no more is known than its card.
pub(super) fn brief_elsewhere(external: &External) -> Brief {
    Brief {
        handle: external.alias.to_string(),
        profile: "external".to_owned(),
        state: "external".to_owned(),
        asks: None,
        directory: external.url.clone(),
    }
}

/// A message, and how long to wait for the answer; not at all without.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) message: OutgoingMessage,
    pub(super) patience: Option<Duration>,
}

/// Sends a message, and waits for what comes of it if that is wanted.
pub(super) async fn send(to: &Recipient, request: &Request) -> Result<Outcome> {
    let mut sent = to.send(&request.message).await?;
    if let Some(patience) = request.patience
        && let Ok(outcome) = timeout(patience, sent.next_stop()).await
    {
        return Ok(shown(to, outcome?));
    }
    // A task that takes longer goes on; it is shown as it stands.
    task(to, sent.task()).await
}

/// Leaves a message for an agent whose machine is away.
pub(super) async fn leave(paths: &Paths, found: &Found, request: &Request) -> Result<Outcome> {
    let (task, state, reason) = match hand_over(paths, found, &request.message, None).await? {
        Handed::Task(task) => (task.id, task.status.state.name().to_owned(), None),
        Handed::Kept(kept) => {
            let (machine, until) = (&found.machine, kept.until);
            let reason = format!("{machine} is away; the message waits for it here until {until}");
            (kept.id, kept.state, Some(reason))
        }
    };
    Ok(Outcome {
        agent: found.entry.handle.to_string(),
        task,
        state,
        reply: None,
        question: None,
        options: Vec::new(),
        error: reason,
    })
}

/// A task as it stands.
pub(super) async fn task(to: &Recipient, id: &str) -> Result<Outcome> {
    Ok(shown(to, to.task(id).await?))
}

fn shown(to: &Recipient, outcome: delivery::Outcome) -> Outcome {
    let (question, options) = outcome
        .question
        .map_or((None, Vec::new()), |asks| (Some(asks.prompt), asks.options));
    Outcome {
        agent: to.name().to_owned(),
        task: outcome.task,
        state: outcome.state.name().to_owned(),
        reply: outcome.reply,
        question,
        options,
        error: outcome.reason,
    }
}
