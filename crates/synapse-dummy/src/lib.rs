//! `synapse dummy-agent`: a program that does what its input says, for demos and tests. A plain line
//! program that can show a menu and a whole screen, too.
#![forbid(unsafe_code)]

mod directive;
mod input;
mod key;
mod modes;
mod select;
mod tui;

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGTERM};

use directive::{Directive, WORDS};
use input::{Input, Stop};
use modes::Modes;

pub use directive::HELP;

/// What the profile `dummy` takes for idle.
const PROMPT: &str = "dummy> ";

/// A line of a flood, with its line break.
const FLOOD: &str =
    "the quick brown fox jumps over the lazy dog, and the lazy dog does not mind, not even now\n";

/// Talks until its input ends or a directive ends it, and says with which code to exit.
pub fn run() -> Result<u8> {
    let mut agent = Agent {
        input: Input::listen().context("cannot listen to Ctrl-C")?,
        out: io::stdout().lock(),
    };
    Ok(agent.talk()?)
}

struct Agent<W> {
    input: Input,
    out: W,
}

impl<W: Write> Agent<W> {
    fn talk(&mut self) -> io::Result<u8> {
        loop {
            let stop = match self.prompt(PROMPT) {
                Ok(line) => self.obey(&line).err(),
                // There was nothing to interrupt.
                Err(Stop::Interrupted) => {
                    writeln!(self.out)?;
                    None
                }
                Err(stop) => Some(stop),
            };
            match stop {
                None => {}
                Some(Stop::Interrupted) => {
                    // A terminal drops what was typed ahead, too.
                    self.input.forget();
                    writeln!(self.out, "\n^C interrupted")?;
                }
                Some(Stop::Exit(code)) => return Ok(code),
                Some(Stop::Output(error)) => return Err(error),
            }
        }
    }

    fn obey(&mut self, line: &str) -> Result<(), Stop> {
        match Directive::read(line) {
            Directive::Nothing => {}
            Directive::Say(text) => writeln!(self.out, "{text}")?,
            Directive::Long(lines, pause) => {
                for n in 1..=lines {
                    writeln!(self.out, "line {n} of {lines}")?;
                    self.pause(pause)?;
                }
            }
            Directive::Slow(time) => {
                let step = time / WORDS.split(' ').count() as u32;
                for word in WORDS.split_inclusive(' ') {
                    write!(self.out, "{word}")?;
                    self.pause(step)?;
                }
                writeln!(self.out)?;
            }
            Directive::Wait(time) => {
                self.pause(time)?;
                writeln!(self.out, "waited {} seconds", time.as_secs_f64())?;
            }
            Directive::AskYesNo(question) => self.ask_yes_no(&question)?,
            Directive::AskPick(options) => self.ask_pick(&options)?,
            Directive::AskPassword => {
                let hidden = Modes::hidden();
                let word = self.prompt("Password: ")?;
                drop(hidden);
                writeln!(self.out, "\nok: {} characters", word.chars().count())?;
            }
            Directive::Select(options) => match select::choose(self, &options)? {
                Some(at) => self.say_chosen(options.get(at))?,
                None => self.ask_pick(&options)?,
            },
            Directive::Tui => {
                if !tui::show(self)? {
                    writeln!(self.out, "error: there is no terminal to show a screen on")?;
                }
            }
            Directive::Flood(megabytes) => self.flood(megabytes)?,
            Directive::Exit(code) => return Err(Stop::Exit(code)),
            Directive::Crash => std::process::abort(),
            Directive::Hang => self.hang()?,
        }
        Ok(())
    }

    fn ask_yes_no(&mut self, question: &str) -> Result<(), Stop> {
        loop {
            let answer = self.prompt(&format!("{question} (y/n): "))?;
            let said = match answer.trim().to_lowercase().as_str() {
                "y" | "yes" => "yes",
                "n" | "no" => "no",
                _ => continue,
            };
            return Ok(writeln!(self.out, "ok: {said}")?);
        }
    }

    fn ask_pick(&mut self, options: &[String]) -> Result<(), Stop> {
        loop {
            for (n, option) in (1..).zip(options) {
                writeln!(self.out, "{n}. {option}")?;
            }
            let answer = self.prompt("Select: ")?;
            let is_meant = |n: usize, option: &str| {
                answer.trim() == n.to_string() || answer.trim().eq_ignore_ascii_case(option)
            };
            let mut choices = (1..).zip(options);
            if let Some((_, option)) = choices.find(|(n, option)| is_meant(*n, option)) {
                return self.say_chosen(Some(option));
            }
        }
    }

    fn say_chosen(&mut self, option: Option<&String>) -> Result<(), Stop> {
        let option = option.map_or("", String::as_str);
        Ok(writeln!(self.out, "ok: {option}")?)
    }

    /// Writes as fast as it is read.
    fn flood(&mut self, megabytes: u64) -> Result<(), Stop> {
        let block = FLOOD.repeat(1_000_000 / FLOOD.len());
        for _ in 0..megabytes {
            for part in block.as_bytes().chunks(64 * FLOOD.len()) {
                self.out.write_all(part)?;
                self.pause(Duration::ZERO)?;
            }
        }
        Ok(writeln!(self.out, "the flood of {megabytes} MB is over")?)
    }

    /// Does nothing and listens to nobody: only SIGKILL ends it.
    fn hang(&mut self) -> Result<(), Stop> {
        for signal in [SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
        }
        writeln!(self.out, "hanging")?;
        self.out.flush()?;
        self.input.ignore();
        Ok(())
    }

    /// Prints what ends without a line break, and waits for the line that answers it.
    fn prompt(&mut self, text: &str) -> Result<String, Stop> {
        write!(self.out, "{text}")?;
        self.out.flush()?;
        if let Some(line) = self.input.line()? {
            return Ok(line);
        }
        writeln!(self.out)?;
        Err(Stop::Exit(0))
    }

    /// Shows what was written and lets time pass.
    fn pause(&mut self, time: Duration) -> Result<(), Stop> {
        self.out.flush()?;
        self.input.pause(time)
    }
}
