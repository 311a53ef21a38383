//! The conversation with one CLI: what is typed goes to it, what it tells goes to the session, until either is gone.

use std::collections::VecDeque;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use synapse_pty::Piece;
use synapse_session::cli_hooks::{Decision, HookEvent, HookMessage, What};
use tokio::io::{AsyncReadExt as _, BufReader};
use tokio::net::unix::pipe;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use super::Backend;
use super::keyboard::{Key, Keyboard};
use super::narration::Narration;
use super::permission::{Request, cancelled};
use crate::connection::{Asked, LONGEST_LINE, Peer, WAITING_LINES, read_line};
use crate::rpc::{Incoming, RpcError};
use crate::wire::VERSION;

/// What stands where a message can be typed, in a terminal that marks pastes.
const PROMPT: &str = "\x1b[?2004h\x1b]133;A\x07acp> \x1b]133;B\x07";

/// What stands there while a turn runs.
const WORKING: &str = "\r\n\x1b]133;C\x07";

/// A turn is over.
const OVER: &str = "\x1b]133;D\x07";

/// What a CLI answers that wants to know who its user is.
const AUTH_REQUIRED: i64 = -32_000;

/// Messages of the CLI that may wait.
const WAITING: usize = 256;

/// How long a CLI may take to say who it is.
const HELLO_PATIENCE: Duration = Duration::from_secs(30);

/// How long it may take to open a conversation, or to read an older one again.
const OPEN_PATIENCE: Duration = Duration::from_mins(2);

/// How much of what a CLI says beside the protocol is kept, in lines and in characters each.
const REMARKS: usize = 20;
const LONGEST_REMARK: usize = 300;

/// What the session hears and sees.
pub(super) struct Speaker {
    pieces: mpsc::Sender<Piece>,
    heard: mpsc::Sender<HookMessage>,
    session: String,
}

impl Speaker {
    pub(super) fn new(pieces: mpsc::Sender<Piece>, heard: mpsc::Sender<HookMessage>) -> Self {
        Self {
            pieces,
            heard,
            session: String::new(),
        }
    }

    async fn tell(&self, what: What, answer: Option<oneshot::Sender<Decision>>) {
        let event = HookEvent {
            session: self.session.clone(),
            transcript: None,
            turn: None,
            is_aside: false,
            what,
        };
        // It fails only when the session is gone, and then the keyboard ends, too.
        let _ = self.heard.send(HookMessage { event, answer }).await;
    }

    async fn paint(&self, text: &str) {
        let piece = Piece {
            bytes: text.as_bytes().to_vec(),
            tapped: None,
        };
        let _ = self.pieces.send(piece).await;
    }
}

type Remarks = Arc<Mutex<VecDeque<String>>>;

/// A CLI and a session.
pub(super) struct Link {
    backend: Backend,
    speaker: Speaker,
    peer: Peer,
    incoming: mpsc::Receiver<Incoming>,
    keyboard: Keyboard,
    /// The turn that runs, and what was told of it.
    turn: Option<(Asked, Narration)>,
    /// It was told to stop.
    is_stopping: bool,
    /// Permissions that wait for an answer.
    asked: Vec<(Value, Request)>,
    answers: mpsc::Receiver<(Value, Option<Decision>)>,
    answered: mpsc::Sender<(Value, Option<Decision>)>,
    remarks: Remarks,
}

impl Link {
    pub(super) fn new(
        backend: Backend,
        speaker: Speaker,
        to: ChildStdin,
        from: ChildStdout,
        remarks: ChildStderr,
    ) -> Self {
        let (peer, _writer) = Peer::open(to, WAITING_LINES);
        let (told, incoming) = mpsc::channel(WAITING);
        let (answered, answers) = mpsc::channel(WAITING);
        tokio::spawn(listen(BufReader::new(from), peer.clone(), told));
        let kept = Remarks::default();
        tokio::spawn(keep(BufReader::new(remarks), Arc::clone(&kept)));
        Self {
            backend,
            speaker,
            peer,
            incoming,
            keyboard: Keyboard::default(),
            turn: None,
            is_stopping: false,
            asked: Vec::new(),
            answers,
            answered,
            remarks: kept,
        }
    }

