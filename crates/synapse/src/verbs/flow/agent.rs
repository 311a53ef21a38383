//! `synapse flow agent`: a flow as the program of an agent. Wrapped like any other program it has a card, takes tasks,
//! tells how far it is and gives artifacts, all through the channel that every program may use.

use std::collections::BTreeMap;
use std::io::{BufRead as _, Write};

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use synapse_client::flows::{self, Starter};
use synapse_flow::event::{Fact, Outcome, State};
use synapse_flow::run::Run;
use synapse_machine::paths::Paths;
use synapse_store::Reader;

use super::{Purpose, find};
use crate::verbs::{lookup, print};

/// What the profile `flow` takes for idle.
const PROMPT: &str = "flow> ";

pub(super) fn run(name: &str) -> Result<u8> {
    let found = find(name, Purpose::Run)?;
    let flow = found.flow()?;
    let first = flow.inputs.iter().find(|input| input.default.is_none());
    let first = first
        .or(flow.inputs.first())
        .map(|input| input.name.clone());
    let mut out = print::exact();
    loop {
        write!(out, "{PROMPT}")?;
        out.flush()?;
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line)? == 0 {
            return Ok(0);
        }
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if let Err(error) = serve(&mut out, name, first.as_deref(), line) {
            say(&mut out, &json!({ "reject": format!("{error:#}") }))?;
            writeln!(out, "{error:#}")?;
        }
    }
}

/// One task: JSON gives the inputs by name, anything else the one that is needed.
fn serve(out: &mut impl Write, name: &str, first: Option<&str>, line: &str) -> Result<()> {
    let inputs: BTreeMap<String, Value> = match serde_json::from_str(line) {
        Ok(Value::Object(fields)) => fields.into_iter().collect(),
        _ => first
            .map(|first| (first.to_owned(), Value::from(line)))
            .into_iter()
            .collect(),
    };
    let own = lookup::own()?;
    let by = own
        .as_ref()
        .map_or("a2a".to_owned(), |own| own.handle.to_string());
    let hops = match &own {
        Some(own) => Some(lookup::block_on(synapse_client::current_agent::hops(own))?),
        None => Some(0),
    };
    let paths = Paths::from_env()?;
    let starter = Starter { by, hops };
    let dir = std::env::current_dir()?;
    let id = lookup::block_on(flows::start(name, &inputs, &dir, &starter, false))?;
    let reader = Reader::open(paths.store())?;
    let run = lookup::block_on(follow(out, &paths, &reader, &id))?;
    if run.state() != State::Done || run.why().is_some() {
        let why = run.why().unwrap_or("no reason given").to_owned();
        let word = match run.state() {
            State::Done => "ended",
            state => state.word(),
        };
        say(out, &json!({ "reject": format!("the flow {word}: {why}") }))?;
        writeln!(out, "{word}: {why}")?;
        return Ok(());
    }
    let output = run.output();
    let part = match &output {
        Value::String(text) => json!({ "text": text }),
        output => json!({ "data": output }),
    };
    say(
        out,
        &json!({ "artifact": { "name": "result", "parts": [part] } }),
    )?;
    writeln!(out, "{}", super::start::said(&output))?;
    Ok(())
}

/// Tells of each step as it goes on.
async fn follow(out: &mut impl Write, paths: &Paths, reader: &Reader, id: &str) -> Result<Run> {
    let mut changes = flows::changes(paths);
    let mut seen = 0_u64;
    let mut run: Option<Run> = None;
    loop {
        for event in flows::events(reader, id, seen + 1)? {
            seen += 1;
            match &mut run {
                Some(run) => run.apply(&event)?,
                None => run = Some(Run::replay([&event])?),
            }
            let progress = match &event.fact {
                Fact::Began { key, .. } => Some(format!("{} begins", key.step)),
                Fact::Ended { key, outcome } => Some(match outcome {
                    Outcome::Done { .. } => format!("{} is done", key.step),
                    Outcome::Failed { why, .. } => format!("{} failed: {why}", key.step),
                    Outcome::Canceled { .. } => format!("{} was stopped", key.step),
                }),
                _ => None,
            };
            let asks = run.as_ref().map(Run::asks).unwrap_or_default();
            let asks = asks
                .first()
                .map(|ask| format!("a person is asked: {}", ask.question));
            for text in progress.into_iter().chain(asks) {
                say(out, &json!({ "progress": text }))?;
            }
        }
        if let Some(run) = &run
            && run.state().is_over()
        {
            return Ok(run.clone());
        }
        changes.next().await;
    }
}

fn say(out: &mut impl Write, word: &Value) -> Result<()> {
    let text = STANDARD.encode(word.to_string());
    write!(out, "\x1b]7710;{text}\x1b\\")?;
    out.flush()?;
    Ok(())
}
