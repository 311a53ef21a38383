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

#[test]
fn an_agent_of_another_name_does_not_inherit_what_was_said_in_its_folder() {
    let desk = Desk::new();
    let folder = &desk.repository.path;
    let id = desk.start("first", folder);
    desk.send("first", "say:of the first");
    let messages = format!("/api/agents/{id}/messages");
    desk.browser.wait_for(&messages, "it is done", is_done);
    desk.browser.delete("/api/agents/first").ok();
    assert_eq!(
        desk.start("second", folder),
        id,
        "an id stays with its folder"
    );
    assert_eq!(desk.browser.get(&messages).ok()["tasks"], json!([]));
    let own = desk.world.ok(&["tasks", "second", "--json"]);
    assert_eq!(own.trim(), r#"{"tasks":[]}"#);

    // What was said to the first is still there, under a name of its own.
    let listed = desk.browser.get("/api/history").ok();
    let former = &listed["agents"][0];
    let past = format!("{id}~first");
    assert_eq!((&former["id"], &former["tasks"]), (&json!(past), &json!(1)));
    for word in [past.as_str(), "first"] {
        let kept = desk.browser.get(&format!("/api/agents/{word}/messages"));
        let kept = kept.ok();
        assert_eq!(kept["tasks"][0]["reply"], "of the first");
        assert_eq!(
            (&kept["tasks"][0]["agent"], &kept["tasks"][0]["owner"]),
            (&Value::Null, &json!(past))
        );
    }
    let found = desk.browser.get("/api/search?q=of%20the%20first").ok();
    assert_eq!(found["tasks"][0]["task"]["agent"], past.as_str());
}

#[test]
fn each_task_tells_in_which_run_of_its_agent_it_was() {
    let desk = Desk::with_dummy();
    let first = desk.send("dummy", "say:one");
    let id = first["owner"].as_str().unwrap().to_owned();
    let messages = format!("/api/agents/{id}/messages");
    desk.browser.wait_for(&messages, "it is done", is_done);
    desk.browser.delete("/api/agents/dummy").ok();
    desk.start("dummy", &desk.repository.path);
    let second = desk.send("dummy", "say:two");
    let listed = desk.browser.wait_for(&messages, "both are done", is_done);
    let runs: Vec<&Value> = (0..2).map(|at| &listed["tasks"][at]["run"]).collect();
    assert_eq!(runs, [&second["run"], &first["run"]]);
    assert_ne!(first["run"], second["run"]);
    let agent = desk.browser.get("/api/agents/dummy").ok();
    let begun = agent["agent"]["started_at"].as_str().unwrap();
    let run = second["run"].as_str().unwrap().trim_end_matches('Z');
    assert!(begun.starts_with(run), "{run} {begun}");
}
