//! `synapse completions` and `synapse man`: made from the command line itself.

use anyhow::Result;
use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::Cli;

/// Prints the completions of a shell.
pub(crate) fn completions(shell: Shell) -> u8 {
    clap_complete::generate(
        shell,
        &mut Cli::command(),
        "synapse",
        &mut std::io::stdout().lock(),
    );
    0
}

/// Prints the manual page.
pub(crate) fn man() -> Result<u8> {
    clap_mangen::Man::new(Cli::command()).render(&mut std::io::stdout().lock())?;
    Ok(0)
}
