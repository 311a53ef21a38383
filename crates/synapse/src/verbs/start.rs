//! `synapse start`: an agent in the background, or in the foreground without its screen.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::Value;
use synapse_machine::child;
use synapse_machine::paths::Paths;
use synapse_store::Reader;

use super::program::Program;
use super::spinner::Spinner;
use super::{Failure, conversations, host, texts};
use crate::cli::Start;
use crate::verbs::print;

/// `synapse start …`
#[derive(Args)]
pub(crate) struct Launch {
    #[command(flatten)]
    start: Start,
    /// Run the host here, with its log on standard error, until Ctrl-C
    #[arg(long, conflicts_with = "json")]
    foreground: bool,
    /// Print JSON: {handle, pid, endpoint, warning}
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Launch) -> Result<u8> {
    if args.foreground {
        return host::run_here(&conversations::choose(&args.start)?);
    }
    start(&conversations::choose(&args.start)?, args.json)
}

pub(super) fn start(args: &Start, json: bool) -> Result<u8> {
    let mut told = launch(args)?;
    if let Err(error) = Reader::open(Paths::from_env()?.store()) {
        warn(&mut told, &texts::store_cannot_be_used(error));
    }
    if json {
        writeln!(print::out(), "{told}")?;
        return Ok(0);
    }
    if let Some(warning) = told.get("warning").and_then(Value::as_str) {
        note!("synapse: {}", texts::warning(warning));
    }
    let pid = told.get("pid").and_then(Value::as_u64).unwrap_or(0);
    let text = |name: &str| told.get(name).and_then(Value::as_str).unwrap_or("");
    writeln!(
        print::out(),
        "{} (PID {pid}) {}",
        text("handle"),
        text("endpoint")
    )?;
    Ok(0)
}

/// Starts the host and waits until it can be reached, or says why it cannot; what the host tells of itself.
pub(super) fn launch(args: &Start) -> Result<Value> {
    launch_in(args, &std::env::current_dir()?)
}

/// The same, as if it were typed in this folder: its project may have profiles.
pub(super) fn launch_in(args: &Start, dir: &Path) -> Result<Value> {
    // The host has nobody to tell.
    if let Err(error) = Program::find_in(args, dir)
        && Failure::code_of(&error) == Failure::USAGE
    {
        return Err(error);
    }
    host::settings(&Paths::from_env()?)?;
    let own =
        synapse_machine::child::own_program().context("cannot find the path of this program")?;
    let mut command = child::command(own);
    command.arg("host").args(args.words()).current_dir(dir);
    // Ours may be relative to the folder that we are in.
    for name in ["SYNAPSE_HOME", "A2A_HOME"] {
        if let Some(home) = std::env::var_os(name).filter(|home| !home.is_empty()) {
            command.env(name, std::path::absolute(home)?);
        }
    }
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.context("the host could not be started")?;
    let mut line = String::new();
    let program = args.profile.as_ref().or(args.args.first());
    let program = program.map_or("the agent", String::as_str);
    let spinner = Spinner::begin(texts::is_starting(program));
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    drop(spinner);
    let told: Value = serde_json::from_str(&line).unwrap_or_default();
    if told.get("handle").is_none() {
        let _ = child.wait();
        let error = told.get("error").and_then(Value::as_str);
        bail!("{}", error.unwrap_or("the host ended before it was ready"));
    }
    Ok(told)
}

/// Adds to what the person should know about a start.
pub(super) fn warn(told: &mut Value, warning: &str) {
    let Some(fields) = told.as_object_mut() else {
        return;
    };
    let said = fields.get("warning").and_then(Value::as_str);
    let warnings: Vec<&str> = said.into_iter().chain([warning]).collect();
    let warnings = Value::from(warnings.join("; "));
    fields.insert("warning".to_owned(), warnings);
}
