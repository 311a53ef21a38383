//! A program in a pseudo-terminal of its own. Owns the master side, the program's session
//! and its end. It knows nothing of what the bytes mean.
//!
//! ```text
//! host ── child watcher thread ─► leader ─► program
//!   ◄──── reports (pipe) ────┘          │
//!   ◄──── output thread ◄── master ◄────┘
//! ```
//! The leader plays the shell: it has the session and the terminal, and the program is its foreground
//! job, so that Ctrl-Z stops it as it would in a shell.

mod child_watcher;
mod output;
mod process_tree;
mod size;
mod spawn;
mod terminal;
pub mod tty;
mod writer;

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::kill_process_group;
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr, tcsetwinsize,
};
use tokio::time::timeout;

use child_watcher::ChildWatcher;

pub use child_watcher::{Exit, State};
pub use output::{Output, Piece, Tap};
pub use process_tree::end_with_all_below;
pub use rustix::process::{Pid, Signal};
pub use rustix::termios::Termios;
pub use size::Size;
pub use spawn::SpawnError;
pub use synapse_platform::{Foreground, Wait};
pub use terminal::{OpenTerminal, Tenure, Terminal};
pub use writer::{Full, Writer};

/// How long the kernel may take to tell of the end of processes that are gone.
const REPORT_PATIENCE: Duration = Duration::from_secs(5);

/// What to run, and where.
#[derive(Clone, Debug, Default)]
pub struct Spawn {
    /// The command and its arguments. A command without a slash is looked for in the program's
    /// `PATH`.
    pub argv: Vec<OsString>,
    /// Variables to set, beside those of this process.
    pub env: Vec<(OsString, OsString)>,
    /// Variables of this process that the program is not to see.
    pub env_remove: Vec<OsString>,
    /// Where it works; here, if not said.
    pub cwd: Option<PathBuf>,
    /// The window it finds.
    pub size: Size,
    /// The modes its terminal begins with: those of the human's terminal, where there is one.
    pub modes: Option<Termios>,
}

impl Spawn {
    /// Runs a command as it stands, here, in a window of the usual size.
    pub fn new<I>(argv: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }
}

/// A running program and its terminal. Dropped while the program runs, it kills it and what it
/// started.
#[derive(Debug)]
pub struct Pty {
    master: OwnedFd,
    child_watcher: ChildWatcher,
}

impl Pty {
    /// Starts a program. Returns when it runs, with the one way in and the one way out.
    ///
    /// # Errors
    /// Says whether the command was not found, may not be run, or was to work in a bad directory.
    ///
    /// # Panics
    /// Outside a tokio runtime with I/O and time.
    pub fn spawn(spawn: &Spawn) -> Result<(Self, Writer, Output), SpawnError> {
        Self::spawn_tapped(spawn, None)
    }

    /// Starts a program as [`Pty::spawn`] does, with somebody who sees what it writes first.
    ///
    /// # Errors
    /// As [`Pty::spawn`].
    ///
    /// # Panics
    /// Outside a tokio runtime with I/O and time.
    pub fn spawn_tapped(
        spawn: &Spawn,
        tap: Option<Tap>,
    ) -> Result<(Self, Writer, Output), SpawnError> {
        let (master, slave) = open(spawn).map_err(SpawnError::Terminal)?;
        let share = || master.try_clone().map_err(SpawnError::Terminal);
        let writer = Writer::new(share()?).map_err(SpawnError::Terminal)?;
        let shared = share()?;
        let child_watcher = ChildWatcher::start(spawn.clone(), slave)?;
        let pty = Self {
            master,
            child_watcher,
        };
        let output = Output::start(shared, tap).map_err(SpawnError::Terminal)?;
        Ok((pty, writer, output))
    }

    /// The program's process.
    pub fn pid(&self) -> Pid {
        self.child_watcher.pid()
    }

