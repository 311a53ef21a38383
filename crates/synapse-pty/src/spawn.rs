//! From fork to exec, and the leader that stays between: all unsafe code of the project.
//!
//! The leader is a fork of this process that executes nothing. It has the session and the terminal
//! as a shell would, and the program is its foreground job. Without it the program's group would be
//! an orphaned one, in which the kernel ignores Ctrl-Z, and programs that suspend themselves would
//! hang.
#![expect(
    unsafe_code,
    reason = "between fork and exec there is only what libc gives"
)]

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, PipeReader};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf, absolute};
use std::process::Child;

use libc::{c_int, c_long, c_uint, pid_t};
use rustix::fs::{Access, CWD, Mode, OFlags, access, openat};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, fchdir, getpid, getppid, ioctl_tiocsctty, set_parent_process_death_signal,
    setpgid, setsid,
};
use rustix::stdio::stdin;
use rustix::termios::tcsetpgrp;

use super::Spawn;
use synapse_machine::child;

/// How many signals there are, a bit each in a set of them.
const SIGNALS: usize = 64;

/// How far descriptors are closed one by one where the kernel cannot do it at once (before 5.11).
const MOST_DESCRIPTORS: c_uint = 65_536;

/// Why a program could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// Nothing to run.
    #[error("there is no command to run")]
    Empty,
    /// No such file, or none in `PATH`.
    #[error("{}: command not found", .0.display())]
    NotFound(OsString),
    /// There is one, but it may not be executed.
    #[error("{}: permission denied", .0.display())]
    Denied(OsString),
    /// A script whose first line names a program that is not there.
    #[error("{}: its interpreter was not found", .0.display())]
    NoInterpreter(OsString),
    /// It cannot work where it was told to.
    #[error("cannot work in {}: {why}", .dir.display())]
    Directory {
        /// Where it was to work.
        dir: PathBuf,
        /// Why it cannot.
        why: io::Error,
    },
    /// No pseudo-terminal, thread or process to be had.
    #[error("cannot set up a terminal: {0}")]
    Terminal(io::Error),
    /// The kernel refused it for another reason.
    #[error("cannot run {}: {why}", .command.display())]
    Exec {
        /// What was to be run.
        command: OsString,
        /// Why it cannot.
        why: io::Error,
    },
}

/// Starts the leader and, as its job, the program. Returns when the program was executed. The
/// leader writes numbers of four bytes to the pipe: the program's process, then each change of its
/// status.
pub(super) fn start(spawn: &Spawn, slave: &OwnedFd) -> Result<(Child, PipeReader), SpawnError> {
    let (program, args) = spawn.argv.split_first().ok_or(SpawnError::Empty)?;
    let mut command = child::command(program);
    command.args(args);
    for name in &spawn.env_remove {
        command.env_remove(name);
    }
    let mut dir = None;
    if let Some(cwd) = &spawn.cwd {
        let (opened, path) = open_dir(cwd).map_err(|why| SpawnError::Directory {
            dir: cwd.clone(),
            why,
        })?;
        dir = Some(opened);
        command.env("PWD", path);
    }
    command.envs(spawn.env.iter().map(|(name, value)| (name, value)));
    let (reports, report) = io::pipe().map_err(SpawnError::Terminal)?;
    let stdio = || slave.try_clone().map_err(SpawnError::Terminal);
    command.stdin(stdio()?).stdout(stdio()?).stderr(stdio()?);

    let host = getpid();
    let report_fd = report.as_raw_fd();
    let split = move || {
        lead(host)?;
        // SAFETY: the system call copies this process as fork does; the copy shares nothing with
        // it. Unlike fork() it takes no locks of libc, and neither side needs what fork() would
        // have refreshed: one only makes system calls, the other executes.
        match unsafe { libc::syscall(libc::SYS_clone, c_long::from(libc::SIGCHLD), 0, 0, 0, 0) } {
            -1 => Err(io::Error::last_os_error()),
            0 => follow(dir.as_ref()),
            program => watch(program as pid_t, report_fd),
        }
    };
    // SAFETY: `split` runs between fork and exec and keeps to system calls: no allocation, no
    // locks, no panics. `report` and `dir` are open until the command has been spawned.
    unsafe { command.pre_exec(split) };
    notice_children();
    let spawned = command.spawn();
    drop(report);
    match spawned {
        Ok(leader) => Ok((leader, reports)),
        Err(why) => Err(explain(spawn, program, why)),
    }
}

/// Opened before the fork, so that whatever is wrong with it is not mistaken for something wrong
/// with the command.
fn open_dir(cwd: &Path) -> io::Result<(OwnedFd, PathBuf)> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let dir = openat(CWD, cwd, flags, Mode::empty())?;
    access(cwd, Access::EXEC_OK)?;
    Ok((dir, absolute(cwd)?))
}

/// A process whose parent ignored SIGCHLD inherits that, and is then never told how a child ended.
fn notice_children() {
    // SAFETY: sigaction writes to the struct it is given, for which zeroes are valid, and reads
    // another just filled.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGCHLD, std::ptr::null(), &raw mut action) == 0
            && (action.sa_sigaction == libc::SIG_IGN || action.sa_flags & libc::SA_NOCLDWAIT != 0)
        {
            action.sa_sigaction = libc::SIG_DFL;
            action.sa_flags = 0;
            libc::sigaction(libc::SIGCHLD, &raw const action, std::ptr::null_mut());
        }
    }
}

