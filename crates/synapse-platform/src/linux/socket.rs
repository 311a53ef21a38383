//! Who has a TCP socket of this machine.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

use super::{sock_diag, socket_table};

/// A socket that a process has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Socket {
    pub user: u32,
    pub(super) inode: u32,
}

impl Socket {
    /// The processes that have it, as far as we may see them.
    pub fn holders(&self) -> Vec<i32> {
        let wanted = format!("socket:[{}]", self.inode);
        let listing = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = listing.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        pids.filter(|pid| holds(*pid, &wanted)).collect()
    }
}

fn holds(pid: i32, wanted: &str) -> bool {
    let files = fs::read_dir(format!("/proc/{pid}/fd"));
    let mut files = files.into_iter().flatten().flatten();
    files.any(|file| fs::read_link(file.path()).is_ok_and(|to| to == Path::new(wanted)))
}

/// The user who has the socket that talks from `from` to `to`, if a process has it.
///
/// # Errors
/// When the kernel cannot be asked.
pub fn owner(from: SocketAddr, to: SocketAddr) -> io::Result<Option<u32>> {
    Ok(find(from, to)?.map(|socket| socket.user))
}

/// The socket that talks from `from` to `to`, if a process has it. Sandboxes that forbid the question often leave
/// the kernel's table of sockets to be read.
///
/// # Errors
/// When the kernel cannot be asked.
pub fn find(from: SocketAddr, to: SocketAddr) -> io::Result<Option<Socket>> {
    sock_diag::ask(from, to).or_else(|_| socket_table::find(from, to))
}
