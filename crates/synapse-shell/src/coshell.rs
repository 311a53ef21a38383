//! The shell behind `synapse shell`, in a terminal of its own: it runs the lines that are for no agent.
//!
//! It is the user's own interactive shell, so that folders, variables, functions, aliases and jobs are
//! kept from line to line, and Ctrl-C and Ctrl-Z do what they do. While a line runs, the human's terminal
//! is passed through; where its output begins and ends, marks tell.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::sleep;

use super::aside::Aside;
use super::folder::Folder;
use super::marks::{Marks, Piece};
use super::program::{Line, Program};
use synapse_pty::tty::{self, Event, Keyboard, RawMode, Signals, TtyError};
use synapse_pty::{Output, Pty, Spawn, SpawnError, Writer};

/// How much may wait for a terminal that is slow to show it; then the shell waits as well.
const MOST_PAINT: usize = 256 * 1024;

/// How often an editor that is slow to take lines is asked again.
const PAUSE: Duration = Duration::from_millis(50);

const CTRL_C: u8 = 0x03;

/// The exit code of what Ctrl-C ended.
const INTERRUPTED: u8 = 130;

/// Why there is no shell.
#[derive(Debug, thiserror::Error)]
pub enum CoShellError {
    /// It cannot be started.
    #[error("the shell cannot be started: {0}")]
    Spawn(SpawnError),
    /// There is no terminal to show it in.
    #[error(transparent)]
    Terminal(#[from] TtyError),
    /// Its files cannot be written or read.
    #[error("the shell cannot be told what to run: {0}")]
    Files(io::Error),
}

impl From<SpawnError> for CoShellError {
    fn from(why: SpawnError) -> Self {
        Self::Spawn(why)
    }
}

impl From<io::Error> for CoShellError {
    fn from(why: io::Error) -> Self {
        Self::Files(why)
    }
}

/// What came of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is over, with this exit code.
    Done(u8),
    /// The shell itself has ended.
    Ended(u8),
}

/// The shell, waiting for a line.
#[derive(Debug)]
pub struct CoShell {
    program: Program,
    folder: Folder,
    pty: Pty,
    writer: Writer,
    output: Output,
    marks: Marks,
    /// The exit code of the last line.
    code: u8,
    phase: Phase,
    /// What a job in the background said in the breath in which a line ended.
    unsaid: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// A line that runs.
    Running,
    /// The shell's own line editor, which nobody is to see.
    Prompting,
    /// Nobody but jobs in the background.
    Resting,
    /// The shell's own line editor, with the line we typed.
    Typed,
}

/// What jobs in the background say while a line is being edited, and when that ends.
#[derive(Debug)]
pub struct Rest {
    /// Takes the lines.
    pub say: SyncSender<String>,
    pub stop: oneshot::Receiver<()>,
}

impl CoShell {
    /// Starts it, and passes the terminal through until it has read the user's settings.
    ///
    /// # Errors
    /// If it cannot be started, or there is no terminal.
    pub async fn start(program: Program) -> Result<(Self, Outcome), CoShellError> {
        let folder = Folder::new()?;
        let word = uuid::Uuid::new_v4().simple().to_string();
        let start = program.start_up(folder.root()?, &word);
        for (name, text) in start.files {
            folder.write(name, &text)?;
        }
        let raw = RawMode::enter()?;
        let argv = [program.path.clone()].into_iter().chain(start.args);
        let mut spawn = Spawn::new(argv);
        spawn.env = start
            .env
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        spawn.size = tty::size();
        spawn.modes = Some(raw.modes().clone());
        let (pty, writer, output) = Pty::spawn(&spawn)?;
        let mut shell = Self {
            program,
            folder,
            pty,
            writer,
            output,
            marks: Marks::new(&word),
            code: 0,
            phase: Phase::Running,
            unsaid: Vec::new(),
        };
        let outcome = shell.attend(raw).await?;
        Ok((shell, outcome))
    }

