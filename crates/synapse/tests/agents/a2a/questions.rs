use serde_json::{Value, json};

use super::agent::{Agent, message, message_for, words};

fn answer(agent: &Agent, said: &Value) -> Value {
    agent.call("SendMessage", &json!({ "message": said }))["task"].take()
}

#[test]
fn a_message_with_the_id_of_a_task_that_asks_is_its_answer() {
    let agent = Agent::dummy();
    let task = agent.send("ask:pick red|green|blue");
    assert_eq!(task["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    let question = &task["status"]["message"];
    assert_eq!(question["role"], "ROLE_AGENT");
    assert_eq!(
        question["metadata"]["synapse/options"],
        json!(["red", "green", "blue"])
    );
    let said = message_for(&task, "green");
    let done = answer(&agent, &said);
    assert_eq!(
        (&done["id"], &done["contextId"]),
        (&task["id"], &task["contextId"])
    );
    assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED", "{done}");
    assert!(words(&done).contains("green"), "{done}");
    let history = done["history"].as_array().unwrap();
    assert_eq!(history.len(), 3, "{history:?}");
    assert_eq!(history[1]["parts"], question["parts"]);
    assert_eq!(history[2]["messageId"], said["messageId"]);
    // Sent again by somebody who got no answer, it is no second answer.
    assert_eq!(answer(&agent, &said)["id"], task["id"]);
}

#[test]
fn an_answer_must_fit_its_task() {
    let agent = Agent::dummy();
    let task = agent.send("ask:yn Sure?");
    let code = |said: Value| agent.code("SendMessage", &json!({ "message": said }));

    let mut elsewhere = message_for(&task, "yes");
    elsewhere["contextId"] = json!("another");
    assert_eq!(code(elsewhere), -32602);
    let mut stale = message_for(&task, "yes");
    stale["metadata"] = json!({ "synapse/fingerprint": "0000000000000000" });
    assert_eq!(code(stale), -32004);
    let mut nobody = message("yes");
    nobody["taskId"] = json!("nobody");
    assert_eq!(code(nobody), -32001);
    assert_eq!(
        agent.world.state("dummy"),
        "INPUT_REQUIRED",
        "nothing was typed"
    );

    let mut right = message_for(&task, "yes");
    right["metadata"] = json!({
        "synapse/fingerprint": task["status"]["message"]["metadata"]["synapse/fingerprint"],
    });
    assert_eq!(
        answer(&agent, &right)["status"]["state"],
        "TASK_STATE_COMPLETED"
    );
    assert_eq!(code(message_for(&task, "again")), -32004);
}

#[test]
fn an_answer_that_is_none_of_the_options_is_refused() {
    let agent = Agent::dummy();
    let menu = agent.send("select:red|green");
    assert_eq!(menu["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    let said = json!({ "message": message_for(&menu, "blue") });
    assert_eq!(agent.code("SendMessage", &said), -32602);
    let done = answer(&agent, &message_for(&menu, "green"));
    assert!(words(&done).contains("green"), "{done}");
    let line = agent.send("ask:yn Sure?");
    let said = json!({ "message": message_for(&line, "perhaps") });
    assert_eq!(agent.code("SendMessage", &said), -32602);
    let done = answer(&agent, &message_for(&line, "no"));
    assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
}

#[test]
fn a_task_that_works_takes_no_more_messages() {
    let agent = Agent::dummy();
    let task = agent.send_now("slow:60");
    let said = json!({ "message": message_for(&task, "hurry") });
    let error = agent.rpc("SendMessage", &said)["error"].clone();
    assert_eq!(error["code"], -32004);
    assert!(
        error["message"].as_str().unwrap().contains("has not asked"),
        "{error}"
    );
}
