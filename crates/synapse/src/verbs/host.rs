//! `synapse host`: the process `synapse start` leaves behind. It tells one line on standard output,
//! that it can be reached or why not, and is silent from then on. In the foreground it tells its log
//! on standard error as well.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::json;
use synapse::courier::Orders;
use synapse::host::{Agent, EarlyExit, Host};
use synapse::launch::{ProgramPlace, WindowWish};
use synapse_machine::config::{Config, InputRouting, ListenConfig};
use synapse_machine::handle;
use synapse_machine::log_file::LogFile;
use synapse_machine::paths::Paths;
use synapse_machine::registry::PortWish;
use synapse_pty::Size;
use synapse_term::profile::Backend;
use tokio::runtime::{Builder, Handle, Runtime};
use tracing_subscriber::fmt::writer::MakeWriterExt as _;

use super::log_fields::LogFields;
use super::program::Program;
use super::{Failure, adopt, again};
use crate::cli::Start;
use crate::verbs::print;
use crate::verbs::texts::{self, errors};

/// Where a host has its say.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Nobody listens after the first line.
    Background,
    /// In somebody's terminal.
    Foreground,
}

pub(crate) fn run(args: &Start) -> Result<u8> {
    synapse_platform::background::leave_starter();
    match serve(args, Place::Background) {
        Ok(code) => Ok(code),
        Err(error) => {
            writeln!(print::out(), "{}", json!({ "error": errors::told(&error) }))?;
            Ok(1)
        }
    }
}

/// Runs it in this terminal, without taking its screen. Ctrl-C ends it as `stop` would.
pub(super) fn run_here(args: &Start) -> Result<u8> {
    serve(args, Place::Foreground)
}

fn serve(args: &Start, place: Place) -> Result<u8> {
    let paths = Paths::from_env()?;
    let mut agent = agent(args, &paths)?;
    let (front, service) = runtimes()?;
    let mut is_logging = false;
    loop {
        let served = serve_once(&agent, &paths, place, &mut is_logging, service.handle());
        let served = front.block_on(served);
        match served {
            // A version that does not know an option of ours is started without it.
            Err(error) if may_retry(&mut agent, &error) => {}
            Err(error) if may_begin_anew(&mut agent, &error) => {}
            served => return served,
        }
    }
}

/// What an agent's session runs on, which is the thread that calls, and what serves requests.
pub(super) fn runtimes() -> io::Result<(Runtime, Runtime)> {
    synapse_platform::memory::share_between_threads();
    let front = Builder::new_current_thread().enable_all().build()?;
    let service = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    Ok((front, service))
}

/// Whether the program died of an option of ours that it does not know; it is left out from then on.
pub(super) fn may_retry(agent: &mut Agent, error: &anyhow::Error) -> bool {
    let died = error.downcast_ref::<EarlyExit>();
    let Some(flag) = died.and_then(EarlyExit::refused_flag) else {
        return false;
    };
    let is_news = agent.refused_flags.iter().all(|known| known != flag);
    agent.refused_flags.push(flag.to_owned());
    is_news
}

/// Whether the program ended before it rested in the conversation that it was to continue, after the agent was told to
/// be ready: nobody is there to start it once more. It begins a new one.
fn may_begin_anew(agent: &mut Agent, error: &anyhow::Error) -> bool {
    let died = error.downcast_ref::<EarlyExit>();
    let Some((died, why)) = died.and_then(|died| Some((died, died.late_words()?))) else {
        return false;
    };
    let code = died.exit.code();
    let conversation = agent.resume.take();
    tracing::warn!(conversation, code, why, "not continued, a new one begins");
    conversation.is_some()
}

async fn serve_once(
    agent: &Agent,
    paths: &Paths,
    place: Place,
    is_logging: &mut bool,
    service: &Handle,
) -> Result<u8> {
    let host = Host::start(agent, paths)?;
    let entry = host.entry();
    let trouble = if std::mem::replace(is_logging, true) {
        None
    } else {
        log_to(paths, &entry.handle, place == Place::Foreground)
    };
    let notes = host.notes().join("; ");
    let trouble = trouble.or(Some(notes).filter(|notes| !notes.is_empty()));
    let (handle, endpoint) = (entry.handle.to_string(), entry.endpoint.clone());
    let pid = std::process::id();
    tracing::info!(handle, endpoint, "agent started");
    let ready = || {
        let mut out = print::out();
        if place == Place::Foreground {
            return Ok(writeln!(out, "{handle} (PID {pid}) {endpoint}")?);
        }
        let told = json!({
            "handle": handle, "pid": pid, "endpoint": endpoint, "warning": trouble,
        });
        writeln!(out, "{told}")?;
        Ok(rustix::stdio::dup2_stdout(
            File::create("/dev/null")?.as_fd(),
        )?)
    };
    let ctrl_c = tokio::spawn(tokio::signal::ctrl_c());
    let exit = Box::pin(host.run(service, ready)).await?;
    tracing::info!(code = exit.code(), "agent ended");
    if place == Place::Foreground && ctrl_c.is_finished() {
        return Ok(Failure::INTERRUPTED);
    }
    Ok(u8::try_from(exit.code()).unwrap_or(1))
}

