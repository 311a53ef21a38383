//! Who talks to whom.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::Words;
use crate::hub::Hub;
use crate::hub::live::{PERSON, name_of};
use crate::hub::problem::Problem;
use crate::hub::shapes::{Agent, Edge, Node, NodeKind, TaskLine};

/// Tasks of the timeline.
const LINES: usize = 200;

/// How much of it.
#[derive(Deserialize, IntoParams)]
pub(super) struct Extent {
    /// Tasks of the timeline.
    limit: Option<usize>,
}

/// All agents, the tasks between them and their order.
#[utoipa::path(get, path = "/api/mesh", params(Extent),
    responses((status = 200, description = "`{nodes, edges, tasks}`")))]
pub(super) async fn show(
    State(hub): State<Hub>,
    Words(extent): Words<Extent>,
) -> Result<Json<Value>, Problem> {
    let limit = extent.limit.unwrap_or(LINES);
    let (agents, edges, tasks) = hub.live.read(|state| {
        let tasks: Vec<TaskLine> = state.tasks.newest().take(limit).cloned().collect();
        (state.views(), state.tasks.edges(), tasks)
    });
    let folder = hub.paths.external();
    let external = tokio::task::spawn_blocking(move || external(&folder)).await;
    let nodes = nodes(&agents, &edges, external.unwrap_or_default());
    Ok(Json(
        json!({ "nodes": nodes, "edges": edges, "tasks": tasks }),
    ))
}

/// Everybody who runs, was discovered, or has talked.
fn nodes(agents: &[Agent], edges: &[Edge], external: BTreeMap<String, Value>) -> Vec<Node> {
    let mut nodes: BTreeMap<String, Node> = BTreeMap::new();
    for agent in agents {
        let id = name_of(&agent.handle);
        let node = Node {
            id: id.clone(),
            kind: NodeKind::Agent,
            handle: agent.handle.clone(),
            agent: Some(agent.id.clone()),
            profile: Some(agent.profile.clone()),
            status: Some(agent.status),
            card: Value::Null,
        };
        nodes.insert(id, node);
    }
    let bare = |id: &str, kind, card| Node {
        id: id.to_owned(),
        kind,
        handle: id.trim_start_matches('@').to_owned(),
        agent: None,
        profile: None,
        status: None,
        card,
    };
    for (alias, card) in external {
        let id = name_of(&alias);
        let node = bare(&id, NodeKind::External, card);
        nodes.entry(id).or_insert(node);
    }
    for id in edges.iter().flat_map(|edge| [&edge.from, &edge.to]) {
        let kind = if id == PERSON {
            NodeKind::Person
        } else {
            NodeKind::Agent
        };
        let node = bare(id, kind, Value::Null);
        nodes.entry(id.clone()).or_insert(node);
    }
    nodes.into_values().collect()
}

/// The agents elsewhere that were discovered, by alias.
fn external(folder: &std::path::Path) -> BTreeMap<String, Value> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let known = files.filter_map(|file| {
        let path = file.path();
        if path.extension()? != "json" {
            return None;
        }
        let alias = path.file_stem()?.to_str()?.to_owned();
        let value = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
        Some((alias, card_of(value)))
    });
    known.collect()
}

/// Its card, and never what lets us in there.
fn card_of(mut entry: Value) -> Value {
    match entry.get_mut("card").map(Value::take) {
        Some(card) => card,
        None => json!({ "name": entry.get("name"), "url": entry.get("url") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_talked_is_in_the_mesh() {
        let edge = Edge {
            from: "user".to_owned(),
            to: "@codex".to_owned(),
            count: 1,
            live: 0,
            last_at: String::new(),
            last_task: String::new(),
        };
        let external = BTreeMap::from([("oracle".to_owned(), json!({ "name": "Oracle" }))]);
        let nodes = nodes(&[], &[edge], external);
        let kinds: Vec<(&str, NodeKind)> = nodes.iter().map(|n| (n.id.as_str(), n.kind)).collect();
        assert_eq!(
            kinds,
            [
                ("@codex", NodeKind::Agent),
                ("@oracle", NodeKind::External),
                ("user", NodeKind::Person)
            ]
        );
    }

    #[test]
    fn a_secret_of_an_external_agent_is_not_told() {
        let entry = json!({ "name": "o", "url": "https://o", "token": "secret" });
        assert!(!card_of(entry).to_string().contains("secret"));
    }
}