    /// Runs a line, with the terminal passed through.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub async fn run(&mut self, line: &str) -> Result<Outcome, CoShellError> {
        self.run_to(&Line::Run(line)).await
    }

    /// Runs a list of commands, and returns what its last pipeline wrote to standard output, if that was run.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub async fn capture(
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
        let outcome = self.run_to(&line).await?;
        Ok((outcome, self.folder.take("output").ok()))
    }

    /// Makes this the exit code of the last line: something else was done meanwhile.
    pub fn set_code(&mut self, code: u8) {
        self.code = code;
    }

    async fn run_to(&mut self, line: &Line<'_>) -> Result<Outcome, CoShellError> {
        let script = self.program.script(line, self.code);
        self.folder.write("line", &script)?;
        let keys = self.program.keys(&self.folder.path("line")?);
        let raw = RawMode::enter()?;
        let _ = self.pty.resize(tty::size());
        self.phase = Phase::Typed;
        // It reads these few keys at once, or is gone.
        let _ = self.writer.push(keys.as_bytes());
        self.attend(raw).await
    }

    /// Lets jobs in the background speak while nobody runs a line. Returns with the lines that
    /// could not be said any more.
    pub async fn rest(mut self, mut rest: Rest) -> (Self, Vec<String>) {
        let mut aside = Aside::default();
        let mut lines: VecDeque<String> = aside.feed(&std::mem::take(&mut self.unsaid)).into();
        let mut has_ended = false;
        loop {
            while let Some(line) = lines.pop_front() {
                if let Err(TrySendError::Full(line) | TrySendError::Disconnected(line)) =
                    rest.say.try_send(line)
                {
                    lines.push_front(line);
                    break;
                }
            }
            tokio::select! {
                _ = &mut rest.stop => break,
                // The editor takes some a few times a second.
                () = sleep(PAUSE), if !lines.is_empty() => {}
                painted = self.output.recv(), if lines.is_empty() && !has_ended => match painted {
                    Some(painted) => lines.extend(self.overhear(&painted, &mut aside)),
                    // Whoever runs the next line will see.
                    None => has_ended = true,
                },
            }
        }
        lines.extend(aside.take());
        (self, lines.into())
    }

    /// The lines that jobs in the background have finished.
    fn overhear(&mut self, painted: &[u8], aside: &mut Aside) -> Vec<String> {
        let mut lines = Vec::new();
        for piece in self.marks.feed(painted) {
            match piece {
                Piece::Paint(bytes) if self.is_shown() => lines.extend(aside.feed(&bytes)),
                piece => self.take(&piece),
            }
        }
        lines
    }

    /// Passes the terminal through until the line is over or the shell has ended.
    async fn attend(&mut self, raw: RawMode) -> Result<Outcome, CoShellError> {
        let mut keyboard = Keyboard::open()?;
        let mut display = tty::display()?;
        let mut signals = Signals::listen().map_err(TtyError::from)?;
        let outcome = loop {
            tokio::select! {
                biased;
                keys = keyboard.next() => match keys {
                    // It never took the line: something else has its keyboard.
                    Some(keys) if self.phase == Phase::Typed && keys.contains(&CTRL_C) => {
                        let _ = self.writer.push(&[CTRL_C]);
                        break Outcome::Done(INTERRUPTED);
                    }
                    // A program that reads nothing loses what is typed, as in any terminal.
                    Some(keys) => drop(self.writer.push(&keys)),
                    None => break Outcome::Ended(1),
                },
                flushed = self.writer.flush(), if !self.writer.is_empty() => {
                    // Its end shows in what it paints.
                    if flushed.is_err() {
                        self.writer.discard();
                    }
                }
                flushed = display.flush(), if !display.is_empty() => flushed.map_err(TtyError::from)?,
                painted = self.output.recv(), if display.queued() < MOST_PAINT => {
                    let Some(painted) = painted else {
                        let code = self.pty.wait().await.code();
                        break Outcome::Ended(u8::try_from(code).unwrap_or(1));
                    };
                    if let Some(code) = self.show(&painted, &mut display) {
                        break Outcome::Done(code);
                    }
                }
                event = signals.next() => match event {
                    Event::Resized => drop(self.pty.resize(tty::size())),
                    Event::Terminated | Event::HungUp => break Outcome::Ended(1),
                    _ => {}
                },
            }
        };
        display.flush().await.map_err(TtyError::from)?;
        if let Outcome::Done(_) = outcome {
            raw.leave();
        }
        Ok(outcome)
    }

    /// Shows what is to be seen; the exit code if the line is over.
    fn show(&mut self, painted: &[u8], display: &mut Writer) -> Option<u8> {
        let mut over = None;
        for piece in self.marks.feed(painted) {
            match piece {
                Piece::Paint(bytes) if over.is_some() && self.is_shown() => {
                    self.unsaid.extend(bytes);
                }
                // There is room: it was looked at before.
                Piece::Paint(bytes) if self.is_shown() => drop(display.push(&bytes)),
                piece => {
                    match (self.phase, &piece) {
                        (Phase::Running, Piece::Done { code, .. }) => over = Some(*code),
                        // Ctrl-C ended a line that had changed what tells us.
                        (Phase::Running, Piece::Ready) => {
                            over = Some(INTERRUPTED);
                            self.phase = Phase::Prompting;
                        }
                        _ => {}
                    }
                    self.take(&piece);
                }
            }
        }
        over
    }

    fn is_shown(&self) -> bool {
        matches!(self.phase, Phase::Running | Phase::Resting)
    }

    /// What a mark changes.
    fn take(&mut self, piece: &Piece) {
        match piece {
            Piece::Started => self.phase = Phase::Running,
            Piece::Ready if self.phase == Phase::Prompting => self.phase = Phase::Resting,
            Piece::Ready | Piece::Paint(_) => {}
            Piece::Done { code, folder } => {
                if self.phase != Phase::Typed {
                    self.phase = Phase::Prompting;
                }
                self.code = *code;
                // Handles and files are looked for where the shell is.
                let _ = std::env::set_current_dir(folder);
            }
        }
    }
}
