//! Who talks to whom.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::Words;
use crate::Hub;
use crate::live::{PERSON, name_of};
use crate::problem::Problem;
use crate::shapes::{Agent, Edge, Node, NodeKind, TaskLine};
use synapse_client::client::{Callable, Web};
use synapse_client::external::{Contacts, External};

/// Tasks of the timeline.
const LINES: usize = 200;

/// How much of it.
#[derive(Deserialize, IntoParams)]
pub(super) struct Extent {
    /// Tasks of the timeline.
    limit: Option<usize>,
}

/// Gets all agents and the tasks between them, in order.
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
    let contacts = Contacts::new(&hub.paths, Web::new(Callable::Any, None));
    let external = tokio::task::spawn_blocking(move || contacts.list()).await;
    // Files that cannot be read cost those nodes, nothing else.
    let external = external.ok().and_then(Result::ok).unwrap_or_default();
    let nodes = nodes(&agents, &edges, &external);
    Ok(Json(
        json!({ "nodes": nodes, "edges": edges, "tasks": tasks }),
    ))
}

/// Everybody who runs, was discovered, or has talked.
fn nodes(agents: &[Agent], edges: &[Edge], external: &[External]) -> Vec<Node> {
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
    for external in external {
        let id = name_of(external.alias.as_str());
        let node = bare(&id, NodeKind::External, external.to_native_json());
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
        let nodes = nodes(&[], &[edge], &[]);
        let kinds: Vec<(&str, NodeKind)> = nodes.iter().map(|n| (n.id.as_str(), n.kind)).collect();
        assert_eq!(
            kinds,
            [("@codex", NodeKind::Agent), ("user", NodeKind::Person)]
        );
    }
}
