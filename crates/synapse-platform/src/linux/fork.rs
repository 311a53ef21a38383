//! Between fork and exec: system calls only, no allocation, no locks, no panics.
#![expect(
    unsafe_code,
    reason = "between fork and exec there is only what libc gives"
)]

use std::ffi::CStr;
use std::io;
use std::os::fd::RawFd;

use libc::{c_long, c_uint, pid_t};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};

/// How many signals there are, a bit each in a set of them.
const SIGNALS: usize = 64;

/// How far descriptors are closed one by one where the kernel cannot do it at once (before 5.11).
const MOST_DESCRIPTORS: c_uint = 65_536;

/// Copies this process as fork does: 0 in the copy, its number in the original. Unlike `fork()` it takes no locks of
/// libc.
///
/// # Errors
/// If there can be no other process.
///
/// # Safety
/// Neither side may use what `fork()` would have refreshed: one only makes system calls, the other executes.
pub unsafe fn copy_process() -> io::Result<pid_t> {
    // SAFETY: the system call copies this process; the copy shares nothing with it. The caller keeps the rest.
    match unsafe { libc::syscall(libc::SYS_clone, c_long::from(libc::SIGCHLD), 0, 0, 0, 0) } {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(pid as pid_t),
    }
}

/// Has the kernel kill this process with the thread that started it.
///
/// # Errors
/// If that is gone already.
pub fn die_with(parent: Pid) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // If it was gone before, there will be no signal.
    if getppid() == Some(parent) {
        Ok(())
    } else {
        Err(Errno::SRCH.into())
    }
}

/// What lists of processes call this one.
pub fn set_name(name: &CStr) {
    // SAFETY: the kernel copies the name, which ends with a zero.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
}

/// What was ignored stays ignored through exec, and Ctrl-C would do nothing.
pub fn reset_signals() {
    // As the kernel has it: handler, flags, restorer, mask; libc would not let us reset those it
    // uses itself.
    let default = [0_u64; 4];
    for signal in 1..=SIGNALS {
        // SAFETY: the kernel reads the struct, which is as large as it expects, and installs no
        // handler: it takes one away.
        unsafe {
            let nothing = std::ptr::null_mut::<u64>();
            libc::syscall(
                libc::SYS_rt_sigaction,
                signal,
                &raw const default,
                nothing,
                SIGNALS / 8,
            );
        }
    }
}

/// Closes all descriptors from `first` on.
///
/// # Safety
/// Nobody may use one of them any more: this process never returns to code that owns one.
pub unsafe fn close_from(first: RawFd) {
    each_descriptor_from(first, 0, |fd| {
        // SAFETY: as the caller says.
        unsafe { libc::close(fd) };
    });
}

/// Has exec close all descriptors from `first` on.
pub fn close_at_exec_from(first: RawFd) {
    each_descriptor_from(first, libc::CLOSE_RANGE_CLOEXEC, |fd| {
        // SAFETY: the flags of a descriptor are a number; one that is not open is refused.
        unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
    });
}

/// Closes or marks them at once or, where the kernel cannot, `one_by_one`.
fn each_descriptor_from(first: RawFd, flags: c_uint, one_by_one: impl Fn(RawFd)) {
    let first = first.cast_unsigned();
    // SAFETY: the system call takes three numbers. What it closes is said for each caller.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, c_uint::MAX, flags) };
    if done != 0 {
        for fd in first..MOST_DESCRIPTORS {
            one_by_one(fd.cast_signed());
        }
    }
}
