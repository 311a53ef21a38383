//! `synapse <profile>`: an agent in this terminal.

use std::io::IsTerminal as _;

use anyhow::Result;
use clap::{CommandFactory as _, Parser as _};
use synapse::host::{EarlyExit, Host, Terminal};
use synapse::human_terminal;
use synapse_machine::paths::Paths;
use synapse_pty::tty::{self, RawMode};
use synapse_term::keys::meant;
use synapse_term::profile::Backend;

use super::program::is_on_path;
use super::{Failure, conversations, host, profile, texts};
use crate::cli::{Cli, Wrap};

/// Runs it; the program's exit code is ours. What stands behind `synapse --` is a command of its own.
pub(crate) fn run(args: &[String]) -> Result<u8> {
    // Before the words behind it are looked at: they may be right, for the command that was meant.
    if let Some((first, rest)) = args.split_first()
        && !first.starts_with('-')
        && !profile::is_known(first)?
    {
        return Err(unknown(first, rest).into());
    }
    let name = ["synapse".to_owned()];
    let args = Wrap::parse_from(name.iter().chain(args)).start;
    let paths = Paths::from_env()?;
    if let Some(profile) = &args.profile
        && !profile::is_known(profile)?
    {
        return Err(unknown(profile, &[]).into());
    }
    let args = conversations::choose(&args)?;
    let mut agent = host::agent(&args, &paths)?;
    if agent.profile.backend == Backend::Acp {
        return Err(without_terminal(&agent.profile.name).into());
    }
    if !std::io::stdin().is_terminal() {
        let error = texts::wrapping_needs_a_terminal(&agent.profile.name);
        return Err(Failure::new(Failure::USAGE, error).into());
    }
    tty::restore_on_panic();
    let (front, service) = host::runtimes()?;
    front.block_on(async {
        let mut is_logging = false;
        let exit = loop {
            let raw = RawMode::enter()?;
            agent.size = tty::size();
            agent.terminal = Some(Terminal {
                modes: raw.modes().clone(),
                display: tty::open()?,
            });
            let host = Host::start(&agent, &paths)?;
            if !std::mem::replace(&mut is_logging, true) {
                // The screen is the program's: a log that cannot be written has no place to be told.
                let _ = host::log_to(&paths, &host.entry().handle, false);
            }
            let human = human_terminal::serve(host.session(), raw);
            let (exit, _) = tokio::join!(Box::pin(host.run(service.handle(), || Ok(()))), human);
            tty::restore();
            match exit {
                // A version that does not know an option of ours is started without it.
                Err(error) if host::may_retry(&mut agent, &error) => {}
                exit => break exit,
            }
        };
        // What a program that ended at once had to say is on the screen already.
        let exit = exit.or_else(|error| error.downcast::<EarlyExit>().map(|died| died.exit))?;
        Ok(u8::try_from(exit.code()).unwrap_or(1))
    })
}

fn without_terminal(profile: &str) -> Failure {
    let message = format!(
        "an agent that is reached by ACP has no terminal that could be shown here; in the background: synapse start {profile} --acp"
    );
    Failure::new(Failure::USAGE, message)
}

/// A first word that is neither a command nor a profile was most likely meant to be a command.
fn unknown(word: &str, rest: &[String]) -> Failure {
    let cli = Cli::command();
    let commands = cli.get_subcommands().filter(|one| !one.is_hide_set());
    let message = if is_on_path(word) {
        texts::program_of_that_name(word)
    } else if let Some(command) = meant(word, commands.map(clap::Command::get_name)) {
        let mut words = vec!["synapse", command];
        words.extend(rest.iter().map(String::as_str));
        texts::meant_command(word, words.join(" "))
    } else {
        texts::nothing_of_that_name(word)
    };
    Failure::new(Failure::USAGE, message)
}
