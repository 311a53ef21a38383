use std::net::TcpListener;

use serde_json::{Value, json};

use super::agent::{Agent, fold, message, words};
use crate::world::receiver::Receiver;

fn send(agent: &Agent, text: &str, push: &Value) -> Value {
    let params = json!({
        "message": message(text),
        "configuration": { "taskPushNotificationConfig": push },
    });
    agent.call("SendMessage", &params)["task"].take()
}

#[test]
fn everything_that_happens_is_posted_in_order() {
    let agent = Agent::dummy();
    let receiver = Receiver::new();
    let push = json!({
        "url": receiver.url, "token": "secret",
        "authentication": { "scheme": "Bearer", "credentials": "card" },
    });
    let task = send(&agent, "long:5 0.1", &push);
    let all = receiver.to_the_end();
    for posted in &all {
        for line in [
            "x-a2a-notification-token: secret",
            "a2a-notification-token: secret",
            "authorization: bearer card",
            "content-type: application/a2a+json",
        ] {
            assert!(posted.head.contains(line), "{line}: {}", posted.head);
        }
    }
    let frames: Vec<Value> = all.into_iter().map(|posted| posted.body).collect();
    assert!(frames[0].get("task").is_some(), "{}", frames[0]);
    let folded = fold(&frames);
    assert_eq!(words(&folded), words(&task));
    assert_eq!(folded["status"], task["status"]);
}

#[test]
fn places_are_kept_listed_and_deleted() {
    let agent = Agent::dummy();
    let task = agent.send("say:x");
    let id = &task["id"];
    let create = |push: &Value| agent.call("CreateTaskPushNotificationConfig", push);
    let named = json!({
        "taskId": id, "id": "mine", "url": "https://example.com/hook", "token": "t",
        "authentication": { "scheme": "Basic", "credentials": "c" },
    });
    assert_eq!(create(&named), named);
    let nameless = create(&json!({ "taskId": id, "url": "https://example.com/other" }));
    assert_eq!(
        &nameless["id"], id,
        "a place without a name has that of the task"
    );
    let one = json!({ "taskId": id, "id": "mine" });
    assert_eq!(agent.call("GetTaskPushNotificationConfig", &one), named);
    let listed = agent.call("ListTaskPushNotificationConfigs", &json!({ "taskId": id }));
    assert_eq!(listed["configs"].as_array().unwrap().len(), 2);
    for _ in 0..2 {
        let gone = agent.rpc("DeleteTaskPushNotificationConfig", &one);
        assert_eq!(gone["result"], Value::Null, "{gone}");
    }
    assert_eq!(agent.code("GetTaskPushNotificationConfig", &one), -32001);
    let path = format!(
        "/a2a/rest/tasks/{}/pushNotificationConfigs",
        id.as_str().unwrap()
    );
    let reply = agent.ask("GET", &path, &["A2A-Version: 1.0"], "");
    assert_eq!(reply.json()["configs"].as_array().unwrap().len(), 1);
    let gone = agent.ask("DELETE", &format!("{path}/x"), &["A2A-Version: 1.0"], "");
    assert_eq!((gone.status, gone.body.as_str()), (200, "{}"));
    for (push, code) in [
        (
            json!({ "taskId": "nobody", "url": "https://example.com" }),
            -32001,
        ),
        (json!({ "taskId": id }), -32602),
        (json!({ "taskId": id, "url": "ftp://example.com" }), -32602),
        (
            json!({ "taskId": id, "url": "https://example.com", "token": "a\nb" }),
            -32602,
        ),
    ] {
        assert_eq!(
            agent.code("CreateTaskPushNotificationConfig", &push),
            code,
            "{push}"
        );
    }
    for number in 0..15 {
        create(&json!({ "taskId": id, "id": format!("n{number}"), "url": "https://example.com" }));
    }
    let more = json!({ "taskId": id, "id": "one more", "url": "https://example.com" });
    assert_eq!(
        agent.code("CreateTaskPushNotificationConfig", &more),
        -32004
    );
}

#[test]
fn a_receiver_in_trouble_gets_it_again_and_in_order() {
    let agent = Agent::dummy();
    let receiver = Receiver::answering(&[503, 200]);
    send(&agent, "say:again", &json!({ "url": receiver.url }));
    let first = receiver.next();
    let again = receiver.next();
    assert_eq!(first.body, again.body);
    assert!(receiver.to_the_end().len() >= 2);
}

