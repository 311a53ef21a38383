use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::super::change::{Answer, Place};
use super::*;
use synapse_machine::handle::Handle;
use synapse_machine::registry::{Status as Word, Transport};

fn entry(handle: &str) -> Entry {
    Entry {
        agent_id: AgentId::derive("box", Path::new("/w"), handle, 1),
        agent_type: "dummy".to_owned(),
        port: 8103,
        status: Word::Starting,
        pid: 7,
        working_dir: "/w".into(),
        endpoint: "http://127.0.0.1:8103".to_owned(),
        handle: Handle::parse(handle).unwrap(),
        profile: "dummy".to_owned(),
        started_at: None,
        transport: Transport::Http,
        token_path: None,
        is_token_replaced: false,
        program_dir: None,
        may_answer_itself: false,
        has_no_terminal: false,
        is_adopted: false,
        version: "1".to_owned(),
        other: BTreeMap::new(),
    }
}

/// A hub with one agent, and what it told so far.
struct World {
    state: State,
    id: AgentId,
    told: Vec<Value>,
}

impl World {
    fn new() -> Self {
        let entry = entry("codex");
        let mut world = Self {
            state: State::new("boot".to_owned()),
            id: entry.agent_id.clone(),
            told: Vec::new(),
        };
        let place = Place {
            worktree: "w".to_owned(),
            branch: Some("main".to_owned()),
            repository: Some("/w".to_owned()),
        };
        world.apply(Change::Appeared(Box::new(entry), place));
        world
    }

    /// What pages are told of a change.
    fn apply(&mut self, change: Change) -> Vec<String> {
        let at = Timestamp::UNIX_EPOCH;
        let deltas = self.state.apply(change, at);
        let told = deltas.iter().map(|(seq, delta)| delta.encode(*seq, at));
        let told: Vec<Value> = told
            .map(|text| serde_json::from_str(&text).unwrap())
            .collect();
        self.told.extend(told.clone());
        told.iter()
            .map(|delta| delta["type"].as_str().unwrap().to_owned())
            .collect()
    }

    fn report(&mut self, status: &str, fingerprint: Option<&str>) -> Vec<String> {
        let prompt = fingerprint.map(|fingerprint| {
            json!({ "kind": "confirmation", "question": "Really?", "fingerprint": fingerprint,
                "options": [{ "label": "y", "key": "y" }], "selected": null, "default": null })
        });
        let report = json!({ "status": status, "evidence": "test", "queue": 0, "prompt": prompt });
        let report = serde_json::from_value(report).unwrap();
        self.apply(Change::Reported(self.id.clone(), report))
    }

    fn task(&mut self, number: u64, data: Value) -> Vec<String> {
        let event = TaskEvent {
            task_id: "t1".to_owned(),
            number,
            event: "status".to_owned(),
            data,
        };
        self.apply(Change::Task(self.id.clone(), event))
    }

    fn agent(&self) -> Value {
        serde_json::to_value(&self.state.views()[0]).unwrap()
    }

    fn last(&self, kind: &str) -> &Value {
        self.told
            .iter()
            .rfind(|delta| delta["type"] == kind)
            .unwrap()
    }
}

