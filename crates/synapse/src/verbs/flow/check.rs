//! `synapse flow check`: everything that can be known to be wrong before a flow runs.

use std::io::Write as _;

use anyhow::Result;
use serde_json::json;
use synapse_client::flows::Found;
use synapse_flow::{Flow, Problem};

use super::{Purpose, find};
use crate::verbs::texts::{self, flow as words};
use crate::verbs::{lookup, print, profile, program};

pub(super) fn run(word: &str, is_json: bool) -> Result<u8> {
    if is_json {
        texts::speak_english();
    }
    let found = find(word, Purpose::Look)?;
    let file = file_of(&found);
    let mut out = print::out();
    let problems = match Flow::parse(&found.text) {
        Err(problems) => problems,
        Ok(flow) => unknown_agents(&flow),
    };
    if is_json {
        let list: Vec<_> = problems
            .iter()
            .map(|problem| {
                let place = problem.place;
                json!({ "file": file, "line": place.line, "column": place.column, "message": problem.message })
            })
            .collect();
        writeln!(out, "{}", json!({ "problems": list }))?;
    } else {
        for problem in &problems {
            writeln!(out, "{file}:{problem}")?;
        }
        if problems.is_empty() {
            writeln!(out, "{}", words::is_in_order(&file, &found.name))?;
        }
    }
    Ok(u8::from(!problems.is_empty()))
}

fn file_of(found: &Found) -> String {
    let file = found.file.as_ref().map(|file| file.display().to_string());
    file.unwrap_or_else(|| found.name.clone())
}

/// Agents that neither run, are known elsewhere, nor have a profile.
fn unknown_agents(flow: &Flow) -> Vec<Problem> {
    let Ok(book) = lookup::book() else {
        return Vec::new();
    };
    let here = std::env::current_dir().unwrap_or_default();
    let mut problems = Vec::new();
    for (name, place) in flow.agents_named() {
        let name = name.strip_prefix('@').unwrap_or(name);
        let base = name.split('#').next().unwrap_or(name);
        let is_known = book.find(base, &here).is_ok()
            || profile::is_known(base).unwrap_or(false)
            || program::is_on_path(base);
        if !is_known {
            problems.push(Problem {
                place,
                message: words::no_such_agent(name),
            });
        }
    }
    problems.sort();
    problems.dedup();
    problems
}
