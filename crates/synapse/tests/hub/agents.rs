//! Agents as the page starts them, talks to them and ends them.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::browser::Desk;

#[test]
fn the_page_starts_an_agent_and_ends_it() {
    let desk = Desk::new();
    let wanted = json!({ "profile": "dummy", "name": "helper", "worktree": desk.worktree() });
    let started = desk.browser.post("/api/agents", &wanted);
    assert_eq!(started.status, 201);
    let agent = started.ok()["agent"].clone();
    assert_eq!(
        (&agent["handle"], &agent["profile"]),
        (&json!("helper"), &json!("dummy"))
    );
    assert_eq!(agent["worktree"], desk.worktree().as_str());
    let again = desk
        .browser
        .post("/api/agents", &wanted)
        .refused(500, "start_failed");
    assert!(
        again["error"].as_str().unwrap().contains("helper is taken"),
        "{again}"
    );
    desk.browser.wait_for_status("helper", "idle");
    let token = desk.send("helper", "echo:x");
    assert_eq!(token["handle"], "helper");
    assert_eq!(
        desk.browser.delete("/api/agents/helper").ok(),
        json!({ "stopped": true })
    );
    desk.browser
        .get("/api/agents/helper")
        .refused(404, "no_such_agent");
    assert_eq!(desk.world.json(&["list", "--json"])["agents"], json!([]));
}

#[test]
fn the_page_asks_for_older_conversations_and_continues_none_but_by_name() {
    let desk = Desk::new();
    let past = desk.browser.get("/api/conversations?profile=dummy").ok();
    assert_eq!(past, json!({ "conversations": [] }));
    desk.browser
        .get("/api/conversations?profile=nosuch")
        .refused(404, "no_such_profile");
    desk.browser
        .get("/api/conversations")
        .refused(400, "bad_request");
    for wanted in [
        json!({ "profile": "claude", "resume": "--yolo" }),
        json!({ "profile": "dummy", "resume": "abc" }),
        json!({ "command": "cat", "resume": "abc" }),
    ] {
        desk.browser
            .post("/api/agents", &wanted)
            .refused(400, "bad_request");
    }
}

