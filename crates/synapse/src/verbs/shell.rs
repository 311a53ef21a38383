//! `synapse shell`: messages go to agents, everything else to the user's own shell.

mod interactive;
mod script;

use std::io::IsTerminal as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use synapse_shell::Program;
use synapse_term::router::Command;

use super::shell_line::{Waiting, sending};
use super::{Failure, input, paint, send};

/// `synapse shell …`
#[derive(Args)]
pub(crate) struct Shell {
    /// Run this command instead of reading lines
    #[arg(short = 'c', value_name = "COMMAND")]
    command: Option<String>,
    /// Run the lines of this file
    #[arg(conflicts_with = "command")]
    script: Option<PathBuf>,
}

/// Runs it; the exit code is that of the shell.
pub(crate) fn run(args: &Shell) -> Result<u8> {
    let (program, notice) = Program::of_user();
    if let Some(notice) = notice {
        note!("synapse: {notice}");
    }
    if let Some(command) = &args.command {
        return script::run_text(program, command.clone());
    }
    if let Some(file) = &args.script {
        let text = std::fs::read_to_string(file);
        let text = text.with_context(|| format!("cannot read {}", file.display()))?;
        return script::run_text(program, text);
    }
    let has_editor = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if has_editor && !paint::is_dumb() {
        interactive::run(program)
    } else {
        script::run_input(program)
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
    if std::io::stdin().is_terminal() {
        note!("type the message; Ctrl-D ends it");
    }
    input::all()
}

fn complain(error: &anyhow::Error) -> u8 {
    note!("synapse: {error:#}");
    Failure::code_of(error)
}