fn explain(spawn: &Spawn, program: &OsStr, why: io::Error) -> SpawnError {
    let command = program.to_owned();
    match why.kind() {
        ErrorKind::NotFound if is_there(spawn, program) => SpawnError::NoInterpreter(command),
        ErrorKind::NotFound | ErrorKind::NotADirectory => SpawnError::NotFound(command),
        ErrorKind::PermissionDenied => SpawnError::Denied(command),
        _ => SpawnError::Exec { command, why },
    }
}

/// Whether the command names a file, as exec would look for it.
fn is_there(spawn: &Spawn, program: &OsStr) -> bool {
    let cwd = spawn.cwd.as_deref().unwrap_or(Path::new(""));
    if program.as_encoded_bytes().contains(&b'/') {
        return cwd.join(program).is_file();
    }
    let added = spawn.env.iter().rev().find(|(name, _)| name == "PATH");
    let path = added.map_or_else(
        || std::env::var_os("PATH"),
        |(_, value)| Some(value.clone()),
    );
    std::env::split_paths(&path.unwrap_or_default())
        .any(|dir| cwd.join(dir).join(program).is_file())
}

// From here on everything runs between fork and exec, or in the leader: system calls only.

/// Becomes the leader of a session that has the terminal, and dies with the host.
fn lead(host: Pid) -> io::Result<()> {
    die_with(host)?;
    reset_signals();
    setsid()?;
    ioctl_tiocsctty(stdin())?;
    Ok(())
}

/// Becomes the job that has the keyboard, and dies with the leader. Leaves no descriptor open but
/// the terminal's.
fn follow(dir: Option<&OwnedFd>) -> io::Result<()> {
    // The leader is in no other namespace than we are: it is our parent, or 1 is.
    let leader = rustix::process::getsid(None)?;
    die_with(leader)?;
    setpgid(None, None)?;
    // A job in the background that takes the keyboard would be stopped.
    mask(libc::SIG_BLOCK);
    let taken = tcsetpgrp(stdin(), getpid());
    mask(libc::SIG_SETMASK);
    taken?;
    if let Some(dir) = dir {
        fchdir(dir)?;
    }
    // Not closed at once: the standard library needs one of them to say why exec failed.
    each_descriptor_from(3, libc::CLOSE_RANGE_CLOEXEC, |fd| {
        // SAFETY: the flags of a descriptor are a number; one that is not open is refused.
        unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
    });
    Ok(())
}

/// The rest of the leader's life: it tells the host what becomes of the program, and ends with it.
fn watch(program: pid_t, report: RawFd) -> ! {
    // SAFETY: all of these are plain system calls on numbers and on locals that outlive them. The
    // descriptors closed here are this process's own copies, which nobody uses any more: it never
    // returns to code that owns one.
    unsafe {
        libc::prctl(libc::PR_SET_NAME, c"synapse-leader".as_ptr());
        libc::dup2(report, 0);
        each_descriptor_from(1, 0, |fd| {
            libc::close(fd);
        });
        tell(program);
        loop {
            let mut status = 0;
            let options = libc::WUNTRACED | libc::WCONTINUED;
            if libc::waitpid(program, &raw mut status, options) == program {
                tell(status);
                if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
                    libc::_exit(0);
                }
            } else if *libc::__errno_location() != libc::EINTR {
                libc::_exit(1);
            }
        }
    }
}

/// Reports to the host.
fn tell(report: c_int) {
    // SAFETY: the buffer is a local of the size that is said.
    unsafe {
        libc::write(0, (&raw const report).cast(), size_of::<c_int>());
    }
}

/// Has the kernel kill this process with the thread that started it.
fn die_with(parent: Pid) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // If it was gone before, there will be no signal.
    if getppid() == Some(parent) {
        Ok(())
    } else {
        Err(Errno::SRCH.into())
    }
}

/// What was ignored stays ignored through exec, and Ctrl-C would do nothing.
fn reset_signals() {
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
    mask(libc::SIG_SETMASK);
}

/// Blocks SIGTTOU, or nothing at all.
fn mask(how: c_int) {
    // SAFETY: the set is a local that sigemptyset fills before it is read.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        if how == libc::SIG_BLOCK {
            libc::sigaddset(&raw mut set, libc::SIGTTOU);
        }
        libc::sigprocmask(how, &raw const set, std::ptr::null_mut());
    }
}

/// Closes or marks all descriptors from `first` on, at once or, where the kernel cannot,
/// `one_by_one`.
fn each_descriptor_from(first: c_uint, flags: c_uint, one_by_one: impl Fn(RawFd)) {
    // SAFETY: the system call takes three numbers. What it closes is said for each caller.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, c_uint::MAX, flags) };
    if done != 0 {
        for fd in first..MOST_DESCRIPTORS {
            one_by_one(fd.cast_signed());
        }
    }
}
