//! `synapse completions` and `synapse man`: made from the command line itself.

use std::io::Write as _;

use anyhow::Result;
use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::verbs::print;

/// Prints the completions of a shell.
pub(crate) fn completions(shell: Shell) -> Result<u8> {
    let mut script = Vec::new();
    // It panics where it cannot write.
    clap_complete::generate(shell, &mut Cli::command(), "synapse", &mut script);
    print::out().write_all(&script)?;
    Ok(0)
}

/// Prints the manual page.
pub(crate) fn man() -> Result<u8> {
    clap_mangen::Man::new(Cli::command()).render(&mut print::out())?;
    Ok(0)
}
