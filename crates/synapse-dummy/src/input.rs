//! What comes in: bytes and Ctrl-C, through one channel, so that whatever is waited for can be
//! interrupted.

use std::io::{self, Read as _};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGWINCH};
use signal_hook::iterator::Signals;

use super::key::{self, Key};

/// Pieces of input that may wait; who types faster waits.
const AHEAD: usize = 256;

/// Why a directive is not carried out to its end.
pub(super) enum Stop {
    Interrupted,
    Exit(u8),
    Output(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

enum InputEvent {
    Bytes(Vec<u8>),
    Interrupt,
    Resized,
    End,
}

/// Everything that was typed and not yet taken.
pub(super) struct Input {
    events: Receiver<InputEvent>,
    typed: Vec<u8>,
    is_over: bool,
}

impl Input {
    /// Listens from now on. The threads wait for the outside world and end with the process.
    pub(super) fn listen() -> io::Result<Self> {
        let (sender, events) = mpsc::sync_channel(AHEAD);
        let mut signals = Signals::new([SIGINT, SIGWINCH])?;
        let on_signal = sender.clone();
        thread::spawn(move || {
            signals.forever().all(|signal| {
                let event = match signal {
                    SIGINT => InputEvent::Interrupt,
                    _ => InputEvent::Resized,
                };
                on_signal.send(event).is_ok()
            })
        });
        thread::spawn(move || read(&sender));
        Ok(Self {
            events,
            typed: Vec::new(),
            is_over: false,
        })
    }

    /// Waits for a line; none when the input is over.
    pub(super) fn line(&mut self) -> Result<Option<String>, Stop> {
        loop {
            if let Some(end) = self.typed.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.typed.drain(..=end).collect();
                return Ok(Some(text(&line)));
            }
            if self.is_over {
                let rest = std::mem::take(&mut self.typed);
                return Ok((!rest.is_empty()).then(|| text(&rest)));
            }
            match self.events.recv() {
                Ok(InputEvent::Bytes(bytes)) => self.typed.extend(bytes),
                Ok(InputEvent::Interrupt) => return Err(Stop::Interrupted),
                Ok(InputEvent::Resized) => {}
                Ok(InputEvent::End) | Err(_) => self.is_over = true,
            }
        }
    }

    /// Waits for a key, not longer than `patience` if that is said. A window of another size is a
    /// key, too: something is to be painted anew.
    pub(super) fn key(&mut self, patience: Option<Duration>) -> Result<Option<Key>, Stop> {
        let begin = Instant::now();
        loop {
            if let Some((key, length)) = key::first(&self.typed) {
                self.typed.drain(..length);
                return match key {
                    Key::Interrupt => Err(Stop::Interrupted),
                    key => Ok(Some(key)),
                };
            }
            if self.is_over {
                return Ok(Some(Key::End));
            }
            let event = match patience {
                None => self
                    .events
                    .recv()
                    .map_err(|_| RecvTimeoutError::Disconnected),
                Some(time) => self
                    .events
                    .recv_timeout(time.saturating_sub(begin.elapsed())),
            };
            match event {
                Ok(InputEvent::Bytes(bytes)) => self.typed.extend(bytes),
                Ok(InputEvent::Interrupt) => return Err(Stop::Interrupted),
                Ok(InputEvent::Resized) => return Ok(Some(Key::Resized)),
                Ok(InputEvent::End) | Err(RecvTimeoutError::Disconnected) => self.is_over = true,
                Err(RecvTimeoutError::Timeout) => return Ok(None),
            }
        }
    }

    /// Lets time pass. What comes meanwhile waits its turn.
    pub(super) fn pause(&mut self, time: Duration) -> Result<(), Stop> {
        let begin = Instant::now();
        loop {
            let left = time.saturating_sub(begin.elapsed());
            match self.events.recv_timeout(left) {
                Ok(InputEvent::Bytes(bytes)) => self.typed.extend(bytes),
                Ok(InputEvent::Interrupt) => return Err(Stop::Interrupted),
                Ok(InputEvent::Resized) => {}
                Ok(InputEvent::End) => self.is_over = true,
                Err(_) => return Ok(()),
            }
        }
    }

    /// Drops what was typed ahead, as a terminal does on Ctrl-C.
    pub(super) fn forget(&mut self) {
        self.typed.clear();
    }

    /// What was typed ahead as keys is from now on read as lines.
    pub(super) fn take_lines(&mut self) {
        for byte in &mut self.typed {
            if *byte == b'\r' {
                *byte = b'\n';
            }
        }
    }

    /// Takes everything and obeys nothing, for ever.
    pub(super) fn ignore(&mut self) {
        // The thread that waits for signals keeps the channel open.
        while self.events.recv().is_ok() {}
    }
}

fn text(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line);
    line.trim_end_matches(['\r', '\n']).to_owned()
}

fn read(sender: &SyncSender<InputEvent>) {
    let mut buffer = [0; 4_096];
    let mut input = io::stdin().lock();
    loop {
        let event = match input.read(&mut buffer) {
            Ok(length @ 1..) => {
                InputEvent::Bytes(buffer.get(..length).unwrap_or_default().to_vec())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => InputEvent::End,
        };
        let is_end = matches!(event, InputEvent::End);
        if sender.send(event).is_err() || is_end {
            return;
        }
    }
}
