//! 0.3 over JSON-RPC and over HTTP+JSON, and the method names of 0.1.

use serde_json::{Value, json};

use super::agent::{Agent, Frames};

fn old(text: &str) -> Value {
    json!({
        "kind": "message", "messageId": format!("old-{text}"), "role": "user",
        "parts": [{ "kind": "text", "text": text }],
    })
}

fn words(task: &Value) -> String {
    let artifacts = task["artifacts"].as_array().cloned().unwrap_or_default();
    let parts = artifacts
        .iter()
        .flat_map(|one| one["parts"].as_array().unwrap());
    parts.filter_map(|part| part["text"].as_str()).collect()
}

fn states(frames: &[Value]) -> Vec<(Value, Value)> {
    let updates = frames
        .iter()
        .filter(|frame| frame["kind"] == "status-update");
    updates
        .map(|one| (one["status"]["state"].clone(), one["final"].clone()))
        .collect()
}

#[test]
fn a_03_client_gets_bare_tasks_that_say_what_they_are() {
    let agent = Agent::dummy();
    let task = agent.old("message/send", &json!({ "message": old("say:hello") }))["result"].clone();
    assert_eq!(
        (&task["kind"], &task["status"]["state"]),
        (&json!("task"), &json!("completed"))
    );
    assert_eq!(task["artifacts"][0]["parts"][0]["kind"], "text");
    assert_eq!(words(&task), "hello");
    assert_eq!(task["history"][0]["role"], "user");
    let got = agent.old(
        "tasks/get",
        &json!({ "id": task["id"], "historyLength": 1 }),
    );
    assert_eq!(got["result"]["id"], task["id"]);
    let missing = agent.old("tasks/get", &json!({ "id": "nobody" }));
    assert_eq!(missing["error"]["code"], -32001);
    let hasty = json!({ "message": old("slow:60"), "configuration": { "blocking": false } });
    let task = agent.old("message/send", &hasty)["result"].clone();
    let gone = agent.old("tasks/cancel", &json!({ "id": task["id"] }));
    assert_eq!(gone["result"]["status"]["state"], "canceled", "{gone}");
}

#[test]
fn a_03_stream_says_where_it_ends() {
    let agent = Agent::dummy();
    let stream = |method: &str, params: &Value| -> Vec<Value> {
        let frames = agent.stream_with(method, params, &[]).all();
        frames
            .into_iter()
            .map(|frame| frame.said["result"].clone())
            .collect()
    };
    let said = stream("message/stream", &json!({ "message": old("say:hello") }));
    assert_eq!(said[0]["kind"], "task");
    let ends = states(&said);
    assert_eq!(ends.last().unwrap(), &(json!("completed"), json!(true)));
    assert!(
        ends.iter()
            .rev()
            .skip(1)
            .all(|(_, is_final)| is_final == false)
    );
    let asked = stream("message/stream", &json!({ "message": old("ask:yn Go?") }));
    assert_eq!(
        states(&asked).last().unwrap(),
        &(json!("input-required"), json!(true))
    );

    let mut answer = old("yes");
    answer["taskId"] = asked[0]["id"].clone();
    let done = agent.old("message/send", &json!({ "message": answer }))["result"].clone();
    assert_eq!(done["status"]["state"], "completed");
    // A task that is over is told as it is.
    let again = stream("tasks/resubscribe", &json!({ "id": done["id"] }));
    assert_eq!(
        (again.len(), &again[0]["status"]["state"]),
        (1, &json!("completed"))
    );
    // Who waits for a stream reads a refusal in one.
    let frames = agent.stream_with(
        "tasks/resubscribe",
        &json!({ "id": "nobody" }),
        &["Accept: text/event-stream"],
    );
    assert_eq!(frames.all()[0].said["error"]["code"], -32001);
}

