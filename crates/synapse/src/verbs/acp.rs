//! `synapse acp`, and the program of agents that are reached by ACP themselves.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use clap::Args;
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use synapse_acp::{Backend, Reach};
use synapse_machine::paths::Paths;

use super::{lookup, print, profile};

/// Pastes are marked, so that a message of several lines is one.
const MARK_PASTES: &str = "\x1b[?2004h";

/// `synapse acp-client …`
#[derive(Args)]
pub(crate) struct AcpClient {
    /// The method of authentication, if the program asks for one
    #[arg(long)]
    auth: Option<String>,
    /// The program that speaks ACP
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

/// Runs it until the editor goes away.
pub(crate) fn run(agent: Option<String>) -> Result<u8> {
    let is_profile = |word: &str| profile::is_known(word).unwrap_or(false);
    let reach = Reach::new(Paths::from_env()?, agent, is_profile)?;
    let (from, to) = (tokio::io::stdin(), tokio::io::stdout());
    lookup::block_on(synapse_acp::serve(reach, from, to))?;
    Ok(0)
}

/// Runs in the terminal of a session until that or the program goes away.
pub(crate) fn run_client(args: AcpClient) -> Result<u8> {
    let terminal = rustix::stdio::stdin();
    let modes = tcgetattr(terminal).context("this runs in the terminal of an agent")?;
    let mut raw = modes.clone();
    raw.make_raw();
    tcsetattr(terminal, OptionalActions::Now, &raw)?;
    print::painted().write_all(MARK_PASTES.as_bytes())?;
    let backend = Backend {
        command: args.command,
        auth: args.auth,
    };
    let dir = std::env::current_dir()?;
    let done = lookup::block_on(backend.run(&dir));
    tcsetattr(terminal, OptionalActions::Now, &modes)?;
    let code = done?;
    // A thread may still wait for a key.
    std::process::exit(code.into());
}
