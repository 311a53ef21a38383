//! Lines from a file, a pipe or the command line: no editor, no prompt.

use std::io::{self, BufRead as _, Cursor};

use anyhow::{Context as _, Result};
use synapse_shell::{Input, Outcome, Program, Request, ScriptShell, with_input};

use super::super::Failure;
use super::deliver;

/// Runs every line of a text; commands read what we would. The exit code is that of the last.
pub(super) fn run_text(program: Program, text: String) -> Result<u8> {
    let mut text = Cursor::new(text);
    run(program, Input::Ours, |line| text.read_line(line))
}

/// Runs every line of standard input; the exit code is that of the last.
pub(super) fn run_input(program: Program) -> Result<u8> {
    // Not locked while a line runs: it may be a message that wants the rest.
    run(program, Input::Empty, |line| {
        io::stdin().lock().read_line(line)
    })
}

fn run(
    program: Program,
    input: Input,
    mut next: impl FnMut(&mut String) -> io::Result<usize>,
) -> Result<u8> {
    let dialect = program.dialect();
    let mut shell = ScriptShell::start(program, input)?;
    let mut code = 0;
    let mut lines = String::new();
    loop {
        let read = next(&mut lines);
        let is_end = read.context("the script cannot be read")? == 0;
        let line = lines.strip_suffix('\n').unwrap_or(&lines);
        if !is_end && Request::is_unfinished(line, dialect) {
            continue;
        }
        let request = Request::read(line, dialect);
        lines.clear();
        let outcome = match request {
            Request::Nothing => None,
            Request::Run(line) => Some(shell.run(&line)?),
            Request::Message(message) => Some(Outcome::Done(deliver(message, &mut Vec::new()))),
            Request::Piped {
                before,
                command,
                mut message,
            } => match shell.capture(&before, &command)? {
                (Outcome::Done(_), Some(output)) => {
                    let output = String::from_utf8_lossy(&output);
                    message.message = with_input(&message.message, &output);
                    Some(Outcome::Done(deliver(message, &mut Vec::new())))
                }
                (outcome, _) => Some(outcome),
            },
            Request::Bad(error) => {
                note!("synapse: {error}");
                Some(Outcome::Done(Failure::USAGE))
            }
        };
        match outcome {
            Some(Outcome::Ended(code)) => return Ok(code),
            Some(Outcome::Done(done)) => {
                code = done;
                shell.set_code(done);
            }
            None => {}
        }
        if is_end {
            return Ok(code);
        }
    }
}
