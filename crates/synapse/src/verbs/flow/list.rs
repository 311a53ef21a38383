//! `synapse flow list`: the flows there are, and the latest runs.

use std::io::{IsTerminal as _, Write as _};

use anyhow::Result;
use clap::Args;
use serde_json::json;
use synapse_client::flows::{self, RunFolder};
use synapse_machine::paths::Paths;
use synapse_store::Reader;

use super::display::{ago, short};
use crate::verbs::print;
use crate::verbs::table::Table;
use crate::verbs::texts::{self, flow as words};

/// How many runs are shown.
const SHOWN: usize = 20;

/// `synapse flow list …`
#[derive(Args)]
pub(super) struct List {
    /// Print JSON: {flows, runs}
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &List) -> Result<u8> {
    if args.json {
        texts::speak_english();
    }
    let paths = Paths::from_env()?;
    let here = std::env::current_dir()?;
    let known = flows::list(&paths, &here)?;
    let runs = Reader::open(paths.store())?.flow_runs(SHOWN)?;
    let about = |found: &flows::Found| match found.flow() {
        Ok(_) if found.is_untrusted => words::not_trusted(),
        Ok(flow) => flow.about.unwrap_or_default(),
        Err(error) => error.to_string(),
    };
    // A process that died has not told anybody.
    let state = |run: &synapse_store::FlowRun| {
        let is_over = matches!(run.state.as_str(), "done" | "failed" | "stopped");
        if is_over || RunFolder::of(&paths, &run.id).is_held() {
            run.state.clone()
        } else {
            "lost".to_owned()
        }
    };
    if args.json {
        let known: Vec<_> = known
            .iter()
            .map(|found| {
                json!({
                    "name": found.name, "source": found.origin.word(), "file": found.file,
                    "about": about(found), "is_trusted": !found.is_untrusted,
                })
            })
            .collect();
        let runs: Vec<_> = runs
            .iter()
            .map(|run| {
                json!({
                    "id": run.id, "name": run.name, "state": state(run), "dir": run.dir, "by": run.by,
                    "started_at": run.started_at, "updated_at": run.updated_at,
                })
            })
            .collect();
        print::json(&json!({ "flows": known, "runs": runs }))?;
        return Ok(0);
    }
    let mut table = Table::new([
        words::column_flow(),
        words::column_from(),
        words::column_about(),
    ]);
    for found in &known {
        let cells = [
            found.name.clone(),
            found.origin.word().to_owned(),
            about(found),
        ];
        table.push(cells, [None; 3], &[]);
    }
    table.print()?;
    if runs.is_empty() {
        return Ok(0);
    }
    if std::io::stdout().is_terminal() {
        writeln!(print::out())?;
    }
    let mut table = Table::new([
        words::column_run(),
        words::column_flow(),
        words::column_state(),
        words::column_started(),
        words::column_folder(),
    ]);
    for run in &runs {
        let cells = [
            short(&run.id).to_owned(),
            run.name.clone(),
            words::state(&state(run)),
            ago(run.started_at),
            run.dir.clone(),
        ];
        table.push(cells, [None; 5], &[]);
    }
    table.print()?;
    Ok(0)
}
