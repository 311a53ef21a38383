//! The agent that an editor talks to: its methods, and the sessions it has open. A session is a conversation of the
//! store; any number of editors and terminals may be at the same agent.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::connection::{LONGEST_LINE, Peer, WAITING_LINES, read_line};
use crate::reach::Reach;
use crate::rpc::{Incoming, RpcError};
use crate::turn::{self, Turn};
use crate::wire::{
    ClientCapabilities, Command, Initialize, ListSessions, Modes, NewSession, OldSession,
    OneSession, Prompt, SetMode, Update, VERSION, message_parts,
};
use crate::{commands, history};

/// What was said of the editor, and all sessions.
pub(crate) struct Agent {
    pub(crate) peer: Peer,
    pub(crate) reach: Reach,
    editor: Mutex<Editor>,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    /// The editor is gone; whoever follows a turn for it stops.
    pub(crate) closing: watch::Sender<bool>,
}

/// Who the client is.
#[derive(Clone, Default)]
pub(crate) struct Editor {
    pub(crate) name: Option<String>,
    pub(crate) can: ClientCapabilities,
}

/// One conversation.
pub(crate) struct Session {
    /// Also the name of its context in the store.
    pub(crate) id: String,
    pub(crate) dir: PathBuf,
    /// The agent that its prompts go to.
    agent: Mutex<String>,
    commands: Mutex<Vec<Command>>,
    /// Changes when the editor cancels what runs.
    pub(crate) cancels: watch::Sender<u64>,
    /// The turn that ended with a question whose answer is the next prompt.
    pub(crate) parked: Mutex<Option<turn::Parked>>,
}

impl Session {
    fn new(id: String, dir: PathBuf, agent: String) -> Arc<Self> {
        Arc::new(Self {
            id,
            dir,
            agent: Mutex::new(agent),
            commands: Mutex::default(),
            cancels: watch::Sender::new(0),
            parked: Mutex::default(),
        })
    }

    pub(crate) fn agent(&self) -> String {
        lock(&self.agent).clone()
    }

    /// Whether a text is a command of the agent's own.
    pub(crate) fn is_command(&self, text: &str) -> bool {
        commands::is_command(text, &lock(&self.commands))
    }
}

/// Serves one editor until it goes away. Tasks that run then go on; they are the agent's.
///
/// # Errors
/// When the input cannot be read.
pub async fn serve(
    reach: Reach,
    from: impl AsyncRead + Unpin,
    to: impl AsyncWrite + Unpin + Send + 'static,
) -> Result<()> {
    let (peer, writer) = Peer::open(to, WAITING_LINES);
    let agent = Arc::new(Agent {
        peer,
        reach,
        editor: Mutex::default(),
        sessions: Mutex::default(),
        closing: watch::Sender::new(false),
    });
    let mut from = BufReader::new(from);
    let mut work = JoinSet::new();
    let done = loop {
        let line = match read_line(&mut from, LONGEST_LINE).await {
            Ok(Some(line)) => line,
            Ok(None) => break Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                let error = RpcError::no_message(&error.to_string());
                agent.peer.answer(&Value::Null, Err(error)).await;
                continue;
            }
            Err(error) => break Err(error.into()),
        };
        while work.try_join_next().is_some() {}
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match Incoming::read(&line) {
            Ok(Incoming::Response { id, result }) => agent.peer.settle(&id, result),
            Ok(Incoming::Notification { method, params }) => agent.hear(&method, params),
            Ok(Incoming::Request { id, method, params }) => {
                // Begun before the next line is read, so that a cancel behind it finds it.
                let begun = agent.begin(&method, params);
                let agent = Arc::clone(&agent);
                work.spawn(async move {
                    let done = match begun {
                        Ok(begun) => agent.finish(begun).await,
                        Err(error) => Err(error),
                    };
                    let (result, opened) = match done {
                        Ok(done) => (Ok(done.result), done.opened),
                        Err(error) => (Err(error), None),
                    };
                    agent.peer.answer(&id, result).await;
                    // An editor knows of a session once it was answered.
                    if let Some(session) = opened {
                        agent.tell_commands(&session).await;
                    }
                });
            }
            Err(misread) => agent.peer.answer(&misread.id, Err(misread.error)).await,
        }
    };
    agent.closing.send_replace(true);
    while work.join_next().await.is_some() {}
    drop(agent);
    let _ = writer.await;
    done
}

/// A request that was read.
enum Begun {
    Done(Value),
    New(NewSession),
    Load(OldSession),
    Resume(OldSession),
    List(ListSessions),
    Prompt(Box<Turn>),
}

/// What a request came to.
struct Done {
    result: Value,
    /// The session that was opened by it.
    opened: Option<Arc<Session>>,
}

impl Done {
    fn of(result: Value) -> Self {
        Self {
            result,
            opened: None,
        }
    }
}

