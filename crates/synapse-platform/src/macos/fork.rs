//! Between fork and exec: system calls only, no allocation, no locks, no panics.
#![expect(
    unsafe_code,
    reason = "between fork and exec there is only what libc gives"
)]

use std::ffi::CStr;
use std::io;
use std::os::fd::RawFd;

use libc::pid_t;
use rustix::io::Errno;
use rustix::process::{Pid, getppid};

/// `NSIG`
const SIGNALS: i32 = 32;

/// Copies this process: 0 in the copy, its number in the original.
///
/// # Errors
/// If there can be no other process.
///
/// # Safety
/// One side may only make system calls, the other must execute.
pub unsafe fn copy_process() -> io::Result<pid_t> {
    // SAFETY: the caller keeps to what may be done between fork and exec.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(pid),
    }
}

/// Nothing kills a process with its parent here. The terminal hangs up when the host is gone, and what reads it ends.
///
/// # Errors
/// If the parent is gone already.
pub fn die_with(parent: Pid) -> io::Result<()> {
    if getppid() == Some(parent) {
        Ok(())
    } else {
        Err(Errno::SRCH.into())
    }
}

/// Lists of processes show the name of the file here.
pub fn set_name(_name: &CStr) {}

/// What was ignored stays ignored through exec, and Ctrl-C would do nothing.
pub fn reset_signals() {
    for signal in 1..SIGNALS {
        // SAFETY: it installs no handler, it takes one away; numbers that may not be changed are refused.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Closes all descriptors from `first` on.
///
/// # Safety
/// Nobody may use one of them any more: this process never returns to code that owns one.
pub unsafe fn close_from(first: RawFd) {
    for fd in first..most_descriptors() {
        // SAFETY: as the caller says.
        unsafe { libc::close(fd) };
    }
}

/// Has exec close all descriptors from `first` on.
pub fn close_at_exec_from(first: RawFd) {
    for fd in first..most_descriptors() {
        // SAFETY: the flags of a descriptor are a number; one that is not open is refused.
        unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}

fn most_descriptors() -> RawFd {
    // SAFETY: it takes nothing and returns a number.
    unsafe { libc::getdtablesize() }
}
