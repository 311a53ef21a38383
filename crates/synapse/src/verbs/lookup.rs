//! Finds an agent and sends it a request.

use std::future::Future;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use futures_util::future::join_all;
use synapse_client::address::{AddressBook, FindError, Whom};
use synapse_client::client::{Callable, Client, Web};
use synapse_client::current_agent;
use synapse_client::external::{ContactError, Contacts, External, ExternalError};
use synapse_client::mesh::{Found, Meant, MeshView};
use synapse_client::message::{ACCEPTANCE, OutgoingMessage};
use synapse_client::native::TaskShape;
use synapse_machine::config::Config;
use synapse_machine::handle::{AddressError, Handle, find, find_to_end};
use synapse_machine::paths::Paths;
use synapse_machine::registry::{Entry, Registry};
use tokio::time::timeout;

use super::{Failure, profile, tasks, texts};

/// How long an agent may take to answer a question about something it has at hand.
pub(crate) const MOMENT: Duration = Duration::from_secs(5);

/// The agents that run.
pub(crate) fn agents() -> Result<Vec<Entry>> {
    Ok(Registry::new(Paths::from_env()?.registry()).list()?)
}

/// The agent a word means.
pub(super) fn agent(word: &str) -> Result<Entry> {
    named(word, find)
}

/// The agent that is to be ended.
pub(super) fn agent_to_end(word: &str) -> Result<Entry> {
    named(word, find_to_end)
}

fn named(
    word: &str,
    find: for<'a> fn(&'a [Entry], &str, &Path) -> Result<&'a Entry, AddressError>,
) -> Result<Entry> {
    let name = word.strip_prefix('@').unwrap_or(word);
    let here = std::env::current_dir()?;
    let view = || MeshView::read(&Paths::from_env()?).map_err(anyhow::Error::from);
    if name.contains('@') {
        let Some(view) = view()? else {
            let error = FindError::NoMesh(name.to_owned()).to_string();
            return Err(Failure::new(Failure::NO_SUCH_AGENT, error).into());
        };
        return match view.find(name).map_err(|error| nobody(word, &error))? {
            Meant::Own(name) => find(&agents()?, &name, &here)
                .cloned()
                .map_err(|error| nobody(word, &error).into()),
            Meant::Away(found) => present(*found),
            Meant::Nobody => Err(Failure::new(
                Failure::NO_SUCH_AGENT,
                format!("no agent is called '{name}'"),
            )
            .into()),
        };
    }
    let missing = match find(&agents()?, word, &here) {
        Ok(entry) => return Ok(entry.clone()),
        Err(error) => error,
    };
    if matches!(missing, AddressError::Nobody { .. })
        && let Some(view) = view()?
        && let Meant::Away(found) = view.find(name).map_err(|error| nobody(word, &error))?
    {
        return present(*found);
    }
    Err(nobody(word, &missing).into())
}

/// An agent of another machine that can be reached now.
fn present(found: Found) -> Result<Entry> {
    if !found.is_here {
        return Err(away(&found).into());
    }
    Ok(found.entry)
}

/// The machine of an agent is away.
fn away(found: &Found) -> Failure {
    let (machine, handle) = (&found.machine, &found.entry.handle);
    Failure::new(
        Failure::NO_SUCH_AGENT,
        format!("{handle} cannot be reached: {machine} is away; see: synapse mesh status"),
    )
}

/// Nobody is called so; what became of one that was, and how to start one.
fn nobody(word: &str, error: &AddressError) -> Failure {
    let name = word.trim_start_matches('@');
    let mut hint = String::new();
    if matches!(error, AddressError::Nobody { .. }) {
        if let Ok(handle) = Handle::parse(name)
            && Paths::from_env().is_ok_and(|paths| paths.log(&handle).exists())
        {
            hint += &texts::one_has_ended(name);
        }
        if matches!(profile::is_known(name), Ok(true)) {
            hint += &texts::start_it(name);
        }
    }
    Failure::new(
        Failure::NO_SUCH_AGENT,
        format!("{}{hint}", texts::errors::address(error)),
    )
}

