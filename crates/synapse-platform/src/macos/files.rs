//! Ways to open what is open already.
#![expect(unsafe_code, reason = "no crate has mkfifo for this system")]

use std::ffi::CString;
use std::io;
use std::os::fd::{IntoRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::stdio::stdin;

/// Opens a folder to work in.
///
/// # Errors
/// If it is none, or out of reach.
pub fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}

/// Opens the terminal on standard input once more, with flags of its own.
///
/// # Errors
/// If the device may not be opened.
pub fn reopen_terminal(flags: OFlags) -> io::Result<OwnedFd> {
    let name = rustix::termios::ttyname(stdin(), Vec::new())?;
    Ok(openat(CWD, name, flags, Mode::empty())?)
}

/// A path at which a child that we start now finds our standard input: a copy that every later child inherits.
///
/// # Errors
/// If there is no descriptor left.
pub fn standard_input() -> io::Result<String> {
    let copy = rustix::io::dup(stdin())?.into_raw_fd();
    Ok(format!("/dev/fd/{copy}"))
}

/// Makes a FIFO for our user.
///
/// # Errors
/// If it cannot be made.
pub fn make_fifo(path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the path ends with a zero and outlives the call.
    match unsafe { libc::mkfifo(path.as_ptr(), 0o600) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
