//! What is under a session: a terminal of its own, or one that belongs to somebody else. The session does not know
//! which; what one of them cannot do, it refuses by name.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use tokio::sync::watch;

use super::{Exit, Foreground, Output, Pid, Pty, Signal, Size, State, Survivors, Writer};

/// A program in a terminal.
pub trait Terminal: fmt::Debug + Send + Sync {
    /// The program's process.
    fn pid(&self) -> Pid;

    /// Running, stopped or exited, as it changes.
    fn states(&self) -> watch::Receiver<State>;

    /// The size that somebody else gives the terminal, as it changes; nothing where the session decides on it.
    fn sizes(&self) -> Option<watch::Receiver<Size>>;

    /// Tells the program about a new window.
    ///
    /// # Errors
    /// If the terminal is gone, or its size is not ours to set.
    fn resize(&self, size: Size) -> io::Result<()>;

    /// Whether the program reads whole lines, edited by the kernel.
    fn is_canonical(&self) -> bool;

    /// Whether the program has not yet read all that was typed. False where the kernel does not say.
    fn has_unread_keys(&self) -> bool;

    /// Whether the kernel makes a signal of Ctrl-C.
    fn signals_interrupt(&self) -> bool;

    /// Whether what is typed reaches the program, and no shell behind it.
    fn has_keyboard(&self) -> bool;

    /// Signals the group that has the keyboard.
    ///
    /// # Errors
    /// If there is no such group any more.
    fn signal_group(&self, signal: Signal) -> io::Result<()>;

    /// Looks at the processes that have the keyboard, from any thread.
    ///
    /// # Errors
    /// If the terminal is gone.
    fn foreground(&self) -> io::Result<Foreground>;

    /// Whose the terminal is.
    fn tenure(&self) -> Tenure;

    /// Ends the program, or leaves it where we are guests.
    fn terminate(
        &self,
        grace: Duration,
    ) -> Pin<Box<dyn Future<Output = Result<Exit, Survivors>> + Send + '_>>;
}

/// Whose a terminal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tenure {
    /// Ours: all keys pass us, its queries are ours to answer, and the program ends with us.
    Own,
    /// Somebody else's: keys reach the program past us, somebody else answers its queries, and the program was ours to
    /// start and is ours to end.
    Lodger,
    /// Somebody else's, and so is the program: it stays when we go.
    Guest,
}

/// A terminal with its one way in and its one way out.
#[derive(Debug)]
pub struct OpenTerminal {
    pub terminal: Box<dyn Terminal>,
    pub writer: Writer,
    pub output: Output,
    pub size: Size,
}

impl Terminal for Pty {
    fn pid(&self) -> Pid {
        Pty::pid(self)
    }

    fn states(&self) -> watch::Receiver<State> {
        self.child_watcher.states()
    }

    fn sizes(&self) -> Option<watch::Receiver<Size>> {
        None
    }

    fn resize(&self, size: Size) -> io::Result<()> {
        Pty::resize(self, size)
    }

    fn is_canonical(&self) -> bool {
        Pty::is_canonical(self)
    }

    fn has_unread_keys(&self) -> bool {
        Pty::has_unread_keys(self)
    }

    fn signals_interrupt(&self) -> bool {
        Pty::signals_interrupt(self)
    }

    fn has_keyboard(&self) -> bool {
        // The leader behind it types nothing.
        true
    }

    fn signal_group(&self, signal: Signal) -> io::Result<()> {
        Pty::signal_group(self, signal)
    }

    fn foreground(&self) -> io::Result<Foreground> {
        Pty::foreground(self)
    }

    fn tenure(&self) -> Tenure {
        Tenure::Own
    }

    fn terminate(
        &self,
        grace: Duration,
    ) -> Pin<Box<dyn Future<Output = Result<Exit, Survivors>> + Send + '_>> {
        Box::pin(Pty::terminate(self, grace))
    }
}