    /// Runs until the CLI ends, the session is gone or we are to leave. What is left is told afterwards.
    pub(super) async fn run(mut self, typed: pipe::Receiver, left: watch::Receiver<bool>) -> Last {
        let opened = tokio::select! {
            opened = self.open() => opened,
            () = is_left(left.clone()) => Ok(()),
        };
        if let Err(error) = &opened {
            tracing::error!("{error:#}");
        } else {
            self.speaker.tell(What::SessionStart, None).await;
            self.speaker.paint(PROMPT).await;
            self.converse(typed, left).await;
        }
        Last {
            speaker: self.speaker,
            error: opened.err(),
            remarks: self.remarks,
        }
    }

    async fn open(&mut self) -> Result<()> {
        let program = self.backend.argv.first().cloned().unwrap_or_default();
        let program = program.to_string_lossy();
        let hello = json!({
            "protocolVersion": VERSION,
            "clientCapabilities": {
                "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false,
            },
            "clientInfo": { "name": "synapse", "version": env!("CARGO_PKG_VERSION") },
        });
        let met = self.ask("initialize", &hello, HELLO_PATIENCE).await;
        let met = met.with_context(|| format!("{program} does not speak ACP"))?;
        let version = met.get("protocolVersion").and_then(Value::as_u64);
        if version != Some(u64::from(VERSION)) {
            let version = version.map_or("none".to_owned(), |version| version.to_string());
            bail!("{program} speaks version {version} of ACP; this is version {VERSION}");
        }
        let can_load = met.pointer("/agentCapabilities/loadSession");
        let mut params = json!({
            "cwd": self.backend.dir, "mcpServers": self.backend.mcp_servers,
        });
        let method = match &self.backend.resume {
            None => "session/new",
            Some(session) if can_load == Some(&Value::Bool(true)) => {
                if let Some(params) = params.as_object_mut() {
                    params.insert("sessionId".to_owned(), json!(session));
                }
                "session/load"
            }
            Some(_) => bail!("{program} cannot continue a conversation by ACP (loadSession)"),
        };
        let mut opened = self.ask(method, &params, OPEN_PATIENCE).await;
        if let (Err(error), Some(auth)) = (&opened, self.backend.auth.clone())
            && wants_authentication(error)
        {
            let who = json!({ "methodId": auth });
            let known = self.ask("authenticate", &who, OPEN_PATIENCE).await;
            known.with_context(|| format!("{program} did not accept the method '{auth}'"))?;
            opened = self.ask(method, &params, OPEN_PATIENCE).await;
        }
        let opened = opened.with_context(|| format!("{program} opened no conversation"))?;
        let named = opened.get("sessionId").and_then(Value::as_str);
        let named = named.map(str::to_owned).or(self.backend.resume.clone());
        self.speaker.session = named.context("the conversation has no name (sessionId)")?;
        Ok(())
    }

    /// Asks the CLI something before there is a turn; what it tells meanwhile is about older ones.
    async fn ask(
        &mut self,
        method: &str,
        params: &Value,
        patience: Duration,
    ) -> Result<Value, RpcError> {
        let mut asked = self.peer.ask(method, params).await;
        let answer = async {
            loop {
                tokio::select! {
                    biased;
                    message = self.incoming.recv() => match message {
                        Some(Incoming::Request { id, method, .. }) => {
                            self.peer.answer(&id, Err(RpcError::no_method(&method))).await;
                        }
                        Some(_) => {}
                        None => return Err(RpcError::failed("it ended before it answered")),
                    },
                    answer = asked.answered() => return answer,
                }
            }
        };
        timeout(patience, answer).await.unwrap_or_else(|_| {
            let seconds = patience.as_secs();
            Err(RpcError::failed(format!(
                "no answer to {method} within {seconds} s"
            )))
        })
    }

