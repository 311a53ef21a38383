//! Which system call the foreground processes sleep in, according to /proc. One that sleeps in a read of
//! its terminal waits for input; one that sleeps in poll or epoll may wait for anything.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;

use libc::c_long;
use rustix::io::Errno;
use rustix::process::{Pid, getpgid};
use rustix::termios::{LocalModes, tcgetattr, tcgetpgrp};

use super::process::{children, keyboard_group, threads};
use crate::Wait;

/// How many processes of one program are looked at.
const MOST_PROCESSES: usize = 256;

/// Looks at the processes of one terminal. A look reads files of /proc, so it may block for a moment.
#[derive(Debug)]
pub struct Foreground {
    /// The master, or the terminal itself where the master is somebody else's.
    master: OwnedFd,
    /// The path of the terminal as the program has it open.
    terminal: String,
    program: Pid,
}

impl Foreground {
    /// The terminal behind a master, in which a program was started.
    ///
    /// # Errors
    /// If the terminal has no name.
    pub fn new(master: OwnedFd, program: Pid) -> io::Result<Self> {
        let terminal = rustix::pty::ptsname(&master, Vec::new())?;
        Ok(Self {
            master,
            terminal: terminal.to_string_lossy().into_owned(),
            program,
        })
    }

    /// A terminal whose master is somebody else's, by its path.
    pub fn of_terminal(terminal: OwnedFd, path: &str, program: Pid) -> Self {
        Self {
            master: terminal,
            terminal: path.to_owned(),
            program,
        }
    }

    fn group(&self) -> io::Result<Pid> {
        match tcgetpgrp(&self.master) {
            // Only its own session may ask a terminal; but the kernel tells of each process of it.
            Err(Errno::NOTTY) => keyboard_group(self.program),
            group => Ok(group?),
        }
    }

    /// Whether whole lines are read.
    fn is_canonical(&self) -> io::Result<bool> {
        let modes = tcgetattr(&self.master)?.local_modes;
        Ok(modes.contains(LocalModes::ICANON))
    }

    /// What the group that has the keyboard waits for.
    ///
    /// # Errors
    /// If the kernel does not let us look at a process of it.
    pub fn look(&self) -> io::Result<Wait> {
        let is_canonical = self.is_canonical()?;
        let group = self.group()?;
        let mut refused = None;
        let mut is_unclear = !is_canonical;
        for process in self.members(group) {
            match self.sleeps(process) {
                // A program that has just started may have begun to read keys since.
                Ok(Sleep::InRead) if is_canonical && self.is_canonical()? => return Ok(Wait::Line),
                Ok(Sleep::InSelect) => return Ok(Wait::Line),
                Ok(Sleep::InRead | Sleep::InPoll) => is_unclear = true,
                Ok(Sleep::Elsewhere) => {}
                Err(error) => refused = Some(error),
            }
        }
        match refused {
            Some(error) => Err(error),
            None if is_unclear => Ok(Wait::Unclear),
            None => Ok(Wait::Work),
        }
    }

    /// The members of a group: its leader, and what the program has started.
    fn members(&self, group: Pid) -> Vec<Pid> {
        let mut found = vec![group];
        let mut open = vec![self.program];
        while let Some(process) = open.pop() {
            if found.len() + open.len() > MOST_PROCESSES {
                break;
            }
            if process != group && getpgid(Some(process)) == Ok(group) {
                found.push(process);
            }
            let children = children(process.as_raw_pid());
            open.extend(children.into_iter().filter_map(Pid::from_raw));
        }
        found
    }

    /// What a process sleeps in: what that one of its threads does that waits for the terminal.
    fn sleeps(&self, process: Pid) -> io::Result<Sleep> {
        let process = process.as_raw_pid();
        let mut all = Sleep::Elsewhere;
        for thread in threads(process) {
            let call = match fs::read_to_string(format!("/proc/{process}/task/{thread}/syscall")) {
                Ok(call) => call,
                Err(error) if is_gone(&error) => continue,
                Err(error) => return Err(error),
            };
            match Call::parse(&call).map(|call| (call.sleep(), call.descriptor)) {
                Some((Sleep::InRead, descriptor)) if self.is_terminal(process, descriptor) => {
                    return Ok(Sleep::InRead);
                }
                // The one descriptor that it can wait for is standard input.
                Some((Sleep::InSelect, _)) if self.is_terminal(process, 0) => {
                    return Ok(Sleep::InSelect);
                }
                Some((Sleep::InPoll | Sleep::InSelect, _)) => all = Sleep::InPoll,
                Some((Sleep::InRead | Sleep::Elsewhere, _)) | None => {}
            }
        }
        Ok(all)
    }