#[test]
fn rest_of_03_is_spelled_as_its_proto() {
    let agent = Agent::dummy();
    let rest = |method: &str, path: &str, body: &Value| {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        agent.ask(method, &format!("/a2a/rest/v1{path}"), &[], &body)
    };
    let said = |text: &str, configuration: Value| {
        json!({
            "message": { "messageId": format!("r-{text}"), "role": "ROLE_USER", "content": [{ "text": text }] },
            "configuration": configuration,
        })
    };
    let reply = rest(
        "POST",
        "/message:send",
        &said("say:hello", json!({ "blocking": true })),
    );
    let task = reply.json()["task"].clone();
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{reply:?}");
    assert_eq!(task["history"][0]["content"][0]["text"], "say:hello");
    assert_eq!(words(&task), "hello");
    let id = task["id"].as_str().unwrap();
    assert_eq!(
        rest("GET", &format!("/tasks/{id}"), &Value::Null).json()["id"],
        id
    );

    let slow = rest("POST", "/message:send", &said("slow:60", json!({}))).json()["task"].clone();
    let id = slow["id"].as_str().unwrap();
    let gone = rest(
        "POST",
        &format!("/tasks/{id}:cancel"),
        &json!({ "name": format!("tasks/{id}") }),
    );
    assert_eq!(
        gone.json()["status"]["state"],
        "TASK_STATE_CANCELLED",
        "{gone:?}"
    );

    let missing = rest("GET", "/tasks/nobody", &Value::Null);
    assert_eq!(
        (missing.status, &missing.json()["code"]),
        (404, &json!(-32001))
    );
    let body = said("say:stream", Value::Null).to_string();
    let open = agent.open("POST", "/a2a/rest/v1/message:stream", &[], &body);
    let frames: Vec<Value> = Frames::new(open)
        .all()
        .into_iter()
        .map(|one| one.said)
        .collect();
    assert!(frames[0].get("task").is_some());
    let last = &frames.last().unwrap()["statusUpdate"];
    assert_eq!(
        (&last["status"]["state"], &last["final"]),
        (&json!("TASK_STATE_COMPLETED"), &json!(true))
    );

    let config = json!({ "parent": format!("tasks/{id}"), "configId": "p", "config": {
        "name": "", "pushNotificationConfig": { "id": "p", "url": "https://example.com" },
    } });
    let path = format!("/tasks/{id}/pushNotificationConfigs");
    let made = rest("POST", &path, &config).json();
    assert_eq!(
        made["name"],
        format!("tasks/{id}/pushNotificationConfigs/p"),
        "{made}"
    );
}

#[test]
fn a_client_of_01_names_its_tasks() {
    let agent = Agent::dummy();
    let said = |text: &str| json!({ "role": "user", "parts": [{ "type": "text", "text": text }] });
    let sent = agent.old(
        "tasks/send",
        &json!({ "id": "mine", "sessionId": "s", "message": said("say:hello") }),
    );
    let task = sent["result"].clone();
    assert_eq!(
        (&task["id"], &task["sessionId"]),
        (&json!("mine"), &json!("s")),
        "{sent}"
    );
    assert_eq!(task["status"]["state"], "completed");
    assert_eq!(task["artifacts"][0]["index"], 0);
    assert_eq!(
        task["artifacts"][0]["parts"][0],
        json!({ "type": "text", "text": "hello" })
    );
    assert_eq!(
        agent.old("tasks/get", &json!({ "id": "mine" }))["result"],
        task
    );

    let ask = json!({ "id": "asks", "message": said("ask:yn Sure?") });
    assert_eq!(
        agent.old("tasks/send", &ask)["result"]["status"]["state"],
        "input-required"
    );
    let answer = json!({ "id": "asks", "message": said("yes") });
    let done = agent.old("tasks/send", &answer)["result"].clone();
    assert_eq!(
        (&done["id"], &done["status"]["state"]),
        (&json!("asks"), &json!("completed"))
    );

    let stream = json!({ "id": "live", "message": said("say:live") });
    let frames = agent.stream_with("tasks/sendSubscribe", &stream, &[]).all();
    let frames: Vec<Value> = frames
        .into_iter()
        .map(|frame| frame.said["result"].clone())
        .collect();
    assert!(
        frames.iter().all(|frame| frame["id"] == "live"),
        "{frames:?}"
    );
    assert_eq!(frames.last().unwrap()["final"], true);
    let chunk = frames
        .iter()
        .find_map(|frame| frame.get("artifact"))
        .unwrap();
    assert_eq!(
        (&chunk["index"], &chunk["append"]),
        (&json!(0), &json!(false))
    );
}
