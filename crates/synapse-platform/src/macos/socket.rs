//! Who has a TCP socket of this machine. The kernel has no question for it; `lsof` looks through the files of our own
//! processes, which are the only ones that count.

use std::io;
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use crate::lsof;

/// It comes with the system.
const LSOF: &str = "/usr/sbin/lsof";

/// A socket that a process of ours has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Socket {
    pub user: u32,
    pids: Vec<i32>,
}

impl Socket {
    /// The processes that have it, as far as we may see them.
    pub fn holders(&self) -> Vec<i32> {
        self.pids.clone()
    }
}

/// The user who has the socket that talks from `from` to `to`, if a process has it.
///
/// # Errors
/// When nobody can be asked.
pub fn owner(from: SocketAddr, to: SocketAddr) -> io::Result<Option<u32>> {
    Ok(find(from, to)?.map(|socket| socket.user))
}

/// The socket that talks from `from` to `to`, if a process of ours has it.
///
/// # Errors
/// When nobody can be asked.
pub fn find(from: SocketAddr, to: SocketAddr) -> io::Result<Option<Socket>> {
    let user = rustix::process::geteuid().as_raw().to_string();
    let ports = format!("-iTCP:{},{}", from.port(), to.port());
    let mut command = Command::new(LSOF);
    // It needs no variable, and gets none.
    command
        .env_clear()
        .args(["-nP", "-a", &ports, "-u", &user, "-Fpun"]);
    let asked = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    // It fails where it finds nothing.
    let said = String::from_utf8_lossy(&asked.stdout);
    let found = lsof::holders(&said, from, to);
    Ok(found.map(|(user, pids)| Socket { user, pids }))
}
