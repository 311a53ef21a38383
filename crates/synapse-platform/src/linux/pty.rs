//! A pair of pseudo-terminals.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::ioctl_fionread;
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};

const FLAGS: OpenptFlags = OpenptFlags::RDWR
    .union(OpenptFlags::NOCTTY)
    .union(OpenptFlags::CLOEXEC);

/// Opens a master and its slave.
///
/// # Errors
/// If there is none left.
pub fn open() -> io::Result<(OwnedFd, OwnedFd)> {
    let master = openpt(FLAGS)?;
    unlockpt(&master)?;
    let slave = ioctl_tiocgptpeer(&master, FLAGS)?;
    Ok((master, slave))
}

/// How many bytes that were typed the program has not read yet.
///
/// # Errors
/// Where the kernel does not say.
pub fn unread(master: impl AsFd) -> io::Result<u64> {
    let slave = ioctl_tiocgptpeer(master, FLAGS)?;
    Ok(ioctl_fionread(&slave)?)
}
