//! Stop: the contract of docs/hub-api.md to the letter, and what the page adds to it.

use serde_json::{Value, json};

use crate::browser::{Desk, TOKEN, exchange};
use crate::repository::git;

impl Desk {
    fn stop(&self, worktree: &str, body: &Value) -> (u16, Value) {
        let path = format!("/api/worktrees/{worktree}/interrupt");
        let answer = if body.is_null() {
            self.browser.press(&path)
        } else {
            self.browser.post(&path, body)
        };
        (answer.status, answer.json())
    }

    fn begin(&self, agent: &str, text: &str, status: &str) {
        self.send(agent, text);
        self.browser.wait_for_status(agent, status);
    }
}

#[test]
fn what_runs_is_interrupted_and_confirmed() {
    let desk = Desk::with_dummy();
    desk.begin("dummy", "wait:60", "working");
    let (status, body) = desk.stop(&desk.worktree(), &Value::Null);
    assert_eq!(status, 200);
    assert_eq!(
        body,
        json!({ "success": true, "message": "Interrupted 1 session",
            "interrupted": [{ "cliToolId": "dummy", "sessionName": "dummy", "confirmed": true }] })
    );
    desk.browser.wait_for_status("dummy", "idle");
}

#[test]
fn a_pane_that_was_adopted_is_interrupted_by_every_key_and_confirmed() {
    let desk = Desk::new();
    let socket = desk.world.home.path().join("tmux.sock");
    let tmux = |words: &[&str]| {
        let mut command = std::process::Command::new("tmux");
        command.arg("-S").arg(&socket).args(["-f", "/dev/null"]);
        let done = command.args(words).env_remove("TMUX").output().unwrap();
        assert!(done.status.success(), "tmux {words:?}: {done:?}");
    };
    let dummy = format!(
        "{} dummy-agent",
        assert_cmd::cargo::cargo_bin!("synapse").display()
    );
    let dir = desk.repository.path.to_str().unwrap();
    tmux(&[
        "new-session",
        "-d",
        "-x",
        "100",
        "-y",
        "30",
        "-c",
        dir,
        &dummy,
    ]);
    let path = socket.to_str().unwrap();
    let args = ["adopt", "%0", "--socket", path, "--port", "0"];
    desk.world.ok(&args);
    desk.browser.wait_for_status("dummy", "idle");
    for body in [Value::Null, json!({ "key": "C-c" })] {
        desk.begin("dummy", "wait:60", "working");
        let (status, said) = desk.stop(&desk.worktree(), &body);
        assert_eq!(
            (status, &said["interrupted"][0]["confirmed"]),
            (200, &json!(true)),
            "{said}"
        );
        desk.browser.wait_for_status("dummy", "idle");
    }
    // Somebody scrolls: the key goes as a byte, and they stay where they are.
    desk.begin("dummy", "wait:60", "working");
    tmux(&["copy-mode", "-t", "%0"]);
    let (status, said) = desk.stop(&desk.worktree(), &Value::Null);
    assert_eq!(
        (status, &said["interrupted"][0]["confirmed"]),
        (200, &json!(true)),
        "{said}"
    );
    desk.world.ok(&["stop", "dummy"]);
    tmux(&["kill-server"]);
}

#[test]
fn a_worktree_that_is_not_there_is_named() {
    let desk = Desk::new();
    for (id, named) in [("nope", "nope"), ("..", ".."), ("%3Cb%3E", "<b>")] {
        let (status, body) = desk.stop(id, &Value::Null);
        let error = format!("Worktree '{named}' not found");
        assert_eq!((status, body), (404, json!({ "error": error })));
    }
}

#[test]
fn a_worktree_without_agents_has_no_active_sessions() {
    let desk = Desk::new();
    let none = (404, json!({ "error": "No active sessions found" }));
    assert_eq!(desk.stop(&desk.worktree(), &Value::Null), none);
    desk.start("dummy", &desk.repository.path);
    desk.begin("dummy", "wait:60", "working");
    let other = json!({ "cliToolId": "claude" });
    assert_eq!(
        desk.stop(&desk.worktree(), &other),
        none,
        "none of that kind"
    );
    let (status, body) = desk.stop(&desk.worktree(), &json!({ "cliToolId": "dummy" }));
    assert_eq!(
        (status, &body["interrupted"][0]["confirmed"]),
        (200, &json!(true))
    );
}

#[test]
fn at_an_idle_prompt_nothing_is_sent() {
    let desk = Desk::with_dummy();
    let before = desk.browser.get("/api/agents/dummy/screen").ok();
    let (status, body) = desk.stop(&desk.worktree(), &json!({}));
    assert_eq!(status, 200);
    assert_eq!(
        (&body["success"], &body["interrupted"]),
        (&json!(true), &json!([]))
    );
    assert_eq!(body["message"], "Nothing is running: 1 session idle");
    assert_eq!(desk.browser.get("/api/agents/dummy/screen").ok(), before);
}

