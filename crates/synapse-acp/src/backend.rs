//! The other way round: a CLI that speaks ACP as the program of a session. `synapse acp-client` runs in the session's
//! terminal like any program, speaks ACP with the CLI, and tells what it hears through the channel (OSC 7710): the text
//! of the reply as it grows, the steps, the questions with their options. So tasks, questions and A2A are those of every
//! agent, and exact; there is only no screen to look at.

mod keyboard;
mod words;

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

use crate::connection::{Asked, Peer, read_line};
use crate::rpc::{Incoming, RpcError};
use crate::wire::VERSION;
use keyboard::{Key, Keyboard};
use words::{Narration, Question};

/// What stands where a message can be typed. The profile of such a backend knows it by this.
const PROMPT: &str = "\x1b]133;A\x07acp> \x1b]133;B\x07";

/// What a CLI answers that wants to know who its user is.
const AUTH_REQUIRED: i64 = -32_000;

/// Messages of the CLI that may wait.
const WAITING: usize = 256;

/// A CLI that speaks ACP, and how its user shows who they are.
pub struct Backend {
    /// The command and its arguments.
    pub command: Vec<String>,
    /// The method of authentication, where the CLI asks for one.
    pub auth: Option<String>,
}

/// A session with the CLI.
struct Link {
    peer: Peer,
    incoming: mpsc::Receiver<Incoming>,
    session: String,
    narration: Narration,
    keyboard: Keyboard,
    /// The turn that runs.
    turn: Option<Asked>,
    /// The question that waits for a line.
    question: Option<(Value, Question)>,
    /// Kept for its life: it ends with us.
    child: Child,
}

impl Backend {
    /// Runs until the CLI or the keyboard ends; the exit code.
    ///
    /// # Errors
    /// When the CLI cannot be started, or does not speak ACP.
    pub async fn run(&self, dir: &Path) -> Result<u8> {
        let mut link = self.open(dir).await?;
        show(PROMPT)?;
        let mut stdin = tokio::io::stdin();
        let mut typed = vec![0; 64 << 10];
        loop {
            tokio::select! {
                count = stdin.read(&mut typed) => {
                    let count = count?;
                    let keys = link.keyboard.feed(typed.get(..count).unwrap_or_default());
                    if count == 0 || keys.contains(&Key::End) {
                        return Ok(0);
                    }
                    for key in keys {
                        link.press(key).await?;
                    }
                }
                message = link.incoming.recv() => match message {
                    Some(message) => link.take(message).await?,
                    None => {
                        show("\r\nerror: the agent has ended\r\n")?;
                        return Ok(1);
                    }
                },
                ended = answered(&mut link.turn) => {
                    link.turn = None;
                    link.end(ended)?;
                }
            }
        }
    }

