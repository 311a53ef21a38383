//! A pane as the terminal of a program: what the kernel knows of it, and a task that reads and types through tmux.

use std::fs::{File, OpenOptions};
use std::future::Future;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::pin::Pin;
use std::time::Duration;

use rustix::io::{Errno, ioctl_fionread};
use rustix::process::{getpgid, kill_process_group};
use rustix::termios::{LocalModes, tcgetattr};
use synapse_platform::process::{self, Held, keyboard_group};
use synapse_pty::{
    Exit, Foreground, OpenTerminal, Output, Pid, Piece, Signal, Size, State, Survivors, Tenure,
    Terminal, Writer,
};
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::client::Client;
use crate::control::Event;
use crate::screenful::{ABOUT, About};
use crate::server::{PaneInfo, Server, TmuxError};
use crate::typist::Typist;

/// Pieces of output that may be under way.
const PIECES: usize = 16;

/// Rows above the screen that are read at the beginning.
const HISTORY: u32 = 500;

/// What stands before the answers of a capture, so that they are known among others.
const CAPTURE: &str = "synapse: the screen follows";

/// How long output may still come when the program has ended.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// What is adopted, and how.
#[derive(Clone, Debug)]
pub struct Adoption {
    pub server: Server,
    pub pane: PaneInfo,
    /// The process whose end is the end of the agent.
    pub program: Pid,
    /// Ours to end, or not.
    pub tenure: Tenure,
    /// Whether the program is taken to want pastes marked, where tmux does not tell. It is a guess about the program,
    /// and concerns only what we take our own screen's mode to be: tmux marks a paste if the program really asked.
    pub marks_pastes: bool,
}

impl Adoption {
    /// Notes at the pane which agent it is, or that it is none.
    ///
    /// # Errors
    /// If tmux refuses.
    pub fn label(&self, agent: Option<&str>) -> Result<(), TmuxError> {
        self.server.label(&self.pane.id, agent)
    }
}

/// A pane with a program in it.
#[derive(Debug)]
struct Pane {
    adoption: Adoption,
    tty: OwnedFd,
    states: watch::Receiver<State>,
    sizes: watch::Receiver<Size>,
    leave: watch::Sender<bool>,
}

/// Opens a pane as a terminal. What it shows comes as the first output.
///
/// # Errors
/// If its terminal cannot be opened, or its program is gone.
///
/// # Panics
/// Outside a tokio runtime with I/O and time.
pub fn open(adoption: Adoption) -> Result<OpenTerminal, TmuxError> {
    let pane = &adoption.pane;
    let terminal = |why: io::Error| TmuxError::Terminal {
        pane: pane.id.clone(),
        why,
    };
    let program = Held::of(adoption.program);
    let program = program.map_err(|_| TmuxError::Dead(pane.id.clone()))?;
    let tty: File = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(rustix::fs::OFlags::NOCTTY.bits().cast_signed())
        .open(&pane.tty)
        .map_err(terminal)?;
    let client = Client::attach(&adoption.server, pane).map_err(TmuxError::Missing)?;
    let (typed, keys) = io::pipe().map_err(terminal)?;
    let keys = Writer::new(keys.into()).map_err(terminal)?;
    rustix::io::ioctl_fionbio(&typed, true).map_err(|error| terminal(error.into()))?;
    let typed = pipe::Receiver::from_owned_fd(typed.into()).map_err(terminal)?;
    let (pieces, output) = mpsc::channel(PIECES);
    let (state, states) = watch::channel(State::Running);
    let (size, sizes) = watch::channel(pane.size);
    let (leave, left) = watch::channel(false);
    let buffer = format!(
        "synapse-{}-{}",
        std::process::id(),
        pane.id.trim_start_matches('%')
    );
    let reader = Reader {
        pane: pane.id.clone(),
        typist: Typist::new(&pane.id, &buffer),
        marks_pastes: adoption.marks_pastes,
        pieces,
        size,
        capture: Capture::None,
        is_first: true,
    };
    let initial = pane.size;
    tokio::spawn(async move {
        reader.run(client, typed, program, left).await;
        state.send_replace(State::Exited(Exit::Unknown));
    });
    let pane = Pane {
        adoption,
        tty: tty.into(),
        states,
        sizes,
        leave,
    };
    Ok(OpenTerminal {
        terminal: Box::new(pane),
        writer: keys,
        output: Output::passed_on(output),
        size: initial,
    })
}

