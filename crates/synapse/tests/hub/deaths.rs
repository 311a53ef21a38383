//! Agents that die: told to whoever comes later, until somebody has looked.

use std::process::Command;

use serde_json::{Value, json};

use crate::browser::{Browser, Desk};

fn deaths(browser: &Browser) -> Value {
    let seen = browser.wait_for("/api/deaths", "somebody died", |seen| {
        seen["deaths"].as_array().is_some_and(|all| !all.is_empty())
    });
    seen["deaths"].clone()
}

fn kill(pid: &str) {
    Command::new("kill").args(["-KILL", pid]).status().unwrap();
}

#[test]
fn a_killed_program_is_told_with_its_signal_until_somebody_looks() {
    let desk = Desk::with_dummy();
    let mut socket = desk.browser.socket("/api/ws");
    assert_eq!(socket.next().unwrap()["deaths"], json!([]));
    let task = desk.send("dummy", "wait:600");
    desk.browser.wait_for_status("dummy", "working");
    let host = desk.world.entry()["pid"].to_string();
    let program = program_below(&host);
    kill(&program);
    let removed = socket.wait_for("it is removed", |said| said["type"] == "agent.removed");
    assert_eq!(
        (&removed["reason"], &removed["how"]),
        (&json!("died"), &json!("killed, SIGKILL"))
    );
    let all = deaths(&desk.browser);
    assert_eq!(
        (&all[0]["handle"], &all[0]["how"]),
        (&json!("dummy"), &json!("killed, SIGKILL"))
    );
    let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    let failed = desk.browser.get(&path).ok();
    let error = failed["task"]["status"]["error"]["message"]
        .as_str()
        .unwrap();
    assert!(error.contains("died (killed, SIGKILL)"), "{error}");
    // Another device sees it, and one that may only look cannot put it away.
    let link = desk.world.ok(&["web", "login", "--read-only"]);
    let link = link.lines().next().unwrap();
    let other = Browser::with_link(link);
    assert_eq!(deaths(&other), all);
    let seen = json!({ "agent": all[0]["agent"] });
    other
        .post("/api/deaths/seen", &seen)
        .refused(403, "read_only");
    let former = desk.browser.get("/api/history").ok();
    assert_eq!(former["agents"][0]["died"], "killed, SIGKILL");
    desk.browser.post("/api/deaths/seen", &seen).ok();
    assert_eq!(other.get("/api/deaths").ok()["deaths"], json!([]));
}

#[test]
fn a_host_that_is_killed_while_nobody_watches_is_told_later() {
    let mut desk = Desk::with_dummy();
    desk.start("other", &desk.repository.path.join(".git"));
    let host = desk.world.entry_of("dummy")["pid"].to_string();
    desk.hub.kill();
    kill(&host);
    desk.world
        .wait_until("it is gone", |_| crate::world::is_gone(&host));
    // One that is stopped has not died, and whoever lists the agents may find the dead one first.
    desk.world.ok(&["stop", "other"]);
    desk.world.ok(&["list"]);
    let hub = crate::browser::Hub::start(&desk.world, &["--port", "0"]);
    let browser = Browser::open(&hub);
    let all = deaths(&browser);
    assert_eq!(all.as_array().unwrap().len(), 1, "{all}");
    assert_eq!(
        (&all[0]["handle"], &all[0]["how"]),
        (&json!("dummy"), &json!("killed"))
    );
    // Whoever starts it again knows.
    desk.world.ok(&[
        "start",
        "dummy",
        "--port",
        "0",
        "--cwd",
        desk.repository.path.to_str().unwrap(),
    ]);
    browser.wait_for("/api/deaths", "it is forgotten", |seen| {
        seen["deaths"] == json!([])
    });
}

/// The program that the leader below a host has started.
fn program_below(host: &str) -> String {
    let child = |pid: &str| {
        let path = format!("/proc/{pid}/task/{pid}/children");
        let children = std::fs::read_to_string(path).unwrap_or_default();
        children.split_whitespace().next().map(str::to_owned)
    };
    let all = std::fs::read_dir(format!("/proc/{host}/task")).unwrap();
    let leader = all.flatten().find_map(|thread| {
        let path = thread.path().join("children");
        let children = std::fs::read_to_string(path).ok()?;
        children.split_whitespace().next().map(str::to_owned)
    });
    let leader = leader.expect("the host has a child");
    child(&leader).unwrap_or(leader)
}
