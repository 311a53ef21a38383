//! `synapse demo`: a recording of a real agent, read as it plays.

use std::io::{IsTerminal as _, Write as _};
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
    replay::play(&cast, Arc::new(Profile::builtin("claude")?), view)
}