/// Everybody who can be addressed.
pub(crate) fn book() -> Result<AddressBook> {
    let paths = Paths::from_env()?;
    let config = Config::load(&paths.config())?.config;
    let contacts = Contacts::new(&paths, Web::new(Callable::Any, config.ca_file));
    Ok(AddressBook::new(&paths, contacts, &config.agents))
}

/// The agent a word means: one that runs here, one elsewhere, or one that a message may start.
pub(super) fn whom(word: &str) -> Result<Whom> {
    let here = std::env::current_dir()?;
    book()?.find(word, &here).map_err(|error| match error {
        FindError::Address(error) => nobody(word, &error).into(),
        error => error.into(),
    })
}

/// The agent elsewhere that a word means.
pub(super) fn external(word: &str) -> Result<External> {
    contacts()?.find(word).map_err(|error| match error {
        ContactError::Folder(error @ ExternalError::Nobody { .. }) => {
            Failure::new(Failure::NO_SUCH_AGENT, error.to_string()).into()
        }
        error => error.into(),
    })
}

/// The agents elsewhere. Whoever sits at the keyboard may call any address.
pub(crate) fn contacts() -> Result<Contacts> {
    let paths = Paths::from_env()?;
    let ca_file = Config::load(&paths.config())?.config.ca_file;
    Ok(Contacts::new(&paths, Web::new(Callable::Any, ca_file)))
}

/// Asks an agent something.
pub(crate) fn ask<T, F: Future<Output = Result<T>>>(
    word: &str,
    question: impl FnOnce(Client) -> F,
) -> Result<T> {
    let entry = agent(word)?;
    let client = Client::of(&entry)?;
    block_on(question(client))
}

/// The agent this command runs in, if it runs in one.
pub(super) fn own() -> Result<Option<Entry>> {
    // Most commands run in none, and need not look.
    if std::env::var_os(current_agent::ID).is_none() {
        return Ok(None);
    }
    Ok(agents()?.into_iter().find(current_agent::is_around))
}

/// The agent whose task has a name that begins or ends so, and the whole name.
pub(super) async fn task(part: &str) -> Result<(Entry, String)> {
    // Those of other machines are asked as well.
    let elsewhere = MeshView::read(&Paths::from_env()?)?;
    let elsewhere = elsewhere.map(|view| view.entries()).unwrap_or_default();
    let asked = agents()?.into_iter().chain(elsewhere).map(async |entry| {
        let client = Client::of(&entry).ok()?;
        let tasks = within(MOMENT, client.tasks()).await.ok()?;
        let ids = tasks.iter().map(|task| task.id.as_str());
        let meant = ids.filter(|id| id.starts_with(part) || id.ends_with(part));
        let meant: Vec<String> = meant.map(str::to_owned).collect();
        Some((entry, meant))
    });
    let found: Vec<(Entry, Vec<String>)> = join_all(asked).await.into_iter().flatten().collect();
    let mut tasks = found
        .iter()
        .flat_map(|(entry, ids)| ids.iter().map(move |id| (entry, id)));
    match (tasks.next(), tasks.next()) {
        (Some((entry, id)), None) => Ok((entry.clone(), id.clone())),
        (None, _) => bail!("{}", texts::no_such_task(part)),
        (Some(_), Some(_)) => {
            let names: Vec<&str> = found
                .iter()
                .flat_map(|(_, ids)| ids)
                .map(String::as_str)
                .collect();
            bail!("{}", texts::several_tasks(part, tasks::several(&names)))
        }
    }
}

/// Hands a message to an agent of this machine; the task that was made of it.
pub(super) async fn deliver(client: &Client, message: &OutgoingMessage) -> Result<TaskShape> {
    within(ACCEPTANCE, client.send(message.priority(), &message.body())).await
}

/// Waits for an agent, but not for ever: its host may be stopped or stuck.
pub(crate) async fn within<T>(
    patience: Duration,
    call: impl Future<Output = Result<T>>,
) -> Result<T> {
    match timeout(patience, call).await {
        Ok(done) => done,
        Err(_) => bail!("{}", texts::no_answer_within(patience.as_secs())),
    }
}

/// Waits for something on this thread.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.context("no runtime")?.block_on(work)
}
