//! What the processes that have the keyboard wait for. This system does not say, so the screen alone is believed.

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::Pid;

use crate::Wait;

/// Looks at the processes of one terminal.
#[derive(Debug)]
pub struct Foreground;

impl Foreground {
    /// The terminal behind a master, in which a program was started.
    ///
    /// # Errors
    /// Never here.
    pub fn new(_master: OwnedFd, _program: Pid) -> io::Result<Self> {
        Ok(Self)
    }

    /// What the group that has the keyboard waits for.
    ///
    /// # Errors
    /// Always: it cannot be known here.
    #[expect(clippy::unused_self, reason = "Linux needs it")]
    pub fn look(&self) -> io::Result<Wait> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
