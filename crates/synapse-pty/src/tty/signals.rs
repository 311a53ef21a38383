//! What the kernel, the shell and other processes tell us, as one stream.

use std::future::pending;
use std::io;

use rustix::process::Signal as Number;
use tokio::select;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Something happened to this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The window has another size.
    Resized,
    /// Somebody pressed Ctrl-C where the terminal is not raw, or sent SIGINT.
    Interrupted,
    /// Somebody sent SIGQUIT.
    Quit,
    /// Somebody wants us to end.
    Terminated,
    /// The terminal is gone.
    HungUp,
    /// Somebody wants us to stop for a while.
    Suspended,
    /// We were stopped and go on.
    Continued,
}

impl Event {
    /// Whether it is one by which a process that did not listen would have ended.
    pub fn is_end(self) -> bool {
        matches!(
            self,
            Self::Interrupted | Self::Quit | Self::Terminated | Self::HungUp
        )
    }
}

/// The stream. While there is one, and from then on, none of these signals does what it does by
/// default.
#[derive(Debug)]
pub struct Signals {
    interrupted: Signal,
    quit: Signal,
    terminated: Signal,
    hung_up: Signal,
    suspended: Signal,
    continued: Signal,
    resized: Signal,
}

impl Signals {
    /// Listens from now on.
    ///
    /// # Errors
    /// If the kernel refuses.
    ///
    /// # Panics
    /// Outside a tokio runtime with I/O.
    pub fn listen() -> io::Result<Self> {
        let listen = |number: Number| signal(SignalKind::from_raw(number.as_raw()));
        Ok(Self {
            interrupted: listen(Number::INT)?,
            quit: listen(Number::QUIT)?,
            terminated: listen(Number::TERM)?,
            hung_up: listen(Number::HUP)?,
            suspended: listen(Number::TSTP)?,
            continued: listen(Number::CONT)?,
            resized: listen(Number::WINCH)?,
        })
    }

    /// The next event, ends before all others. Several of a kind may come as one. Safe to cancel.
    pub async fn next(&mut self) -> Event {
        select! {
            biased;
            Some(()) = self.terminated.recv() => Event::Terminated,
            Some(()) = self.hung_up.recv() => Event::HungUp,
            Some(()) = self.interrupted.recv() => Event::Interrupted,
            Some(()) = self.quit.recv() => Event::Quit,
            Some(()) = self.suspended.recv() => Event::Suspended,
            Some(()) = self.continued.recv() => Event::Continued,
            Some(()) = self.resized.recv() => Event::Resized,
            else => pending().await,
        }
    }
}
