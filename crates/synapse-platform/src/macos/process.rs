//! Processes by libproc, held by kqueue.
#![expect(unsafe_code, reason = "libproc is only in libc")]

use std::ffi::{CStr, c_int, c_void};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, getsid, kill_process};

use super::queue;
use crate::process::Process;

/// More processes than a machine has.
const MOST: usize = 65_536;

/// `SZOMB`
const ZOMBIE: u32 = 5;

pub(crate) fn all() -> Vec<Process> {
    let mut pids: Vec<c_int> = vec![0; MOST];
    let bytes = c_int::try_from(size_of_val(pids.as_slice())).unwrap_or(c_int::MAX);
    // SAFETY: the buffer is as large as is said.
    let count = unsafe { libc::proc_listallpids(pids.as_mut_ptr().cast(), bytes) };
    pids.truncate(usize::try_from(count).unwrap_or(0));
    pids.into_iter().filter_map(get).collect()
}

pub(crate) fn get(pid: i32) -> Option<Process> {
    let info = info(pid)?;
    let pid = Pid::from_raw(pid)?;
    let session = getsid(Some(pid)).map_or(0, Pid::as_raw_pid);
    Some(Process {
        pid,
        parent: info.pbi_ppid.cast_signed(),
        session,
        is_dead: info.pbi_status == ZOMBIE,
        started: info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec,
    })
}

pub(crate) fn name(pid: i32) -> Option<String> {
    let info = info(pid)?;
    let bytes: Vec<u8> = info
        .pbi_comm
        .iter()
        .map(|byte| byte.cast_unsigned())
        .collect();
    let name = CStr::from_bytes_until_nul(&bytes).ok()?;
    Some(name.to_string_lossy().into_owned())
}

pub(crate) fn children(pid: i32) -> Vec<i32> {
    let below = all().into_iter().filter(|process| process.parent == pid);
    below.map(|process| process.pid.as_raw_pid()).collect()
}

/// It does not say in a form that is safe to read.
pub(crate) fn open_files(_pid: i32) -> Vec<PathBuf> {
    Vec::new()
}

fn info(pid: i32) -> Option<libc::proc_bsdinfo> {
    // SAFETY: zeroes are valid in a struct of numbers.
    let mut info: libc::proc_bsdinfo = unsafe { std::mem::zeroed() };
    let size = c_int::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
    let into = (&raw mut info).cast::<c_void>();
    // SAFETY: the struct is as large as is said, and outlives the call.
    let filled = unsafe { libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, into, size) };
    (filled == size).then_some(info)
}

#[derive(Debug)]
pub(crate) struct Held {
    queue: OwnedFd,
    process: Process,
}

impl Held {
    pub(crate) fn of(pid: Pid) -> io::Result<Self> {
        let process = get(pid.as_raw_pid()).ok_or(Errno::SRCH)?;
        let queue = queue::open()?;
        queue::add_exit(&queue, pid)?;
        Ok(Self { queue, process })
    }

    /// Between the look and the signal its number could go to another; there is no way to close that gap here.
    pub(crate) fn signal(&self, signal: Signal) -> io::Result<()> {
        let now = get(self.process.pid.as_raw_pid());
        if now.is_none_or(|now| now.started != self.process.started) {
            return Err(Errno::SRCH.into());
        }
        Ok(kill_process(self.process.pid, signal)?)
    }

    pub(crate) async fn ended(&self) -> io::Result<()> {
        queue::watch(self.queue.try_clone()?)?
            .readable()
            .await?
            .retain_ready();
        Ok(())
    }
}

impl AsFd for Held {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.queue.as_fd()
    }
}