/// The settings; what is odd about them is told.
pub(super) fn settings(paths: &Paths) -> Result<Config> {
    let loaded = Config::load(&paths.config())?;
    for warning in &loaded.warnings {
        note!("synapse: {warning}");
    }
    Ok(loaded.config)
}

fn no_acp(profile: &str) -> Failure {
    let error = format!(
        "the profile '{profile}' does not say how its program speaks ACP; one that does has `acp: {{ command: [PROGRAM, --acp] }}`; any program: synapse start --acp -- PROGRAM --acp"
    );
    Failure::new(Failure::USAGE, error)
}

/// Where the program runs, by the flags.
fn place(args: &Start) -> Result<ProgramPlace> {
    if let Some(adopted) = &args.adopted {
        return adopt::place(adopted, args);
    }
    let mut words = args.inside.iter();
    match (words.next().map(String::as_str), words.next()) {
        (None, _) => Ok(ProgramPlace::Own),
        (Some("tmux"), session) => Ok(ProgramPlace::Window(WindowWish::new(session.cloned()))),
        (Some(other), _) => {
            let error = format!("'--in {other}' is not known; it is `--in tmux [SESSION]`");
            Err(Failure::new(Failure::USAGE, error).into())
        }
    }
}

/// What is to be hosted, by the flags and the settings.
pub(super) fn agent(args: &Start, paths: &Paths) -> Result<Agent> {
    let config = settings(paths)?;
    let dir = args.cwd.as_ref().map_or_else(std::env::current_dir, |dir| {
        PathBuf::from(dir).canonicalize()
    });
    let dir = dir.with_context(|| {
        let asked = args.cwd.as_ref().map(Path::new);
        let dir = asked.unwrap_or(Path::new(".")).display();
        texts::folder_cannot_be_used(dir)
    })?;
    let place = place(args)?;
    let Program {
        mut profile,
        args: given,
    } = Program::find(args)?;
    if args.acp || profile.backend == Backend::Acp {
        profile = profile.over_acp()?.ok_or_else(|| no_acp(&profile.name))?;
        if !matches!(place, ProgramPlace::Own) {
            let error = "an agent that is reached by ACP runs in no terminal: leave --in out";
            return Err(Failure::new(Failure::USAGE, error).into());
        }
    }
    profile.mcp |= args.mcp || config.mcp;
    profile.hooks &= config.hooks;
    let own = config.agents.get(&profile.name);
    let usual_port = own.and_then(|own| own.port);
    let grpc_port = own.and_then(|own| own.grpc_port);
    let resume = again::conversation(args, &profile, &dir, paths)?;
    let size = args.size.unwrap_or(config.size);
    let reach = config.reach();
    Ok(Agent {
        port: PortWish::from_flag(args.port, usual_port),
        grpc: match args.grpc {
            Some(port) => Some(PortWish::from_flag((port != 0).then_some(port), grpc_port)),
            None if config.grpc || grpc_port.is_some() => {
                Some(PortWish::from_flag(None, grpc_port))
            }
            None => None,
        },
        profile,
        args: given,
        refused_flags: Vec::new(),
        name: args.name.clone(),
        reach: ListenConfig {
            listen: args.listen.unwrap_or(reach.listen),
            public_url: args.public_url.clone(),
            is_pure_card: args.pure_card,
            may_answer_itself: args.may_answer_itself,
            ..reach
        },
        ca_file: config.ca_file,
        dir,
        size: Size::new(size.columns, size.rows),
        queue_limit: config.queue_limit,
        orders: Orders {
            routing: InputRouting {
                return_to_agent: args.return_to_agent || config.input_routing.return_to_agent,
                ..config.input_routing
            },
            agents: config.agents,
        },
        terminal: None,
        place,
        words: args.words_for_record()?,
        resume,
    })
}

/// Sends what is logged to the agent's own file, and to standard error if it is `shown`. A log that
/// cannot be written stops no agent: what is wrong with it is returned.
pub(super) fn log_to(paths: &Paths, handle: &handle::Handle, shown: bool) -> Option<String> {
    let path = paths.log(handle);
    let mut log = LogFile::new(&path);
    let trouble = log.open().err();
    let log = std::sync::Mutex::new(log);
    let builder = tracing_subscriber::fmt()
        .with_ansi(false)
        .fmt_fields(LogFields);
    // What cannot be logged would otherwise be told on the human's screen.
    let builder = builder.log_internal_errors(false);
    if shown {
        builder.with_writer(log.and(io::stderr)).init();
    } else {
        builder.with_writer(log).init();
    }
    log_panics();
    synapse_store::survive_file_size_limit();
    trouble.map(|error| format!("the log cannot be written: {}: {error}", path.display()))
}

/// A background host has no other place to say what went wrong with it.
fn log_panics() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        tracing::error!("{info}");
        if !synapse_term::screen::is_guarded() {
            report(info);
        }
    }));
}
