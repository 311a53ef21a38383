//! `synapse stop`: returns when the host and all it started are gone.

use std::time::Duration;

use anyhow::{Result, bail};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use synapse::registry::Entry;

use super::reach;

/// How long a host may take to end its agent before it is killed, and its agent with it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs it.
pub(crate) fn run(agents: &[String], all: bool) -> Result<u8> {
    if agents.is_empty() && !all {
        bail!("which agent? Name one, or give --all");
    }
    let entries = if all {
        reach::agents()?
    } else {
        agents
            .iter()
            .map(|word| reach::agent(word))
            .collect::<Result<Vec<_>>>()?
    };
    for entry in entries {
        stop(&entry)?;
        eprintln!("{} is stopped", entry.handle);
    }
    Ok(0)
}

fn stop(entry: &Entry) -> Result<()> {
    let Some(pid) = i32::try_from(entry.pid).ok().and_then(Pid::from_raw) else {
        return Ok(());
    };
    let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else {
        return Ok(());
    };
    kill_process(pid, Signal::TERM)?;
    let mut fds = [PollFd::new(&process, PollFlags::IN)];
    let patience = Timespec {
        tv_sec: PATIENCE.as_secs().cast_signed(),
        tv_nsec: 0,
    };
    if poll(&mut fds, Some(&patience))? == 0 {
        kill_process(pid, Signal::KILL)?;
        poll(&mut fds, Some(&patience))?;
    }
    Ok(())
}
