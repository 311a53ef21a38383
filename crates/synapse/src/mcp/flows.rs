//! Flows for agents: by name alone, within the same limits as messages; what a flow asks, only people answer.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;
use synapse_client::flows::{self, Starter};
use synapse_machine::paths::Paths;
use synapse_store::Reader;

/// The flows there are.
#[derive(Serialize)]
pub(super) struct Flows {
    flows: Vec<FlowBrief>,
}

/// A flow in a line.
#[derive(Serialize)]
struct FlowBrief {
    name: String,
    about: Option<String>,
    /// The inputs that must be given.
    needs: Vec<String>,
    /// The inputs that may be given.
    takes: Vec<String>,
}

/// How a run stands.
#[derive(Serialize)]
pub(super) struct FlowState {
    /// The run, for `get_flow`.
    run: String,
    /// running, stopping, done, failed or stopped.
    state: String,
    /// Why it is over.
    why: Option<String>,
    /// Each step and its state.
    steps: Vec<String>,
    /// What people are asked, and nobody else may answer.
    asks: Vec<String>,
    /// What it gave, once it is done.
    output: Value,
}

pub(super) fn list(paths: &Paths) -> Result<Flows> {
    let known = flows::list(paths, &std::env::current_dir()?)?;
    let known = known.iter().filter(|found| !found.is_untrusted);
    let flows = known.filter_map(|found| {
        let flow = found.flow().ok()?;
        // One that no agent may start is not offered to one.
        if flow.runs_commands() && !flow.agents {
            return None;
        }
        let (needs, takes): (Vec<_>, Vec<_>) = flow
            .inputs
            .iter()
            .partition(|input| input.default.is_none());
        let names = |inputs: Vec<&synapse_flow::flow::Input>| {
            inputs.iter().map(|input| input.name.clone()).collect()
        };
        Some(FlowBrief {
            name: found.name.clone(),
            about: flow.about.clone(),
            needs: names(needs),
            takes: names(takes),
        })
    });
    Ok(Flows {
        flows: flows.collect(),
    })
}

pub(super) async fn start(
    paths: &Paths,
    name: &str,
    inputs: &BTreeMap<String, String>,
    by: String,
    hops: u8,
) -> Result<FlowState> {
    let inputs = inputs
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value.clone())))
        .collect();
    let starter = Starter {
        by,
        hops: Some(hops),
    };
    let dir = std::env::current_dir()?;
    let id = flows::start(name, &inputs, &dir, &starter, false).await?;
    state(paths, &id)
}

pub(super) fn state(paths: &Paths, part: &str) -> Result<FlowState> {
    let reader = Reader::open(paths.store())?;
    let id = flows::resolve(&reader, part)?;
    let run = flows::replay(&reader, &id)?;
    let view = run.view();
    let steps = view.steps.iter();
    let asks = view.asks.iter();
    Ok(FlowState {
        state: view.state.word().to_owned(),
        why: view.why.clone(),
        steps: steps
            .map(|step| format!("{}: {}", step.name, step.state.word()))
            .collect(),
        asks: asks.map(|ask| ask.question.clone()).collect(),
        output: if view.state == synapse_flow::event::State::Done {
            run.output()
        } else {
            Value::Null
        },
        run: id,
    })
}
