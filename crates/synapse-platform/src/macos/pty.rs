//! A pair of pseudo-terminals.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{FdFlags, fcntl_setfd, ioctl_fionread};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Opens a master and its slave.
///
/// # Errors
/// If there is none left.
pub fn open() -> io::Result<(OwnedFd, OwnedFd)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    fcntl_setfd(&master, FdFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let slave = open_slave(&master)?;
    Ok((master, slave))
}

/// How many bytes that were typed the program has not read yet.
///
/// # Errors
/// Where the kernel does not say.
pub fn unread(master: impl AsFd) -> io::Result<u64> {
    Ok(ioctl_fionread(open_slave(master)?)?)
}

fn open_slave(master: impl AsFd) -> io::Result<OwnedFd> {
    let name = ptsname(master, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(openat(CWD, name, flags, Mode::empty())?)
}
