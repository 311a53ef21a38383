//! Everything live over one line: a snapshot, then numbered changes.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::browser::{Desk, Socket};

fn hello(socket: &mut Socket) -> Value {
    socket.wait_for("the snapshot", |said| said["type"] == "hello")
}

#[test]
fn a_page_starts_from_a_snapshot_and_misses_nothing() {
    let desk = Desk::with_dummy();
    let mut socket = desk.browser.socket("/api/ws");
    let snapshot = hello(&mut socket);
    assert_eq!(snapshot["agents"][0]["handle"], "dummy");
    assert_eq!(snapshot["agents"][0]["status"], "idle");
    let mut seq = snapshot["seq"].as_u64().unwrap();
    let task = desk.send("dummy", "code:python")["id"].clone();
    let (mut numbers, mut states, mut artifacts) = (Vec::new(), Vec::new(), 0);
    while states.last() != Some(&json!("completed")) {
        let said = socket.next().unwrap();
        if said["type"] == "beat" {
            continue;
        }
        seq += 1;
        assert_eq!(said["seq"], seq, "{said}");
        if said["type"] == "task" {
            assert_eq!(said["task"], task);
            numbers.push(said["number"].as_u64().unwrap());
            states.extend(said["data"].get("state").cloned());
            artifacts += usize::from(said["event"] == "artifact");
        }
    }
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert_eq!(states, ["submitted", "working", "completed"]);
    assert!(artifacts >= 3, "{artifacts}");
}

#[test]
fn a_question_is_opened_answered_once_and_closed_with_who_answered() {
    let desk = Desk::with_dummy();
    let mut socket = desk.browser.socket("/api/ws");
    hello(&mut socket);
    desk.send("dummy", "ask:yn Really?");
    let opened = socket.wait_for("the question", |said| said["type"] == "prompt.opened");
    let prompt = &opened["prompt"];
    assert_eq!(prompt["kind"], "confirmation");
    assert!(
        prompt["question"].as_str().unwrap().contains("Really?"),
        "{prompt}"
    );
    socket.wait_for("the agent carries it", |said| {
        said["type"] == "agent.changed" && said["agent"]["prompt"]["id"] == prompt["id"]
    });
    let answer = |id: &Value, fingerprint: &str| {
        let path = format!("/api/agents/dummy/prompt/{}/answer", id.as_str().unwrap());
        let body = json!({ "value": "yes", "fingerprint": fingerprint });
        desk.browser.post(&path, &body)
    };
    let fingerprint = prompt["fingerprint"].as_str().unwrap();
    let stale = answer(&prompt["id"], "0000000000000000").refused(409, "prompt_changed");
    assert_eq!(
        stale["prompt"]["id"], prompt["id"],
        "the one that is open is shown"
    );
    answer(&json!("other"), fingerprint).refused(409, "prompt_changed");
    answer(&prompt["id"], fingerprint).ok();
    let closed = socket.wait_for("it is closed", |said| said["type"] == "prompt.closed");
    assert_eq!(closed["id"], prompt["id"]);
    assert_eq!(closed["answer"]["value"], "yes");
    assert_eq!(closed["answer"]["by"], "a device");
    desk.browser.wait_for_status("dummy", "idle");
    let late = answer(&prompt["id"], fingerprint).refused(409, "prompt_changed");
    assert_eq!(late["prompt"], Value::Null);
}

#[test]
fn an_answer_that_does_not_fit_leaves_the_question_open() {
    let desk = Desk::with_dummy();
    desk.send("dummy", "ask:pick red|green");
    let prompt = desk.browser.wait_for_status("dummy", "waiting")["prompt"].clone();
    let path = format!(
        "/api/agents/dummy/prompt/{}/answer",
        prompt["id"].as_str().unwrap()
    );
    let body = |value: &str| json!({ "value": value, "fingerprint": prompt["fingerprint"] });
    desk.browser
        .post(&path, &body("blue"))
        .refused(400, "bad_answer");
    desk.browser.post(&path, &body("green")).ok();
    let tasks = desk.browser.wait_for("/api/tasks", "it is done", |seen| {
        seen["tasks"][0]["status"]["state"] == "completed"
    });
    let reply = tasks["tasks"][0]["reply"].as_str().unwrap();
    assert!(reply.ends_with("ok: green"), "{reply}");
}

