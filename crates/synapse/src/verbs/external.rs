//! `synapse external`: A2A agents elsewhere.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use synapse_client::external::External as Agent;
use synapse_machine::private_file::{Trust, read_text};
use synapse_machine::token::Token;

use super::send::{self, Send};
use super::{lookup, texts};
use crate::cli::complete;
use crate::verbs::print;

/// `synapse external …`
#[derive(Args)]
#[command(
    after_help = "Examples:\n  synapse external discover https://agents.example --alias reviewer\n  synapse send reviewer \"review this\" --return"
)]
pub(crate) struct External {
    #[command(subcommand)]
    command: Action,
}

/// The commands below `external`.
#[derive(Subcommand)]
enum Action {
    /// Read the card of the agent at an address, and keep it under an alias
    #[command(after_help = "\
Examples:
  synapse external discover https://agents.example
  synapse external discover http://10.0.0.7:8100 --alias reviewer --token-file token.txt")]
    Discover {
        /// Its address, or the address of its card
        url: String,
        /// Its alias; by default the name on its card
        #[arg(long)]
        alias: Option<String>,
        /// A file with its token; the file is copied
        #[arg(long, value_name = "FILE")]
        token_file: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List the external agents
    #[command(after_help = "Example:\n  synapse external list --json")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show an external agent
    #[command(after_help = "Example:\n  synapse external show reviewer")]
    Show {
        /// Its alias
        #[arg(add = complete::aliases())]
        alias: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Send a message to one; `synapse send` does the same if no agent here has that name
    #[command(after_help = "\
Examples:
  synapse external send reviewer \"review this\" --return
  synapse external send reviewer yes --task 9f4b91f7 --return")]
    Send(Letter),
    /// Remove one, and its token
    #[command(after_help = "Example:\n  synapse external remove reviewer")]
    Remove {
        /// Its alias
        #[arg(add = complete::aliases())]
        alias: String,
    },
}

/// `synapse external send …`
#[derive(Args)]
struct Letter {
    #[command(flatten)]
    send: Send,
    /// The task whose question this answers
    #[arg(long)]
    task: Option<String>,
}

pub(crate) fn run(args: &External) -> Result<u8> {
    match &args.command {
        Action::Discover {
            url,
            alias,
            token_file,
            json,
        } => discover(url, alias.as_deref(), token_file.as_deref(), *json),
        Action::List { json } => list(*json),
        Action::Show { alias, json } => show(&lookup::external(alias)?, *json),
        Action::Send(letter) => send::run_abroad(&letter.send, letter.task.clone()),
        Action::Remove { alias } => {
            let known = lookup::external(alias)?;
            lookup::contacts()?.remove(known.alias.as_str())?;
            note!("{}", texts::is_forgotten(known.alias));
            Ok(0)
        }
    }
}

fn discover(url: &str, alias: Option<&str>, token: Option<&Path>, json: bool) -> Result<u8> {
    let token = token.map(|file| {
        let read = read_text(file, Trust::Chosen).and_then(|text| Token::parse(&text));
        read.with_context(|| format!("cannot read the token {}", file.display()))
    });
    let token = token.transpose()?;
    let contacts = lookup::contacts()?;
    let found = lookup::block_on(async { Ok(contacts.discover(url, alias, token).await?) })?;
    // Names of this machine come first, so such an alias would never be reached.
    let hidden = lookup::agents()?
        .into_iter()
        .find(|entry| entry.handle.is(found.alias.as_str()));
    if hidden.is_some() {
        note!(
            "synapse: an agent here is called {} too and comes first; reach this one with: synapse external send",
            found.alias
        );
    }
    if json {
        return show(&found, true);
    }
    writeln!(print::out(), "{}", row(&found))?;
    Ok(0)
}

fn list(json: bool) -> Result<u8> {
    let known = lookup::contacts()?.list()?;
    let mut out = print::out();
    if json {
        print::json(&json!({ "agents": known }))?;
        return Ok(0);
    }
    if known.is_empty() {
        note!("{}", texts::no_external());
    }
    for external in known {
        writeln!(out, "{}", row(&external))?;
    }
    Ok(0)
}

fn show(external: &Agent, json: bool) -> Result<u8> {
    let mut out = print::out();
    if json {
        print::json(external)?;
        return Ok(0);
    }
    writeln!(out, "{}: {}", external.alias, clean(&external.name))?;
    if !external.description.is_empty() {
        writeln!(out, "  {}", clean(&external.description))?;
    }
    writeln!(out, "  found at   {}", external.url)?;
    if let Some(interface) = &external.interface {
        let dialect = serde_json::to_value(interface.dialect)?;
        writeln!(
            out,
            "  speaks     {} at {}",
            dialect.as_str().unwrap_or(""),
            interface.url
        )?;
    }
    let has_token = if external.token_file.is_some() {
        "yes"
    } else {
        "no"
    };
    writeln!(out, "  token      {has_token}")?;
    writeln!(out, "  added      {}", external.added_at)?;
    if let Some(seen) = external.last_seen {
        writeln!(out, "  last seen  {seen}")?;
    }
    for skill in external.skills.as_array().into_iter().flatten() {
        let text = |name: &str| clean(skill.get(name).and_then(Value::as_str).unwrap_or(""));
        writeln!(
            out,
            "  skill      {}: {}",
            text("name"),
            text("description")
        )?;
    }
    Ok(0)
}

fn row(external: &Agent) -> String {
    let alias = external.alias.to_string();
    format!("{alias:16} {:32} {}", external.url, clean(&external.name))
}

/// What others say of themselves, without anything a terminal would obey.
fn clean(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
