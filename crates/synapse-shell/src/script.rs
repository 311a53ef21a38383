//! The shell behind `synapse shell` where there is no terminal: one process that runs lines as they come, so
//! that folders, variables and functions are kept. Commands have our standard input, or an empty one if
//! ours has the lines.

use std::fs::File;
use std::io::{self, Write as _};
use std::process::{Child, ChildStdin, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::Pid;
use synapse_platform::files;
use synapse_platform::process::Held;

use super::coshell::{CoShellError, Outcome};
use super::folder::Folder;
use super::program::{Line, Program};
use synapse_machine::child;

/// A shell that runs lines of a script.
#[derive(Debug)]
pub struct ScriptShell {
    program: Program,
    folder: Folder,
    child: Child,
    go: ChildStdin,
    done: File,
    code: u8,
}

/// What commands read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    Empty,
    /// What we would read ourselves.
    Ours,
}

impl ScriptShell {
    /// Starts it.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(program: Program, input: Input) -> Result<Self, CoShellError> {
        let input = match input {
            Input::Empty => "/dev/null".to_owned(),
            // Its own standard input tells it when to run a line.
            Input::Ours => files::standard_input()?,
        };
        let folder = Folder::new()?;
        let done = folder.path("done")?;
        files::make_fifo(done.as_ref())?;
        // With both ends open nobody has to wait for the other to open theirs.
        let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fifo = openat(CWD, &done, flags, Mode::empty()).map_err(io::Error::from)?;
        let mut child = child::command(&program.path)
            .arg("-c")
            .arg(program.lines(&folder.path("line")?, &done, &input))
            .stdin(Stdio::piped())
            .spawn()?;
        let go = child.stdin.take();
        let go = go.ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(Self {
            program,
            folder,
            child,
            go,
            done: File::from(fifo),
            code: 0,
        })
    }

    /// Runs a line.
    ///
    /// # Errors
    /// If the shell cannot be told.
    pub fn run(&mut self, line: &str) -> Result<Outcome, CoShellError> {
        self.run_to(&Line::Run(line))
    }

    /// Runs a list of commands, and returns what its last pipeline wrote to standard output, if that was run.
    ///
    /// # Errors
    /// If the shell cannot be told.
    pub fn capture(
        &mut self,
        before: &str,
        command: &str,
    ) -> Result<(Outcome, Option<Vec<u8>>), CoShellError> {
        let file = self.folder.path("output")?;
        let line = Line::Captured {
            before,
            command,
            file: &file,
        };
        let outcome = self.run_to(&line)?;
        Ok((outcome, self.folder.take("output").ok()))
    }

    /// Makes this the exit code of the last line: something else was done meanwhile.
    pub fn set_code(&mut self, code: u8) {
        self.code = code;
    }

    fn run_to(&mut self, line: &Line<'_>) -> Result<Outcome, CoShellError> {
        let script = self.program.script(line, self.code);
        self.folder.write("line", &script)?;
        // One that is gone shows in the wait.
        let _ = self.go.write_all(b"go\n");
        let Some(told) = self.wait()? else {
            let code = self.child.wait()?.code().unwrap_or(1);
            return Ok(Outcome::Ended(u8::try_from(code).unwrap_or(1)));
        };
        let told = told.trim_end_matches('\n');
        let (code, folder) = told.split_once(' ').unwrap_or((told, "."));
        self.code = code.parse().unwrap_or(1);
        // Handles and files are looked for where the shell is.
        let _ = std::env::set_current_dir(folder);
        Ok(Outcome::Done(self.code))
    }

    /// What it says when the line is over; nothing if it has ended.
    fn wait(&mut self) -> io::Result<Option<String>> {
        let pid = Pid::from_child(&self.child);
        let process = Held::of(pid)?;
        let mut told = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let mut fds = [
                PollFd::new(&self.done, PollFlags::IN),
                PollFd::new(&process, PollFlags::IN),
            ];
            retry_on_intr(|| poll(&mut fds, None))?;
            match retry_on_intr(|| rustix::io::read(&self.done, &mut buffer)) {
                Ok(read) => told.extend_from_slice(buffer.get(..read).unwrap_or_default()),
                // Nothing more to read, so it was the process that ended.
                Err(Errno::AGAIN) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
            if told.ends_with(b"\n") {
                return Ok(Some(String::from_utf8_lossy(&told).into_owned()));
            }
        }
    }
}
