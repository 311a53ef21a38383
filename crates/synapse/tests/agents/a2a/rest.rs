use serde_json::{Value, json};

use super::agent::{Agent, Reply, message, words};

const V1: &str = "A2A-Version: 1.0";
const PLAIN: &str = "application/json";
const OWN: &str = "application/a2a+json";

fn rest(agent: &Agent, method: &str, path: &str, headers: &[&str], body: &Value) -> Reply {
    let mut all = vec![V1];
    all.extend(headers);
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    agent.ask(method, &format!("/a2a/rest{path}"), &all, &body)
}

#[test]
fn every_operation_is_there_and_answers_bare() {
    let agent = Agent::dummy();
    let said = json!({ "message": message("say:hello") });
    let reply = rest(&agent, "POST", "/message:send", &[], &said);
    assert_eq!(reply.status, 200, "{reply:?}");
    let task = reply.json()["task"].clone();
    assert_eq!(words(&task), "hello");
    let id = task["id"].as_str().unwrap();

    let got = rest(
        &agent,
        "GET",
        &format!("/tasks/{id}?historyLength=0"),
        &[],
        &Value::Null,
    );
    assert_eq!(got.json()["id"], id);
    assert!(got.json().get("history").is_none());
    let listed = rest(&agent, "GET", "/tasks?pageSize=10", &[], &Value::Null).json();
    assert_eq!(listed["tasks"][0]["id"], id);

    let slow = json!({
        "message": message("slow:60"),
        "configuration": { "returnImmediately": true },
    });
    let task = rest(&agent, "POST", "/message:send", &[], &slow).json()["task"].clone();
    let id = task["id"].as_str().unwrap();
    let gone = rest(
        &agent,
        "POST",
        &format!("/tasks/{id}:cancel"),
        &[],
        &Value::Null,
    );
    assert_eq!(gone.status, 200, "{gone:?}");
    assert_eq!(gone.json()["status"]["state"], "TASK_STATE_CANCELED");
}

#[test]
fn an_answer_has_the_media_type_of_the_question() {
    let agent = Agent::dummy();
    let kind = |headers: &[&str]| {
        let said = json!({ "message": message("say:x") });
        let reply = rest(&agent, "POST", "/message:send", headers, &said);
        reply.headers["content-type"].clone()
    };
    assert_eq!(kind(&["Content-Type: application/json"]), PLAIN);
    assert_eq!(kind(&["Content-Type: application/a2a+json"]), OWN);
    assert_eq!(
        kind(&[
            "Content-Type: application/json",
            "Accept: application/a2a+json"
        ]),
        OWN
    );
    let got = rest(&agent, "GET", "/tasks", &[], &Value::Null);
    assert_eq!(got.headers["content-type"], OWN);
    // Refusals are plain, as the kit and the text of the protocol want them.
    let missing = rest(&agent, "GET", "/tasks/nobody", &[], &Value::Null);
    assert_eq!(missing.headers["content-type"], PLAIN);
}

#[test]
fn a_refusal_says_in_its_status_and_its_body_what_is_wrong() {
    let agent = Agent::dummy();
    let done = agent.send("say:done");
    let id = done["id"].as_str().unwrap();
    for (method, path, status, reason) in [
        ("GET", "/tasks/nobody".to_owned(), 404, "TASK_NOT_FOUND"),
        (
            "POST",
            "/tasks/nobody:cancel".to_owned(),
            404,
            "TASK_NOT_FOUND",
        ),
        (
            "GET",
            "/tasks/nobody:subscribe".to_owned(),
            404,
            "TASK_NOT_FOUND",
        ),
        (
            "POST",
            format!("/tasks/{id}:cancel"),
            400,
            "TASK_NOT_CANCELABLE",
        ),
        (
            "GET",
            format!("/tasks/{id}:subscribe"),
            400,
            "UNSUPPORTED_OPERATION",
        ),
        (
            "GET",
            "/nothing/here/at/all".to_owned(),
            404,
            "METHOD_NOT_FOUND",
        ),
        ("DELETE", format!("/tasks/{id}"), 405, "METHOD_NOT_FOUND"),
        ("GET", "/tasks?pageSize=0".to_owned(), 400, "INVALID_PARAMS"),
        (
            "GET",
            "/tasks?status=working".to_owned(),
            400,
            "INVALID_PARAMS",
        ),
    ] {
        let reply = rest(&agent, method, &path, &[], &Value::Null);
        assert_eq!(reply.status, status, "{method} {path}: {reply:?}");
        let error = reply.json()["error"].clone();
        assert_eq!(error["code"], status, "{error}");
        assert_eq!(error["details"][0]["reason"], reason, "{error}");
    }
}

#[test]
fn a_path_says_how_it_can_be_asked_for() {
    let agent = Agent::dummy();
    let reply = rest(&agent, "PUT", "/tasks/t:subscribe", &[], &Value::Null);
    assert_eq!(
        (reply.status, reply.headers["allow"].as_str()),
        (405, "GET, POST")
    );
}

#[test]
fn a_tenant_in_front_changes_nothing() {
    let agent = Agent::dummy();
    let said = json!({ "message": message("say:hello"), "tenant": "acme" });
    let reply = rest(&agent, "POST", "/acme/message:send", &[], &said);
    let task = reply.json()["task"].clone();
    let id = task["id"].as_str().unwrap();
    let got = rest(
        &agent,
        "GET",
        &format!("/acme/tasks/{id}"),
        &[],
        &Value::Null,
    );
    assert_eq!(got.json()["id"], id);
}

#[test]
fn who_does_not_say_what_it_speaks_is_told_how_to() {
    let agent = Agent::dummy();
    let reply = agent.ask("GET", "/a2a/rest/tasks", &[], "");
    assert_eq!(reply.status, 400);
    assert!(reply.body.contains("A2A-Version: 1.0"), "{reply:?}");
    let reply = agent.ask("GET", "/a2a/rest/tasks?A2A-Version=1.0", &[], "");
    assert_eq!(reply.status, 200);
}
