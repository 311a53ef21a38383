use serde_json::{Value, json};

use super::agent::{Agent, message};

const V1: &str = "A2A-Version: 1.0";

fn code(agent: &Agent, headers: &[&str], body: &str) -> (Value, Value) {
    let reply = agent.ask("POST", "/a2a", headers, body);
    let answer = reply.json();
    assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
    let error = &answer["error"];
    assert_eq!(
        error["data"][0]["@type"], "type.googleapis.com/google.rpc.ErrorInfo",
        "{answer}"
    );
    assert_eq!(error["data"][0]["domain"], "a2a-protocol.org");
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|said| !said.is_empty())
    );
    (error["code"].clone(), answer["id"].clone())
}

#[test]
fn what_is_no_request_is_refused_with_the_codes_of_json_rpc() {
    let agent = Agent::dummy();
    let call = |rest: &str| format!(r#"{{"jsonrpc":"2.0","id":"i",{rest}}}"#);
    for (body, expected, id) in [
        ("{".to_owned(), -32700, json!(null)),
        ("[]".to_owned(), -32600, json!(null)),
        (
            format!("[{}]", call(r#""method":"GetTask""#)),
            -32600,
            json!(null),
        ),
        (
            r#"{"id":5,"method":"GetTask"}"#.to_owned(),
            -32600,
            json!(5),
        ),
        (call(r#""method":7"#), -32600, json!("i")),
        (call(r#""method":"Nothing""#), -32601, json!("i")),
        (call(r#""method":"message/send""#), -32601, json!("i")),
        (call(r#""method":"SendMessage""#), -32602, json!("i")),
        (
            call(r#""method":"GetTask","params":[1]"#),
            -32602,
            json!("i"),
        ),
        (
            call(r#""method":"GetTask","params":{"id":"x"}"#),
            -32001,
            json!("i"),
        ),
    ] {
        assert_eq!(code(&agent, &[V1], &body), (json!(expected), id), "{body}");
    }
}

#[test]
fn a_version_that_is_not_spoken_is_refused() {
    let agent = Agent::dummy();
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message("x") },
    })
    .to_string();
    assert_eq!(code(&agent, &["A2A-Version: 99.0"], &body).0, -32009);
    // Who says nothing speaks 0.3, which has no such method.
    assert_eq!(code(&agent, &[], &body).0, -32601);
    assert_eq!(code(&agent, &["A2A-Version: "], &body).0, -32601);
    let reply = agent.ask(
        "POST",
        "/a2a/rest/message:send",
        &["A2A-Version: 99.0"],
        &json!({ "message": message("x") }).to_string(),
    );
    assert_eq!(reply.status, 400);
    let error = reply.json()["error"].clone();
    assert_eq!(error["details"][0]["reason"], "VERSION_NOT_SUPPORTED");
}

#[test]
fn a_body_that_is_not_json_is_refused_in_the_shape_of_its_binding() {
    let agent = Agent::dummy();
    let plain = ["Content-Type: text/plain", V1];
    let reply = agent.ask("POST", "/a2a/", &plain, "{}");
    assert_eq!(reply.json()["error"]["code"], -32005);
    let reply = agent.ask("POST", "/a2a/rest/message:send", &plain, "{}");
    assert_eq!(reply.status, 415);
    let error = reply.json()["error"].clone();
    assert_eq!(error["code"], 415);
    assert_eq!(error["details"][0]["reason"], "CONTENT_TYPE_NOT_SUPPORTED");
}

#[test]
fn every_field_that_is_wrong_is_named() {
    let agent = Agent::dummy();
    let params = json!({
        "message": { "parts": [{ "text": "bare" }] },
        "configuration": { "historyLength": -1 },
    });
    let answer = agent.rpc("SendMessage", &params);
    let violations = &answer["error"]["data"][1]["fieldViolations"];
    let mut fields: Vec<&str> = violations
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["field"].as_str().unwrap())
        .collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "configuration.historyLength",
            "message.messageId",
            "message.role"
        ]
    );
    let reply = agent.ask("POST", "/a2a/rest/message:send", &[V1], &params.to_string());
    assert_eq!(reply.status, 400);
    assert_eq!(
        &reply.json()["error"]["details"][1]["fieldViolations"],
        violations
    );
}

#[test]
fn what_the_card_does_not_offer_is_refused() {
    let agent = Agent::dummy();
    assert_eq!(agent.code("GetExtendedAgentCard", &json!({})), -32004);
    let reply = agent.ask("GET", "/a2a/rest/extendedAgentCard", &[V1], "");
    assert_eq!(reply.status, 400);
    let old = agent.old("agent/getAuthenticatedExtendedCard", &json!({}));
    assert_eq!(old["error"]["code"], -32007);
}

#[test]
fn a_full_queue_is_told_as_such() {
    let agent = Agent::configured("queue_limit: 1\n");
    agent.send_now("slow:60");
    agent.world.wait_for_state("dummy", "BUSY");
    agent.send_now("say:waits");
    assert_eq!(
        agent.code("SendMessage", &json!({ "message": message("x") })),
        -32000
    );
    let body = json!({ "message": message("x") }).to_string();
    let reply = agent.ask("POST", "/a2a/rest/message:send", &[V1], &body);
    assert_eq!(reply.status, 429, "{reply:?}");
}

#[test]
fn known_extensions_are_told_back() {
    let agent = Agent::dummy();
    let named = "A2A-Extensions: https://example.com/x, urn:synapse:metadata:1";
    let reply = agent.ask("GET", "/a2a/rest/tasks", &[V1, named], "");
    assert_eq!(reply.status, 200);
    assert_eq!(reply.headers["a2a-extensions"], "urn:synapse:metadata:1");
}
