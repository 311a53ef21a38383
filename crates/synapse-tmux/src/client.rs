//! A client in control mode: commands in, what tmux says out.

use std::collections::VecDeque;
use std::io;
use std::process::Stdio;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use synapse_machine::child;

use crate::control::{Event, Parser};
use crate::server::{PaneInfo, Server};

/// The most that is read at once.
const CHUNK: usize = 64 << 10;

/// How long we may not read before tmux holds output back, in seconds. What it holds back is lost, and asked for anew.
const PAUSE_AFTER: u32 = 60;

/// A connection to the server of a pane.
#[derive(Debug)]
pub(crate) struct Client {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    parser: Parser,
    ready: VecDeque<Event>,
    buffer: Vec<u8>,
}

impl Client {
    /// Attaches to the session of a pane, as a guest whose window has no size.
    ///
    /// # Errors
    /// If tmux cannot be started.
    pub(crate) fn attach(server: &Server, pane: &PaneInfo) -> io::Result<Self> {
        let mut command = Command::from(child::command("tmux"));
        command
            .args(server.words())
            // By its session: named by its pane, that would become the one the person looks at.
            .args(["-C", "attach-session", "-t", &pane.session, "-f"])
            .arg(format!("ignore-size,pause-after={PAUSE_AFTER}"))
            // A client inside a pane refuses to attach.
            .env_remove("TMUX")
            .env_remove("TMUX_PANE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let mut child = command.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (to, from) = pipes.ok_or_else(|| io::Error::other("tmux has no pipes"))?;
        Ok(Self {
            child,
            to,
            from,
            parser: Parser::default(),
            ready: VecDeque::new(),
            buffer: vec![0; CHUNK],
        })
    }

    /// Gives commands. All on one line are done in one go. Each is answered by itself, and so is each command that one
    /// of them gives, so answers are not counted: what an answer belongs to must be told by the answers.
    ///
    /// # Errors
    /// If tmux is gone.
    pub(crate) async fn tell(&mut self, commands: &[String]) -> io::Result<()> {
        let line = format!("{}\n", commands.join(" ; "));
        self.to.write_all(line.as_bytes()).await
    }

    /// What tmux says next; nothing when it is gone. Safe to cancel.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let count = self.from.read(&mut self.buffer).await.ok()?;
            if count == 0 {
                return None;
            }
            let read = self.buffer.get(..count).unwrap_or_default();
            self.ready.extend(self.parser.feed(read));
        }
    }

    /// Leaves. Nothing stays behind of us, and nothing of the person's changes.
    pub(crate) async fn leave(mut self) {
        drop(self.to);
        let patience = std::time::Duration::from_secs(1);
        if tokio::time::timeout(patience, self.child.wait())
            .await
            .is_err()
        {
            let _ = self.child.kill().await;
        }
    }
}
