use serde_json::{Value, json};

use super::agent::{Agent, message, words};

#[test]
fn a_message_is_answered_with_the_finished_task() {
    let agent = Agent::dummy();
    for path in ["/", "/a2a", "/a2a/"] {
        let body = json!({
            "jsonrpc": "2.0", "id": "x", "method": "SendMessage",
            "params": { "message": message("say:hello"), "tckUnknown": 1 },
        });
        let reply = agent.ask("POST", path, &["A2A-Version: 1.0"], &body.to_string());
        assert_eq!(reply.headers["content-type"], "application/json");
        let task = &reply.json()["result"]["task"];
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task}");
        assert_eq!(words(task), "hello");
        assert_eq!(task["metadata"]["synapse/source"], "screen");
        assert_eq!(task["history"][0]["parts"][0]["text"], "say:hello");
        let time = task["status"]["timestamp"].as_str().unwrap();
        assert!(time.ends_with('Z') && time.len() == 24, "{time}");
    }
}

#[test]
fn code_and_json_are_artifacts_of_their_kind() {
    let agent = Agent::dummy();
    let kinds = |task: &Value| -> Vec<Value> {
        let artifacts = task["artifacts"].as_array().unwrap();
        artifacts.iter().map(|one| one["name"].clone()).collect()
    };
    let task = agent.send("code:python");
    assert_eq!(kinds(&task), ["output", "code", "output"]);
    let code = &task["artifacts"][1]["parts"][0];
    assert_eq!(code["mediaType"], "text/x-python");
    assert_eq!(code["metadata"], json!({ "language": "python" }));
    let task = agent.send("json");
    let data = task["artifacts"].as_array().unwrap();
    let data = data
        .iter()
        .find(|one| one["name"] == "json_output")
        .unwrap();
    assert_eq!(data["parts"][0]["data"]["status"], "ok");
    assert_eq!(data["parts"][0]["mediaType"], "application/json");
}

#[test]
fn who_does_not_wait_is_answered_at_once() {
    let agent = Agent::dummy();
    let task = agent.send_now("slow:2");
    let state = task["status"]["state"].as_str().unwrap();
    assert!(
        ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"].contains(&state),
        "{task}"
    );
    assert!(task.get("artifacts").is_none());
}

#[test]
fn a_conversation_is_made_up_or_kept() {
    let agent = Agent::dummy();
    let made = agent.send("say:one")["contextId"].clone();
    assert!(made.as_str().is_some_and(|id| !id.is_empty()));
    let mut said = message("say:two");
    said["contextId"] = json!("mine");
    let task = &agent.call("SendMessage", &json!({ "message": said }))["task"];
    assert_eq!(task["contextId"], "mine");
    assert_eq!(task["history"][0]["contextId"], "mine");
}

#[test]
fn a_message_sent_again_is_the_same_task() {
    let agent = Agent::dummy();
    let said = json!({ "message": message("say:once") });
    let first = agent.call("SendMessage", &said)["task"]["id"].clone();
    assert_eq!(agent.call("SendMessage", &said)["task"]["id"], first);
    let tasks = agent.call("ListTasks", &json!({}));
    assert_eq!(tasks["totalSize"], 1);
}

#[test]
fn history_is_told_as_far_as_it_is_wanted() {
    let agent = Agent::dummy();
    let params = json!({
        "message": message("say:x"),
        "configuration": { "historyLength": 0 },
    });
    let task = agent.call("SendMessage", &params)["task"].clone();
    assert!(task.get("history").is_none(), "{task}");
    let id = &task["id"];
    let history = |length: Value| {
        let task = agent.call("GetTask", &json!({ "id": id, "historyLength": length }));
        task["history"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(
        (history(json!(0)), history(json!(5)), history(Value::Null)),
        (0, 1, 1)
    );
}

#[test]
fn files_come_with_a_message_and_odd_kinds_are_refused() {
    let agent = Agent::dummy();
    let mut said = message("echo:");
    said["parts"] = json!([
        { "text": "echo:" },
        { "raw": "aGVsbG8", "filename": "a b.txt", "mediaType": "text/x-odd" },
    ]);
    let task = &agent.call("SendMessage", &json!({ "message": said }))["task"];
    let told = words(task);
    let path = told
        .split("[File: ")
        .nth(1)
        .and_then(|rest| rest.split(']').next());
    assert_eq!(
        std::fs::read_to_string(path.unwrap()).unwrap(),
        "hello",
        "{told}"
    );

    let mut odd = message("look");
    odd["parts"] = json!([{ "raw": "aGk=", "mediaType": "application/x-unknown" }]);
    assert_eq!(
        agent.code("SendMessage", &json!({ "message": odd })),
        -32005
    );
}

#[test]
fn five_at_once_are_all_answered() {
    let agent = Agent::dummy();
    let mut said: Vec<String> = std::thread::scope(|scope| {
        let ask = |number: usize| {
            let agent = &agent;
            scope.spawn(move || words(&agent.send(&format!("say:number {number}"))))
        };
        let asked: Vec<_> = (0..5).map(ask).collect();
        asked.into_iter().map(|one| one.join().unwrap()).collect()
    });
    said.sort();
    let expected: Vec<String> = (0..5).map(|number| format!("number {number}")).collect();
    assert_eq!(said, expected);
}

#[test]
fn urgency_and_sender_are_taken_from_metadata() {
    let agent = Agent::dummy();
    agent.send_now("slow:60");
    agent.world.wait_for_state("dummy", "BUSY");
    let mut urgent = message("say:now");
    urgent["metadata"] = json!({ "synapse/priority": 5, "synapse/sender": "codex" });
    let task = &agent.call("SendMessage", &json!({ "message": urgent }))["task"];
    assert_eq!(words(task), "now");
    assert_eq!(agent.world.task_state("slow:60"), "canceled");
    let mut odd = message("say:x");
    odd["metadata"] = json!({ "synapse/priority": 9 });
    assert_eq!(
        agent.code("SendMessage", &json!({ "message": odd })),
        -32602
    );
}