#[test]
fn a_password_is_never_told() {
    let desk = Desk::with_dummy();
    let mut socket = desk.browser.socket("/api/ws");
    desk.send("dummy", "ask:password");
    let opened = socket.wait_for("the question", |said| said["type"] == "prompt.opened");
    let prompt = &opened["prompt"];
    assert_eq!(prompt["kind"], "password");
    let path = format!(
        "/api/agents/dummy/prompt/{}/answer",
        prompt["id"].as_str().unwrap()
    );
    let body = json!({ "value": "hunter2", "fingerprint": prompt["fingerprint"] });
    desk.browser.post(&path, &body).ok();
    loop {
        let said = socket.next().unwrap();
        assert!(!said.to_string().contains("hunter2"), "{said}");
        if said["type"] == "task" && said["data"]["state"] == "completed" {
            break;
        }
    }
}

#[test]
fn who_asks_for_it_gets_a_new_snapshot() {
    let desk = Desk::with_dummy();
    let mut socket = desk.browser.socket("/api/ws");
    let first = hello(&mut socket);
    desk.send("dummy", "say:x");
    desk.browser.wait_for("/api/tasks", "it is done", |seen| {
        seen["tasks"][0]["status"]["state"] == "completed"
    });
    socket.say(r#"{"type":"resync"}"#);
    let second = hello(&mut socket);
    assert_eq!(second["boot"], first["boot"]);
    assert!(second["seq"].as_u64() > first["seq"].as_u64());
    for odd in ["", "x", "{}", r#"{"type":"dance"}"#, "[]"] {
        socket.say(odd);
    }
    socket.say(r#"{"type":"ping"}"#);
    socket.wait_for("a beat", |said| said["type"] == "beat");
}

#[test]
fn an_agent_comes_and_goes_before_the_eyes_of_the_page() {
    let desk = Desk::new();
    let mut socket = desk.browser.socket("/api/ws");
    assert_eq!(hello(&mut socket)["agents"], json!([]));
    desk.start("dummy", &desk.repository.path);
    let added = socket.wait_for("it appears", |said| said["type"] == "agent.added");
    assert_eq!(added["agent"]["branch"], "main");
    desk.world.ok(&["stop", "dummy"]);
    let removed = socket.wait_for("it goes", |said| said["type"] == "agent.removed");
    assert_eq!(
        (&removed["handle"], &removed["reason"]),
        (&json!("dummy"), &json!("stopped"))
    );
}

#[test]
fn a_stop_shows_while_it_is_under_way() {
    let desk = Desk::with_dummy();
    desk.send("dummy", "wait:60");
    desk.browser.wait_for_status("dummy", "working");
    let mut socket = desk.browser.socket("/api/ws");
    hello(&mut socket);
    desk.browser.press("/api/agents/dummy/interrupt").ok();
    for status in ["stopping", "idle"] {
        socket.wait_for(status, |said| said["agent"]["status"] == status);
    }
}

#[test]
fn a_terminal_is_shown_typed_into_and_resized() {
    let desk = Desk::with_dummy();
    desk.send("dummy", "say:before");
    desk.browser.wait_for("/api/tasks", "it is done", |seen| {
        seen["tasks"][0]["status"]["state"] == "completed"
    });
    let mut socket = desk.browser.socket("/api/agents/dummy/terminal");
    let mut painted = String::new();
    let mut wait_for = |socket: &mut Socket, text: &str| loop {
        if let Message::Binary(bytes) = socket.0.read().unwrap() {
            painted.push_str(&String::from_utf8_lossy(&bytes));
        }
        if painted.contains(text) {
            break;
        }
    };
    wait_for(&mut socket, "before");
    socket.say(r#"{"resize":[50,20]}"#);
    socket
        .0
        .send(Message::binary("say:typed-here\r".as_bytes().to_vec()))
        .unwrap();
    wait_for(&mut socket, "\ntyped-here");
    let long = format!("say:{}\r", "x".repeat(60));
    socket.0.send(Message::binary(long.into_bytes())).unwrap();
    let screen = desk.world.ok(&["screen", "dummy"]);
    assert!(screen.lines().all(|line| line.len() <= 80), "{screen}");
    desk.world.ok(&["stop", "dummy"]);
    assert_eq!(socket.close_code(), Some(4404));
    let mut nobody = desk.browser.socket("/api/agents/nobody/terminal");
    assert_eq!(nobody.close_code(), Some(4404));
}