    async fn open(&self, dir: &Path) -> Result<Link> {
        let (program, args) = self.command.split_first().context("no command was named")?;
        let mut command = Command::from(synapse_machine::child::command(program));
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let mut child = command
            .spawn()
            .with_context(|| format!("{program} cannot be started"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (to, from) = pipes.context("the agent has no pipes")?;
        let (peer, _writer) = Peer::open(to);
        let (told, incoming) = mpsc::channel(WAITING);
        tokio::spawn(listen(BufReader::new(from), peer.clone(), told));
        let hello = json!({
            "protocolVersion": VERSION,
            "clientCapabilities": {
                "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false,
            },
            "clientInfo": { "name": "synapse", "version": env!("CARGO_PKG_VERSION") },
        });
        let met = peer.ask("initialize", &hello).await.answered().await;
        let met = met.with_context(|| format!("{program} does not speak ACP"))?;
        let version = met.get("protocolVersion").and_then(Value::as_u64);
        if version != Some(u64::from(VERSION)) {
            bail!("{program} speaks another version of ACP than {VERSION}: {version:?}");
        }
        let new = json!({ "cwd": dir, "mcpServers": [] });
        let mut opened = peer.ask("session/new", &new).await.answered().await;
        if let (Err(error), Some(method)) = (&opened, &self.auth)
            && (error.code == AUTH_REQUIRED || error.message.to_lowercase().contains("auth"))
        {
            let who = json!({ "methodId": method });
            let known = peer.ask("authenticate", &who).await.answered().await;
            known.with_context(|| format!("{program} did not accept '{method}'"))?;
            opened = peer.ask("session/new", &new).await.answered().await;
        }
        let opened = opened.with_context(|| format!("{program} opened no session"))?;
        let session = opened.get("sessionId").and_then(Value::as_str);
        Ok(Link {
            session: session.context("the session has no name")?.to_owned(),
            peer,
            incoming,
            narration: Narration::default(),
            keyboard: Keyboard::default(),
            turn: None,
            question: None,
            child,
        })
    }
}

impl Link {
    async fn press(&mut self, key: Key) -> Result<()> {
        match (key, self.question.take()) {
            (Key::End, _) => Ok(()),
            (Key::Line(line), Some((id, question))) => match question.option(&line) {
                Some(option) => {
                    show("\r\n")?;
                    let outcome = json!({ "outcome": "selected", "optionId": option });
                    self.peer
                        .answer(&id, Ok(json!({ "outcome": outcome })))
                        .await;
                    Ok(())
                }
                None => {
                    // It is asked again, and by the channel alone: nothing on the screen is to be read as a question.
                    say(&question.word())?;
                    self.question = Some((id, question));
                    Ok(())
                }
            },
            (Key::Line(line), None) if self.turn.is_none() => {
                if line.trim().is_empty() {
                    return show(&format!("\r\n{PROMPT}"));
                }
                show("\r\n\x1b]133;C\x07at work\r\n")?;
                let prompt = json!({
                    "sessionId": self.session, "prompt": [{ "type": "text", "text": line }],
                });
                self.turn = Some(self.peer.ask("session/prompt", &prompt).await);
                Ok(())
            }
            // What is typed at a program that works is not kept.
            (Key::Line(_), None) => Ok(()),
            (Key::Interrupt, question) => {
                if let Some((id, _)) = question {
                    let outcome = json!({ "outcome": "cancelled" });
                    self.peer
                        .answer(&id, Ok(json!({ "outcome": outcome })))
                        .await;
                }
                if self.turn.is_some() {
                    let session = json!({ "sessionId": self.session });
                    self.peer.notify("session/cancel", &session).await;
                }
                Ok(())
            }
        }
    }

    async fn take(&mut self, message: Incoming) -> Result<()> {
        match message {
            Incoming::Notification { method, params } if method == "session/update" => {
                let update = params.get("update").unwrap_or(&Value::Null);
                for word in self.narration.take(update) {
                    say(&word)?;
                }
                Ok(())
            }
            Incoming::Request { id, method, params } if method == "session/request_permission" => {
                for word in self.narration.flush() {
                    say(&word)?;
                }
                let question = Question::read(&params);
                say(&question.word())?;
                self.question = Some((id, question));
                Ok(())
            }
            Incoming::Request { id, method, .. } => {
                self.peer
                    .answer(&id, Err(RpcError::no_method(&method)))
                    .await;
                Ok(())
            }
            Incoming::Notification { .. } | Incoming::Response { .. } => Ok(()),
        }
    }

    /// The turn is over.
    fn end(&mut self, ended: Result<Value, RpcError>) -> Result<()> {
        self.question = None;
        for word in self.narration.flush() {
            say(&word)?;
        }
        let text = match ended {
            Ok(ended) => match ended.get("stopReason").and_then(Value::as_str) {
                Some("refusal") => {
                    say(&json!({ "reject": "the agent refused" }))?;
                    String::new()
                }
                Some("cancelled") => "interrupted\r\n".to_owned(),
                Some("max_tokens" | "max_turn_requests") => {
                    "error: the agent came to its limit\r\n".to_owned()
                }
                _ => String::new(),
            },
            Err(error) => format!("error: {}\r\n", words::one_line(&error.message)),
        };
        show(&format!("{text}\x1b]133;D\x07{PROMPT}"))
    }
}

/// Reads what the CLI says until it says nothing more.
async fn listen(
    mut from: BufReader<tokio::process::ChildStdout>,
    peer: Peer,
    told: mpsc::Sender<Incoming>,
) {
    loop {
        let line = match read_line(&mut from).await {
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

/// The end of the turn; never, where none runs. Safe to cancel.
async fn answered(turn: &mut Option<Asked>) -> Result<Value, RpcError> {
    match turn {
        Some(turn) => turn.answered().await,
        None => std::future::pending().await,
    }
}

/// Says a word on the channel.
fn say(word: &Value) -> Result<()> {
    use base64::Engine as _;
    let text = base64::engine::general_purpose::STANDARD.encode(word.to_string());
    show(&format!("\x1b]7710;{text}\x1b\\"))
}

fn show(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