#[test]
fn an_agent_that_cannot_be_reached_is_a_failure() {
    let desk = Desk::with_dummy();
    let tree = desk.worktree();
    desk.begin("dummy", "wait:60", "working");
    std::fs::write(desk.world.launch_token_file(), "wrong token").unwrap();
    let failed = (500, json!({ "error": "Failed to send interrupt" }));
    assert_eq!(desk.stop(&tree, &Value::Null), failed);
}

#[test]
fn only_agents_of_that_worktree_are_stopped() {
    let desk = Desk::with_dummy();
    let side = desk.repository.path.with_file_name("side");
    git(
        &desk.repository.path,
        &[
            "worktree",
            "add",
            "-q",
            "-b",
            "side",
            side.to_str().unwrap(),
        ],
    );
    desk.start("other", &side);
    desk.begin("dummy", "wait:60", "working");
    desk.begin("other", "wait:60", "working");
    let other = desk.browser.get("/api/agents/other").ok()["agent"].clone();
    assert_eq!(other["branch"], "side");
    let (_, body) = desk.stop(other["worktree"].as_str().unwrap(), &Value::Null);
    let names: Vec<&Value> = body["interrupted"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["sessionName"])
        .collect();
    assert_eq!(names, ["other"]);
    desk.browser.wait_for_status("other", "idle");
    assert_eq!(
        desk.browser.get("/api/agents/dummy").ok()["agent"]["status"],
        "working"
    );
}

#[test]
fn a_question_is_dismissed() {
    let desk = Desk::with_dummy();
    desk.begin("dummy", "ask:yn Really?", "waiting");
    let (status, body) = desk.stop(&desk.worktree(), &Value::Null);
    assert_eq!(
        (status, &body["interrupted"][0]["confirmed"]),
        (200, &json!(true))
    );
    desk.browser.wait_for_status("dummy", "idle");
}

#[test]
fn special_keys_are_sent_by_name_and_no_others() {
    let desk = Desk::with_dummy();
    desk.begin("dummy", "wait:60", "working");
    let tree = desk.worktree();
    for odd in [
        json!({ "key": "rm" }),
        json!({ "key": 3 }),
        json!({ "cliToolId": 3 }),
        json!("x"),
    ] {
        let (status, body) = desk.stop(&tree, &odd);
        assert_eq!(status, 400, "{body}");
    }
    // The dummy reads whole lines, so Escape does not stop it: the receipt says so.
    let (_, body) = desk.stop(&tree, &json!({ "key": "Escape" }));
    assert_eq!(body["interrupted"][0]["confirmed"], false);
    assert_eq!(
        body["message"],
        "Interrupted 1 session; 1 session still running"
    );
    let (_, body) = desk.stop(&tree, &json!({ "key": "C-c" }));
    assert_eq!(body["interrupted"][0]["confirmed"], true);
}

#[test]
fn a_program_with_the_token_may_stop_without_a_body() {
    let desk = Desk::with_dummy();
    desk.begin("dummy", "wait:60", "working");
    let (address, tree) = (&desk.hub.address, desk.worktree());
    let head = format!(
        "POST /api/worktrees/{tree}/interrupt HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n"
    );
    assert_eq!(exchange(address, &head, b"").ok()["success"], true);
}

#[test]
fn what_was_sent_by_mistake_a_moment_ago_is_stopped() {
    let desk = Desk::with_dummy();
    let task = desk.send("dummy", "wait:60");
    let (_, body) = desk.stop(&desk.worktree(), &Value::Null);
    assert_eq!(body["interrupted"][0]["confirmed"], true, "{body}");
    let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    let over = desk.browser.wait_for(&path, "the task is over", |seen| {
        seen["task"]["status"]["state"] == "failed"
    });
    assert_eq!(over["task"]["status"]["error"]["code"], "INTERRUPTED");
}

#[test]
fn one_agent_is_stopped_with_a_receipt_and_its_queue_is_kept() {
    let desk = Desk::with_dummy();
    let stop = |level: &str| {
        let body = json!({ "level": level });
        desk.browser.post("/api/agents/dummy/interrupt", &body).ok()
    };
    let nothing = stop("stop");
    assert_eq!(
        nothing,
        json!({ "sent": null, "was": "idle", "now": "idle", "confirmed": true })
    );
    desk.begin("dummy", "wait:60", "working");
    let queued = desk.send("dummy", "say:next");
    let still = stop("escape");
    assert_eq!(
        (&still["confirmed"], &still["now"]),
        (&json!(false), &json!("working"))
    );
    let receipt = stop("stop");
    assert_eq!(
        (&receipt["was"], &receipt["confirmed"]),
        (&json!("working"), &json!(true))
    );
    let path = format!("/api/tasks/{}", queued["id"].as_str().unwrap());
    let done = desk.browser.wait_for(&path, "the next is done", |seen| {
        seen["task"]["status"]["state"] == "completed"
    });
    assert_eq!(done["task"]["reply"], "next");
    let killed = stop("kill");
    assert_eq!(
        (&killed["now"], &killed["confirmed"]),
        (&json!("stopped"), &json!(true))
    );
    desk.browser.wait_for("/api/agents", "it is gone", |seen| {
        seen["agents"] == json!([])
    });
}
