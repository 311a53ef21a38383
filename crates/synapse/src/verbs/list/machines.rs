//! `synapse list --mesh`: the agents of every machine, as their machines last told.

use anyhow::{Result, bail};
use jiff::Timestamp;
use serde_json::json;
use synapse_client::mesh::{Machine, MeshView, machine_of};
use synapse_machine::paths::Paths;

use super::row::{self, InMesh, Row};
use crate::verbs::table::{Table, age};
use crate::verbs::{lookup, print, texts};

pub(super) fn run(json: bool) -> Result<u8> {
    let view = view()?;
    if json {
        print::json(&json!({ "machines": view.machines }))?;
        return Ok(0);
    }
    if let Some(trouble) = &view.trouble {
        note!("synapse: the mesh is not reached: {trouble}");
    }
    let mut table = Table::new([
        texts::column_agent(),
        texts::column_profile(),
        texts::column_state(),
        texts::column_age(),
        texts::column_branch(),
        texts::column_folder(),
    ]);
    for machine in &view.machines {
        for agent in &machine.agents {
            let state = if machine.is_here {
                texts::state(&agent.status)
            } else {
                format!("away, {}", seen(machine))
            };
            let started = agent.started_at.map(|at| age(seconds_since(at)));
            let cells = [
                format!("{}@{}", agent.handle, machine.name),
                agent.profile.clone(),
                state,
                started.unwrap_or_default(),
                agent.branch.clone().unwrap_or_default(),
                agent.directory.clone(),
            ];
            table.push(cells, [None; 6], &[]);
        }
    }
    table.print()?;
    for machine in view
        .machines
        .iter()
        .filter(|machine| machine.agents.is_empty())
    {
        let state = if machine.is_here {
            "no agent is running".to_owned()
        } else {
            format!("away, {}", seen(machine))
        };
        note!("{}: {state}", machine.name);
    }
    Ok(0)
}

/// A row for each agent of every machine, with what those that can be reached do now.
pub(super) async fn rows() -> Result<Vec<Row>> {
    let view = view()?;
    let mut entries = lookup::agents()?;
    entries.extend(view.entries());
    let mut rows = row::gather(entries).await;
    for machine in view.others().filter(|machine| !machine.is_here) {
        let away = machine.agents.iter();
        rows.extend(away.map(|agent| Row::away(view.entry(machine, agent), seen(machine))));
    }
    for row in &mut rows {
        let machine = machine_of(&row.entry).unwrap_or(&view.own).to_owned();
        let handle = row.entry.handle.as_str();
        let (name, _) = handle.split_once('@').unwrap_or((handle, ""));
        let mut machines = view.machines.iter();
        let known = machines.find(|known| known.name == machine);
        let agents = known.map(|known| known.agents.iter());
        let told = agents.and_then(|mut agents| agents.find(|agent| agent.handle == name));
        row.in_mesh = Some(InMesh {
            address: format!("{name}@{machine}"),
            branch: told
                .and_then(|told| told.branch.clone())
                .unwrap_or_default(),
            age: row
                .entry
                .started_at
                .map(|at| age(seconds_since(at)))
                .unwrap_or_default(),
        });
    }
    row::sort(&mut rows);
    Ok(rows)
}

/// The mesh as the bridge tells of it.
pub(in crate::verbs) fn view() -> Result<MeshView> {
    match MeshView::read(&Paths::from_env()?)? {
        Some(view) => Ok(view),
        None => bail!("the mesh is not up here: synapse mesh status"),
    }
}

/// When a machine that is away was last seen.
pub(in crate::verbs) fn seen(machine: &Machine) -> String {
    match machine.seen {
        Some(at) => format!("seen {} ago", age(seconds_since(at))),
        None => "never seen".to_owned(),
    }
}

fn seconds_since(at: Timestamp) -> u64 {
    let seconds = Timestamp::now().as_second() - at.as_second();
    seconds.max(0).unsigned_abs()
}
