//! `synapse demo`: a recording of a real agent, read as it plays; then two live ones.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use synapse_machine::child;
use synapse_term::cast::Cast;
use synapse_term::profile::Profile;

use super::Failure;
use super::replay::{self, View};
use crate::verbs::print;

/// Claude Code runs a command after asking for permission.
const RECORDING: &str = include_str!("../../../../fixtures/recordings/claude/06_tool_yes.cast");

/// Runs it. It ends by itself, with or without a terminal.
pub(crate) fn run() -> Result<()> {
    let out = print::painted();
    writeln!(
        out.lock(),
        "A recording of Claude Code: somebody asks it to run a command, it asks for permission, \
         gets it, and answers.\nSynapse reads the screen as it plays and says what it knows.\n"
    )?;
    let cast = Cast::parse(RECORDING)?;
    let view = if out.is_terminal() {
        View::Live { speed: 1.5 }
    } else {
        View::Text
    };
    replay::play(&cast, Arc::new(Profile::builtin("claude")?), view)?;
    with_agents()
}

/// What is typed, by whom.
struct DemoInput {
    /// The agent that types it; a person otherwise.
    by: Option<&'static str>,
    args: &'static [&'static str],
}

const fn person(args: &'static [&'static str]) -> DemoInput {
    DemoInput { by: None, args }
}

/// What people and agents type, in this order.
const SESSION: [DemoInput; 11] = [
    person(&["start", "dummy", "--name", "ada", "--port", "0"]),
    person(&["start", "dummy", "--name", "bob", "--port", "0"]),
    person(&["send", "ada", "code:python", "--stream"]),
    person(&["send", "bob", "ask:yn Delete the branch?", "--return"]),
    person(&["answer", "bob", "no"]),
    DemoInput {
        by: Some("ada"),
        args: &[
            "send",
            "bob",
            "say:hello from the other terminal",
            "--return",
        ],
    },
    person(&["send", "bob", "slow:60", "--stream", "--timeout", "2"]),
    person(&["interrupt", "bob"]),
    person(&["send", "all", "say:all of you", "--return"]),
    person(&["tasks"]),
    person(&["stop", "--all"]),
];

/// What the commands have named is gone with the folder.
const END: &str = "
All of this happened in a folder of its own, which is gone. To go on in yours:
  synapse start dummy && synapse send dummy \"say:hello\" --return && synapse list";

/// A home for the agents of the demo alone. They end with it, whatever ends the demo.
struct Home(PathBuf);

impl Drop for Home {
    fn drop(&mut self) {
        let stopped = synapse(&self.0).and_then(|mut stop| {
            let stop = stop.args(["stop", "--all"]);
            Ok(stop.output()?)
        });
        // A folder in which somebody may still work is left to them.
        if stopped.is_ok() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// The same with live agents: the built-in dummy twice, in a home of their own that is gone afterwards.
fn with_agents() -> Result<()> {
    let is_over = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&is_over))?;
    }
    let home = std::env::temp_dir().join(format!("synapse-demo-{}", std::process::id()));
    let home = Home(home);
    let mut out = print::painted();
    let title = "\nNow two live agents in the background, both the built-in dummy:\n";
    writeln!(out, "{title}")?;
    for DemoInput { by, args } in SESSION {
        let words: Vec<String> = args.iter().map(|word| quoted(word)).collect();
        let who = by.map_or_else(String::new, |agent| format!("(in {agent}) "));
        writeln!(out, "{who}$ synapse {}", words.join(" "))?;
        out.flush()?;
        let mut command = synapse(&home.0)?;
        if let Some(agent) = by {
            command.env("SYNAPSE_AGENT_ID", id_of(agent, &home.0)?);
        }
        let run = command.args(args).output()?;
        if is_over.load(Ordering::Relaxed) {
            return Err(Failure::new(Failure::INTERRUPTED, "the demo was interrupted").into());
        }
        out.write_all(&run.stdout)?;
        out.write_all(&run.stderr)?;
    }
    drop(home);
    writeln!(out, "{END}")?;
    Ok(())
}

/// This very program, at home there.
fn synapse(home: &Path) -> Result<Command> {
    let mut command = child::command(synapse_machine::child::own_program()?);
    command
        .env("SYNAPSE_HOME", home.join("synapse"))
        .env("A2A_HOME", home.join("a2a"))
        .env_remove("SYNAPSE_AGENT_ID")
        .stdin(Stdio::null());
    Ok(command)
}

/// Who an agent is, as it knows itself.
fn id_of(agent: &str, home: &Path) -> Result<String> {
    let listed = synapse(home)?.args(["list", "--json"]).output()?;
    let listed: Value = serde_json::from_slice(&listed.stdout)?;
    let agents = listed.get("agents").and_then(Value::as_array);
    let known = agents
        .into_iter()
        .flatten()
        .find(|one| one.get("handle").and_then(Value::as_str) == Some(agent));
    let id = known.and_then(|one| one.get("agent_id")?.as_str());
    Ok(id.unwrap_or_default().to_owned())
}

fn quoted(word: &str) -> String {
    if word.contains(' ') {
        format!("\"{word}\"")
    } else {
        word.to_owned()
    }
}
