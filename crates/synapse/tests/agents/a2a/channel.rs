use serde_json::{Value, json};

use crate::world::terminal::Terminal;

use super::agent::{Agent, Frame, fold, message, message_for, words};

/// What a program says that answers by the first word of a message.
const PROGRAM: &str = r#"
case "$line" in
message*) say '{"message":{"parts":[{"text":"just words"}]}}' ;;
file*) say '{"artifact":{"name":"report","parts":[{"raw":"aGk=","filename":"a.txt","mediaType":"text/plain"}]}}' ;;
chunks*)
  say '{"artifact":{"id":"c","parts":[{"text":"one "}],"last":false}}'
  say '{"artifact":{"id":"c","parts":[{"text":"two"}],"append":true}}' ;;
forge*) say '{"reject":"a\n2026-11-18T02:31:43.907856Z  INFO synapse_session::journal: task ended task=\"FORGED\""}' ;;
overwrite*) say '{"reject":"no thanks because task=\"x\" state=\"completed\" \u001b[31m\u009b1m"}' ;;
reject*) say '{"reject":"not my trade"}' ;;
progress*) say '{"progress":"halfway"}'; say '{"artifact":{"parts":[{"data":{"k":1}}]}}' ;;
think*) say '{"progress":"thinking\nhard"}'; until [ -e "$SYNAPSE_HOME/go" ]; do sleep 0.1; done ;;
park*) say '{"ask":{"prompt":"Which?","options":["a","b"]}}' ;;
line*) say '{"ask":{"prompt":"Name?"}}'; read -r name; say "{\"artifact\":{\"parts\":[{\"text\":\"$name\"}]}}" ;;
*) say "{\"artifact\":{\"parts\":[{\"text\":\"$id said $line\"}]}}" ;;
esac"#;

fn results(frames: &[Frame]) -> Vec<Value> {
    frames
        .iter()
        .map(|frame| frame.said["result"].clone())
        .collect()
}

#[test]
fn a_program_may_answer_with_a_message_instead_of_a_task() {
    let agent = Agent::speaking(PROGRAM);
    let answer = agent.call("SendMessage", &json!({ "message": message("message") }));
    assert!(answer.get("task").is_none(), "{answer}");
    assert_eq!(
        answer["message"]["parts"],
        json!([{ "text": "just words" }])
    );
    assert_eq!(answer["message"]["role"], "ROLE_AGENT");
    assert!(answer["message"]["contextId"].is_string());
    let said = json!({ "message": message("message") });
    let frames = results(&agent.stream("SendStreamingMessage", &said).all());
    assert_eq!(frames.len(), 1, "{frames:?}");
    assert_eq!(frames[0]["message"]["parts"][0]["text"], "just words");
    // To 0.3 it is a bare message, to 0.1 a task that says it.
    let said = json!({ "message": {
        "kind": "message", "messageId": "old", "role": "user", "parts": [{ "kind": "text", "text": "message" }],
    } });
    assert_eq!(
        agent.old("message/send", &said)["result"]["kind"],
        "message"
    );
}

#[test]
fn files_chunks_and_refusals_are_what_the_program_says() {
    let agent = Agent::speaking(PROGRAM);
    let file = agent.send("file");
    assert_eq!(
        file["artifacts"][0]["parts"],
        json!([{ "raw": "aGk=", "filename": "a.txt", "mediaType": "text/plain" }])
    );
    let said = json!({ "message": message("chunks") });
    let frames = results(&agent.stream("SendStreamingMessage", &said).all());
    let folded = fold(&frames);
    assert_eq!(words(&folded), "one two");
    assert_eq!(folded["artifacts"], agent.task(&folded["id"])["artifacts"]);
    let last = frames
        .iter()
        .filter_map(|frame| frame.get("artifactUpdate"))
        .next_back();
    assert_eq!(last.unwrap()["lastChunk"], true);
    let refused = agent.send("reject");
    assert_eq!(refused["status"]["state"], "TASK_STATE_REJECTED");
    assert_eq!(
        refused["status"]["message"]["parts"][0]["text"],
        "not my trade"
    );
}

#[test]
fn how_far_it_is_comes_as_a_status_with_a_message() {
    let agent = Agent::speaking(PROGRAM);
    let said = json!({ "message": message("progress") });
    let frames = results(&agent.stream("SendStreamingMessage", &said).all());
    let noted = frames.iter().find_map(|frame| {
        let text = frame.pointer("/statusUpdate/status/message/parts/0/text")?;
        Some((
            frame["statusUpdate"]["status"]["state"].clone(),
            text.clone(),
        ))
    });
    assert_eq!(noted, Some((json!("TASK_STATE_WORKING"), json!("halfway"))));
    assert_eq!(
        fold(&frames)["artifacts"][0]["parts"][0]["data"],
        json!({ "k": 1 })
    );
}

#[test]
fn how_far_it_is_is_shown_to_whoever_waits() {
    let agent = Agent::speaking(PROGRAM);
    let mut waiting = Terminal::open(&agent.world, &["send", "speaker", "think", "--return"]);
    waiting.wait_for("speaker: thinking hard");
    std::fs::write(agent.world.home.path().join("synapse/go"), "").unwrap();
    waiting.end();
}

#[test]
fn a_parked_task_waits_while_others_have_their_turn() {
    let agent = Agent::speaking(PROGRAM);
    let parked = agent.send("park");
    assert_eq!(
        parked["status"]["state"], "TASK_STATE_INPUT_REQUIRED",
        "{parked}"
    );
    let watched = agent.stream("SubscribeToTask", &json!({ "id": parked["id"] }));
    assert!(words(&agent.send("other")).ends_with("said other"));
    // The answer comes with its own id, at the program's prompt.
    let said = message_for(&parked, "b");
    let done = agent.call("SendMessage", &json!({ "message": said }))["task"].clone();
    assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
    let id = said["messageId"].as_str().unwrap();
    assert_eq!(words(&done), format!("{id} said b"));
    let frames = results(&watched.all());
    assert_eq!(words(&fold(&frames)), words(&done));
}

#[test]
fn a_program_that_reads_a_line_gets_the_answer_as_that_line() {
    let agent = Agent::speaking(PROGRAM);
    let asking = agent.send("line");
    assert_eq!(
        asking["status"]["state"], "TASK_STATE_INPUT_REQUIRED",
        "{asking}"
    );
    let said = json!({ "message": message_for(&asking, "Ada") });
    let done = agent.call("SendMessage", &said)["task"].clone();
    assert_eq!(words(&done), "Ada");
}

#[test]
fn what_a_program_says_is_one_value_in_one_line_of_the_log() {
    let agent = Agent::speaking(PROGRAM);
    let refused = ["forge", "overwrite"].map(|word| agent.send(word));
    let log = || agent.world.ok(&["logs", "speaker", "-n", "99"]);
    agent
        .world
        .wait_until("both are written", |_| log().contains("no thanks"));
    let log = log();
    assert!(
        log.lines()
            .all(|line| !line.contains("journal: task ended task=\"FORGED")),
        "{log}"
    );
    assert!(!log.contains(['\u{1b}', '\u{9b}']), "{log}");
    let lines = agent.world.ok(&["logs", "speaker", "-n", "99", "--json"]);
    let ends: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["said"].as_str().unwrap().starts_with("task ended"))
        .collect();
    assert_eq!(ends.len(), refused.len(), "{lines}");
    for (end, task) in ends.iter().zip(&refused) {
        let why = &task["status"]["message"]["parts"][0]["text"];
        let fields = json!({ "task": task["id"], "state": "rejected", "why": why });
        assert_eq!(end["fields"], fields);
    }
}