/// Reads a pane and types into it, until the program is gone or we leave.
struct Reader {
    pane: String,
    typist: Typist,
    marks_pastes: bool,
    pieces: mpsc::Sender<Piece>,
    size: watch::Sender<Size>,
    capture: Capture,
    is_first: bool,
}

/// How far the answers of a capture have come.
enum Capture {
    None,
    /// The rows come next.
    Begun,
    /// What belongs to them comes next.
    Rows(Vec<Vec<u8>>),
}

impl Reader {
    async fn run(
        mut self,
        mut client: Client,
        mut typed: pipe::Receiver,
        program: Held,
        mut left: watch::Receiver<bool>,
    ) {
        let size = format!(
            "refresh-client -B 'size:{}:#{{pane_width}}x#{{pane_height}}'",
            self.pane
        );
        let begun = client.tell(&[size]).await;
        if begun.is_err() || self.capture(&mut client).await.is_err() {
            return;
        }
        let ended = program.ended();
        tokio::pin!(ended);
        loop {
            let done = tokio::select! {
                event = client.next() => match event {
                    Some(event) => self.take(event, &mut client).await,
                    None => return,
                },
                commands = self.typed(&mut typed) => match commands {
                    Some(commands) => client.tell(&commands).await,
                    None => Ok(()),
                },
                _ = &mut ended => {
                    // What it wrote last is on its way.
                    let _ = timeout(LAST_WORDS, self.drain(&mut client)).await;
                    Err(io::ErrorKind::BrokenPipe.into())
                }
                () = is_left(&mut left) => Err(io::ErrorKind::BrokenPipe.into()),
            };
            if done.is_err() {
                return client.leave().await;
            }
        }
    }

    async fn drain(&mut self, client: &mut Client) {
        while let Some(event) = client.next().await {
            if self.take(event, client).await.is_err() {
                return;
            }
        }
    }

