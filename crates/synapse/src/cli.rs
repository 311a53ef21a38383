//! What can be typed behind `synapse`.

use clap::{Args, Parser, Subcommand};

/// Wraps a command-line coding agent and makes it a networked agent.
#[derive(Parser)]
#[command(version, about, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Look at profiles, check them, and try them on recordings
    Profile(Profile),
    /// Show what Synapse does, with no account and no agent installed
    #[command(after_help = "Example:\n  synapse demo")]
    Demo,
}

/// `synapse profile …`
#[derive(Args)]
pub(crate) struct Profile {
    #[command(subcommand)]
    pub(crate) command: ProfileCommand,
}

/// The commands below `profile`.
#[derive(Subcommand)]
pub(crate) enum ProfileCommand {
    /// List the profiles there are
    #[command(after_help = "Example:\n  synapse profile list --json")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the YAML of a profile
    #[command(after_help = "Example:\n  synapse profile show claude")]
    Show {
        /// A built-in profile, or a YAML file
        profile: String,
    },
    /// Check a profile file: syntax, keys, patterns, what it extends
    #[command(after_help = "Example:\n  synapse profile check my-agent.yaml")]
    Check {
        /// The YAML file
        file: String,
    },
    /// Play a recording through a profile and print what was read
    #[command(after_help = "\
Examples:
  synapse profile replay fixtures/recordings/claude/06_tool_yes.cast --profile claude
  synapse profile replay session.cast --profile my-agent.yaml --json")]
    Replay(Replay),
}

/// `synapse profile replay …`
#[derive(Args)]
pub(crate) struct Replay {
    /// An asciicast v2 file, or - for standard input
    pub(crate) file: String,
    /// A built-in profile, or a YAML file
    #[arg(long, default_value = "generic")]
    pub(crate) profile: String,
    /// Print JSON lines: one for each change of the reading, one for each turn
    #[arg(long)]
    pub(crate) json: bool,
    /// On a terminal, how much faster than recorded the screen is shown
    #[arg(long, default_value_t = 4.0, value_parser = speed)]
    pub(crate) speed: f64,
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(speed) if (0.01..=1_000.0).contains(&speed) => Ok(speed),
        _ => Err(format!(
            "'{text}' is not a speed: give a number from 0.01 to 1000"
        )),
    }
}
