//! What can be typed behind `synapse profile`.

use clap::{Args, Subcommand};

use super::complete;

/// `synapse profile …`
#[derive(Args)]
#[command(
    after_help = "Examples:\n  synapse profile list\n  synapse profile show claude\n  synapse profile learn NAME -- PROGRAM"
)]
pub(crate) struct Profile {
    #[command(subcommand)]
    pub(crate) command: ProfileCommand,
}

/// The commands below `profile`.
#[derive(Subcommand)]
pub(crate) enum ProfileCommand {
    /// List the profiles
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
        #[arg(add = complete::profiles())]
        profile: String,
    },
    /// Check a profile file: syntax, keys, patterns, what it extends
    #[command(after_help = "Example:\n  synapse profile check my-agent.yaml")]
    Check {
        /// The YAML file
        #[arg(value_hint = clap::ValueHint::FilePath)]
        file: String,
    },
    /// Trust a profile that comes with a project (./.synapse/profiles), as it is now
    #[command(after_help = "Example:\n  synapse profile trust .synapse/profiles/our-agent.yaml")]
    Trust {
        /// The YAML file
        #[arg(value_hint = clap::ValueHint::FilePath)]
        file: String,
    },
    /// Learn a profile: talk to a program, compare its screen with the known answers, write the rules
    #[command(after_help = "\
Examples:
  synapse profile learn goose -- goose session
  synapse profile learn mychat --ask-permission -- mychat --model best
  synapse profile learn mychat --recording session.cast --typed 'say hello' --reply 'hello'")]
    Learn(Learn),
    /// Play a recording through a profile and print what was read
    #[command(after_help = "\
Examples:
  synapse profile replay fixtures/recordings/claude/06_tool_yes.cast --profile claude
  synapse profile replay session.cast --profile my-agent.yaml --json")]
    Replay(Replay),
}

/// `synapse profile learn …`
#[derive(Args)]
pub(crate) struct Learn {
    /// The name of the profile
    #[arg(value_parser = profile_name)]
    pub(crate) name: String,
    /// Learn from this asciicast v2 file; --typed says what was typed in it, if not our own messages
    #[arg(long)]
    pub(crate) recording: Option<String>,
    /// A message, in place of our own; repeat it in the order in which they are typed
    #[arg(long)]
    pub(crate) typed: Vec<String>,
    /// The model's reply to the corresponding message, word for word
    #[arg(long)]
    pub(crate) reply: Vec<String>,
    /// Also ask for a harmless command, so that the program asks for permission; it is refused
    #[arg(long)]
    pub(crate) ask_permission: bool,
    /// Where to write the profile; by default in ~/.synapse/profiles
    #[arg(short, long)]
    pub(crate) output: Option<String>,
    /// Replace an existing profile
    #[arg(long)]
    pub(crate) force: bool,
    /// The program and its arguments
    #[arg(last = true)]
    pub(crate) command: Vec<String>,
}

fn profile_name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !text.is_empty() && text.chars().all(is_plain) {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "'{text}' is not a name: use letters, digits, - and _"
        ))
    }
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
    /// The replay speed on a terminal, as a multiple of the recorded one
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