    fn is_terminal(&self, process: i32, descriptor: u64) -> bool {
        let path = fs::read_link(format!("/proc/{process}/fd/{descriptor}"));
        path.is_ok_and(|path| {
            path.as_os_str() == self.terminal.as_str() || path.as_os_str() == "/dev/tty"
        })
    }
}

/// What a thread sleeps in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sleep {
    /// In a read of one descriptor.
    InRead,
    /// In a select that waits for standard input alone, without end, as line editors do.
    InSelect,
    /// In a wait for several things, or for a time.
    InPoll,
    /// In something else, or it does not sleep.
    Elsewhere,
}

/// A system call that a thread sleeps in: a line of /proc/PID/syscall.
struct Call {
    number: c_long,
    /// The first argument.
    descriptor: u64,
    /// The fifth argument.
    time_limit: u64,
}

impl Call {
    /// Nothing for a thread that runs, or sleeps outside of any call.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split_ascii_whitespace();
        let number = fields.next()?.parse().ok()?;
        let mut arguments =
            fields.map(|field| u64::from_str_radix(field.strip_prefix("0x")?, 16).ok());
        Some(Self {
            number,
            descriptor: arguments.next()??,
            time_limit: arguments.nth(3)??,
        })
    }

    fn sleep(&self) -> Sleep {
        match self.number {
            libc::SYS_read | libc::SYS_readv => Sleep::InRead,
            number if is_select(number) && self.descriptor == 1 && self.time_limit == 0 => {
                Sleep::InSelect
            }
            number if is_select(number) || is_poll(number) => Sleep::InPoll,
            _ => Sleep::Elsewhere,
        }
    }
}

fn is_select(number: c_long) -> bool {
    #[cfg(target_arch = "x86_64")]
    if number == libc::SYS_select {
        return true;
    }
    number == libc::SYS_pselect6
}

fn is_poll(number: c_long) -> bool {
    #[cfg(target_arch = "x86_64")]
    if [libc::SYS_poll, libc::SYS_epoll_wait].contains(&number) {
        return true;
    }
    [
        libc::SYS_ppoll,
        libc::SYS_epoll_pwait,
        libc::SYS_epoll_pwait2,
        libc::SYS_io_uring_enter,
    ]
    .contains(&number)
}

/// Whether a process ended while it was looked at.
fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleep(line: &str) -> Option<Sleep> {
        Call::parse(line).map(|call| call.sleep())
    }

    #[test]
    fn tells_what_a_thread_sleeps_in() {
        let rest = "0x7ffe 0x400 0x0 0x0 0x0 0x7ffc 0x7faf";
        assert_eq!(
            sleep(&format!("{} 0x0 {rest}", libc::SYS_read)),
            Some(Sleep::InRead)
        );
        let select = |descriptors: &str, limit: &str| {
            let number = libc::SYS_pselect6;
            sleep(&format!(
                "{number} {descriptors} 0x7ffe 0x0 0x0 {limit} 0x0 0x7ffc 0x7faf"
            ))
        };
        assert_eq!(select("0x1", "0x0"), Some(Sleep::InSelect));
        assert_eq!(
            select("0x1", "0x7ffe"),
            Some(Sleep::InPoll),
            "it waits for a time"
        );
        assert_eq!(select("0x4", "0x0"), Some(Sleep::InPoll), "and for others");
        assert_eq!(
            sleep(&format!("{} 0x5 {rest}", libc::SYS_epoll_pwait)),
            Some(Sleep::InPoll)
        );
        assert_eq!(
            sleep(&format!("{} 0x5 {rest}", libc::SYS_wait4)),
            Some(Sleep::Elsewhere)
        );
        for other in ["running", "-1 0x7ffc 0x7faf", "", "0"] {
            assert_eq!(sleep(other), None, "{other:?}");
        }
    }
}
