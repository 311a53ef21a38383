//! The human's terminal: raw mode and the way back from it, keys, paint, size and signals. It owns
//! the terminal's modes; whatever happens to this process, it must not leave them to the shell as a
//! program had them.

mod keyboard;
mod raw;
mod reset;
mod signals;
mod suspend;

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::process::getpgrp;
use rustix::stdio::{stderr, stdin, stdout};
use rustix::termios::{isatty, tcgetpgrp, tcgetwinsize};

use crate::{Size, Writer};

pub use keyboard::Keyboard;
pub use raw::{RawMode, note_alternate, restore, restore_on_panic};
pub use signals::{Event, Signals};
pub use suspend::SuspendEnd;

/// Why there is no terminal to work with.
#[derive(Debug, thiserror::Error)]
pub enum TtyError {
    /// The input comes from a file or a pipe.
    #[error("standard input is not a terminal")]
    NotATerminal,
    /// Raw mode is one for the process.
    #[error("the terminal is in raw mode already")]
    AlreadyRaw,
    /// The terminal refused.
    #[error("cannot use the terminal: {0}")]
    Io(io::Error),
}

impl From<io::Error> for TtyError {
    fn from(why: io::Error) -> Self {
        Self::Io(why)
    }
}

/// The size of the window, or 80x24 where nobody knows.
pub fn size() -> Size {
    [stdout(), stdin(), stderr()]
        .into_iter()
        .find_map(|fd| tcgetwinsize(fd).ok())
        .map_or_else(Size::default, Size::from)
}

/// The way to the human's eyes, in a queue of its own: a terminal that stops reading holds nobody.
///
/// # Errors
/// If standard input is no terminal.
pub fn display() -> Result<Writer, TtyError> {
    Ok(Writer::new(open()?)?)
}

/// Opens the terminal once more, for us alone: with the shell's own descriptor made non-blocking,
/// the shell and all its later programs would fail.
///
/// # Errors
/// If standard input is no terminal.
pub fn open() -> Result<OwnedFd, TtyError> {
    if !isatty(stdin()) {
        return Err(TtyError::NotATerminal);
    }
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    // After `su` the device belongs to somebody else, but /dev/tty is everybody's.
    synapse_platform::files::reopen_terminal(flags)
        .or_else(|_| Ok(openat(CWD, "/dev/tty", flags, Mode::empty())?))
        .map_err(TtyError::Io)
}

/// Whether the terminal is another job's now, so that touching it would stop us.
fn is_in_background(tty: BorrowedFd<'_>) -> bool {
    tcgetpgrp(tty).is_ok_and(|group| group != getpgrp())
}
