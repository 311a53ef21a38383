//! Sends messages typed in an agent's terminal to other agents and brings the answers back, so that the
//! actor never touches a file or a socket and the keyboard never waits.

mod address;
mod answer;
mod namesake;
mod send_job;
mod send_order;

use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use address::Unmet;
use send_order::{OrderSlot, SendOrder};
use synapse_client::address::AddressBook;
use synapse_client::external::Contacts;
use synapse_client::message;
use synapse_client::pace::Pace;
use synapse_machine::config::{AgentSettings, Feedback, InputRouting};
use synapse_machine::log_file::LogFile;
use synapse_machine::paths::{Paths, expand_home};
use synapse_machine::registry::Entry;
use synapse_session::{Command, LineTarget, Notice, OutboxRequest, RoutingSetup, SessionHandle};

/// Errands that may wait for the courier; who comes after passes.
const INBOX: usize = 64;

/// How many messages of the program to one agent are let through in a minute.
const MOST_A_MINUTE: usize = 10;

/// Messages that may be on their way, or waited for, at one time.
const JOBS: usize = 64;

/// Carries the messages of one agent.
pub struct Courier {
    outbox: Arc<Outbox>,
    requests: mpsc::Receiver<OutboxRequest>,
}

/// What all jobs share.
struct Outbox {
    own: Entry,
    session: SessionHandle,
    book: AddressBook,
    store: PathBuf,
    log: PathBuf,
    contacts: Contacts,
    feedback: Feedback,
    returns_to_agent: bool,
    pace: Mutex<Pace>,
    jobs: Arc<Semaphore>,
    /// How many notices have been spoken of.
    spoken: AtomicU64,
    /// Where the wrapped program writes down sessions that it knows by name, if it does.
    sessions: Option<PathBuf>,
    /// Names that were said to be in use on both sides.
    shared_names: Mutex<HashSet<String>>,
}

/// What a courier goes by.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    /// Which lines are messages, and how the person is told what becomes of them.
    pub routing: InputRouting,
    /// Which agents may be started by a message.
    pub agents: BTreeMap<String, AgentSettings>,
}

impl Orders {
    /// The way to a courier, and the requests that come by it.
    pub fn line(&self) -> (RoutingSetup, mpsc::Receiver<OutboxRequest>) {
        let (sender, requests) = mpsc::channel(INBOX);
        let setup = RoutingSetup {
            pattern: self.routing.pattern.clone(),
            passes_unknown: self.routing.passthrough_on_fail,
            lines: self.routing.enabled,
            outbox: sender,
        };
        (setup, requests)
    }
}

impl Courier {
    /// The courier of a published agent.
    pub fn new(
        own: Entry,
        session: SessionHandle,
        paths: &Paths,
        contacts: Contacts,
        orders: &Orders,
        claude_transcripts: Option<&Path>,
        requests: mpsc::Receiver<OutboxRequest>,
    ) -> Self {
        let outbox = Outbox {
            own,
            session,
            book: AddressBook::new(paths, contacts.clone(), &orders.agents),
            store: paths.store(),
            log: paths.input_router_log(),
            contacts,
            feedback: orders.routing.feedback,
            returns_to_agent: orders.routing.return_to_agent,
            pace: Mutex::new(Pace::new(MOST_A_MINUTE)),
            jobs: Arc::new(Semaphore::new(JOBS)),
            spoken: AtomicU64::new(0),
            sessions: claude_transcripts.and_then(namesake::sessions_beside),
            shared_names: Mutex::default(),
        };
        Self {
            outbox: Arc::new(outbox),
            requests,
        }
    }

    /// Carries until the agent is gone. What is on its way then is no longer waited for.
    pub async fn run(mut self) {
        let mut jobs = JoinSet::new();
        let mut order = SendOrder::default();
        loop {
            tokio::select! {
                request = self.requests.recv() => match request {
                    Some(request) => {
                        let outbox = Arc::clone(&self.outbox);
                        let place = match &request {
                            OutboxRequest::Send(dispatch) => Some(order.enter(&dispatch.command.handle)),
                            _ => None,
                        };
                        jobs.spawn(outbox.handle(request, place));
                    }
                    None => return,
                },
                Some(_) = jobs.join_next() => {}
            }
        }
    }
}

impl Outbox {
    async fn handle(self: Arc<Self>, request: OutboxRequest, place: Option<OrderSlot>) {
        match request {
            OutboxRequest::Find {
                line,
                handle,
                files,
            } => {
                let found = self.find(handle, files).await;
                let _ = self.session.tell(Command::Found(line, found)).await;
            }
            OutboxRequest::Send(dispatch) => self.carry(dispatch, place).await,
            OutboxRequest::Log(decision) => self.write_down(decision).await,
        }
    }

    async fn find(self: &Arc<Self>, handle: String, files: Vec<String>) -> LineTarget {
        let outbox = Arc::clone(self);
        let found = tokio::task::spawn_blocking(move || {
            if let Err(unmet) = address::resolve(&outbox, &handle) {
                return match unmet {
                    Unmet::Nobody(why) => LineTarget::Nobody(why),
                    Unmet::Doubtful(why) => LineTarget::Wrong(why),
                };
            }
            match message::check(&named(&files), &outbox.own.working_dir) {
                Ok(()) => LineTarget::Known,
                Err(error) => LineTarget::Wrong(error.to_string()),
            }
        });
        let lost = |_| LineTarget::Nobody("nobody could be looked for".to_owned());
        found.await.unwrap_or_else(lost)
    }

    /// What the notices of one job are about; a message to all needs one for each.
    fn next_about(&self) -> u64 {
        const STEP: u64 = 1_000;
        self.spoken.fetch_add(STEP, Ordering::Relaxed)
    }

    /// Says, once for each name, that the wrapped program has a session of that name as well.
    async fn tell_of_namesake(&self, handle: &str) {
        let Some(sessions) = self.sessions.clone() else {
            return;
        };
        let name = handle.to_ascii_lowercase();
        let was_told = |names: &mut HashSet<String>| names.contains(&name);
        if self.of_shared_names(was_told) {
            return;
        }
        let sought = name.clone();
        let looked = tokio::task::spawn_blocking(move || namesake::is_session(&sessions, &sought));
        let is_shared = looked.await.unwrap_or_default();
        let is_first = is_shared && self.of_shared_names(|names| names.insert(name));
        if is_first {
            let text = format!(
                "[@{handle} is the Synapse agent here; Claude Code has a session of that name, too: \
                 with a blank before the @ the line goes to Claude Code]"
            );
            self.notify(self.next_about(), text).await;
        }
    }

    fn of_shared_names(&self, ask: impl FnOnce(&mut HashSet<String>) -> bool) -> bool {
        ask(&mut self
            .shared_names
            .lock()
            .unwrap_or_else(PoisonError::into_inner))
    }

    async fn notify(&self, about: u64, text: String) {
        let notice = Notice { about, text };
        let _ = self.session.tell(Command::Notice(notice)).await;
    }

    /// One line in the router's log, which all agents share: it is opened anew for each.
    async fn write_down(self: &Arc<Self>, decision: String) {
        let line = format!(
            "{} from={} {decision}\n",
            jiff::Timestamp::now(),
            self.own.handle
        );
        let path = self.log.clone();
        let written =
            tokio::task::spawn_blocking(move || LogFile::new(path).write_all(line.as_bytes()));
        if let Ok(Err(error)) = written.await {
            tracing::debug!(%error, "the router's log cannot be written");
        }
    }
}

/// Files as a person names them.
fn named(files: &[String]) -> Vec<PathBuf> {
    files.iter().map(expand_home).collect()
}
