//! Ways to open what is open already.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, openat};

/// Opens a folder to work in, even one that may not be read.
///
/// # Errors
/// If it is none, or out of reach.
pub fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}

/// Opens the terminal on standard input once more, with flags of its own.
///
/// # Errors
/// If the device may not be opened.
pub fn reopen_terminal(flags: OFlags) -> io::Result<OwnedFd> {
    Ok(openat(CWD, "/proc/self/fd/0", flags, Mode::empty())?)
}

/// A path at which a child that we start now finds our standard input.
///
/// # Errors
/// Never here.
pub fn standard_input() -> io::Result<String> {
    Ok(format!("/proc/{}/fd/0", std::process::id()))
}

/// Makes a FIFO for our user.
///
/// # Errors
/// If it cannot be made.
pub fn make_fifo(path: &Path) -> io::Result<()> {
    Ok(mknodat(
        CWD,
        path,
        FileType::Fifo,
        Mode::RUSR | Mode::WUSR,
        0,
    )?)
}
