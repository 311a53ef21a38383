//! `synapse shell-line`: what the hook of a shell calls with a line as it was typed.

use std::fs::File;
use std::io::{Read as _, Write as _};

use anyhow::{Context as _, Result};
use clap::{Args, Parser};
use synapse_machine::config::Config;
use synapse_machine::handle::EVERYONE;
use synapse_machine::paths::{Paths, expand_home};
use synapse_term::router::{Command, ResponseMode};

use super::send::Send;
use super::{Failure, lookup, send};
use crate::verbs::print;

/// `synapse shell-line …`
#[derive(Args)]
pub(crate) struct ShellLine {
    /// Print who can be addressed, for completion
    #[arg(long)]
    handles: bool,
}

/// `synapse send …`, to be read from words.
#[derive(Parser)]
struct Sending {
    #[command(flatten)]
    send: Send,
}

/// Sends the line on standard input.
pub(crate) fn run(args: &ShellLine) -> Result<u8> {
    if args.handles {
        return handles();
    }
    let mut line = String::new();
    let read = std::io::stdin().lock().read_to_string(&mut line);
    read.map_err(|error| usage(format!("the line cannot be read: {error}")))?;
    // The shell ends it with a line break that nobody typed.
    let line = line.strip_suffix('\n').unwrap_or(&line);
    let command = synapse_shell::message(line)
        .ok_or_else(|| usage("nobody is addressed: write @handle message"))?
        .map_err(|error| usage(error.to_string()))?;
    send::run(&sending(command, Waiting::Quiet, typed)?)
}

/// How an answer is waited for, where one is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiting {
    /// It is shown when it is whole.
    Quiet,
    /// It is shown as it grows, where that can be.
    Streaming,
}

/// A message as `synapse send` has it. `input` gives what stands for `-`.
pub(super) fn sending(
    command: Command,
    waiting: Waiting,
    input: impl FnOnce() -> Result<String>,
) -> Result<Send> {
    let config = Config::load(&Paths::from_env()?.config())?.config;
    let mode = command.response.unwrap_or(config.default_response_mode);
    // Of several replies at once none can be followed.
    let is_for_all = command.handle.eq_ignore_ascii_case(EVERYONE);
    let wait = match mode {
        ResponseMode::Display => "--no-return",
        ResponseMode::Return if waiting == Waiting::Streaming && !is_for_all => "--stream",
        ResponseMode::Return => "--return",
    };
    let mut words = vec!["synapse-send".to_owned(), wait.to_owned()];
    if let Some(priority) = command.priority {
        words.push(format!("--priority={priority}"));
    }
    words.extend(
        command
            .files
            .iter()
            .map(|file| format!("--file={}", expand_home(file).display())),
    );
    let message = if command.message == synapse_shell::INPUT {
        input()?
    } else {
        command.message
    };
    words.extend(["--".to_owned(), command.handle, message]);
    let sending = Sending::try_parse_from(words).map_err(|error| usage(error.to_string()))?;
    Ok(sending.send)
}

/// What is typed until Ctrl-D: standard input had the line itself.
fn typed() -> Result<String> {
    let mut text = String::new();
    let terminal = File::open("/dev/tty").context("there is no terminal to read from")?;
    { terminal }.read_to_string(&mut text)?;
    Ok(text.trim_end_matches('\n').to_owned())
}

fn handles() -> Result<u8> {
    let mut out = print::out();
    for name in lookup::book()?.names() {
        writeln!(out, "@{name}")?;
    }
    Ok(0)
}

pub(super) fn usage(message: impl Into<String>) -> anyhow::Error {
    Failure::new(Failure::USAGE, message).into()
}
