//! What breaks, and what the hub makes of it.

use std::fs;

use serde_json::json;

use crate::browser::{Browser, Desk, Hub};
use crate::world::receiver::Receiver;

#[test]
fn agents_live_on_when_the_hub_dies_and_a_page_resumes() {
    let mut desk = Desk::with_dummy();
    let mut socket = desk.browser.socket("/api/ws");
    let first = socket.wait_for("the snapshot", |said| said["type"] == "hello");
    desk.send("dummy", "wait:2");
    desk.browser.wait_for_status("dummy", "working");
    let port = desk.hub.port().to_owned();
    desk.hub.kill();
    assert!(
        socket.next().is_none_or(|said| said["type"] != "hello"),
        "the line is cut"
    );
    assert_eq!(desk.world.state("dummy"), "BUSY", "nobody told the agent");
    desk.hub = Hub::start(&desk.world, &["--port", &port]);
    let mut socket = desk.browser.socket("/api/ws");
    let again = socket.wait_for("the snapshot", |said| said["type"] == "hello");
    assert_ne!(again["boot"], first["boot"]);
    desk.browser.wait_for_status("dummy", "idle");
    let what = "the task is done";
    let tasks = desk.browser.wait_for("/api/tasks", what, |seen| {
        seen["tasks"][0]["status"]["state"] == "completed"
    });
    assert_eq!(
        tasks["tasks"].as_array().unwrap().len(),
        1,
        "nothing is doubled"
    );
    assert_eq!(tasks["tasks"][0]["reply"], "waited 2 seconds");
}

#[test]
fn a_hub_that_ends_says_so_and_leaves_nothing_behind() {
    let mut desk = Desk::with_dummy();
    let mut socket = desk.browser.socket("/api/ws");
    let mut terminal = desk.browser.socket("/api/agents/dummy/terminal");
    assert_eq!(desk.hub.interrupt(), 0);
    assert_eq!(socket.close_code(), Some(1001));
    assert_eq!(terminal.close_code(), Some(1001));
    assert!(!desk.world.home.path().join("synapse/hub.lock").exists());
    assert_eq!(desk.world.state("dummy"), "IDLE");
}

#[test]
fn an_agent_whose_host_is_killed_is_taken_off() {
    let desk = Desk::with_dummy();
    let task = desk.send("dummy", "wait:60");
    desk.browser.wait_for_status("dummy", "working");
    let receiver = Receiver::new();
    let place = json!({ "taskId": task["id"], "url": receiver.url, "token": "secret" });
    let method = "CreateTaskPushNotificationConfig";
    let set = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": place });
    let version = "\r\nA2A-Version: 1.0";
    let (status, _) = desk.world.raw_call("POST", "/a2a", version, &set);
    assert_eq!(status, 200);
    let mut socket = desk.browser.socket("/api/ws");
    desk.world.kill_host();
    let removed = socket.wait_for("it is gone", |said| said["type"] == "agent.removed");
    assert_eq!(removed["reason"], "died");
    desk.browser
        .press("/api/agents/dummy/interrupt")
        .refused(404, "no_such_agent");
    let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    let failed = desk.browser.wait_for(&path, "its task has failed", |seen| {
        seen["task"]["status"]["state"] == "failed"
    });
    assert_eq!(failed["task"]["status"]["error"]["code"], "HOST_CRASHED");
    let told = receiver.to("failed").pop().unwrap();
    assert!(told.head.contains("x-a2a-notification-token: secret"));
    assert_eq!(told.body["task"]["id"], task["id"]);
}

#[test]
fn a_program_that_crashes_takes_its_agent_along() {
    let desk = Desk::with_dummy();
    let mut socket = desk.browser.socket("/api/ws");
    desk.send("dummy", "crash");
    socket.wait_for("it is gone", |said| said["type"] == "agent.removed");
    desk.browser
        .wait_for("/api/agents", "nobody is left", |seen| {
            seen["agents"] == json!([])
        });
}

