use serde_json::{Value, json};

use super::agent::{Agent, message, words};

fn ids(page: &Value) -> Vec<&str> {
    let tasks = page["tasks"].as_array().unwrap();
    tasks
        .iter()
        .map(|task| task["id"].as_str().unwrap())
        .collect()
}

#[test]
fn pages_hold_every_task_once_the_latest_first() {
    let agent = Agent::dummy();
    let mut sent: Vec<String> = (0..5)
        .map(|number| {
            agent.send(&format!("say:{number}"))["id"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    sent.reverse();
    let mut seen = Vec::new();
    let mut token = json!("");
    loop {
        let page = agent.call("ListTasks", &json!({ "pageSize": 2, "pageToken": token }));
        assert_eq!(
            (&page["pageSize"], &page["totalSize"]),
            (&json!(2), &json!(5))
        );
        assert!(
            page["tasks"]
                .as_array()
                .unwrap()
                .iter()
                .all(|task| task.get("artifacts").is_none())
        );
        seen.extend(ids(&page).into_iter().map(str::to_owned));
        token = page["nextPageToken"].clone();
        if token == "" {
            break;
        }
        // What comes in meanwhile neither repeats nor hides one.
        if seen.len() == 2 {
            sent.insert(0, agent.send("say:new")["id"].as_str().unwrap().to_owned());
            let page = agent.call("ListTasks", &json!({ "pageSize": 2, "pageToken": token }));
            assert_eq!(ids(&page), sent[3..5]);
            seen.extend(ids(&page).into_iter().map(str::to_owned));
            token = page["nextPageToken"].clone();
            let page = agent.call("ListTasks", &json!({ "pageSize": 2, "pageToken": token }));
            assert_eq!(
                (ids(&page), &page["nextPageToken"]),
                (vec![sent[5].as_str()], &json!(""))
            );
            break;
        }
    }
    assert_eq!(seen, sent[1..5]);
}

#[test]
fn tasks_are_picked_by_conversation_state_and_time() {
    let agent = Agent::dummy();
    let mut said = message("say:mine");
    said["contextId"] = json!("mine");
    let mine = agent.call("SendMessage", &json!({ "message": said }))["task"].clone();
    agent.send("say:other");
    let open = agent.send("ask:yn Stay?");

    let page = agent.call(
        "ListTasks",
        &json!({ "contextId": "mine", "includeArtifacts": true }),
    );
    assert_eq!(ids(&page), [mine["id"].as_str().unwrap()]);
    assert_eq!(words(&page["tasks"][0]), "mine");
    let page = agent.call(
        "ListTasks",
        &json!({ "status": "TASK_STATE_INPUT_REQUIRED" }),
    );
    assert_eq!(ids(&page), [open["id"].as_str().unwrap()]);
    let page = agent.call(
        "ListTasks",
        &json!({ "status": "TASK_STATE_AUTH_REQUIRED" }),
    );
    assert_eq!((ids(&page).len(), &page["totalSize"]), (0, &json!(0)));
    let since = &open["status"]["timestamp"];
    let page = agent.call("ListTasks", &json!({ "statusTimestampAfter": since }));
    assert_eq!(ids(&page), [open["id"].as_str().unwrap()]);
    let page = agent.call("ListTasks", &json!({ "contextId": "nobody's" }));
    assert_eq!(
        page,
        json!({ "tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0 })
    );
}

#[test]
fn what_cannot_be_listed_is_refused() {
    let agent = Agent::dummy();
    for params in [
        json!({ "pageSize": 0 }),
        json!({ "pageSize": 101 }),
        json!({ "pageSize": -1 }),
        json!({ "pageSize": "many" }),
        json!({ "pageToken": "not one of ours" }),
        json!({ "status": "done" }),
        json!({ "statusTimestampAfter": "lately" }),
        json!({ "historyLength": -1 }),
    ] {
        assert_eq!(agent.code("ListTasks", &params), -32602, "{params}");
    }
}

#[test]
fn tasks_of_an_earlier_run_are_still_there() {
    let agent = Agent::dummy();
    let task = agent.send("say:kept");
    agent.world.ok(&["stop", "dummy"]);
    let agent = agent.restarted();
    assert_eq!(words(&agent.task(&task["id"])), "kept");
    let page = agent.call("ListTasks", &json!({}));
    assert_eq!(ids(&page), [task["id"].as_str().unwrap()]);
    assert_eq!(
        agent.code("CancelTask", &json!({ "id": task["id"] })),
        -32002
    );
    let said = json!({ "message": super::agent::message_for(&task, "more") });
    assert_eq!(agent.code("SendMessage", &said), -32004);
}
