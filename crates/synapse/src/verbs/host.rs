//! `synapse host`: the process `synapse start` leaves behind. It tells one line on standard output,
//! that it can be reached or why not, and is silent from then on.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde_json::json;
use synapse::config::{Config, Reach};
use synapse::handle::Handle;
use synapse::host::{Agent, Host};
use synapse::paths::{Paths, create_folder};
use synapse::pty::Size;
use synapse::registry::PortWish;

use super::profile;
use crate::cli::Start;

/// Runs it.
pub(crate) fn run(args: &Start) -> Result<u8> {
    // A session of its own: no terminal can hang it up, no Ctrl-C of the starter reaches it.
    let _ = rustix::process::setsid();
    match serve(args) {
        Ok(code) => Ok(code),
        Err(error) => {
            writeln!(
                std::io::stdout().lock(),
                "{}",
                json!({ "error": format!("{error:#}") })
            )?;
            Ok(1)
        }
    }
}

fn serve(args: &Start) -> Result<u8> {
    let paths = Paths::from_env()?;
    let agent = agent(args, &paths)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let host = Host::start(&agent, &paths)?;
        let entry = host.entry();
        let told = json!({
            "handle": entry.handle.to_string(), "pid": std::process::id(), "endpoint": entry.endpoint,
        });
        let file = log_to(&paths, &entry.handle)?;
        tracing::info!(handle = %entry.handle, endpoint = %entry.endpoint, "agent started");
        let ready = || {
            writeln!(std::io::stdout().lock(), "{told}")?;
            Ok(rustix::stdio::dup2_stdout(file.as_fd())?)
        };
        let exit = Box::pin(host.run(ready)).await?;
        tracing::info!(code = exit.code(), "agent ended");
        Ok(u8::try_from(exit.code()).unwrap_or(1))
    })
}

/// What is to be hosted, by the flags and the settings.
pub(super) fn agent(args: &Start, paths: &Paths) -> Result<Agent> {
    let config = Config::load(&paths.config())?.config;
    let dir = args.cwd.as_ref().map_or_else(std::env::current_dir, |dir| {
        PathBuf::from(dir).canonicalize()
    });
    let profile = profile::find(&args.profile)?;
    let usual_port = config.agents.get(&profile.name).and_then(|own| own.port);
    let size = args.size.unwrap_or(config.size);
    let reach = config.reach();
    Ok(Agent {
        port: PortWish::from_flag(args.port, usual_port),
        profile,
        args: args.args.clone(),
        name: args.name.clone(),
        reach: Reach {
            listen: args.listen.unwrap_or(reach.listen),
            public_url: args.public_url.clone(),
            is_pure_card: args.pure_card,
            ..reach
        },
        dir: dir.context("the working directory cannot be used")?,
        size: Size::new(size.columns, size.rows),
        queue_limit: config.queue_limit,
        terminal: None,
    })
}

/// Sends what is logged to the agent's own file.
pub(super) fn log_to(paths: &Paths, handle: &Handle) -> Result<File> {
    let log = paths.log(handle);
    if let Some(folder) = log.parent() {
        create_folder(folder)?;
    }
    let file = File::options().create(true).append(true).open(&log);
    let file = file.with_context(|| format!("cannot write {}", log.display()))?;
    let writer = std::sync::Mutex::new(file.try_clone()?);
    tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(writer)
        .init();
    Ok(file)
}