impl Agent {
    fn begin(&self, method: &str, params: Value) -> Result<Begun, RpcError> {
        Ok(match method {
            "initialize" => Begun::Done(self.initialize(read(method, params)?)),
            "authenticate" => Begun::Done(json!({})),
            "session/new" => Begun::New(read(method, params)?),
            "session/load" => Begun::Load(read(method, params)?),
            "session/resume" => Begun::Resume(read(method, params)?),
            "session/list" => Begun::List(read(method, params)?),
            "session/close" => Begun::Done(self.close(&read::<OneSession>(method, params)?)?),
            "session/set_mode" => Begun::Done(self.set_mode(&read::<SetMode>(method, params)?)?),
            "session/prompt" => {
                let prompt: Prompt = read(method, params)?;
                let session = self.session(&prompt.session_id)?;
                let parts = message_parts(&prompt.prompt)?;
                Begun::Prompt(Box::new(Turn::new(session, parts)))
            }
            _ => return Err(RpcError::no_method(method)),
        })
    }

    async fn finish(&self, begun: Begun) -> Result<Done, RpcError> {
        match begun {
            Begun::Done(result) => Ok(Done::of(result)),
            Begun::New(new) => self.new_session(new).await,
            Begun::Load(old) => self.old_session(old, Telling::Again).await,
            Begun::Resume(old) => self.old_session(old, Telling::Nothing).await,
            Begun::List(list) => self.list(&list).map(Done::of),
            Begun::Prompt(turn) => {
                let stop = turn.run(self).await?;
                Ok(Done::of(json!({ "stopReason": stop })))
            }
        }
    }

    fn hear(&self, method: &str, params: Value) {
        if method != "session/cancel" {
            return;
        }
        let session = read::<OneSession>(method, params);
        if let Ok(session) = session.and_then(|named| self.session(&named.session_id)) {
            session.cancels.send_modify(|count| *count += 1);
        }
    }

    fn initialize(&self, hello: Initialize) -> Value {
        *lock(&self.editor) = Editor {
            name: hello.client_info.map(|client| client.name),
            can: hello.client_capabilities,
        };
        let title = match self.reach.only() {
            Some(name) => format!("{name} (Synapse)"),
            None => "Synapse".to_owned(),
        };
        json!({
            // The one that is spoken here; an editor that does not speak it says so and goes.
            "protocolVersion": VERSION,
            "agentCapabilities": {
                "loadSession": true,
                "promptCapabilities": { "image": true, "audio": false, "embeddedContext": true },
                "mcpCapabilities": { "http": false, "sse": false },
                "sessionCapabilities": { "list": {}, "resume": {}, "close": {} },
            },
            "authMethods": [],
            "agentInfo": { "name": "synapse", "title": title, "version": env!("CARGO_PKG_VERSION") },
        })
    }

    async fn new_session(&self, new: NewSession) -> Result<Done, RpcError> {
        let dir = folder(&new.cwd)?;
        let modes = self.modes(&dir, None)?;
        let word = match (self.reach.only(), &modes) {
            (Some(only), _) => only.to_owned(),
            (None, Some(modes)) => modes.current_mode_id.clone(),
            (None, None) => return Err(nobody()),
        };
        // Found now, and started if need be, so that an editor that cannot work says so at once.
        let agent = match self.reach.only() {
            Some(_) => self.reach.find(&word, &dir).await?.name(),
            None => word,
        };
        let id = uuid::Uuid::now_v7().to_string();
        let session = Session::new(id.clone(), dir, agent);
        lock(&self.sessions).insert(id.clone(), Arc::clone(&session));
        if !new.mcp_servers.is_empty() {
            let title = "The editor's MCP servers are not passed on: the agent has its own";
            self.notice(&session, title).await;
        }
        Ok(Done {
            result: with_modes(json!({ "sessionId": id }), modes),
            opened: Some(session),
        })
    }

    async fn old_session(&self, old: OldSession, telling: Telling) -> Result<Done, RpcError> {
        let dir = folder(&old.cwd)?;
        let found = history::conversation(&self.reach.paths.store(), &old.session_id)?;
        let found = found.ok_or_else(|| unknown_session(&old.session_id))?;
        let modes = self.modes(&dir, Some(&found.agent))?;
        let agent = match self.reach.only() {
            // A conversation goes on with whom it was, if that one can be reached.
            Some(only) => match self.reach.find(&found.agent, &dir).await {
                Ok(target) => target.name(),
                Err(_) => self.reach.find(only, &dir).await?.name(),
            },
            None => found.agent,
        };
        let session = Session::new(old.session_id.clone(), dir, agent);
        if telling == Telling::Again {
            for update in &found.updates {
                self.tell(&session, update).await;
            }
        }
        lock(&self.sessions).insert(old.session_id, Arc::clone(&session));
        Ok(Done {
            result: with_modes(json!({}), modes),
            opened: Some(session),
        })
    }

