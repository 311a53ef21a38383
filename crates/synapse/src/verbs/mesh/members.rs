//! `synapse mesh invite`, `revoke` and `role`.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use hyper::Method;
use serde_json::{Value, json};
use synapse_machine::config::MeshRole;
use synapse_machine::paths::Paths;
use synapse_mesh::name::MachineName;

use super::bridge;
use crate::verbs::print;

/// Prints the line that lets a machine in.
pub(super) fn invite(paths: &Paths, name: Option<&MachineName>, role: MeshRole) -> Result<u8> {
    let body = json!({ "name": name, "role": role });
    let told = bridge::ask(paths, Method::POST, "/invitations", &body)?;
    let secret = told.get("secret").and_then(Value::as_str);
    let secret = secret.context("the bridge gave no invitation")?;
    let servers = told.get("servers").and_then(Value::as_array);
    let servers: Vec<&str> = servers
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let servers = servers.join(",");
    let is_ours = told
        .get("is_ours")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    let has_creds = told.get("has_creds").and_then(Value::as_bool);
    let creds = match has_creds {
        Some(true) => " --creds FILE",
        _ => "",
    };
    note!("on the other machine, once, within an hour (role {role}):");
    writeln!(
        print::out(),
        "synapse mesh join {servers}{creds} --invite {secret}"
    )?;
    if !is_ours {
        note!(
            "the server is not ours: who has its credentials can connect to it, but is believed by no machine of this mesh"
        );
    }
    Ok(0)
}

pub(super) fn revoke(paths: &Paths, name: &MachineName) -> Result<u8> {
    let told = bridge::ask(
        paths,
        Method::DELETE,
        &format!("/machines/{name}"),
        &json!({}),
    )?;
    writeln!(print::out(), "{name} is out of the mesh")?;
    if told.get("is_ours").and_then(Value::as_bool) == Some(false) {
        note!(
            "the server is not ours and may still let it connect: no machine of this mesh believes it any more; have its credentials revoked there, too"
        );
    }
    Ok(0)
}

pub(super) fn role(paths: &Paths, name: &MachineName, role: MeshRole) -> Result<u8> {
    let path = format!("/machines/{name}/role");
    bridge::ask(paths, Method::POST, &path, &json!({ "role": role }))?;
    writeln!(print::out(), "{name} has the role {role}")?;
    Ok(0)
}