#[test]
fn an_agent_is_opened_on_the_page_that_is_served() {
    let desk = Desk::new();
    desk.world.ok(&["start", "dummy", "--port", "0"]);
    let id = desk.world.entry_of("dummy")["agent_id"].clone();
    let link = desk.world.ok(&["open", "dummy", "--print"]);
    let place = format!("/a/{}#code=", id.as_str().unwrap());
    assert!(link.contains(&place), "{link}");
    assert_eq!(
        desk.world.run(&["open", "nobody", "--print"]).status.code(),
        Some(3)
    );
    // The browser gets a file that only its user can read, never the link itself.
    let seen = desk.world.home.path().join("seen");
    let browser = desk.world.home.path().join("browser");
    let script = format!(
        "#!/bin/sh\ncat \"$1\" > {}.part && mv {0}.part {0}\n",
        seen.display()
    );
    std::fs::write(&browser, script).unwrap();
    std::fs::set_permissions(&browser, PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = desk.world.command(&["open", "dummy"]);
    assert!(command.env("BROWSER", &browser).status().unwrap().success());
    desk.world.wait_until("the browser has it", |_| {
        std::fs::read_to_string(&seen).is_ok_and(|page| page.contains(&place))
    });
}

#[test]
fn the_page_starts_any_program_by_its_command_and_shows_how_its_screen_is_read() {
    let desk = Desk::new();
    let wanted = json!({ "command": "sh -c 'echo \"a b\"; exec cat'", "name": "echoes" });
    desk.browser.post("/api/agents", &wanted).ok();
    desk.browser.wait_for_status("echoes", "idle");
    let read = desk.browser.get("/api/agents/echoes/explain").ok();
    assert_eq!(read["rows"][0]["text"], "a b", "{read}");
    assert_eq!(read["evidence"], "waits in a read", "{read}");
    for (wrong, code) in [
        (json!({ "command": "sh 'c" }), "bad_command"),
        (json!({ "command": " " }), "bad_command"),
        (
            json!({ "command": "cat", "profile": "dummy" }),
            "bad_request",
        ),
        (json!({}), "bad_request"),
    ] {
        desk.browser.post("/api/agents", &wrong).refused(400, code);
    }
}

#[test]
fn without_a_worktree_an_agent_works_where_the_hub_was_started() {
    let desk = Desk::new();
    let agent = desk
        .browser
        .post("/api/agents", &json!({ "profile": "dummy" }))
        .ok();
    assert_eq!(
        agent["agent"]["dir"],
        desk.repository.path.to_str().unwrap()
    );
}

#[test]
fn a_program_that_cannot_start_says_why() {
    let desk = Desk::new();
    let folder = desk.world.home.path().join("synapse/profiles");
    std::fs::create_dir_all(&folder).unwrap();
    let profile = "name: broken\ncommand: [\"/no/such/program\"]\n";
    std::fs::write(folder.join("broken.yaml"), profile).unwrap();
    let profiles = desk.browser.get("/api/profiles").ok();
    let row = profiles["profiles"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["name"] == "broken");
    assert_eq!(
        (&row.unwrap()["source"], &row.unwrap()["installed"]),
        (&json!("yours"), &json!(false))
    );
    let failed = desk
        .browser
        .post("/api/agents", &json!({ "profile": "broken" }));
    let failed = failed.refused(500, "start_failed");
    assert!(
        failed["error"]
            .as_str()
            .unwrap()
            .contains("/no/such/program"),
        "{failed}"
    );
}

#[test]
fn messages_queue_and_one_that_is_sent_now_goes_first() {
    let desk = Desk::with_dummy();
    let first = desk.send("dummy", "wait:60");
    desk.browser.wait_for_status("dummy", "working");
    let second = desk.send("dummy", "say:second");
    let agent = desk
        .browser
        .wait_for("/api/agents/dummy", "one waits", |seen| {
            seen["agent"]["queue"] == 1
        });
    assert_eq!(agent["agent"]["task"]["id"], first["id"]);
    let now = json!({ "text": "say:now", "mode": "now" });
    let third = desk.browser.post("/api/agents/dummy/send", &now).ok()["task"].clone();
    assert_eq!(third["priority"], 5);
    for (task, state) in [
        (&first, "canceled"),
        (&third, "completed"),
        (&second, "completed"),
    ] {
        let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
        desk.browser.wait_for(&path, state, |seen| {
            seen["task"]["status"]["state"] == state
        });
    }
}

#[test]
fn a_queued_message_is_removed_and_a_question_of_a_task_answered() {
    let desk = Desk::with_dummy();
    let task = |task: &Value| format!("/api/tasks/{}", task["id"].as_str().unwrap());
    let first = desk.send("dummy", "ask:yn Really?");
    desk.browser.wait_for_status("dummy", "waiting");
    let queued = desk.send("dummy", "say:never");
    let canceled = desk
        .browser
        .press(&format!("{}/cancel", task(&queued)))
        .ok();
    assert_eq!(canceled["task"]["status"]["state"], "canceled");
    desk.browser
        .press(&format!("{}/cancel", task(&queued)))
        .refused(409, "task_over");
    let input = format!("{}/input", task(&first));
    let stale = json!({ "input": "yes", "fingerprint": "0000000000000000" });
    desk.browser
        .post(&input, &stale)
        .refused(409, "prompt_changed");
    let shown = desk.browser.get(&task(&first)).ok();
    let fingerprint = &shown["task"]["status"]["message"]["fingerprint"];
    let answer = json!({ "input": "yes", "fingerprint": fingerprint });
    desk.browser.post(&input, &answer).ok();
    let done = desk.browser.wait_for(&task(&first), "it is done", |seen| {
        seen["task"]["status"]["state"] == "completed"
    });
    assert!(done["task"]["reply"].as_str().unwrap().ends_with("ok: yes"));
    desk.browser.post(&input, &answer).refused(409, "task_over");
}

#[test]
fn keys_are_pressed_by_name_and_the_screen_is_shown() {
    let desk = Desk::with_dummy();
    let keys = json!({ "keys": ["s", "a", "y", ":", "h", "i", "Enter"] });
    assert_eq!(
        desk.browser.post("/api/agents/dummy/keys", &keys).ok()["sent"],
        7
    );
    desk.browser
        .wait_for("/api/agents/dummy/screen?lines=3", "it is said", |seen| {
            let text = seen["text"].as_str().unwrap();
            text.lines().count() <= 3 && text.contains("\nhi")
        });
}

#[test]
fn what_was_said_is_read_page_by_page_also_when_the_agent_is_gone() {
    let desk = Desk::with_dummy();
    for word in ["one", "two", "three"] {
        desk.send("dummy", &format!("say:{word} 検索"));
    }
    let path = "/api/agents/dummy/messages?limit=2";
    let page = desk
        .browser
        .wait_for("/api/agents/dummy/messages", "all are done", |seen| {
            let tasks = seen["tasks"].as_array().unwrap();
            tasks.len() == 3
                && tasks
                    .iter()
                    .all(|task| task["status"]["state"] == "completed")
        });
    assert_eq!(page["next"], Value::Null);
    let first = desk.browser.get(path).ok();
    let next = format!("{path}&before={}", first["next"].as_str().unwrap());
    let second = desk.browser.get(&next).ok();
    let texts: Vec<&Value> = [&first, &second]
        .iter()
        .flat_map(|page| page["tasks"].as_array().unwrap())
        .map(|task| &task["reply"])
        .collect();
    assert_eq!(texts, ["three 検索", "two 検索", "one 検索"]);
    assert_eq!(first["tasks"][0]["sender"], "user");
    let found = desk.browser.get("/api/agents/dummy/messages?q=two").ok();
    assert_eq!(found["tasks"].as_array().unwrap().len(), 1);
    let found = desk.browser.get("/api/search?q=%E6%A4%9C%E7%B4%A2").ok();
    assert_eq!(found["tasks"].as_array().unwrap().len(), 3);
    assert!(
        found["tasks"][0]["snippet"]
            .as_str()
            .unwrap()
            .contains("検索")
    );
    desk.browser.delete("/api/agents/dummy").ok();
    let kept = desk.browser.get("/api/agents/dummy/messages").ok();
    assert_eq!(kept["tasks"].as_array().unwrap().len(), 3);
    assert_eq!(kept["tasks"][0]["agent"], Value::Null, "its agent is gone");
    desk.browser
        .get("/api/agents/nobody/messages")
        .refused(404, "no_such_agent");
}

#[test]
fn agents_worktrees_and_files_are_found() {
    let desk = Desk::with_dummy();
    desk.repository.commit("src/login.rs", "fn login() {}\n");
    let found = desk.browser.get("/api/search?q=LOGIN").ok();
    assert_eq!(found["files"][0]["path"], "src/login.rs");
    assert_eq!(found["files"][0]["worktree"], desk.worktree().as_str());
    let found = desk.browser.get("/api/search?q=dumm").ok();
    assert_eq!(found["agents"][0]["handle"], "dummy");
    let found = desk.browser.get("/api/search?q=main").ok();
    assert_eq!(found["worktrees"][0]["branch"], "main");
    let nothing = desk.browser.get("/api/search?q=").ok();
    assert_eq!(nothing["agents"], json!([]));
}

#[test]
fn the_page_may_start_an_agent_that_answers_itself() {
    let desk = Desk::new();
    for (name, asked) in [("one", json!(true)), ("two", json!(false))] {
        let body = json!({ "profile": "dummy", "name": name, "may_answer_itself": asked });
        desk.browser.post("/api/agents", &body).ok();
        let listed = desk.world.json(&["list", "--json"])["agents"].clone();
        let mut listed = listed.as_array().unwrap().iter();
        let entry = listed.find(|entry| entry["handle"] == name).unwrap();
        assert_eq!(entry["may_answer_itself"] == true, asked == true, "{entry}");
    }
}
