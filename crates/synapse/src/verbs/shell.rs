//! `synapse shell`: messages go to agents, everything else to the user's own shell.

mod interactive;
mod script;

use std::io::{IsTerminal as _, Read as _};

use anyhow::{Context as _, Result};
use synapse::shell::Program;
use synapse_term::router::Command;

use super::shell_line::{Waiting, sending};
use super::{Failure, paint, send};

/// Runs it; the exit code is that of the shell.
pub(crate) fn run() -> Result<u8> {
    let (program, notice) = Program::of_user();
    if let Some(notice) = notice {
        eprintln!("synapse: {notice}");
    }
    let has_editor = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if has_editor && !paint::is_dumb() {
        interactive::run(program)
    } else {
        script::run(program)
    }
}

/// Sends a message and says what went wrong; the exit code. Tasks that go on although the wait for
/// them was ended are noted in `left`.
fn deliver(message: Command, left: &mut Vec<String>) -> u8 {
    let waiting = if std::io::stdout().is_terminal() {
        Waiting::Streaming
    } else {
        Waiting::Quiet
    };
    let sent = sending(message, waiting, typed).and_then(|args| send::run_noting(&args, left));
    sent.unwrap_or_else(|error| complain(&error))
}

/// What is typed until Ctrl-D, or the rest of a script.
fn typed() -> Result<String> {
    let mut text = String::new();
    if std::io::stdin().is_terminal() {
        eprintln!("type the message; Ctrl-D ends it");
    }
    let read = std::io::stdin().lock().read_to_string(&mut text);
    read.context("cannot read standard input")?;
    Ok(text.trim_end_matches('\n').to_owned())
}

fn complain(error: &anyhow::Error) -> u8 {
    eprintln!("synapse: {error:#}");
    Failure::code_of(error)
}
