//! Agents elsewhere: those that were discovered, kept as one file each, and how to talk to them.

mod entry;
mod folder;

use std::io;

use jiff::Timestamp;
use tokio::task::spawn_blocking;

pub use entry::External;
pub use folder::{ExternalError, Folder};

use crate::client::Web;
use crate::client::a2a::{A2AClient, A2AError, Dialect, Interface};
use synapse_machine::handle::{Handle, HandleError};
use synapse_machine::paths::Paths;
use synapse_machine::token::Token;

/// The agents elsewhere that we know, and what calls them.
#[derive(Clone)]
pub struct Contacts {
    folder: Folder,
    web: Web,
}

/// Why an agent elsewhere cannot be talked to.
#[derive(Debug, thiserror::Error)]
pub enum ContactError {
    /// It does not do what it was asked.
    #[error(transparent)]
    Agent(#[from] A2AError),
    /// The files cannot be used.
    #[error(transparent)]
    Folder(#[from] ExternalError),
    /// The wanted name cannot be one.
    #[error(transparent)]
    Alias(#[from] HandleError),
}

impl Contacts {
    /// The agents below this home, and what calls them.
    pub fn new(paths: &Paths, web: Web) -> Self {
        Self {
            folder: Folder::new(paths.external()),
            web,
        }
    }

    /// Those that are known, by alias.
    pub fn list(&self) -> Result<Vec<External>, ContactError> {
        Ok(self.folder.list()?)
    }

    /// The one with this alias, in any spelling, with or without an `@` before it.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, word: &str) -> Result<External, ContactError> {
        Ok(self.folder.find(word)?)
    }

    /// Reads the card of the agent at an address and keeps it. An agent that is known already keeps its alias, and its
    /// token unless there is another.
    ///
    /// # Errors
    /// When there is no agent, or the alias is another's.
    pub async fn discover(
        &self,
        url: &str,
        alias: Option<&str>,
        token: Option<Token>,
    ) -> Result<External, ContactError> {
        let wanted = alias.map(Handle::parse).transpose()?;
        let url = url.trim_end_matches('/');
        let known = self.folder.list()?.into_iter().find(|known| {
            known.url == url
                && wanted
                    .as_ref()
                    .is_none_or(|alias| known.alias.is(alias.as_str()))
        });
        let kept = known.as_ref().and_then(External::token).transpose();
        let token = match token {
            Some(token) => Some(token),
            None => kept.map_err(|why| self.folder.unreadable(why))?,
        };
        let card = A2AClient::discover(&self.web, url, token.as_ref()).await?;
        let now = Timestamp::now();
        let external = External {
            alias: match (wanted, &known) {
                (Some(alias), _) => alias,
                (None, Some(known)) => known.alias.clone(),
                (None, None) => self.folder.free_alias(&card.name, url)?,
            },
            name: card.name,
            url: url.to_owned(),
            description: card.description,
            capabilities: card.capabilities,
            skills: card.skills,
            added_at: known.map_or(now, |known| known.added_at),
            last_seen: Some(now),
            interface: Some(card.interface),
            token_file: None,
        };
        // Somebody else may be writing, and who serves others must not wait for that.
        let folder = self.folder.clone();
        let kept = spawn_blocking(move || folder.keep(external, token.as_ref())).await;
        let kept = kept.map_err(|error| self.folder.unreadable(io::Error::other(error)))?;
        Ok(kept?)
    }

    /// Forgets an agent, and its token.
    ///
    /// # Errors
    /// When there is none with this alias.
    pub fn remove(&self, word: &str) -> Result<External, ContactError> {
        Ok(self.folder.remove(word)?)
    }

    /// The client of an agent.
    pub fn client(&self, external: &External) -> Result<A2AClient, ContactError> {
        let token = external.token().transpose();
        let token = token.map_err(|why| self.folder.unreadable(why))?;
        let interface = external.interface.clone().unwrap_or_else(|| Interface {
            // A file that another program wrote says only where the agent is.
            url: external.url.clone(),
            dialect: Dialect::Native,
            tenant: None,
            streams: false,
        });
        Ok(A2AClient::new(self.web.clone(), interface, token))
    }

    /// Notes that an agent answered just now. What cannot be noted is no reason to fail.
    pub fn seen(&self, external: &External) {
        if let Err(error) = self.folder.seen(&external.alias, Timestamp::now()) {
            tracing::debug!(alias = %external.alias, %error, "it is not noted that it was seen");
        }
    }
}