    async fn converse(&mut self, mut typed: pipe::Receiver, left: watch::Receiver<bool>) {
        let mut bytes = vec![0; 64 << 10];
        let left = is_left(left);
        tokio::pin!(left);
        loop {
            tokio::select! {
                biased;
                () = &mut left => return,
                count = typed.read(&mut bytes) => {
                    let count = count.unwrap_or_default();
                    let keys = self.keyboard.feed(bytes.get(..count).unwrap_or_default());
                    if count == 0 || keys.contains(&Key::End) {
                        return;
                    }
                    for key in keys {
                        self.press(key).await;
                    }
                }
                Some((id, decision)) = self.answers.recv() => self.settle(&id, decision).await,
                message = self.incoming.recv() => match message {
                    Some(message) => self.take(message).await,
                    None => return,
                },
                // Whatever was told of the turn was taken before its end is.
                ended = answered(&mut self.turn) => self.end(ended).await,
            }
        }
    }

    async fn press(&mut self, key: Key) {
        match key {
            Key::Line(line) if self.turn.is_none() && !line.trim().is_empty() => {
                self.is_stopping = false;
                self.speaker.paint(WORKING).await;
                let text = line.replace("\r\n", "\n").replace('\r', "\n");
                self.speaker.tell(What::Prompt(line), None).await;
                let prompt = json!({
                    "sessionId": self.speaker.session, "prompt": [{ "type": "text", "text": text }],
                });
                let asked = self.peer.ask("session/prompt", &prompt).await;
                self.turn = Some((asked, Narration::default()));
            }
            Key::Interrupt if self.turn.is_some() => {
                self.is_stopping = true;
                for (id, _) in std::mem::take(&mut self.asked) {
                    self.peer.answer(&id, Ok(cancelled())).await;
                }
                let session = json!({ "sessionId": self.speaker.session });
                self.peer.notify("session/cancel", &session).await;
            }
            // What is typed at a CLI that works is not kept: nobody types there but the session, which waits.
            Key::Line(_) | Key::Interrupt | Key::End => {}
        }
    }

    async fn take(&mut self, message: Incoming) {
        match message {
            Incoming::Notification { method, params } if method == "session/update" => {
                let update = params.get("update").unwrap_or(&Value::Null);
                let told = match &mut self.turn {
                    Some((_, narration)) => narration.take(update),
                    None => Vec::new(),
                };
                for what in told {
                    self.speaker.tell(what, None).await;
                }
            }
            Incoming::Request { id, method, params } if method == "session/request_permission" => {
                self.take_permission(id, &params).await;
            }
            Incoming::Request { id, method, .. } => {
                let error = RpcError::no_method(&method);
                self.peer.answer(&id, Err(error)).await;
            }
            Incoming::Notification { .. } | Incoming::Response { .. } => {}
        }
    }

    async fn take_permission(&mut self, id: Value, params: &Value) {
        let Some(request) = Request::read(params) else {
            let error = RpcError::bad_params("there are no options to choose from");
            return self.peer.answer(&id, Err(error)).await;
        };
        let Some((_, narration)) = self.turn.as_mut().filter(|_| !self.is_stopping) else {
            return self.peer.answer(&id, Ok(cancelled())).await;
        };
        for what in narration.flush() {
            self.speaker.tell(what, None).await;
        }
        let (decide, decided) = oneshot::channel();
        let what = What::Permission(Box::new(request.permission.clone()));
        self.asked.push((id.clone(), request));
        self.speaker.tell(what, Some(decide)).await;
        let answered = self.answered.clone();
        tokio::spawn(async move {
            // A question that the session has dropped was answered by the end of its turn.
            let _ = answered.send((id, decided.await.ok())).await;
        });
    }

    /// The session has answered a question, or dropped it. One that was answered before is not there any more.
    async fn settle(&mut self, id: &Value, decision: Option<Decision>) {
        let Some(place) = self.asked.iter().position(|(asked, _)| asked == id) else {
            return;
        };
        let (_, request) = self.asked.remove(place);
        let outcome = match decision {
            Some(Decision::Option(option)) => request.chosen(option),
            _ => cancelled(),
        };
        self.peer.answer(id, Ok(outcome)).await;
    }

