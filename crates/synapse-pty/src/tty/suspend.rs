//! Ctrl-Z: gives the terminal back, stops, and takes the terminal again when the shell says so.

use std::io;
use std::time::Duration;

use rustix::process::{Pid, Signal, getpgid, getpgrp, getppid, getsid, kill_current_process_group};
use synapse_platform::process;
use tokio::time::timeout;

use super::raw::is_elsewhere;
use super::{Event, RawMode, Signals, TtyError, restore};

/// `kill %1` continues a stopped job together with the signal that ends it: how far apart the two
/// may come.
const END_PATIENCE: Duration = Duration::from_millis(100);

/// How a suspension ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspendEnd {
    /// We have the terminal again, in raw mode. Its size and its contents may be others.
    Foreground,
    /// We are to end, because the shell is gone or by an event that [`Signals`] has. The terminal is
    /// not ours.
    ToEnd,
    /// There is no shell that could continue us, so nothing was done.
    NeverStopped,
}

impl RawMode {
    /// Suspends this process and its whole job, as Ctrl-Z does.
    ///
    /// # Errors
    /// If the terminal is gone when it is to be raw again.
    ///
    /// # Panics
    /// Outside a tokio runtime with I/O and time.
    pub async fn suspend(&mut self) -> Result<SuspendEnd, TtyError> {
        if !has_shell() {
            return Ok(SuspendEnd::NeverStopped);
        }
        let mut signals = Signals::listen()?;
        restore();
        loop {
            kill_current_process_group(Signal::STOP).map_err(io::Error::from)?;
            let is_end = continued(&mut signals).await;
            if !is_elsewhere() {
                self.enter_again()?;
                return Ok(SuspendEnd::Foreground);
            }
            // Continued with `bg`, where there is nothing for us to do, or to end.
            let is_end = is_end || timeout(END_PATIENCE, ended(&mut signals)).await.is_ok();
            if is_end || !has_shell() {
                return Ok(SuspendEnd::ToEnd);
            }
        }
    }
}

/// Waits until we go on, and says whether it is to end. Threads may run for a moment after they
/// were stopped: only the signal says that it is over.
async fn continued(signals: &mut Signals) -> bool {
    let mut is_end = false;
    loop {
        match signals.next().await {
            Event::Continued => return is_end,
            event => is_end |= event.is_end(),
        }
    }
}

async fn ended(signals: &mut Signals) {
    while !signals.next().await.is_end() {}
}

/// Whether the first of our ancestors that is not of our job is of our session: a shell that can
/// continue us. Without one the kernel ignores Ctrl-Z, and so do we.
fn has_shell() -> bool {
    let (job, session) = (getpgrp(), getsid(None).ok());
    let mut ancestor = getppid();
    while let Some(pid) = ancestor {
        if getpgid(Some(pid)).is_ok_and(|group| group != job) {
            return getsid(Some(pid)).ok() == session;
        }
        ancestor = process::parent(pid.as_raw_pid()).and_then(Pid::from_raw);
    }
    false
}
