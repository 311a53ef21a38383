//! The process tree below a wrapped program, and how to end it. Programs run their tools in sessions of
//! their own, which no signal to a process group reaches; they are found in /proc and held by pidfd, so
//! that a reused PID is never signalled.

use std::fs;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::net::unix::pipe::Receiver;
use tokio::time::timeout;

use super::Survivors;

/// How long the kernel may take to end what was killed.
const KILL_PATIENCE: Duration = Duration::from_secs(5);

/// Asks all of them to end, and kills what is left after `grace`. The leader is left alone: it ends
/// with the program, and tells how that ended.
pub(super) async fn end(leader: Pid, grace: Duration) -> Result<(), Survivors> {
    let mut process_tree = ProcessTree::of(leader);
    // One that is stopped must go on to hear that it is to end.
    process_tree.signal(&[Signal::HUP, Signal::TERM, Signal::CONT]);
    let _ = timeout(grace, process_tree.gone()).await;
    let killed = timeout(KILL_PATIENCE, async {
        loop {
            process_tree.look();
            if process_tree.members.is_empty() {
                return;
            }
            process_tree.signal(&[Signal::KILL]);
            process_tree.gone().await;
        }
    });
    match killed.await {
        Ok(()) => Ok(()),
        Err(_) => Err(Survivors(process_tree.living())),
    }
}

/// Kills all of them, without waiting for it.
pub(super) fn kill(leader: Pid) {
    for process in relatives(leader, &processes()) {
        if let Some(held) = hold(process) {
            let _ = pidfd_send_signal(held, Signal::KILL);
        }
    }
}

struct Member {
    pid: Pid,
    /// Readable when the process has ended; nothing is read from it.
    held: Receiver,
}

struct ProcessTree {
    leader: Pid,
    members: Vec<Member>,
}

impl ProcessTree {
    fn of(leader: Pid) -> Self {
        let mut process_tree = Self {
            leader,
            members: Vec::new(),
        };
        process_tree.look();
        process_tree
    }

    /// Adds those that were not seen before. Those that were stay, though their parent may be gone.
    fn look(&mut self) {
        for process in relatives(self.leader, &processes()) {
            let pid = process.pid;
            if !self.members.iter().any(|member| member.pid == pid)
                && let Some(held) = hold(process)
                && let Ok(held) = Receiver::from_owned_fd_unchecked(held)
            {
                self.members.push(Member { pid, held });
            }
        }
    }

    fn signal(&self, signals: &[Signal]) {
        for member in &self.members {
            for signal in signals {
                // One that is gone already, or another user's: the wait will tell.
                let _ = pidfd_send_signal(&member.held, *signal);
            }
        }
    }

    fn living(&self) -> Vec<Pid> {
        let pids = self.members.iter().map(|member| member.pid);
        pids.filter(|pid| process(pid.as_raw_pid()).is_some_and(|one| !one.is_dead))
            .collect()
    }

    /// Waits until all of them have ended.
    async fn gone(&mut self) {
        while let Some(last) = self.members.last() {
            // It fails only as the runtime ends, and then nobody waits.
            let _ = last.held.readable().await;
            self.members.pop();
        }
    }
}

/// One line of the process table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    pid: Pid,
    parent: i32,
    session: i32,
    is_dead: bool,
    /// In ticks since boot: with the number, it names a process for good.
    started: u64,
}

/// The living of a leader's session, and all who descend from one of them, without the leader.
fn relatives(leader: Pid, processes: &[Process]) -> Vec<Process> {
    let leader = leader.as_raw_pid();
    let mut found: Vec<Process> = Vec::new();
    loop {
        let known = found.len();
        for process in processes {
            let belongs = process.session == leader
                || process.parent == leader
                || found
                    .iter()
                    .any(|one| one.pid.as_raw_pid() == process.parent);
            let is_new = process.pid.as_raw_pid() != leader && !found.contains(process);
            if belongs && is_new && !process.is_dead {
                found.push(*process);
            }
        }
        if found.len() == known {
            return found;
        }
    }
}

/// The process table, as far as we may see it.
fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(process)
        .collect()
}

fn process(pid: i32) -> Option<Process> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
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

/// Takes hold of a process, unless its number has gone to another one.
fn hold(seen: Process) -> Option<OwnedFd> {
    let held = pidfd_open(seen.pid, PidfdFlags::empty()).ok()?;
    let now = process(seen.pid.as_raw_pid())?;
    (now.started == seen.started).then_some(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(pid: i32, parent: i32, session: i32) -> Process {
        Process {
            pid: Pid::from_raw(pid).unwrap(),
            parent,
            session,
            is_dead: false,
            started: 1,
        }
    }

    fn found(processes: &[Process]) -> Vec<i32> {
        let found = relatives(Pid::from_raw(10).unwrap(), processes);
        found.iter().map(|one| one.pid.as_raw_pid()).collect()
    }

    #[test]
    fn reads_a_process_whose_name_is_a_trap() {
        let stat = "42 (a) R 1 (b) S 7 41 40 34816 41 4194304 1 2 3 4 5 6 7 8 20 0 1 0 99887 1 2 3";
        let expected = Process {
            started: 99_887,
            ..child(42, 7, 40)
        };
        assert_eq!(parse(stat), Some(expected));
        for broken in ["", "42", "42 (a)", "42 (a) S", "x (a) S 1 1 1"] {
            assert_eq!(parse(broken), None, "{broken:?}");
        }
    }

    #[test]
    fn reads_itself() {
        let own = process(rustix::process::getpid().as_raw_pid()).unwrap();
        assert_eq!(own.parent, Pid::as_raw(rustix::process::getppid()));
        assert!(!own.is_dead && own.started > 0);
        assert!(hold(own).is_some());
        let other = Process { started: 1, ..own };
        assert!(hold(other).is_none());
    }

    #[test]
    fn a_session_has_its_members_and_all_who_descend_from_them() {
        let leader = child(10, 1, 10);
        let stranger = child(20, 1, 20);
        let program = child(11, 10, 10);
        let orphan = child(12, 1, 10);
        let tool = child(9, 13, 13);
        let tools_shell = child(13, 11, 13);
        let processes = [leader, stranger, tool, program, orphan, tools_shell];
        assert_eq!(found(&processes), [11, 12, 13, 9]);
    }

    #[test]
    fn the_dead_are_left_out() {
        let dead = Process {
            is_dead: true,
            ..child(11, 10, 10)
        };
        assert_eq!(found(&[child(10, 1, 10), dead]), [0; 0]);
    }
}
