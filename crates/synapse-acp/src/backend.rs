//! The other way round: a CLI that speaks ACP, as what is under a session. It is started without a terminal. What it
//! tells goes to the session as the program's own voice: text, steps, questions with their options, the end of a turn.
//! What the session types arrives here as bytes, and a message or a stop goes on through the protocol.
//!
//! What the session sees as a screen is one prompt while the CLI rests, and nothing else: no words of the CLI are ever
//! painted, so none can be taken for a question or a prompt.

mod keyboard;
mod link;
mod narration;
mod permission;

use std::ffi::OsString;
use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use serde_json::Value;
use synapse_pty::{
    Exit, Foreground, OpenTerminal, Output, Pid, Signal, Size, SpawnError, State, Survivors,
    Tenure, Terminal, Writer, end_with_all_below,
};
use synapse_session::cli_hooks::HookMessage;
use tokio::net::unix::pipe;
use tokio::process::Command;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use link::{Link, Speaker};

/// Pieces of output that may be under way.
const PIECES: usize = 16;

/// What is asked of an agent that has no terminal.
const NO_TERMINAL: &str = "an agent that is reached by ACP has no terminal";

/// How long the kernel may take to tell of the end of a process that is gone.
const REPORT_PATIENCE: Duration = Duration::from_secs(5);

/// A CLI that speaks ACP, and what it is given.
#[derive(Clone, Debug)]
pub struct Backend {
    /// The command and its arguments.
    pub argv: Vec<OsString>,
    /// Variables to set, beside those of this process.
    pub env: Vec<(OsString, OsString)>,
    /// Variables of this process that the CLI is not to see.
    pub env_remove: Vec<OsString>,
    /// Where it works.
    pub dir: PathBuf,
    /// The method of authentication, where the CLI asks for one.
    pub auth: Option<String>,
    /// MCP servers that it is to use, as `session/new` has them.
    pub mcp_servers: Vec<Value>,
    /// The conversation that is to go on, as the CLI calls it.
    pub resume: Option<String>,
}

/// A CLI that runs.
#[derive(Debug)]
struct AcpProcess {
    pid: Pid,
    states: watch::Receiver<State>,
    /// The size of a window that nobody sees never changes.
    size: watch::Sender<Size>,
    leave: watch::Sender<bool>,
}

impl Backend {
    /// Starts the CLI: what is under the session, and the voice that it hears.
    ///
    /// # Errors
    /// If it cannot be started.
    ///
    /// # Panics
    /// Outside a tokio runtime with I/O and time.
    pub fn open(self) -> Result<(OpenTerminal, mpsc::Receiver<HookMessage>), SpawnError> {
        let (program, args) = self.argv.split_first().ok_or(SpawnError::Empty)?;
        let mut command = synapse_machine::child::command(program);
        command.args(args).current_dir(&self.dir);
        for name in &self.env_remove {
            command.env_remove(name);
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        let mut command = Command::from(command);
        // Ctrl-C at whoever started us is not meant for it.
        command.process_group(0).kill_on_drop(true);
        let command = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|why| self.refused(why))?;
        let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let pid = pid.ok_or_else(|| self.refused(io::ErrorKind::NotFound.into()))?;
        let gone = || SpawnError::Terminal(io::ErrorKind::BrokenPipe.into());
        let to = child.stdin.take().ok_or_else(gone)?;
        let from = child.stdout.take().ok_or_else(gone)?;
        let remarks = child.stderr.take().ok_or_else(gone)?;

        let (typed, keys) = io::pipe().map_err(SpawnError::Terminal)?;
        let writer = Writer::new(keys.into()).map_err(SpawnError::Terminal)?;
        let prepared = rustix::io::ioctl_fionbio(&typed, true);
        prepared.map_err(|why| SpawnError::Terminal(why.into()))?;
        let typed = pipe::Receiver::from_owned_fd(typed.into()).map_err(SpawnError::Terminal)?;
        let (pieces, output) = mpsc::channel(PIECES);
        let (heard, voice) = HookMessage::channel();
        let (state, states) = watch::channel(State::Running);
        let (leave, left) = watch::channel(false);
        let window = Size::default();
        tokio::spawn(async move {
            let speaker = Speaker::new(pieces, heard);
            let link = Link::new(self, speaker, to, from, remarks);
            let mut link = link.run(typed, left).await;
            // What is said last is on the screen before the end is known.
            let ended = timeout(REPORT_PATIENCE, child.wait()).await;
            let outcome = match ended {
                Ok(outcome) => outcome.ok(),
                Err(_) => end(&mut child).await,
            };
            link.explain(outcome).await;
            drop(link);
            state.send_replace(State::Exited(outcome.map_or(Exit::Unknown, exit)));
        });
        let process = AcpProcess {
            pid,
            states,
            size: watch::Sender::new(window),
            leave,
        };
        let terminal = OpenTerminal {
            terminal: Box::new(process),
            writer,
            output: Output::passed_on(output),
            size: window,
        };
        Ok((terminal, voice))
    }

    fn refused(&self, why: io::Error) -> SpawnError {
        let program = self.argv.first().cloned().unwrap_or_default();
        match why.kind() {
            io::ErrorKind::NotFound if !self.dir.is_dir() => SpawnError::Directory {
                dir: self.dir.clone(),
                why,
            },
            io::ErrorKind::NotFound => SpawnError::NotFound(program),
            io::ErrorKind::PermissionDenied => SpawnError::Denied(program),
            _ => SpawnError::Terminal(why),
        }
    }
}

/// Kills a CLI that does not end by itself, though nobody speaks with it any more.
async fn end(child: &mut tokio::process::Child) -> Option<ExitStatus> {
    if let Some(pid) = child.id().and_then(|id| Pid::from_raw(id.cast_signed())) {
        let _ = end_with_all_below(pid, Duration::ZERO).await;
    }
    child.wait().await.ok()
}

fn exit(status: ExitStatus) -> Exit {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Unknown,
    }
}

fn unsupported<T>() -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::Unsupported, NO_TERMINAL))
}

impl Terminal for AcpProcess {
    fn pid(&self) -> Pid {
        self.pid
    }

    fn states(&self) -> watch::Receiver<State> {
        self.states.clone()
    }

    fn sizes(&self) -> Option<watch::Receiver<Size>> {
        Some(self.size.subscribe())
    }

    fn resize(&self, _: Size) -> io::Result<()> {
        unsupported()
    }

    fn is_canonical(&self) -> bool {
        false
    }

    fn has_unread_keys(&self) -> bool {
        false
    }

    fn signals_interrupt(&self) -> bool {
        false
    }

    fn has_keyboard(&self) -> bool {
        true
    }

    fn signal_group(&self, _: Signal) -> io::Result<()> {
        unsupported()
    }

    fn foreground(&self) -> io::Result<Foreground> {
        unsupported()
    }

    fn tenure(&self) -> Tenure {
        Tenure::Own
    }

    fn terminate(
        &self,
        grace: Duration,
    ) -> Pin<Box<dyn Future<Output = Result<Exit, Survivors>> + Send + '_>> {
        Box::pin(async move {
            self.leave.send_replace(true);
            let mut states = self.states.clone();
            if states.borrow().exit().is_none() {
                end_with_all_below(self.pid, grace).await?;
            }
            let ended = states.wait_for(|state| state.exit().is_some());
            match timeout(REPORT_PATIENCE, ended).await {
                Ok(Ok(state)) => Ok(state.exit().unwrap_or(Exit::Unknown)),
                Ok(Err(_)) => Ok(Exit::Unknown),
                Err(_) => Err(Survivors(vec![self.pid])),
            }
        })
    }
}
