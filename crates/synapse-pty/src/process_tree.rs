//! The process tree below a wrapped program, and how to end it. Programs run their tools in sessions of
//! their own, which no signal to a process group reaches; they are found in the process table and held, so
//! that a reused PID is never signalled.

use std::time::Duration;

use rustix::process::{Pid, Signal};
use synapse_platform::process::{self, Held, Process};
use tokio::time::timeout;

use super::Survivors;

/// How long the kernel may take to end what was killed.
const KILL_PATIENCE: Duration = Duration::from_secs(5);

/// Asks all of them to end, and kills what is left after `grace`. The leader is left alone: it ends
/// with the program, and tells how that ended.
pub(super) async fn end(leader: Pid, grace: Duration) -> Result<(), Survivors> {
    ProcessTree::of(leader).end(grace).await
}

/// Ends a process that has no terminal, and all below it, in the same way.
///
/// # Errors
/// If some could not be killed: they belong to another user, or hang in the kernel.
pub async fn end_with_all_below(root: Pid, grace: Duration) -> Result<(), Survivors> {
    let mut process_tree = ProcessTree::of(root);
    if let Some(held) = process::get(root.as_raw_pid()).and_then(Held::of_seen) {
        process_tree.members.push(Member { pid: root, held });
    }
    process_tree.end(grace).await
}
/// Kills all of them, without waiting for it.
pub(super) fn kill(leader: Pid) {
    for process in relatives(leader, &process::all()) {
        if let Some(held) = Held::of_seen(process) {
            let _ = held.signal(Signal::KILL);
        }
    }
}

struct Member {
    pid: Pid,
    held: Held,
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
        for process in relatives(self.leader, &process::all()) {
            let pid = process.pid;
            if !self.members.iter().any(|member| member.pid == pid)
                && let Some(held) = Held::of_seen(process)
            {
                self.members.push(Member { pid, held });
            }
        }
    }

    fn signal(&self, signals: &[Signal]) {
        for member in &self.members {
            for signal in signals {
                // One that is gone already, or another user's: the wait will tell.
                let _ = member.held.signal(*signal);
            }
        }
    }

    async fn end(mut self, grace: Duration) -> Result<(), Survivors> {
        // One that is stopped must go on to hear that it is to end.
        self.signal(&[Signal::HUP, Signal::TERM, Signal::CONT]);
        let _ = timeout(grace, self.gone()).await;
        let killed = timeout(KILL_PATIENCE, async {
            loop {
                self.look();
                if self.members.is_empty() {
                    return;
                }
                self.signal(&[Signal::KILL]);
                self.gone().await;
            }
        });
        match killed.await {
            Ok(()) => Ok(()),
            Err(_) => Err(Survivors(self.living())),
        }
    }

    fn living(&self) -> Vec<Pid> {
        let pids = self.members.iter().map(|member| member.pid);
        pids.filter(|pid| process::get(pid.as_raw_pid()).is_some_and(|one| !one.is_dead))
            .collect()
    }

    /// Waits until all of them have ended.
    async fn gone(&mut self) {
        while let Some(last) = self.members.last() {
            // It fails only as the runtime ends, and then nobody waits.
            let _ = last.held.ended().await;
            self.members.pop();
        }
    }
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
