use serde_json::json;

use super::agent::{Agent, message_for};

#[test]
fn what_waits_and_what_runs_and_what_asks_can_be_canceled() {
    let agent = Agent::dummy();
    let running = agent.send_now("slow:60");
    agent.world.wait_for_state("dummy", "BUSY");
    let waiting = agent.send_now("say:never");
    for task in [&waiting, &running] {
        let gone = agent.call("CancelTask", &json!({ "id": task["id"] }));
        assert_eq!(gone["status"]["state"], "TASK_STATE_CANCELED", "{gone}");
        assert_eq!(gone["id"], task["id"]);
    }
    let asking = agent.send("ask:yn Sure?");
    let gone = agent.call(
        "CancelTask",
        &json!({ "id": asking["id"], "metadata": { "why": "no" } }),
    );
    assert_eq!(gone["status"]["state"], "TASK_STATE_CANCELED");
    // And it stays so, and takes no more words.
    assert_eq!(
        agent.code("CancelTask", &json!({ "id": asking["id"] })),
        -32002
    );
    let said = json!({ "message": message_for(&asking, "yes") });
    assert_eq!(agent.code("SendMessage", &said), -32004);
    assert_eq!(
        agent.send("say:next")["status"]["state"],
        "TASK_STATE_COMPLETED"
    );
}

#[test]
fn what_is_over_or_unknown_cannot() {
    let agent = Agent::dummy();
    let done = agent.send("say:done");
    assert_eq!(
        agent.code("CancelTask", &json!({ "id": done["id"] })),
        -32002
    );
    assert_eq!(agent.code("CancelTask", &json!({ "id": "nobody" })), -32001);
    assert_eq!(agent.code("CancelTask", &json!({})), -32602);
}
