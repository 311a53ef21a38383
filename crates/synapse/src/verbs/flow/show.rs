//! `synapse flow show`: a run as it stands, or as it goes on.

use std::io::Write as _;

use anyhow::Result;
use clap::Args;
use synapse_client::flows::{self, RunFolder};
use synapse_flow::run::Run;
use synapse_machine::paths::Paths;
use synapse_store::Reader;

use super::display::{Display, tree};
use crate::verbs::texts::flow as words;
use crate::verbs::{lookup, print};

/// `synapse flow show …`
#[derive(Args)]
pub(super) struct Show {
    /// The run: its id, or the beginning or end of it
    run: String,
    /// Show it as it goes on, to its end
    #[arg(long)]
    follow: bool,
    /// Print JSON: the run, or with --follow its events, a line each
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Show) -> Result<u8> {
    let paths = Paths::from_env()?;
    let reader = Reader::open(paths.store())?;
    let id = flows::resolve(&reader, &args.run)?;
    if args.follow {
        return follow(&paths, &reader, &id, args.json);
    }
    let run = flows::replay(&reader, &id)?;
    let mut out = print::out();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&run.view())?)?;
        return Ok(0);
    }
    for line in tree(&run.view()) {
        writeln!(out, "{line}")?;
    }
    if !run.state().is_over() && !RunFolder::of(&paths, &id).is_held() {
        note!("{}", words::process_is_gone(&id));
    }
    Ok(0)
}

fn follow(paths: &Paths, reader: &Reader, id: &str, is_json: bool) -> Result<u8> {
    lookup::block_on(async {
        let mut changes = flows::changes(paths);
        let mut display = Display::new(is_json);
        let mut seen: u64 = 0;
        let mut run: Option<Run> = None;
        loop {
            let from = seen + 1;
            for event in flows::events(reader, id, from)? {
                match &mut run {
                    Some(run) => run.apply(&event)?,
                    None => run = Some(Run::replay([&event])?),
                }
                if let Some(run) = &run {
                    display.take(run, &event);
                }
                seen += 1;
            }
            let is_over = run.as_ref().is_none_or(|run| run.state().is_over());
            if is_over || !RunFolder::of(paths, id).is_held() {
                break;
            }
            changes.next().await;
        }
        if let Some(run) = run {
            display.finish(&run.view());
        }
        Ok(0)
    })
}
