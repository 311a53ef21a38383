//! `synapse record`: a program in this terminal, written down byte for byte with its times, as the
//! replay reads it.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::json;
use synapse_pty::tty::{self, Event, Keyboard, RawMode, Signals};
use synapse_pty::{Pty, Size, Spawn};

use super::profile;

/// Runs it; the program's exit code is ours.
pub(crate) fn run(name: &str, output: &str, args: &[String]) -> Result<u8> {
    let profile = profile::find(name)?;
    let mut command = profile.command.clone();
    command.extend(args.iter().cloned());
    let file = File::create(output).with_context(|| format!("cannot write {output}"))?;
    tty::restore_on_panic();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let code = runtime.block_on(async {
        let raw = RawMode::enter()?;
        let size = tty::size();
        let spawn = Spawn {
            size,
            modes: Some(raw.modes().clone()),
            ..Spawn::new(command)
        };
        let mut tape = Tape::begin(file, size, name)?;
        let code = Box::pin(play(&spawn, &mut tape)).await;
        drop(raw);
        tape.end()?;
        code
    })?;
    tty::restore();
    note!("recorded to {output}");
    Ok(code)
}

async fn play(spawn: &Spawn, tape: &mut Tape) -> Result<u8> {
    let (pty, mut writer, mut output) = Pty::spawn(spawn)?;
    let mut keyboard = Keyboard::open()?;
    let mut display = tty::display()?;
    let mut signals = Signals::listen()?;
    loop {
        tokio::select! {
            biased;
            keys = keyboard.next() => {
                let Some(keys) = keys else { break };
                tape.write("i", &keys)?;
                writer.push(&keys)?;
            }
            flushed = writer.flush(), if !writer.is_empty() => flushed?,
            flushed = display.flush(), if !display.is_empty() => flushed?,
            painted = output.recv() => {
                let Some(painted) = painted else { break };
                tape.write("o", &painted)?;
                display.push(&painted)?;
            }
            event = signals.next() => match event {
                Event::Resized => {
                    let size = tty::size();
                    pty.resize(size)?;
                    tape.event("r", &format!("{}x{}", size.cols, size.rows))?;
                }
                event if event.is_end() => break,
                _ => {}
            }
        }
    }
    display.flush().await?;
    let exit = pty.wait().await;
    tape.event("x", &exit.code().to_string())?;
    Ok(u8::try_from(exit.code()).unwrap_or(1))
}

/// A recording in the making. A character cut in two is written when it is whole.
pub(super) struct Tape {
    file: BufWriter<File>,
    start: Instant,
    partial: [Vec<u8>; 2],
}

impl Tape {
    pub(super) fn begin(file: File, size: Size, title: &str) -> Result<Self> {
        let mut file = BufWriter::new(file);
        let header = json!({
            "version": 2, "width": size.cols, "height": size.rows, "title": title,
            "timestamp": jiff::Timestamp::now().as_second(),
        });
        writeln!(file, "{header}")?;
        Ok(Self {
            file,
            start: Instant::now(),
            partial: Default::default(),
        })
    }

    pub(super) fn write(&mut self, kind: &str, bytes: &[u8]) -> Result<()> {
        let [input, output] = &mut self.partial;
        let held = if kind == "i" { input } else { output };
        held.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(held) {
            Ok(_) => held.len(),
            // What cannot become a character is written as it stands.
            Err(error) if error.error_len().is_some() => held.len(),
            Err(error) => error.valid_up_to(),
        };
        let text = String::from_utf8_lossy(held.get(..whole).unwrap_or_default()).into_owned();
        held.drain(..whole);
        if text.is_empty() {
            Ok(())
        } else {
            self.event(kind, &text)
        }
    }

    /// How long it has been running.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    pub(super) fn event(&mut self, kind: &str, data: &str) -> Result<()> {
        let at = self.elapsed().as_micros();
        let seconds = serde_json::Number::from_f64(
            u32::try_from(at / 1_000).map_or(0.0, f64::from) / 1_000.0,
        );
        writeln!(self.file, "{}", json!([seconds, kind, data]))?;
        Ok(())
    }

    pub(super) fn end(mut self) -> Result<()> {
        Ok(self.file.flush()?)
    }
}
