//! `synapse mesh status`.

use std::io::Write as _;

use anyhow::Result;
use serde_json::json;
use synapse_client::mesh::MeshView;
use synapse_machine::paths::Paths;
use synapse_mesh::folder::Folder;

use crate::verbs::list::seen;
use crate::verbs::print;
use crate::verbs::table::Table;

pub(super) fn show(paths: &Paths, json: bool) -> Result<u8> {
    let membership = Folder::new(paths).membership()?;
    let view = MeshView::read(paths)?;
    if json {
        let told = json!({
            "name": membership.name, "servers": membership.shown_servers(), "is_up": view.is_some(),
            "trouble": view.as_ref().and_then(|view| view.trouble.clone()),
            "machines": view.map(|view| view.machines).unwrap_or_default(),
        });
        writeln!(print::out(), "{told}")?;
        return Ok(0);
    }
    let servers = membership.shown_servers().join(", ");
    let Some(view) = view else {
        note!(
            "{} is in a mesh ({servers}), and its bridge does not run: synapse mesh up",
            membership.name
        );
        return Ok(1);
    };
    match &view.trouble {
        None => note!("{} is connected to {servers}", membership.name),
        Some(trouble) => note!("{} is not connected: {trouble}", membership.name),
    }
    let mut table =
        Table::new(["MACHINE", "STATE", "ROLE", "AGENTS", "VERSION"].map(str::to_owned));
    for machine in &view.machines {
        let state = if !machine.is_here {
            format!("away, {}", seen(machine))
        } else if machine.name == view.own {
            "this machine".to_owned()
        } else {
            "here".to_owned()
        };
        let cells = [
            machine.name.clone(),
            state,
            machine.role.clone(),
            machine.agents.len().to_string(),
            machine.version.clone(),
        ];
        table.push(cells, [None; 5], &[]);
    }
    table.print()?;
    Ok(u8::from(view.trouble.is_some()))
}
