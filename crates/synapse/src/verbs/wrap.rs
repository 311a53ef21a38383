//! `synapse <profile>`: an agent in this terminal.

use std::time::Duration;

use anyhow::Result;
use clap::Parser as _;
use synapse::host::Host;
use synapse::mirror;
use synapse::paths::Paths;
use synapse::tty::{self, RawMode};

use super::host;
use crate::cli::Wrap;

/// How long the terminal may take to show the program's last words.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Runs it; the program's exit code is ours.
pub(crate) fn run(args: &[String]) -> Result<u8> {
    let name = ["synapse".to_owned()];
    let args = Wrap::parse_from(name.iter().chain(args)).start;
    let paths = Paths::from_env()?;
    let mut agent = host::agent(&args, &paths)?;
    tty::restore_on_panic();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let raw = RawMode::enter()?;
        agent.size = tty::size();
        agent.terminal = Some(raw.modes().clone());
        let host = Host::start(&agent, &paths)?;
        // The screen is the program's: a log that cannot be written has no place to be told.
        let _ = host::log_to(&paths, &host.entry().handle, false);
        let shown = tokio::spawn(mirror::show(host.session(), raw, host.viewer()));
        let exit = Box::pin(host.run(|| Ok(()))).await;
        let _ = tokio::time::timeout(LAST_WORDS, shown).await;
        tty::restore();
        // What it had to say is on the screen already.
        let Ok(exit) = exit else { return Ok(1) };
        Ok(u8::try_from(exit.code()).unwrap_or(1))
    })
}
