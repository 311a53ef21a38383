//! Agents that others wrote, played by a script: cards and streams of every generation, and what an honest agent never does.

use serde_json::{Value, json};

use super::script::{Asked, Script, events, json as answer, status};
use crate::world::World;

const NEW_CARD: &str = "/.well-known/agent-card.json";
const OLD_CARD: &str = "/.well-known/agent.json";

fn card_v1(url: &str, binding: &str) -> Value {
    json!({
        "name": "Weather Agent", "description": "Knows the weather", "version": "1",
        "supportedInterfaces": [
            { "url": "grpc.example:1", "protocolBinding": "GRPC", "protocolVersion": "1.0" },
            { "url": format!("{url}/a2a"), "protocolBinding": binding, "protocolVersion": "1.0" },
        ],
        "capabilities": { "streaming": true }, "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"], "skills": [{ "id": "w", "name": "weather", "description": "rain or sun", "tags": [] }],
    })
}

fn task(state: &str) -> Value {
    json!({ "id": "t-1", "contextId": "c-1", "status": { "state": state } })
}

fn status_update(state: &str) -> Value {
    json!({ "statusUpdate": { "taskId": "t-1", "contextId": "c-1", "status": { "state": state } } })
}

fn chunk(text: &str, appends: bool) -> Value {
    json!({ "artifactUpdate": { "taskId": "t-1", "contextId": "c-1", "append": appends,
        "artifact": { "artifactId": "a-1", "parts": [{ "text": text }] } } })
}

fn rpc(result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "result": result })
}

/// A stream in two halves: the first breaks off in the middle, the second goes on where it broke.
fn halves(asked: &Asked, wrap: fn(&Value) -> Value, is_first: bool) -> String {
    if is_first {
        return events(&[
            (1, wrap(&json!({ "task": task("TASK_STATE_SUBMITTED") }))),
            (2, wrap(&status_update("TASK_STATE_WORKING"))),
            (3, wrap(&chunk("It rai", false))),
        ]);
    }
    assert_eq!(asked.header("last-event-id"), Some("3"));
    events(&[
        (4, wrap(&chunk("ns.", true))),
        (5, wrap(&status_update("TASK_STATE_COMPLETED"))),
    ])
}

#[test]
fn an_agent_of_1_0_is_followed_over_json_rpc_also_across_a_break() {
    let agent = Script::play(|asked, url| match asked.path.as_str() {
        NEW_CARD => answer(&card_v1(url, "JSONRPC")),
        "/a2a" => match asked.body["method"].as_str().unwrap() {
            "SendStreamingMessage" => halves(asked, rpc, true),
            "SubscribeToTask" => halves(asked, rpc, false),
            "SendMessage" => answer(&rpc(&json!({ "task": task("TASK_STATE_WORKING") }))),
            other => panic!("asked for {other}"),
        },
        other => panic!("asked for {other}"),
    });
    let world = World::new();
    let found = world.ok(&["external", "discover", &agent.url]);
    assert!(found.starts_with("weather-agent "), "{found}");
    assert_eq!(
        world.ok(&["send", "weather-agent", "How is it?", "--return"]),
        "It rains.\n"
    );
    assert_eq!(world.ok(&["send", "weather-agent", "How is it?"]), "t-1\n");
    let asked = agent.asked();
    assert!(
        asked
            .iter()
            .all(|asked| asked.header("a2a-version") == Some("1.0"))
    );
    let message = &asked[1].body["params"]["message"];
    assert_eq!(message["parts"], json!([{ "text": "How is it?" }]));
    assert_eq!(message["role"], "ROLE_USER");
    assert_eq!(
        asked.last().unwrap().body["params"]["configuration"]["returnImmediately"],
        true
    );
    assert!(
        world
            .ok(&["external", "show", "weather-agent"])
            .contains("weather: rain or sun")
    );
}

#[test]
fn an_agent_of_1_0_is_followed_over_rest() {
    let agent = Script::play(
        |asked, url| match (asked.method.as_str(), asked.path.as_str()) {
            ("GET", NEW_CARD) => answer(&card_v1(url, "HTTP+JSON")),
            ("POST", "/a2a/message:stream") => halves(asked, Value::clone, true),
            ("GET", "/a2a/tasks/t-1:subscribe") => halves(asked, Value::clone, false),
            other => panic!("asked for {other:?}"),
        },
    );
    let world = World::new();
    world.ok(&["external", "discover", &agent.url, "--alias", "w"]);
    assert_eq!(
        world.ok(&["send", "w", "How is it?", "--stream"]),
        "It rains.\n"
    );
}

#[test]
fn an_agent_of_0_3_is_asked_in_its_own_words() {
    let agent = Script::play(|asked, url| match asked.path.as_str() {
        NEW_CARD => answer(
            &json!({ "name": "old", "protocolVersion": "0.3.0", "url": format!("{url}/"),
            "preferredTransport": "JSONRPC", "capabilities": { "streaming": true }, "skills": [] }),
        ),
        "/" => match asked.body["method"].as_str().unwrap() {
            "message/stream" => events(&[
                (
                    1,
                    rpc(
                        &json!({ "kind": "task", "id": "t", "contextId": "c", "status": { "state": "submitted" } }),
                    ),
                ),
                (
                    2,
                    rpc(
                        &json!({ "kind": "artifact-update", "taskId": "t", "contextId": "c",
                    "artifact": { "artifactId": "a", "parts": [{ "kind": "text", "text": "Sun." }] } }),
                    ),
                ),
                (
                    3,
                    rpc(
                        &json!({ "kind": "status-update", "taskId": "t", "contextId": "c", "final": true,
                    "status": { "state": "completed" } }),
                    ),
                ),
            ]),
            other => panic!("asked for {other}"),
        },
        other => panic!("asked for {other}"),
    });
    let world = World::new();
    world.ok(&["external", "discover", &agent.url]);
    assert_eq!(
        world.ok(&["send", "old", "How is it?", "--return"]),
        "Sun.\n"
    );
    let message = agent.asked()[1].body["params"]["message"].clone();
    assert_eq!(message["kind"], "message");
    assert_eq!(
        message["parts"],
        json!([{ "kind": "text", "text": "How is it?" }])
    );
}

