//! From fork to exec, and the leader that stays between.
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

use libc::{c_int, pid_t};
use rustix::fs::{Access, access};
use rustix::process::{Pid, fchdir, getpid, ioctl_tiocsctty, setpgid, setsid};
use rustix::stdio::stdin;
use rustix::termios::tcsetpgrp;

use super::Spawn;
use synapse_machine::child;
use synapse_platform::{files, fork};

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
        // SAFETY: one side only makes system calls, the other executes.
        match unsafe { fork::copy_process() }? {
            0 => follow(dir.as_ref()),
            program => watch(program, report_fd),
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
    let dir = files::open_folder(cwd)?;
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
    fork::die_with(host)?;
    fork::reset_signals();
    mask(libc::SIG_SETMASK);
    setsid()?;
    ioctl_tiocsctty(stdin())?;
    Ok(())
}

/// Becomes the job that has the keyboard, and dies with the leader. Leaves no descriptor open but
/// the terminal's.
fn follow(dir: Option<&OwnedFd>) -> io::Result<()> {
    // The leader is in no other namespace than we are: it is our parent, or 1 is.
    let leader = rustix::process::getsid(None)?;
    fork::die_with(leader)?;
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
    fork::close_at_exec_from(3);
    Ok(())
}

/// The rest of the leader's life: it tells the host what becomes of the program, and ends with it.
fn watch(program: pid_t, report: RawFd) -> ! {
    // SAFETY: all of these are plain system calls on numbers and on locals that outlive them. The
    // descriptors closed here are this process's own copies, which nobody uses any more: it never
    // returns to code that owns one.
    unsafe {
        fork::set_name(c"synapse-leader");
        libc::dup2(report, 0);
        fork::close_from(1);
        tell(program);
        loop {
            let mut status = 0;
            let options = libc::WUNTRACED | libc::WCONTINUED;
            if libc::waitpid(program, &raw mut status, options) == program {
                tell(status);
                if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
                    libc::_exit(0);
                }
            } else if io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
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
