//! Processes by `/proc`, held by pidfd.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::net::unix::pipe::Receiver;

use crate::process::Process;

pub(crate) fn all() -> Vec<Process> {
    numbers("/proc").into_iter().filter_map(get).collect()
}

pub(crate) fn get(pid: i32) -> Option<Process> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

pub(crate) fn name(pid: i32) -> Option<String> {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim_end_matches('\n').to_owned())
}

/// As far as the kernel lists them.
pub(crate) fn children(pid: i32) -> Vec<i32> {
    let lists = threads(pid).into_iter().filter_map(|thread| {
        fs::read_to_string(format!("/proc/{pid}/task/{thread}/children")).ok()
    });
    lists
        .flat_map(|list| {
            let numbers = list.split_ascii_whitespace();
            numbers
                .filter_map(|number| number.parse().ok())
                .collect::<Vec<i32>>()
        })
        .collect()
}

pub(crate) fn open_files(pid: i32) -> Vec<PathBuf> {
    let open = fs::read_dir(format!("/proc/{pid}/fd"));
    let open = open.into_iter().flatten().flatten();
    open.filter_map(|fd| fs::read_link(fd.path()).ok())
        .collect()
}

pub(super) fn threads(pid: i32) -> Vec<i32> {
    numbers(&format!("/proc/{pid}/task"))
}

fn numbers(folder: &str) -> Vec<i32> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect()
}

/// Reads a line of /proc/PID/stat. The name, in parentheses, may hold anything, parentheses too.
fn parse(stat: &str) -> Option<Process> {
    let (pid, rest) = stat.split_once(" (")?;
    let (_, fields) = rest.rsplit_once(") ")?;
    let mut fields = fields.split_ascii_whitespace();
    let is_dead = matches!(fields.next()?, "Z" | "X");
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    let started = fields.nth(15)?.parse().ok()?;
    Some(Process {
        pid: Pid::from_raw(pid.parse().ok()?)?,
        parent,
        session,
        is_dead,
        started,
    })
}

#[derive(Debug)]
pub(crate) struct Held(OwnedFd);

impl Held {
    pub(crate) fn of(pid: Pid) -> io::Result<Self> {
        Ok(Self(pidfd_open(pid, PidfdFlags::empty())?))
    }

    pub(crate) fn signal(&self, signal: Signal) -> io::Result<()> {
        Ok(pidfd_send_signal(&self.0, signal)?)
    }

    pub(crate) async fn ended(&self) -> io::Result<()> {
        // No pipe, but tokio treats all that can be read alike.
        Receiver::from_owned_fd_unchecked(self.0.try_clone()?)?
            .readable()
            .await
    }
}

impl AsFd for Held {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_process_whose_name_is_a_trap() {
        let stat = "42 (a) R 1 (b) S 7 41 40 34816 41 4194304 1 2 3 4 5 6 7 8 20 0 1 0 99887 1 2 3";
        let expected = Process {
            pid: Pid::from_raw(42).unwrap(),
            parent: 7,
            session: 40,
            is_dead: false,
            started: 99_887,
        };
        assert_eq!(parse(stat), Some(expected));
        for broken in ["", "42", "42 (a)", "42 (a) S", "x (a) S 1 1 1"] {
            assert_eq!(parse(broken), None, "{broken:?}");
        }
    }
}
