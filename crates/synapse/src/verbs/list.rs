//! `synapse list`: who runs, what each does, and what it asks.

mod live;
mod machines;
mod press;
mod row;
mod view;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::table::Table;
use super::{attach, lookup, texts};
use crate::verbs::print;
pub(super) use machines::seen;
use row::Row;

/// `synapse list …`
#[derive(Args)]
pub(crate) struct List {
    /// Print JSON: {agents}, the registry's entries with the state of each
    #[arg(long)]
    json: bool,
    /// Show them on the whole screen and keep it up to date; Enter attaches, q leaves
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    /// Those of every machine of the mesh
    #[arg(long)]
    mesh: bool,
}

impl List {
    /// `synapse status` without a name.
    pub(crate) fn of_all(json: bool) -> Self {
        Self {
            json,
            watch: false,
            mesh: false,
        }
    }
}

pub(crate) fn run(args: &List) -> Result<u8> {
    if args.watch {
        return watch(args.mesh);
    }
    if args.mesh {
        return machines::run(args.json);
    }
    let rows = lookup::block_on(async { Ok(row::gather(lookup::agents()?).await) })?;
    if args.json {
        let rows: Vec<_> = rows.iter().map(Row::to_json).collect();
        print::json(&json!({ "agents": rows }))?;
        return Ok(0);
    }
    if rows.is_empty() {
        note!("{}", texts::no_agent_runs());
    }
    print(&rows)
}

/// Shows the list on the whole screen, and whichever agent was chosen from it.
fn watch(is_mesh: bool) -> Result<u8> {
    let keys = attach::USUAL_KEYS.parse()?;
    let mut chosen = None;
    loop {
        match live::show(chosen.as_ref(), is_mesh)? {
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

fn print(rows: &[Row]) -> Result<u8> {
    let header = [
        texts::column_agent(),
        texts::column_profile(),
        texts::column_state(),
        texts::column_queue(),
        texts::column_pid(),
        texts::column_endpoint(),
        texts::column_folder(),
    ];
    // The process, its address and its profile are in the JSON, too.
    let mut table = Table::new(header).sparing(&[4, 5, 1]);
    for row in rows {
        let entry = &row.entry;
        let cells = [
            entry.handle.to_string(),
            entry.profile.clone(),
            row.state.shown(),
            row.queue.map(|queue| queue.to_string()).unwrap_or_default(),
            entry.pid.to_string(),
            entry.endpoint.clone(),
            entry.place().display().to_string(),
        ];
        let colours = [None, None, row.state.ansi(), None, None, None, None];
        let asks = row.question().map(texts::asks);
        let older = row.other_version();
        let below = asks
            .into_iter()
            .chain(row.held.as_deref().map(texts::held))
            .chain(older);
        table.push(cells, colours, &below.collect::<Vec<_>>());
    }
    table.print()?;
    Ok(0)
}
