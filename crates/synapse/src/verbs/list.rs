//! `synapse list`: who runs, what each does, and what it asks.

mod live;
mod press;
mod row;
mod view;

use std::io::{IsTerminal as _, Write};

use anyhow::Result;
use clap::Args;

use super::print::shown;
use super::{attach, lookup, paint};
use crate::verbs::print;
use row::Row;

/// `synapse list …`
#[derive(Args)]
pub(crate) struct List {
    /// Print JSON: the registry's entries, with the state of each agent
    #[arg(long)]
    json: bool,
    /// Show them on the whole screen and keep it up to date; Enter attaches, q leaves
    #[arg(long, conflicts_with = "json")]
    watch: bool,
}

pub(crate) fn run(args: &List) -> Result<u8> {
    if args.watch {
        return watch();
    }
    let rows = lookup::block_on(async { Ok(row::gather(lookup::agents()?).await) })?;
    let mut out = print::painted();
    if args.json {
        let rows: Vec<_> = rows.iter().map(Row::to_json).collect();
        serde_json::to_writer_pretty(&mut out, &rows)?;
        writeln!(out)?;
        return Ok(0);
    }
    if rows.is_empty() {
        note!("no agent is running; start one with: synapse start <profile>");
    }
    print(&mut out, &rows)
}

/// Shows the list on the whole screen, and whichever agent was chosen from it.
fn watch() -> Result<u8> {
    let keys = attach::USUAL_KEYS.parse()?;
    let mut chosen = None;
    loop {
        match live::show(chosen.as_ref())? {
            live::End::Left => return Ok(0),
            live::End::Chosen(handle) => {
                // It may be gone by now; the list will show that.
                if let Err(error) = attach::show(handle.as_str(), &keys) {
                    note!("synapse: {error:#}");
                }
                chosen = Some(handle);
            }
        }
    }
}

fn print(out: &mut impl Write, rows: &[Row]) -> Result<u8> {
    let widest = |column: fn(&Row) -> String, least: usize| {
        let widths = rows.iter().map(|row| column(row).chars().count());
        widths.max().unwrap_or(0).max(least)
    };
    let handles = widest(|row| row.entry.handle.to_string(), 6);
    let profiles = widest(|row| row.entry.profile.clone(), 7);
    let endpoints = widest(|row| row.entry.endpoint.clone(), 8);
    let is_terminal = std::io::stdout().is_terminal();
    if is_terminal && !rows.is_empty() {
        writeln!(
            out,
            "{:handles$}  {:profiles$}  {:11}  {:5}  {:7}  {:endpoints$}  DIRECTORY",
            "HANDLE", "PROFILE", "STATE", "QUEUE", "PID", "ENDPOINT"
        )?;
    }
    for row in rows {
        let entry = &row.entry;
        let state = format!("{} {:9}", row.state.shape(), row.state.word());
        let state = match row.state.ansi() {
            Some(code) if paint::is_coloured(is_terminal) => format!("\x1b[{code}m{state}\x1b[0m"),
            _ => state,
        };
        let [handle, profile, endpoint, dir] = [
            entry.handle.to_string(),
            entry.profile.clone(),
            entry.endpoint.clone(),
            entry.working_dir.display().to_string(),
        ]
        .map(|text| shown(&text));
        writeln!(
            out,
            "{handle:handles$}  {profile:profiles$}  {state}  {:5}  {:7}  {endpoint:endpoints$}  {dir}",
            row.queue.map(|queue| queue.to_string()).unwrap_or_default(),
            entry.pid,
        )?;
        if let Some(question) = row.question() {
            writeln!(out, "{:handles$}  asks: {}", "", shown(&question))?;
        }
        if let Some(held) = &row.held {
            writeln!(out, "{:handles$}  {}", "", shown(held))?;
        }
    }
    Ok(0)
}
