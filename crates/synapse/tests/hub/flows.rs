//! Flows through the hub: listed, started, answered, stopped and resumed.

use serde_json::{Value, json};

use crate::browser::Desk;

/// A desk with these flows in the person's own folder.
fn desk(flows: &[(&str, &str)]) -> Desk {
    let desk = Desk::with_dummy();
    let folder = desk.world.home.path().join("synapse/flows");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in flows {
        std::fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
    }
    desk
}

fn run_url(started: &Value) -> String {
    format!("/api/flows/{}", started["id"].as_str().unwrap())
}

#[test]
fn a_flow_is_started_by_name_answered_and_its_steps_are_told() {
    let text = "name: ask\ninputs: {word: {about: what to say}}\nsteps:\n  a: {agent: dummy, prompt: 'say:${inputs.word}'}\n  b: {gate: 'Good: ${a.reply}?', run: [echo, fine]}\n";
    let desk = desk(&[("ask", text)]);
    let listed = desk.browser.get("/api/flows").ok();
    let known = listed["flows"].as_array().unwrap();
    let ask = known.iter().find(|flow| flow["name"] == "ask").unwrap();
    assert_eq!(ask["inputs"][0]["name"], "word");
    assert!(
        known
            .iter()
            .any(|flow| flow["name"] == "review" && flow["source"] == "built-in")
    );

    let refused = desk.browser.post("/api/flows", &json!({ "name": "ask" }));
    assert_eq!(refused.status, 400, "{refused:?}");
    let missing = desk
        .browser
        .post("/api/flows", &json!({ "name": "../ask" }));
    assert_eq!(missing.status, 404);
    let wanted = json!({ "name": "ask", "inputs": { "word": "hi" } });
    let started = desk.browser.post("/api/flows", &wanted).ok();
    let url = run_url(&started);
    desk.browser.wait_for(&url, "it asks", |told| {
        told["run"]["asks"][0]["question"] == "Good: hi?"
    });
    let told = desk.browser.get(&url).ok();
    assert_eq!(told["run"]["steps"][0]["items"][0]["agent"], "dummy");
    let in_list = desk.browser.get("/api/flows").ok();
    assert_eq!(in_list["runs"][0]["asks"][0]["step"], "b");

    let answer = format!("{url}/answer");
    let ask = told["run"]["asks"][0]["id"].clone();
    let wrong = desk
        .browser
        .post(&answer, &json!({ "ask": ask, "answer": "maybe" }));
    assert_eq!(wrong.status, 409);
    desk.browser
        .post(&answer, &json!({ "ask": ask, "answer": "yes" }))
        .ok();
    desk.browser
        .wait_for(&url, "it is done", |told| told["run"]["state"] == "done");
    assert_eq!(desk.browser.get(&url).ok()["output"]["out"], "fine\n");
    let late = desk
        .browser
        .post(&answer, &json!({ "ask": ask, "answer": "yes" }));
    assert_eq!(late.status, 409);
    assert_eq!(desk.browser.get("/api/flows/nobody").status, 404);
}

#[test]
fn a_stop_is_confirmed_and_what_was_stopped_goes_on() {
    let text = "name: long\nsteps:\n  a: {run: [sleep, '600']}\n";
    let desk = desk(&[("long", text)]);
    let started = desk
        .browser
        .post("/api/flows", &json!({ "name": "long" }))
        .ok();
    let url = run_url(&started);
    desk.browser.wait_for(&url, "it runs", |told| {
        told["run"]["steps"][0]["state"] == "running"
    });
    let stopped = desk.browser.post(&format!("{url}/stop"), &json!({})).ok();
    assert_eq!(
        (&stopped["confirmed"], &stopped["run"]["state"]),
        (&json!(true), &json!("stopped"))
    );
    let stopped_at = stopped["run"]["updated_at"].as_u64().unwrap();
    desk.browser.post(&format!("{url}/resume"), &json!({})).ok();
    desk.browser.wait_for(&url, "it runs again", |told| {
        let item = &told["run"]["steps"][0]["items"][0];
        let began_at = item["began_at"].as_u64().unwrap_or_default();
        item["state"] == "running" && began_at >= stopped_at
    });
    desk.browser.post(&format!("{url}/stop"), &json!({})).ok();
}