#[test]
fn every_change_has_the_next_number() {
    let mut world = World::new();
    world.report("IDLE", None);
    world.report("INPUT_REQUIRED", Some("f1"));
    world.report("BUSY", None);
    let numbers: Vec<u64> = world
        .told
        .iter()
        .map(|delta| delta["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert_eq!(world.state.snapshot().seq, numbers.len() as u64);
}

#[test]
fn what_a_page_cannot_see_is_not_told() {
    let mut world = World::new();
    assert_eq!(world.report("IDLE", None), ["agent.changed"]);
    assert_eq!(world.report("IDLE", None), [""; 0]);
    let nobody = entry("nobody").agent_id;
    assert_eq!(world.apply(Change::StopSent(nobody)), [""; 0]);
}

#[test]
fn a_question_opens_before_the_agent_carries_it_and_closes_with_its_answer() {
    let mut world = World::new();
    assert_eq!(
        world.report("INPUT_REQUIRED", Some("f1")),
        ["prompt.opened", "agent.changed"]
    );
    let prompt = world.agent()["prompt"].clone();
    assert_eq!(
        (&prompt["fingerprint"], &prompt["question"]),
        (&json!("f1"), &json!("Really?"))
    );
    let answer = Answer {
        prompt: prompt["id"].as_str().unwrap().to_owned(),
        value: "yes".to_owned(),
        by: "phone".to_owned(),
        rule: None,
    };
    assert_eq!(
        world.apply(Change::Answered(world.id.clone(), answer)),
        [""; 0]
    );
    assert_eq!(
        world.report("BUSY", None),
        ["prompt.closed", "agent.changed"]
    );
    let closed = world.last("prompt.closed");
    assert_eq!(closed["id"], prompt["id"]);
    assert_eq!(
        closed["answer"],
        json!({ "value": "yes", "by": "phone", "rule": null })
    );
    assert_eq!(world.agent()["prompt"], Value::Null);
}

#[test]
fn the_same_question_asked_again_has_another_id() {
    let mut world = World::new();
    world.report("INPUT_REQUIRED", Some("f1"));
    let first = world.agent()["prompt"]["id"].clone();
    world.report("INPUT_REQUIRED", Some("f1"));
    assert_eq!(
        world.agent()["prompt"]["id"],
        first,
        "it is only painted anew"
    );
    world.report("BUSY", None);
    world.report("INPUT_REQUIRED", Some("f1"));
    assert_ne!(world.agent()["prompt"]["id"], first);
}

#[test]
fn another_question_closes_the_one_before() {
    let mut world = World::new();
    world.report("INPUT_REQUIRED", Some("f1"));
    let told = world.report("INPUT_REQUIRED", Some("f2"));
    assert_eq!(told, ["prompt.closed", "prompt.opened", "agent.changed"]);
    assert_eq!(world.last("prompt.closed")["answer"], Value::Null);
}

#[test]
fn a_stop_shows_only_while_there_is_something_to_stop() {
    let mut world = World::new();
    world.report("IDLE", None);
    world.apply(Change::StopSent(world.id.clone()));
    assert_eq!(world.agent()["status"], "idle");
    world.report("BUSY", None);
    assert_eq!(world.agent()["status"], "stopping");
    world.apply(Change::StopDone(world.id.clone()));
    assert_eq!(world.agent()["status"], "working");
}

#[test]
fn an_agent_that_does_not_answer_has_failed_until_it_does() {
    let mut world = World::new();
    world.report("IDLE", None);
    let why = "its host does not answer".to_owned();
    world.apply(Change::Unreachable(world.id.clone(), why));
    assert_eq!(world.agent()["status"], "failed");
    assert_eq!(world.agent()["evidence"], "its host does not answer");
    world.report("IDLE", None);
    assert_eq!(world.agent()["status"], "idle");
}

#[test]
fn a_task_makes_an_edge_of_the_mesh() {
    let mut world = World::new();
    let message = json!({ "role": "user", "parts": [{ "type": "text", "text": "hello" }] });
    let told = world.task(
        1,
        json!({ "state": "submitted", "sender": "Claude", "priority": 2, "message": message }),
    );
    assert_eq!(told, ["task", "mesh.edge"]);
    let edge = &world.last("mesh.edge")["edge"];
    assert_eq!(
        (&edge["from"], &edge["to"]),
        (&json!("@claude"), &json!("@codex"))
    );
    assert_eq!((&edge["count"], &edge["live"]), (&json!(1), &json!(1)));
    assert_eq!(
        world.task(2, json!({ "state": "working" })),
        ["task", "mesh.edge", "agent.changed"]
    );
    assert_eq!(world.agent()["task"]["text"], "hello");
    assert_eq!(world.task(3, json!({ "artifactId": "a" })), ["task"]);
    world.task(4, json!({ "state": "completed" }));
    assert_eq!(world.last("mesh.edge")["edge"]["live"], 0);
    assert_eq!(world.agent()["task"], Value::Null);
}

#[test]
fn who_goes_takes_the_question_and_the_work_along() {
    let mut world = World::new();
    world.report("INPUT_REQUIRED", Some("f1"));
    world.task(1, json!({ "state": "working", "sender": "user" }));
    let told = world.apply(Change::Vanished(
        world.id.clone(),
        Gone::Died,
        Some("killed".to_owned()),
    ));
    assert_eq!(told, ["prompt.closed", "mesh.edge", "agent.removed"]);
    assert_eq!(world.last("agent.removed")["reason"], "died");
    assert_eq!(world.last("mesh.edge")["edge"]["live"], 0);
    assert!(world.state.views().is_empty());
}

#[test]
fn those_who_wait_come_first() {
    let mut world = World::new();
    let waiting = entry("waiting");
    let (id, place) = (
        waiting.agent_id.clone(),
        world.state.agents[&world.id].place.clone(),
    );
    world.apply(Change::Appeared(Box::new(waiting), place));
    world.id = id;
    world.report("INPUT_REQUIRED", Some("f1"));
    assert_eq!(world.state.views()[0].handle, "waiting");
}
