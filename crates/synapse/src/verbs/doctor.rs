//! `synapse doctor`: looks at this machine, and at an agent, and says what is wrong and what to do.

mod agent;
mod check;
mod files;
mod machine;
mod programs;

use std::io::{IsTerminal as _, Write};

use anyhow::Result;
use clap::Args;
use hyper::Method;
use serde_json::json;
use synapse_client::client::Client;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Entry;

use super::print::shown;
use super::spinner::Spinner;
use super::{lookup, paint, picture, texts};
use crate::cli::complete;
use crate::verbs::print;
use check::{Check, Level};

/// `synapse doctor …`
#[derive(Args)]
pub(crate) struct Doctor {
    /// An agent to check as well
    #[arg(add = complete::agents())]
    agent: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs it; fails if something it found does.
pub(crate) fn run(args: &Doctor) -> Result<u8> {
    let paths = Paths::from_env()?;
    let entry = args.agent.as_deref().map(lookup::agent).transpose()?;
    if args.json {
        texts::speak_english();
    }
    let spinner = Spinner::begin(texts::doctor::looking());
    let mut checks = machine::look(&paths);
    checks.extend(programs::look());
    if let Some(entry) = &entry {
        checks.extend(lookup::block_on(async {
            Ok(agent::look(entry, &paths).await)
        })?);
    }
    drop(spinner);
    let is_well = checks.iter().all(|check| check.level != Level::Fail);
    let mut out = print::painted();
    if args.json {
        let report = json!({ "ok": is_well, "checks": checks });
        print::json(&report)?;
    } else {
        print(&mut out, &checks)?;
        if let Some(entry) = &entry {
            show_screen(entry)?;
        }
    }
    Ok(u8::from(!is_well))
}

/// How the agent's screen is read. Why an agent does not answer was told before.
fn show_screen(entry: &Entry) -> Result<()> {
    let picture = lookup::block_on(async {
        let client = Client::of(entry)?;
        lookup::within(lookup::MOMENT, client.call(Method::GET, "/explain", None)).await
    });
    picture.map_or(Ok(()), |picture| picture::print(&picture))
}

fn print(out: &mut impl Write, checks: &[Check]) -> Result<()> {
    let is_coloured = paint::is_coloured(std::io::stdout().is_terminal());
    let widest = checks.iter().map(|check| check.topic.chars().count()).max();
    let widest = widest.unwrap_or(0);
    let indent = format!("\n{:1$}", "", widest + 8);
    for check in checks {
        let word = check.level.word();
        let level = if is_coloured {
            format!("\x1b[{}m{word:4}\x1b[0m", check.level.ansi())
        } else {
            format!("{word:4}")
        };
        let said = shown(&check.said).replace('\n', &indent);
        writeln!(out, "{level}  {:widest$}  {said}", shown(&check.topic))?;
        if let Some(advice) = &check.advice {
            writeln!(
                out,
                "{}→ {}",
                indent.trim_start_matches('\n'),
                shown(advice)
            )?;
        }
    }
    Ok(())
}