    /// Tells the program about a new window.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub fn resize(&self, size: Size) -> io::Result<()> {
        Ok(tcsetwinsize(&self.master, size.into())?)
    }

    /// The group that has the keyboard: the program, or a job of it.
    pub fn foreground_group(&self) -> Option<Pid> {
        tcgetpgrp(&self.master).ok()
    }

    /// Looks at the processes that have the keyboard, from any thread.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub fn foreground(&self) -> io::Result<Foreground> {
        Foreground::new(self.master.try_clone()?, self.pid())
    }

    /// Signals the group that has the keyboard, or else the program's own.
    ///
    /// # Errors
    /// If there is no such group any more.
    pub fn signal_group(&self, signal: Signal) -> io::Result<()> {
        // The kernel goes on naming a group that is gone, and its number may be another's.
        if self.state().exit().is_some() {
            return Err(Errno::SRCH.into());
        }
        let group = self.foreground_group().unwrap_or_else(|| self.pid());
        Ok(kill_process_group(group, signal)?)
    }

    /// Whether the program reads whole lines, edited by the kernel.
    pub fn is_canonical(&self) -> bool {
        self.local_modes().contains(LocalModes::ICANON)
    }

    /// Whether the program has not yet read all that was typed. False where the kernel does not say.
    pub fn has_unread_keys(&self) -> bool {
        synapse_platform::pty::unread(&self.master).is_ok_and(|bytes| bytes > 0)
    }

    /// Whether the kernel makes a signal of Ctrl-C.
    pub fn signals_interrupt(&self) -> bool {
        self.local_modes().contains(LocalModes::ISIG)
    }

    /// Whether the kernel shows what is typed.
    pub fn echoes(&self) -> bool {
        self.local_modes().contains(LocalModes::ECHO)
    }

    /// Running, stopped or exited, as last reported.
    pub fn state(&self) -> State {
        self.child_watcher.state()
    }

    /// Waits until the state is another than `known`. Safe to cancel.
    pub async fn state_after(&self, known: State) -> State {
        self.child_watcher
            .until(|state| (state != known).then_some(state))
            .await
    }

    /// Waits until the program has exited. What it wrote last may still be on its way. Safe to
    /// cancel.
    pub async fn wait(&self) -> Exit {
        self.child_watcher.until(State::exit).await
    }

    /// Ends the program and all it started that is still in its session or below it: asks with
    /// SIGHUP and SIGTERM, and kills what is left after `grace`. Output must be taken meanwhile, or
    /// a program that says goodbye is stuck until it is killed. Cancelled, it may leave some
    /// running.
    ///
    /// # Errors
    /// If some could not be killed: they belong to another user, or hang in the kernel.
    pub async fn terminate(&self, grace: Duration) -> Result<Exit, Survivors> {
        process_tree::end(self.child_watcher.leader(), grace).await?;
        timeout(REPORT_PATIENCE, self.wait())
            .await
            .map_err(|_| Survivors(vec![self.pid()]))
    }

    /// A terminal that is gone has no modes: nobody reads lines there.
    fn local_modes(&self) -> LocalModes {
        tcgetattr(&self.master).map_or(LocalModes::empty(), |modes| modes.local_modes)
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        if self.state().exit().is_none() {
            process_tree::kill(self.child_watcher.leader());
        }
    }
}

/// Processes that could not be ended.
#[derive(Debug, thiserror::Error)]
#[error("processes could not be ended: {0:?}")]
pub struct Survivors(pub Vec<Pid>);

/// Opens a pair, the slave as the program is to find it.
fn open(spawn: &Spawn) -> io::Result<(OwnedFd, OwnedFd)> {
    let (master, slave) = synapse_platform::pty::open()?;
    let modes = if let Some(modes) = &spawn.modes {
        modes.clone()
    } else {
        let mut modes = tcgetattr(&slave)?;
        // Terminals set it; without it the kernel erases half a character.
        modes.input_modes |= InputModes::IUTF8;
        modes
    };
    tcsetattr(&slave, OptionalActions::Now, &modes)?;
    tcsetwinsize(&slave, spawn.size.into())?;
    Ok((master, slave))
}