    /// The commands for what is typed next. Safe to cancel: what was read is typed.
    async fn typed(&mut self, from: &mut pipe::Receiver) -> Option<Vec<String>> {
        let mut buffer = vec![0; 64 << 10];
        loop {
            from.readable().await.ok()?;
            match from.try_read(&mut buffer) {
                Ok(0) => return std::future::pending().await,
                Ok(count) => {
                    let bytes = buffer.get(..count).unwrap_or_default();
                    let commands = self.typist.commands(bytes);
                    return (!commands.is_empty()).then_some(commands);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return std::future::pending().await,
            }
        }
    }

    async fn take(&mut self, event: Event, client: &mut Client) -> io::Result<()> {
        match event {
            // What came before the first capture is in it.
            Event::Output { pane, bytes } if pane == self.pane && !self.is_first => {
                self.pass(bytes).await
            }
            Event::Paused { pane } if pane == self.pane => {
                tracing::warn!(pane, "tmux held output back; the screen is read anew");
                let go_on = format!("refresh-client -A '{pane}:continue'");
                client.tell(&[go_on]).await?;
                self.capture(client).await
            }
            Event::Changed { name, value } if name == "size" => {
                let size = value.split_once('x');
                let size = size.and_then(|(cols, rows)| {
                    Some(Size::new(cols.parse().ok()?, rows.parse().ok()?))
                });
                match size {
                    Some(size) if size != *self.size.borrow() => self.capture(client).await,
                    _ => Ok(()),
                }
            }
            Event::Gone => Err(io::ErrorKind::BrokenPipe.into()),
            Event::Answer(Ok(lines)) => self.take_answer(lines).await,
            Event::Answer(Err(error)) => {
                tracing::warn!(error, "tmux did not do what it was told");
                self.capture = Capture::None;
                Ok(())
            }
            Event::Output { .. } | Event::Paused { .. } | Event::Changed { .. } => Ok(()),
        }
    }

    async fn take_answer(&mut self, lines: Vec<Vec<u8>>) -> io::Result<()> {
        match std::mem::replace(&mut self.capture, Capture::None) {
            Capture::None => {
                if lines.first().is_some_and(|line| line == CAPTURE.as_bytes()) {
                    self.capture = Capture::Begun;
                }
                Ok(())
            }
            Capture::Begun => {
                self.capture = Capture::Rows(lines);
                Ok(())
            }
            Capture::Rows(rows) => self.paint(&rows, &lines).await,
        }
    }

    /// Asks for the whole screen. Rows and what belongs to them are asked for on one line, so that nothing is painted
    /// between them.
    async fn capture(&mut self, client: &mut Client) -> io::Result<()> {
        let pane = &self.pane;
        let above = if self.is_first {
            format!(" -S -{HISTORY}")
        } else {
            String::new()
        };
        let mark = format!("display-message -p '{CAPTURE}'");
        let rows = format!("capture-pane -p -e{above} -t {pane}");
        let about = format!("display-message -p -t {pane} '{ABOUT}'");
        client.tell(&[mark, rows, about]).await
    }

    async fn paint(&mut self, rows: &[Vec<u8>], about: &[Vec<u8>]) -> io::Result<()> {
        let about = about.first().map(|line| String::from_utf8_lossy(line));
        let Some(about) = about.and_then(|line| About::parse(&line)) else {
            tracing::warn!("tmux does not tell what the pane shows");
            return Ok(());
        };
        // Whoever keeps the screen hears of its size before it is painted.
        self.size.send_if_modified(|size| {
            let is_news = *size != about.size;
            *size = about.size;
            is_news
        });
        self.is_first = false;
        self.pass(about.paint(rows, self.marks_pastes)).await
    }

    async fn pass(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let piece = Piece {
            bytes,
            tapped: None,
        };
        let passed = self.pieces.send(piece).await;
        passed.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Waits until we are to leave. Safe to cancel.
async fn is_left(left: &mut watch::Receiver<bool>) {
    // An error means that nobody is there who could want us to stay.
    let _ = left.wait_for(|is_left| *is_left).await;
}

impl Pane {
    /// A terminal that is gone has no modes: nobody reads lines there.
    fn local_modes(&self) -> LocalModes {
        tcgetattr(&self.tty).map_or(LocalModes::empty(), |modes| modes.local_modes)
    }

    /// Ends a program that is ours: asks, waits, kills.
    async fn end(&self, grace: Duration) -> Result<Exit, Survivors> {
        let mut states = self.states.clone();
        let group = getpgid(Some(self.adoption.program)).unwrap_or(self.adoption.program);
        for signal in [Signal::HUP, Signal::TERM] {
            let _ = kill_process_group(group, signal);
        }
        let ended = async {
            let _ = states.wait_for(|state| state.exit().is_some()).await;
        };
        if timeout(grace, ended).await.is_err() {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let pane = self.adoption.pane.id.clone();
        // It goes with its program, unless the person has `remain-on-exit`.
        let _ = self.adoption.server.run(&["kill-pane", "-t", &pane]);
        self.leave.send_replace(true);
        Ok(Exit::Unknown)
    }
}

impl Terminal for Pane {
    fn pid(&self) -> Pid {
        self.adoption.program
    }

    fn states(&self) -> watch::Receiver<State> {
        self.states.clone()
    }

    fn sizes(&self) -> Option<watch::Receiver<Size>> {
        Some(self.sizes.clone())
    }

    fn resize(&self, _: Size) -> io::Result<()> {
        let why = "the size of a tmux pane is its user's";
        Err(io::Error::new(io::ErrorKind::Unsupported, why))
    }

    fn is_canonical(&self) -> bool {
        self.local_modes().contains(LocalModes::ICANON)
    }

    fn has_unread_keys(&self) -> bool {
        ioctl_fionread(&self.tty).is_ok_and(|bytes| bytes > 0)
    }

    fn signals_interrupt(&self) -> bool {
        self.local_modes().contains(LocalModes::ISIG)
    }

    fn has_keyboard(&self) -> bool {
        let program = self.adoption.program;
        let Ok(group) = keyboard_group(program) else {
            return false;
        };
        // A job of the program has it, or the program itself.
        getpgid(Some(program)) == Ok(group)
            || process::is_below(group.as_raw_pid(), program.as_raw_pid())
    }

    fn signal_group(&self, signal: Signal) -> io::Result<()> {
        if self.states.borrow().exit().is_some() {
            return Err(Errno::SRCH.into());
        }
        Ok(kill_process_group(
            keyboard_group(self.adoption.program)?,
            signal,
        )?)
    }

    fn foreground(&self) -> io::Result<Foreground> {
        let tty = self.tty.try_clone()?;
        let path = &self.adoption.pane.tty;
        Ok(Foreground::of_terminal(tty, path, self.adoption.program))
    }

    fn tenure(&self) -> Tenure {
        self.adoption.tenure
    }

    fn terminate(
        &self,
        grace: Duration,
    ) -> Pin<Box<dyn Future<Output = Result<Exit, Survivors>> + Send + '_>> {
        Box::pin(async move {
            if self.adoption.tenure == Tenure::Lodger {
                return self.end(grace).await;
            }
            self.leave.send_replace(true);
            Ok(Exit::Unknown)
        })
    }
}