#[test]
fn an_agent_that_does_not_stream_is_waited_for() {
    let agent = Script::play(|asked, url| match asked.path.as_str() {
        NEW_CARD => {
            let mut card = card_v1(url, "JSONRPC");
            card["capabilities"] = json!({});
            answer(&card)
        }
        "/a2a" => match asked.body["method"].as_str().unwrap() {
            "SendMessage" => {
                assert_eq!(
                    asked.body["params"]["configuration"]["returnImmediately"],
                    false
                );
                answer(&rpc(
                    &json!({ "message": { "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "Snow." }] } }),
                ))
            }
            other => panic!("asked for {other}"),
        },
        other => panic!("asked for {other}"),
    });
    let world = World::new();
    world.ok(&["external", "discover", &agent.url, "--alias", "w"]);
    assert_eq!(
        world.ok(&["send", "w", "How is it?", "--return"]),
        "Snow.\n"
    );
}

#[test]
fn the_oldest_place_of_a_card_is_looked_at_last() {
    let agent = Script::play(|asked, url| match asked.path.as_str() {
        OLD_CARD => {
            answer(&json!({ "name": "native", "url": url, "capabilities": {}, "skills": [] }))
        }
        "/tasks/send" => answer(
            &json!({ "task": { "id": "t", "status": { "state": "completed" },
            "artifacts": [{ "type": "text", "parts": [{ "type": "text", "text": "Fog." }] }] } }),
        ),
        _ => status("404 Not Found", &json!({ "detail": "Not Found" })),
    });
    let world = World::new();
    world.ok(&["external", "discover", &agent.url]);
    assert_eq!(
        world.ok(&["send", "native", "How is it?", "--return"]),
        "Fog.\n"
    );
    assert_eq!(
        agent.asked()[2].body["message"]["parts"][0],
        json!({ "type": "text", "text": "How is it?" })
    );
}

#[test]
fn what_an_agent_refuses_is_told_in_its_words() {
    let agent = Script::play(|asked, url| match asked.path.as_str() {
        NEW_CARD => answer(&card_v1(url, "JSONRPC")),
        _ => answer(
            &json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32602, "message": "no such city" } }),
        ),
    });
    let world = World::new();
    world.ok(&["external", "discover", &agent.url, "--alias", "w"]);
    let refused = world.run(&["send", "w", "How is it?", "--return"]);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1));
    assert!(error.contains("no such city (-32602)"), "{error}");
}

#[test]
fn nobody_is_sent_elsewhere_and_nonsense_is_no_agent() {
    let world = World::new();
    for (text, said) in [
        (
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/x\r\nContent-Length: 0\r\n\r\n",
            "redirects to http://127.0.0.1:1/x",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "not an A2A agent",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
            "the card has no name",
        ),
        (
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
            "no agent card",
        ),
        ("SSH-2.0-OpenSSH_9.6\r\n", "127.0.0.1"),
        ("", "127.0.0.1"),
    ] {
        let agent = Script::play(|_, _| text.to_owned());
        let refused = world.run(&["external", "discover", &agent.url]);
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(1), "{text}");
        assert!(error.contains(said), "{error}");
    }
    for odd in ["nonsense", "ftp://x", "http://", "http://user:word@x"] {
        let refused = world.run(&["external", "discover", odd]);
        assert!(
            String::from_utf8_lossy(&refused.stderr).contains("is not an address"),
            "{odd}"
        );
    }
    assert_eq!(
        world.json(&["external", "list", "--json"])["agents"],
        json!([])
    );
}

#[test]
fn an_agent_that_others_reach_calls_nothing_of_this_machine() {
    let agent = Script::play(|_, url| answer(&card_v1(url, "JSONRPC")));
    let world = World::new();
    world.ok(&["start", "dummy", "--port", "0", "--listen", "0.0.0.0"]);
    for host in [
        agent.url.clone(),
        agent.url.replace("127.0.0.1", "localhost"),
    ] {
        let (status, answer) = world.call("POST", "/external/discover", &json!({ "url": host }));
        assert_eq!(status, 403, "{answer}");
        assert!(
            answer["error"]
                .as_str()
                .unwrap()
                .contains("may not be called"),
            "{answer}"
        );
    }
    assert!(agent.asked().is_empty(), "nobody was called");
}

#[test]
fn an_alias_is_not_taken_from_another_agent() {
    let (one, two) = (
        Script::play(|_, url| answer(&card_v1(url, "JSONRPC"))),
        Script::play(|_, url| answer(&card_v1(url, "JSONRPC"))),
    );
    let world = World::new();
    world.ok(&["external", "discover", &one.url, "--alias", "w"]);
    world.ok(&["external", "discover", &one.url, "--alias", "W"]);
    let taken = world.run(&["external", "discover", &two.url, "--alias", "w"]);
    assert!(String::from_utf8_lossy(&taken.stderr).contains(&one.url));
    world.ok(&["external", "discover", &two.url]);
    assert!(
        world
            .ok(&["external", "discover", &one.url])
            .starts_with("w "),
        "it keeps its alias"
    );
    assert_eq!(
        world.json(&["external", "list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}
