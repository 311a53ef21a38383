//! Agents that are gone: what was said to them can be read on.

use serde_json::{Value, json};

use crate::browser::Desk;

fn is_done(page: &Value) -> bool {
    let mut tasks = page["tasks"].as_array().unwrap().iter();
    tasks.all(|task| task["status"]["state"] == "completed")
}

#[test]
fn a_conversation_outlives_its_agent() {
    let desk = Desk::with_dummy();
    let task = desk.send("dummy", "say:remember the milk");
    let id = task["owner"].as_str().unwrap().to_owned();
    assert_eq!(task["agent"], id.as_str());
    let messages = format!("/api/agents/{id}/messages");
    desk.browser.wait_for(&messages, "it is done", is_done);
    let shown = desk
        .browser
        .get(&format!("/api/tasks/{}", task["id"].as_str().unwrap()));
    let shown = shown.ok();
    let states = shown["task"]["history"].as_array().unwrap().iter();
    let states: Vec<&Value> = states.map(|moment| &moment["state"]).collect();
    assert_eq!(states, ["submitted", "working", "completed"]);
    let none = desk.browser.get("/api/history").ok();
    assert_eq!((&none["agents"], &none["total"]), (&json!([]), &json!(0)));
    desk.browser.delete(&format!("/api/agents/{id}")).ok();

    let listed = desk.browser.get("/api/history").ok();
    assert_eq!(listed["total"], 1);
    let former = &listed["agents"][0];
    assert_eq!(
        (&former["id"], &former["handle"], &former["profile"]),
        (&json!(id), &json!("dummy"), &json!("dummy"))
    );
    assert_eq!(
        (&former["tasks"], &former["dir"]),
        (&json!(1), &json!(desk.repository.path))
    );
    for word in [id.as_str(), "DUMMY"] {
        let found = desk.browser.get(&format!("/api/history/{word}")).ok();
        assert_eq!(found["agent"], *former);
        assert_eq!(found["worktree"], desk.worktree().as_str());
    }
    let kept = desk.browser.get(&messages).ok();
    assert_eq!(kept["tasks"][0]["reply"], "remember the milk");
    assert_eq!(
        (&kept["tasks"][0]["agent"], &kept["tasks"][0]["owner"]),
        (&Value::Null, &json!(id))
    );
    let found = desk.browser.get(&format!("{messages}?q=milk")).ok();
    assert_eq!(found["tasks"].as_array().unwrap().len(), 1);
    let found = desk.browser.get("/api/search?q=dumm").ok();
    assert_eq!(
        (&found["agents"], &found["former"][0]["id"]),
        (&json!([]), &json!(id))
    );
    desk.browser
        .get("/api/history/nobody")
        .refused(404, "no_such_agent");

    // Started again in the same place it is the same one, and not gone any more.
    assert_eq!(desk.start("dummy", &desk.repository.path), id);
    assert_eq!(desk.browser.get("/api/history").ok()["agents"], json!([]));
    assert_eq!(
        desk.browser.get(&messages).ok()["tasks"][0]["agent"],
        id.as_str()
    );
}

#[test]
fn one_whose_folder_is_gone_can_still_be_read() {
    let desk = Desk::new();
    let folder = desk.world.home.path().join("elsewhere");
    std::fs::create_dir(&folder).unwrap();
    let id = desk.start("wanderer", &folder);
    desk.send("wanderer", "say:hello");
    let messages = format!("/api/agents/{id}/messages");
    desk.browser.wait_for(&messages, "it is done", is_done);
    desk.browser.delete("/api/agents/wanderer").ok();
    std::fs::remove_dir_all(&folder).unwrap();
    let found = desk.browser.get(&format!("/api/history/{id}")).ok();
    assert_eq!(
        (&found["agent"]["handle"], &found["worktree"]),
        (&json!("wanderer"), &Value::Null)
    );
    assert_eq!(
        desk.browser.get(&messages).ok()["tasks"][0]["reply"],
        "hello"
    );
}