#[test]
fn nobody_there_delays_nothing() {
    let agent = Agent::dummy();
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    // It takes a connection and says nothing, for ever.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    for url in [
        format!("http://{closed}/"),
        format!("http://{}/", silent.local_addr().unwrap()),
        "http://169.254.169.254/latest/".to_owned(),
    ] {
        let task = send(&agent, "say:quick", &json!({ "url": url }));
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{url}");
    }
}

#[test]
fn a_deleted_place_is_told_no_more() {
    let agent = Agent::dummy();
    let receiver = Receiver::new();
    let task = agent.send_now("slow:2");
    let push = json!({ "taskId": task["id"], "id": "p", "url": receiver.url });
    agent.call("CreateTaskPushNotificationConfig", &push);
    receiver.next();
    agent.rpc(
        "DeleteTaskPushNotificationConfig",
        &json!({ "taskId": task["id"], "id": "p" }),
    );
    agent
        .stream("SubscribeToTask", &json!({ "id": task["id"] }))
        .all();
    let other = Receiver::new();
    send(&agent, "say:done", &json!({ "url": other.url }));
    other.to_the_end();
    let is_end = |body: &Value| body.to_string().contains("COMPLETED");
    let told = receiver.waiting();
    assert!(!told.iter().any(is_end), "who had left was told the end");
}

#[test]
fn who_asked_in_03_is_told_in_03() {
    let agent = Agent::dummy();
    let receiver = Receiver::new();
    let said = json!({
        "message": { "kind": "message", "messageId": "m", "role": "user", "parts": [{ "kind": "text", "text": "say:old" }] },
        "configuration": {
            "pushNotificationConfig": { "url": receiver.url, "token": "t", "authentication": { "schemes": ["Bearer"], "credentials": "c" } },
        },
    });
    let task = agent.old("message/send", &said)["result"].clone();
    for posted in receiver.to_the_end() {
        assert_eq!(posted.body["kind"], "task", "{}", posted.body);
        assert_eq!(posted.body["id"], task["id"]);
        assert!(posted.head.contains("authorization: bearer c"));
    }
    let params = json!({ "id": task["id"] });
    let kept = agent.old("tasks/pushNotificationConfig/get", &params)["result"].clone();
    assert_eq!(kept["pushNotificationConfig"]["url"], json!(receiver.url));
    assert_eq!(
        kept["pushNotificationConfig"]["authentication"]["schemes"],
        json!(["Bearer"])
    );
}

#[test]
fn the_end_of_a_task_is_posted_although_its_host_was_killed() {
    let agent = Agent::dummy();
    let receiver = Receiver::new();
    let task = agent.send_now("slow:60");
    let push = json!({ "taskId": task["id"], "url": receiver.url, "token": "secret" });
    agent.call("CreateTaskPushNotificationConfig", &push);
    receiver.next();
    agent.world.kill_host();
    let agent = agent.restarted();
    let last = receiver.to("failed").pop().unwrap();
    assert!(last.head.contains("x-a2a-notification-token: secret"));
    let told = &last.body["task"];
    assert_eq!(told["id"], task["id"], "{}", last.body);
    assert_eq!(told["status"]["state"], "TASK_STATE_FAILED");
    assert!(told.to_string().contains("HOST_CRASHED"), "{told}");
    send(&agent, "say:more", &json!({ "url": receiver.url }));
    let more = receiver.to_the_end();
    let is_old = |body: &Value| body.to_string().contains(task["id"].as_str().unwrap());
    assert!(more.iter().all(|posted| !is_old(&posted.body)));
}

#[test]
fn an_end_that_the_receiver_missed_is_posted_by_the_next_host() {
    let agent = Agent::dummy();
    let place = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", place.local_addr().unwrap());
    drop(place);
    let task = send(&agent, "say:late", &json!({ "url": url }));
    agent.world.kill_host();
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let receiver = Receiver::at(TcpListener::bind(address).unwrap(), &[]);
    let _agent = agent.restarted();
    let last = receiver.next();
    assert_eq!(last.body["task"]["status"], task["status"]);
}
