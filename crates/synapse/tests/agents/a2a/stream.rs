use serde_json::{Value, json};

use super::agent::{Agent, Frame, Frames, fold, message, message_for, words};

/// What the frames say, out of their envelopes.
fn results(frames: &[Frame]) -> Vec<Value> {
    let result = |frame: &Frame| {
        assert_eq!(
            (&frame.said["jsonrpc"], &frame.said["id"]),
            (&json!("2.0"), &json!("s"))
        );
        frame.said["result"].clone()
    };
    frames.iter().map(result).collect()
}

fn state(frame: &Frame) -> Option<&str> {
    frame
        .said
        .pointer("/result/statusUpdate/status/state")?
        .as_str()
}

#[test]
fn a_stream_begins_with_the_task_and_adds_up_to_it() {
    let agent = Agent::dummy();
    let frames = agent.stream(
        "SendStreamingMessage",
        &json!({ "message": message("slow:1") }),
    );
    let frames = frames.all();
    let said = results(&frames);
    assert!(said[0].get("task").is_some(), "{}", said[0]);
    assert_eq!(state(frames.last().unwrap()), Some("TASK_STATE_COMPLETED"));
    assert!(frames.is_sorted_by(|one, other| one.number < other.number));
    let folded = fold(&said);
    let kept = agent.task(&folded["id"]);
    assert_eq!(words(&folded), words(&kept));
    assert_eq!(folded["status"], kept["status"]);
    let grows = said
        .iter()
        .filter(|one| one.pointer("/artifactUpdate/append") == Some(&json!(true)));
    assert!(grows.count() > 1, "a slow reply is told while it appears");
}

#[test]
fn rest_streams_are_the_same_without_the_envelope() {
    let agent = Agent::dummy();
    let body = json!({ "message": message("say:hello") }).to_string();
    let open = agent.open(
        "POST",
        "/a2a/rest/message:stream",
        &["A2A-Version: 1.0"],
        &body,
    );
    assert_eq!(open.headers["cache-control"], "no-cache");
    let said: Vec<Value> = Frames::new(open)
        .all()
        .into_iter()
        .map(|one| one.said)
        .collect();
    assert!(said[0].get("task").is_some());
    assert_eq!(words(&fold(&said)), "hello");
}

#[test]
fn a_stream_is_taken_up_where_it_broke_off() {
    let agent = Agent::dummy();
    let task = agent.send_now("long:6 0.2");
    let params = json!({ "id": task["id"] });
    let whole = agent.stream("SubscribeToTask", &params);
    let mut broken = agent.stream("SubscribeToTask", &params);
    broken.next().unwrap();
    let seen = broken.next().unwrap();
    drop(broken);
    let whole = whole.all();
    // The task may be over by now; who says where it was gets the rest all the same.
    let last = format!("Last-Event-ID: {}", seen.number);
    let rest = agent.stream_with("SubscribeToTask", &params, &["A2A-Version: 1.0", &last]);
    let expected: Vec<Frame> = whole
        .into_iter()
        .filter(|one| one.number > seen.number)
        .collect();
    assert_eq!(rest.all(), expected);
    let end = expected.last().unwrap();
    assert_eq!(state(end), Some("TASK_STATE_COMPLETED"));
    // Who has seen the end is told that there is no more.
    let last = format!("Last-Event-ID: {}", end.number);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "SubscribeToTask", "params": params });
    let reply = agent.ask(
        "POST",
        "/a2a",
        &["A2A-Version: 1.0", &last],
        &body.to_string(),
    );
    assert_eq!(reply.json()["error"]["code"], -32004);
}

#[test]
fn all_who_watch_see_the_same_and_one_may_leave() {
    let agent = Agent::dummy();
    let task = agent.send("ask:yn Watch?");
    let params = json!({ "id": task["id"] });
    let subscribe = || agent.stream("SubscribeToTask", &params);
    let (one, other, mut leaver) = (subscribe(), subscribe(), subscribe());
    leaver.next().unwrap();
    drop(leaver);
    agent.call(
        "SendMessage",
        &json!({ "message": message_for(&task, "yes") }),
    );
    let (one, other) = (one.all(), other.all());
    assert_eq!(one, other);
    assert_eq!(state(one.last().unwrap()), Some("TASK_STATE_COMPLETED"));
}

#[test]
fn a_question_ends_the_stream_of_a_message_but_not_a_subscription() {
    let agent = Agent::dummy();
    let frames = agent.stream(
        "SendStreamingMessage",
        &json!({ "message": message("ask:yn Go?") }),
    );
    let frames = frames.all();
    assert_eq!(
        state(frames.last().unwrap()),
        Some("TASK_STATE_INPUT_REQUIRED")
    );
    let task = fold(&results(&frames));
    let params = json!({ "id": task["id"] });

    let mut watched = agent.stream("SubscribeToTask", &params);
    let first = watched.next().unwrap().said["result"]["task"].clone();
    assert_eq!(first["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    assert!(
        first["status"]["message"]["parts"][0]["text"]
            .as_str()
            .unwrap()
            .contains("Go?")
    );

    let said = json!({ "message": message_for(&task, "yes") });
    let answered = agent.stream("SendStreamingMessage", &said).all();
    assert_eq!(
        state(answered.last().unwrap()),
        Some("TASK_STATE_COMPLETED")
    );
    let rest = watched.all();
    assert_eq!(state(rest.last().unwrap()), Some("TASK_STATE_COMPLETED"));
}

#[test]
fn what_is_over_or_unknown_has_no_stream() {
    let agent = Agent::dummy();
    let done = agent.send("say:done");
    assert_eq!(
        agent.code("SubscribeToTask", &json!({ "id": done["id"] })),
        -32004
    );
    assert_eq!(
        agent.code("SubscribeToTask", &json!({ "id": "nobody" })),
        -32001
    );
    for method in ["GET", "POST"] {
        let task = agent.send_now("slow:1");
        let path = format!("/a2a/rest/tasks/{}:subscribe", task["id"].as_str().unwrap());
        let frames = Frames::new(agent.open(method, &path, &["A2A-Version: 1.0"], "")).all();
        assert!(frames[0].said.get("task").is_some());
    }
}