    fn list(&self, list: &ListSessions) -> Result<Value, RpcError> {
        let store = self.reach.paths.store();
        let sessions = history::sessions(&store, self.reach.only(), list.cwd.as_deref())?;
        Ok(json!({ "sessions": sessions }))
    }

    fn close(&self, named: &OneSession) -> Result<Value, RpcError> {
        let session = self.session(&named.session_id)?;
        session.cancels.send_modify(|count| *count += 1);
        lock(&self.sessions).remove(&named.session_id);
        Ok(json!({}))
    }

    fn set_mode(&self, wanted: &SetMode) -> Result<Value, RpcError> {
        let session = self.session(&wanted.session_id)?;
        let modes = self.modes(&session.dir, None)?;
        let modes = modes.map(|modes| modes.available_modes).unwrap_or_default();
        let mode = modes.into_iter().find(|mode| mode.id == wanted.mode_id);
        let mode = mode.ok_or_else(|| {
            RpcError::bad_params(format!("there is no agent '{}' to talk to", wanted.mode_id))
        })?;
        *lock(&session.agent) = mode.id;
        // The question of another agent is not answered by what this one is told.
        lock(&session.parked).take();
        Ok(json!({}))
    }

    /// Who can be talked to, where the editor was not set up for one. Nothing if nobody can.
    fn modes(&self, dir: &Path, current: Option<&str>) -> Result<Option<Modes>, RpcError> {
        if self.reach.only().is_some() {
            return Ok(None);
        }
        let available_modes = self.reach.modes(dir)?;
        let is_there = |name: &&str| available_modes.iter().any(|mode| mode.id == **name);
        let current = current.filter(is_there);
        let first = available_modes.first().map(|mode| mode.id.as_str());
        Ok(current.or(first).map(str::to_owned).map(|id| Modes {
            current_mode_id: id,
            available_modes,
        }))
    }

    pub(crate) fn editor(&self) -> Editor {
        lock(&self.editor).clone()
    }

    fn session(&self, id: &str) -> Result<Arc<Session>, RpcError> {
        let session = lock(&self.sessions).get(id).cloned();
        session.ok_or_else(|| unknown_session(id))
    }

    pub(crate) async fn tell(&self, session: &Session, update: &Update) {
        let params = SessionUpdate {
            session_id: &session.id,
            update,
        };
        self.peer.notify("session/update", &params).await;
    }

    /// Tells the person something that is no part of the conversation, if the editor has a place for it.
    pub(crate) async fn notice(&self, session: &Session, title: &str) {
        if self.editor().can.has_notices {
            let title = title.to_owned();
            let severity = "info";
            self.tell(session, &Update::Notice { severity, title })
                .await;
        }
    }

    async fn tell_commands(&self, session: &Session) {
        let Some(entry) = self.reach.running(&session.agent()) else {
            return;
        };
        let home = std::env::home_dir();
        let known = commands::known(&entry.profile, &entry.working_dir, home.as_deref());
        if known.is_empty() {
            return;
        }
        lock(&session.commands).clone_from(&known);
        let available_commands = known;
        self.tell(
            session,
            &Update::AvailableCommandsUpdate { available_commands },
        )
        .await;
    }
}

/// Whether a conversation that is taken up is told again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Telling {
    Again,
    Nothing,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionUpdate<'a> {
    session_id: &'a str,
    update: &'a Update,
}

fn read<T: DeserializeOwned>(method: &str, params: Value) -> Result<T, RpcError> {
    let params = if params.is_null() { json!({}) } else { params };
    serde_json::from_value(params)
        .map_err(|error| RpcError::bad_params(format!("the params of {method}: {error}")))
}

/// The folder that a session works in.
fn folder(cwd: &Path) -> Result<PathBuf, RpcError> {
    let shown = cwd.display();
    if !cwd.is_absolute() {
        let error = format!("'cwd' must be a path from the root on, and '{shown}' is none");
        return Err(RpcError::bad_params(error));
    }
    let folder = std::fs::canonicalize(cwd).ok().filter(|path| path.is_dir());
    folder.ok_or_else(|| RpcError::bad_params(format!("'cwd': there is no folder {shown}")))
}

fn with_modes(mut answer: Value, modes: Option<Modes>) -> Value {
    if let (Some(modes), Some(fields)) = (modes, answer.as_object_mut()) {
        fields.insert("modes".to_owned(), json!(modes));
    }
    answer
}

fn unknown_session(id: &str) -> RpcError {
    RpcError::not_found(format!("there is no session '{id}'"))
}

fn nobody() -> RpcError {
    RpcError::failed(
        "no agent runs; start one (synapse start claude), or set the editor up with `synapse acp claude`, which does",
    )
}

pub(crate) fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}
