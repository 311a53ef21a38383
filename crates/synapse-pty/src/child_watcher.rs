//! The thread that starts a program and hears of its end. The kernel kills a child with the
//! *thread* that started it (`PR_SET_PDEATHSIG`), so that thread must live as long as the child: a
//! worker of the runtime would not do.

use std::io::{self, PipeReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use rustix::process::{Pid, Signal};
use tokio::sync::watch;

use super::Spawn;
use super::spawn::{SpawnError, start};

/// What the program is doing, as the kernel sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It runs, or waits for something.
    Running,
    /// It was suspended, most often by itself on Ctrl-Z. SIGCONT makes it go on.
    Stopped,
    Exited(Exit),
}

impl State {
    /// How it ended, if it did.
    pub fn exit(self) -> Option<Exit> {
        match self {
            Self::Exited(exit) => Some(exit),
            Self::Running | Self::Stopped => None,
        }
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with a code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// Nobody told us: it is somebody else's child, or it goes on without us.
    Unknown,
}

impl Exit {
    /// The code as a shell would say it: 128 and the signal for one that was killed.
    pub fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
            Self::Unknown => 0,
        }
    }
}

/// Holds the child watcher thread. The leader stays unreaped until this is dropped, so that its number,
/// which is the session's, belongs to nobody else meanwhile.
#[derive(Debug)]
pub(super) struct ChildWatcher {
    pid: Pid,
    leader: Pid,
    state: watch::Receiver<State>,
    release: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ChildWatcher {
    /// Starts the program on the slave, and returns when it runs.
    pub(super) fn start(spawn: Spawn, slave: OwnedFd) -> Result<Self, SpawnError> {
        let (started, starting) = mpsc::channel();
        let (release, released) = mpsc::channel();
        let (sender, state) = watch::channel(State::Running);
        let thread = thread::Builder::new()
            .name("child watcher".into())
            .spawn(move || match begin(&spawn, slave) {
                Ok((leader, ids, reports)) => {
                    let _ = started.send(Ok(ids));
                    keep(leader, reports, &sender, &released);
                }
                Err(error) => drop(started.send(Err(error))),
            })
            .map_err(SpawnError::Terminal)?;
        let ids = starting
            .recv()
            .map_err(|_| SpawnError::Terminal(io::Error::other("the child watcher is gone")))??;
        Ok(Self {
            pid: ids.program,
            leader: ids.leader,
            state,
            release: Some(release),
            thread: Some(thread),
        })
    }

    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// The leader of the program's session, whose number is that of the session.
    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    pub(super) fn state(&self) -> State {
        *self.state.borrow()
    }

    pub(super) fn states(&self) -> watch::Receiver<State> {
        self.state.clone()
    }

    /// Waits for a state of which `wanted` makes something.
    pub(super) async fn until<T>(&self, wanted: impl Fn(State) -> Option<T>) -> T {
        let mut state = self.state.clone();
        loop {
            let now = *state.borrow_and_update();
            if let Some(found) = wanted(now) {
                return found;
            }
            if state.changed().await.is_err() {
                // The last state is that of the end: there is nothing more to come.
                std::future::pending::<()>().await;
            }
        }
    }
}

impl Drop for ChildWatcher {
    fn drop(&mut self) {
        self.release = None;
        // With the program still running the thread has to wait for its end, and we need not.
        if self.state().exit().is_some()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

/// The numbers of the two processes that were started.
struct Ids {
    leader: Pid,
    program: Pid,
}

fn begin(spawn: &Spawn, slave: OwnedFd) -> Result<(Child, Ids, PipeReader), SpawnError> {
    let (mut leader, mut reports) = start(spawn, &slave)?;
    // As long as we had it open, the output would not end.
    drop(slave);
    let ids = read_report(&mut reports).and_then(|program| {
        Some(Ids {
            leader: Pid::from_raw(i32::try_from(leader.id()).ok()?)?,
            program: Pid::from_raw(program)?,
        })
    });
    if let Some(ids) = ids {
        return Ok((leader, ids, reports));
    }
    let _ = leader.kill();
    let _ = leader.wait();
    let killed = io::Error::other("it was killed as it started");
    Err(SpawnError::Terminal(killed))
}

/// Publishes what the leader reports, until it has nothing more to say.
fn keep(
    mut leader: Child,
    mut reports: PipeReader,
    state: &watch::Sender<State>,
    released: &mpsc::Receiver<()>,
) {
    // A leader that is killed takes the program with it.
    let mut exit = Exit::Signal(Signal::KILL.as_raw());
    while let Some(report) = read_report(&mut reports) {
        let status = ExitStatus::from_raw(report);
        if let Some(code) = status.code() {
            exit = Exit::Code(code);
        } else if let Some(signal) = status.signal() {
            exit = Exit::Signal(signal);
        } else if status.stopped_signal().is_some() {
            state.send_replace(State::Stopped);
        } else if status.continued() {
            state.send_replace(State::Running);
        }
    }
    state.send_replace(State::Exited(exit));
    let _ = released.recv();
    let _ = leader.wait();
}

fn read_report(reports: &mut PipeReader) -> Option<i32> {
    let mut report = [0; size_of::<i32>()];
    reports.read_exact(&mut report).ok()?;
    Some(i32::from_ne_bytes(report))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_what_a_shell_would_say() {
        assert_eq!(Exit::Code(3).code(), 3);
        assert_eq!(Exit::Signal(2).code(), 130);
    }
}
