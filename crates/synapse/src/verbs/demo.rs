//! `synapse demo`: a recording of a real agent, read as it plays; then a live one.

use std::io::{IsTerminal as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::Result;
use synapse_term::cast::Cast;
use synapse_term::profile::Profile;

use super::replay::{self, View};

/// Claude Code runs a command after asking for permission.
const RECORDING: &str = include_str!("../../../../fixtures/recordings/claude/06_tool_yes.cast");

/// Runs it. It ends by itself, with or without a terminal.
pub(crate) fn run() -> Result<()> {
    let out = std::io::stdout();
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
    with_an_agent()
}

/// What a user would type, and what comes of it.
const SESSION: [&[&str]; 7] = [
    &["start", "dummy", "--port", "0"],
    &["send", "dummy", "code:python", "--return"],
    &["send", "dummy", "ask:yn Delete the branch?", "--return"],
    &["answer", "dummy", "no"],
    &["send", "dummy", "say:and on it goes", "--return"],
    &["tasks", "dummy"],
    &["stop", "dummy"],
];

/// The same with a live agent: the built-in dummy, in a home of its own that is gone afterwards.
fn with_an_agent() -> Result<()> {
    let home = std::env::temp_dir().join(format!("synapse-demo-{}", std::process::id()));
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "\nNow a live agent in the background, the built-in dummy:\n"
    )?;
    for args in SESSION {
        writeln!(
            out,
            "$ synapse {}",
            args.iter().map(|a| quoted(a)).collect::<Vec<_>>().join(" ")
        )?;
        let run = Command::new(std::env::current_exe()?)
            .args(args)
            .env("SYNAPSE_HOME", home.join("synapse"))
            .env("A2A_HOME", home.join("a2a"))
            .stdin(Stdio::null())
            .output()?;
        out.write_all(&run.stdout)?;
        out.write_all(&run.stderr)?;
    }
    Ok(std::fs::remove_dir_all(&home)?)
}

fn quoted(word: &str) -> String {
    if word.contains(' ') {
        format!("\"{word}\"")
    } else {
        word.to_owned()
    }
}
