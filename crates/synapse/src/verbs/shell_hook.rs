//! `synapse shell-hook`.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use clap::Args;
use synapse_shell::hook::Shell;

use super::Failure;
use crate::verbs::print;

/// `synapse shell-hook …`
#[derive(Args)]
pub(crate) struct ShellHook {
    /// The shell; by default the one that runs this command
    shell: Option<Shell>,
}

/// Prints the script that makes a shell send what is typed as `@handle message`.
pub(crate) fn run(args: &ShellHook) -> Result<u8> {
    let unknown = || {
        let message =
            "this is neither bash, zsh nor fish: say which, as in: synapse shell-hook bash";
        Failure::new(Failure::USAGE, message)
    };
    let shell = args.shell.or_else(Shell::around).ok_or_else(unknown)?;
    let own =
        synapse_machine::child::own_program().context("cannot find the path of this program")?;
    let own = own
        .to_str()
        .context("this program's own path is not UTF-8")?;
    write!(print::out(), "{}", shell.hook(own))?;
    Ok(0)
}
