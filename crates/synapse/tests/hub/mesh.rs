//! Who talks to whom.

use serde_json::{Value, json};

use crate::browser::Desk;

fn edge<'a>(seen: &'a Value, from: &str, to: &str) -> Option<&'a Value> {
    let mut edges = seen["edges"].as_array().unwrap().iter();
    edges.find(|edge| edge["from"] == from && edge["to"] == to)
}

#[test]
fn two_agents_that_talk_are_an_edge() {
    let desk = Desk::with_dummy();
    desk.start("other", &desk.repository.path);
    let mut socket = desk.browser.socket("/api/ws");
    let message = json!({ "text": "say:hello", "from": "dummy", "priority": 3, "response": true });
    let task = desk.browser.post("/api/agents/other/send", &message).ok()["task"].clone();
    assert_eq!(
        (&task["sender"], &task["priority"]),
        (&json!("dummy"), &json!(3))
    );
    let told = socket.wait_for("the edge", |said| said["type"] == "mesh.edge");
    assert_eq!(
        (&told["edge"]["from"], &told["edge"]["to"]),
        (&json!("@dummy"), &json!("@other"))
    );
    assert_eq!(told["edge"]["live"], 1);
    // The reply is brought back: an edge the other way.
    let mesh = desk
        .browser
        .wait_for("/api/mesh", "both edges, done", |seen| {
            ["@dummy", "@other"]
                .iter()
                .zip(["@other", "@dummy"])
                .all(|(from, to)| edge(seen, from, to).is_some_and(|edge| edge["live"] == 0))
        });
    let first = &mesh["tasks"][0];
    assert_eq!(
        (&first["from"], &first["to"]),
        (&json!("@other"), &json!("@dummy"))
    );
    assert_eq!(first["text"], "hello");
    let node = mesh["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|node| node["id"] == "@other")
        .unwrap();
    assert_eq!(
        (&node["kind"], &node["profile"]),
        (&json!("agent"), &json!("dummy"))
    );
}

#[test]
fn the_mesh_is_known_again_after_a_restart() {
    let mut desk = Desk::with_dummy();
    desk.send("dummy", "say:x");
    let done = |seen: &Value| edge(seen, "user", "@dummy").is_some_and(|edge| edge["live"] == 0);
    let before = desk.browser.wait_for("/api/mesh", "the edge", done);
    let port = desk.hub.port().to_owned();
    desk.hub.kill();
    desk.hub = crate::browser::Hub::start(&desk.world, &["--port", &port]);
    let after = desk.browser.wait_for("/api/mesh", "the edge again", done);
    assert_eq!(
        edge(&before, "user", "@dummy"),
        edge(&after, "user", "@dummy")
    );
    assert_eq!(after["tasks"][0]["text"], "say:x");
}

#[test]
fn an_agent_elsewhere_is_shown_with_its_card_and_without_its_secret() {
    let desk = Desk::new();
    let folder = desk.world.home.path().join("a2a/external");
    std::fs::create_dir_all(&folder).unwrap();
    let entry = json!({
        "name": "Oracle", "alias": "oracle", "url": "https://oracle.example", "description": "knows",
        "capabilities": {}, "skills": [], "added_at": "2026-01-01T00:00:00Z", "last_seen": null,
        "token_file": "/secret/place",
    });
    std::fs::write(folder.join("oracle.json"), entry.to_string()).unwrap();
    let mesh = desk.browser.get("/api/mesh").ok();
    let node = &mesh["nodes"][0];
    assert_eq!(
        (&node["id"], &node["kind"]),
        (&json!("@oracle"), &json!("external"))
    );
    assert_eq!(node["card"]["url"], "https://oracle.example");
    assert!(!mesh.to_string().contains("/secret/place"), "{mesh}");
}