#[test]
fn a_host_that_does_not_answer_shows_as_failed_and_comes_back() {
    let mut desk = Desk::new();
    let dir = desk.repository.path.to_str().unwrap();
    desk.world
        .ok(&["start", "dummy", "--port", "0", "--cwd", dir]);
    desk.browser.wait_for("/api/agents", "it appears", |seen| {
        seen["agents"][0].is_object()
    });
    // The token the hub shows is not the one the agent wants; the agent itself is well.
    let file = desk.world.launch_token_file();
    let token = fs::read_to_string(&file).unwrap();
    fs::write(&file, "no token at all").unwrap();
    desk.hub.kill();
    let hub = Hub::start(&desk.world, &["--port", "0"]);
    let browser = Browser::open(&hub);
    let failed = browser.wait_for_status("dummy", "failed");
    assert!(
        failed["evidence"]
            .as_str()
            .unwrap()
            .contains("does not answer"),
        "{failed}"
    );
    browser
        .post("/api/agents/dummy/send", &json!({ "text": "x" }))
        .refused(502, "agent_unreachable");
    fs::write(&file, token).unwrap();
    browser.wait_for_status("dummy", "idle");
}

#[test]
fn a_broken_entry_of_the_registry_hides_nobody() {
    let desk = Desk::with_dummy();
    let registry = desk.world.home.path().join("a2a/registry");
    for (name, text) in [("broken", "{"), ("odd", "[]"), ("empty", "")] {
        fs::write(registry.join(format!("{name}.json")), text).unwrap();
    }
    desk.start("other", &desk.repository.path);
    let agents = desk.browser.get("/api/agents").ok();
    assert_eq!(agents["agents"].as_array().unwrap().len(), 2);
    let problems = desk.browser.get("/api/settings").ok()["problems"].clone();
    let told: Vec<&str> = problems
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap())
        .collect();
    assert!(
        told.iter().any(|text| text.contains("broken.json")),
        "{told:?}"
    );
    assert!(
        registry.join("broken.json").exists(),
        "it is kept for a person to look at"
    );
}

#[test]
fn a_broken_file_of_logins_is_named_and_kept() {
    let world = crate::world::World::new();
    let file = world.home.path().join("synapse/web.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "not json").unwrap();
    let refused = world.run(&["web", "--port", "0"]);
    assert_eq!(refused.status.code(), Some(1));
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(error.contains("web.json cannot be understood"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "not json");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let world = crate::world::World::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let refused = world.run(&["web", "--port", &port]);
    assert_eq!(refused.status.code(), Some(1));
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(error.contains(&port) && error.contains("--port"), "{error}");
}

#[test]
fn beyond_this_machine_there_is_a_warning_and_the_same_door() {
    let world = crate::world::World::new();
    let mut command = world.command(&["web", "--port", "0", "--listen", "0.0.0.0"]);
    let mut process = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = String::new();
    let stderr = process.stderr.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stderr), &mut lines).unwrap();
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(lines.contains("open to the network"), "{lines}");
}

#[test]
fn since_when_an_agent_asks_is_told_by_the_agent_and_not_by_the_start_of_the_hub() {
    let mut desk = Desk::with_dummy();
    let idle = desk.browser.get("/api/agents/dummy").ok()["agent"]["since"].clone();
    desk.send("dummy", "ask:yn Sure?");
    let asking = desk.browser.wait_for_status("dummy", "waiting");
    assert_ne!(asking["since"], idle);
    assert_eq!(asking["prompt"]["since"], asking["since"]);
    let port = desk.hub.port().to_owned();
    desk.hub.kill();
    desk.hub = Hub::start(&desk.world, &["--port", &port]);
    let again = desk.browser.wait_for_status("dummy", "waiting");
    assert_eq!(again["since"], asking["since"]);
    assert_eq!(again["prompt"]["since"], asking["since"]);
}