    /// The turn is over.
    async fn end(&mut self, ended: Result<Value, RpcError>) {
        let Some((_, mut narration)) = self.turn.take() else {
            return;
        };
        for (id, _) in std::mem::take(&mut self.asked) {
            self.peer.answer(&id, Ok(cancelled())).await;
        }
        for what in narration.flush() {
            self.speaker.tell(what, None).await;
        }
        let reason = ended
            .as_ref()
            .ok()
            .and_then(|ended| ended.get("stopReason"));
        let what = match (&ended, reason.and_then(Value::as_str)) {
            (Err(error), _) => What::Failed(described(error)),
            (_, Some("cancelled")) => What::Interrupted,
            (_, Some("refusal")) => What::Failed("the agent refused to go on".to_owned()),
            (_, Some("max_tokens")) => {
                What::Failed("the agent came to the limit of its reply's length".to_owned())
            }
            (_, Some("max_turn_requests")) => {
                What::Failed("the agent came to the limit of requests in one turn".to_owned())
            }
            _ => What::Over(Some(narration.into_text())),
        };
        self.speaker.paint(&format!("{OVER}{PROMPT}")).await;
        self.speaker.tell(what, None).await;
    }
}

/// What can still be said when the conversation is over.
pub(super) struct Last {
    speaker: Speaker,
    error: Option<anyhow::Error>,
    remarks: Remarks,
}

impl Last {
    /// Shows why a CLI ended that was not meant to.
    pub(super) async fn explain(&mut self, status: Option<ExitStatus>) {
        let is_well = self.error.is_none() && status.is_some_and(|status| status.success());
        if is_well {
            return;
        }
        let error = self.error.take().map(|error| format!("{error:#}"));
        let remarks =
            std::mem::take(&mut *self.remarks.lock().unwrap_or_else(PoisonError::into_inner));
        for line in error.into_iter().chain(remarks) {
            tracing::warn!(line, "the agent's last words");
            let shown: String = line.chars().filter(|c| !c.is_control()).collect();
            self.speaker.paint(&format!("\r\n{shown}")).await;
        }
    }
}

/// An error in the CLI's words: some say the essential in the data.
fn described(error: &RpcError) -> String {
    let data = error.data.as_ref();
    let detail = data.and_then(|data| {
        let named = ["details", "message", "error"];
        let named = named.iter().find_map(|name| data.get(*name)?.as_str());
        named.or_else(|| data.as_str())
    });
    match detail.filter(|detail| !error.message.contains(detail)) {
        Some(detail) => format!("{}: {detail}", error.message),
        None => error.message.clone(),
    }
}

fn wants_authentication(error: &RpcError) -> bool {
    error.code == AUTH_REQUIRED || described(error).to_lowercase().contains("auth")
}

/// Reads what the CLI says until it says nothing more.
async fn listen(mut from: BufReader<ChildStdout>, peer: Peer, told: mpsc::Sender<Incoming>) {
    loop {
        let line = match read_line(&mut from, LONGEST_LINE).await {
            Ok(Some(line)) => line,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => continue,
            Ok(None) | Err(_) => return,
        };
        match Incoming::read(&line) {
            Ok(Incoming::Response { id, result }) => peer.settle(&id, result),
            Ok(message) => {
                if told.send(message).await.is_err() {
                    return;
                }
            }
            // Some write remarks between their messages.
            Err(_) => {}
        }
    }
}

/// Keeps the last lines of what the CLI says beside the protocol.
async fn keep(mut from: BufReader<ChildStderr>, remarks: Remarks) {
    loop {
        let line = match read_line(&mut from, LONGEST_LINE).await {
            Ok(Some(line)) => line,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => continue,
            Ok(None) | Err(_) => return,
        };
        let line: String = String::from_utf8_lossy(&line)
            .chars()
            .take(LONGEST_REMARK)
            .collect();
        tracing::debug!(line, "the agent's standard error");
        let mut remarks = remarks.lock().unwrap_or_else(PoisonError::into_inner);
        if remarks.len() == REMARKS {
            remarks.pop_front();
        }
        remarks.push_back(line);
    }
}

/// The end of the turn; never, where none runs. Safe to cancel.
async fn answered(turn: &mut Option<(Asked, Narration)>) -> Result<Value, RpcError> {
    match turn {
        Some((turn, _)) => turn.answered().await,
        None => std::future::pending().await,
    }
}

/// Waits until we are to leave. Safe to cancel.
async fn is_left(mut left: watch::Receiver<bool>) {
    // An error means that nobody is there who could want us to stay.
    let _ = left.wait_for(|is_left| *is_left).await;
}
