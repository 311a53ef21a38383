//! The `synapse` command.

/// Tells people something, on standard error.
macro_rules! note {
    ($($words:tt)*) => { $crate::verbs::print::note(format_args!($($words)*)) };
}

mod cli;
mod verbs;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches as _;

use cli::{Cli, Command};
use verbs::Failure;
use verbs::list::List;

fn main() -> ExitCode {
    verbs::manual::complete();
    // `synapse -- program`: whatever the program is called, it is no command of ours. Words that are no text are a usage
    // error below.
    let command: Result<Vec<String>, _> = std::env::args_os()
        .skip(1)
        .map(OsString::into_string)
        .collect();
    if let Ok(command) = &command
        && command.len() > 1
        && command.first().is_some_and(|first| first == "--")
    {
        verbs::print::begin(false);
        return end(verbs::wrap::run(command));
    }
    let matches = cli::help::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    verbs::print::begin(cli.raw_output);
    let done = match cli.command {
        Command::Start(args) => verbs::start::run(&args),
        Command::Host(args) => verbs::host::run(&args),
        Command::Adopt(args) => verbs::adopt::run(&args),
        Command::Stop(args) => verbs::stop::run(&args),
        Command::Restart(args) => verbs::again::restart(&args),
        Command::Up(args) => verbs::again::up(&args),
        Command::Attach(args) => verbs::attach::run(&args),
        Command::List(args) => verbs::list::run(&args),
        Command::Status {
            agent: Some(agent),
            why,
            json,
        } => verbs::status::run(&agent, why, json),
        Command::Status { json, .. } => verbs::list::run(&List::of_all(json)),
        Command::Send(args) => verbs::send::run(&args),
        Command::External(args) => verbs::external::run(&args),
        Command::Screen { agent, ansi } => verbs::screen::run(&agent, ansi),
        Command::Keys { agent, keys } => verbs::keys::run(&agent, &keys),
        Command::Interrupt { agent, key, json } => {
            verbs::interrupt::run(&agent, key.as_deref(), json)
        }
        Command::Answer(args) => verbs::answer::run(&args),
        Command::Tasks(args) => verbs::tasks::list(&args),
        Command::Task { task, follow, json } => verbs::tasks::show(&task, follow, json),
        Command::Usage(args) => verbs::usage::run(&args),
        Command::Replies(args) => verbs::replies::run(&args),
        Command::Reply(args) => verbs::reply::run(&args),
        Command::Cancel { task, json } => verbs::tasks::cancel(&task, json),
        Command::Logs(args) => verbs::logs::run(&args),
        Command::Record {
            profile,
            output,
            args,
        } => verbs::record::run(&profile, &output, &args),
        Command::Config { json } => verbs::config::run(json),
        Command::Doctor(args) => verbs::doctor::run(&args),
        Command::InstallService(args) => verbs::service::run(&args),
        Command::Completions { shell } => verbs::manual::completions(shell),
        Command::Mcp => verbs::mcp::run(),
        Command::Mesh(args) => verbs::mesh::run(&args),
        Command::Acp { agent } => verbs::acp::run(agent),
        Command::Man { dir } => verbs::manual::man(dir.as_deref()),
        Command::Help { words } => cli::help::run(&words),
        Command::Shell(args) => verbs::shell::run(&args),
        Command::ShellHook(args) => verbs::shell_hook::run(&args),
        Command::HookEvent(args) => {
            verbs::hook_event::run(&args);
            Ok(0)
        }
        Command::ShellLine(args) => verbs::shell_line::run(&args),
        Command::DummyAgent => synapse_dummy::run(),
        Command::Web(args) => verbs::web::run(&args),
        Command::Vscode(args) => verbs::vscode::run(&args),
        Command::Flow(args) => verbs::flow::run(&args),
        Command::Conversations(args) => verbs::conversations::run(&args),
        Command::Open(args) => verbs::open::run(&args),
        Command::Profile(profile) => verbs::profile::run(&profile).map(|()| 0),
        Command::Wrap(args) => verbs::wrap::run(&args),
        Command::Demo => verbs::demo::run().map(|()| 0),
    };
    end(done)
}

fn end(done: anyhow::Result<u8>) -> ExitCode {
    match done {
        Ok(code) => ExitCode::from(code),
        // Whoever read our output has had enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            note!("synapse: {}", verbs::texts::errors::told(&error));
            ExitCode::from(Failure::code_of(&error))
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        let json = cause.downcast_ref::<serde_json::Error>();
        let kind = io.map(std::io::Error::kind);
        let kind = kind.or_else(|| json.and_then(serde_json::Error::io_error_kind));
        kind == Some(std::io::ErrorKind::BrokenPipe)
    })
}
