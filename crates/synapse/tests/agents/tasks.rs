//! Tasks over HTTP, in the native dialect: streams that can be taken up again, files, duplicates, the
//! channel, turns at the keyboard.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::HashSet;

use crate::world::World;
use serde_json::{Value, json};
use synapse_store::{Filter, Reader};

/// The events of a stream: number, name, data.
fn events(answer: &str) -> Vec<(u64, String, Value)> {
    let body = answer.replace("\r\n", "\n");
    let frames = body.split("\n\n").filter(|frame| frame.contains("data: "));
    let field = |frame: &str, name: &str| {
        let line = frame
            .lines()
            .find_map(|line| line.strip_prefix(name).map(str::to_owned));
        line.unwrap_or_default()
    };
    frames
        .map(|frame| {
            let data = serde_json::from_str(&field(frame, "data: ")).unwrap();
            (
                field(frame, "id: ").parse().unwrap(),
                field(frame, "event: "),
                data,
            )
        })
        .collect()
}

fn sent(world: &World, body: &Value) -> String {
    let (status, answer) = world.call("POST", "/tasks/send", body);
    assert_eq!(status, 200, "{answer}");
    answer["task"]["id"].as_str().unwrap().to_owned()
}

fn wait_for_end(world: &World, id: &str) -> Value {
    let (status, _) = world.raw_call("GET", &format!("/tasks/{id}/subscribe"), "", &Value::Null);
    assert_eq!(status, 200);
    world.call("GET", &format!("/tasks/{id}"), &Value::Null).1["task"].clone()
}

#[test]
fn a_stream_is_numbered_and_can_be_taken_up_anywhere() {
    let world = World::with_dummy();
    let body = json!({"message": "code:rust"});
    let (status, answer) = world.raw_call("POST", "/tasks/sendSubscribe", "", &body);
    assert_eq!(status, 200);
    assert!(answer.contains("retry: "), "{answer}");
    let whole = events(&answer);
    let numbers: Vec<u64> = whole.iter().map(|event| event.0).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert_eq!(whole[0].2["state"], "submitted");
    assert_eq!(whole.last().unwrap().2["state"], "completed");
    let id = whole[0].2["taskId"].as_str().unwrap();
    let path = format!("/tasks/{id}/subscribe");
    for after in 0..whole.len() {
        let more = format!("\r\nLast-Event-ID: {after}");
        let (_, rest) = world.raw_call("GET", &path, &more, &Value::Null);
        assert_eq!(events(&rest), whole[after..], "after {after}");
    }
    let (status, _) = world.raw_call("GET", &path, "\r\nLast-Event-ID: x", &Value::Null);
    assert_eq!(status, 400);
}

#[test]
fn a_message_sent_twice_is_one_task() {
    let world = World::with_dummy();
    let message = json!({"messageId": "m-7", "role": "user", "parts": [{"type": "text", "text": "say:once"}]});
    let body = json!({"message": message});
    let first = sent(&world, &body);
    wait_for_end(&world, &first);
    assert_eq!(sent(&world, &body), first);
    let other = json!({"message": {"messageId": "m-7", "parts": [{"text": "say:other"}]}});
    assert_ne!(
        sent(&world, &other),
        first,
        "another message under the same name is another task"
    );
}

#[test]
fn copies_of_a_message_that_arrive_together_are_one_task() {
    let world = World::with_dummy();
    for round in 0..10 {
        let id = format!("together-{round}");
        let body = json!({"message": {"messageId": id, "parts": [{"text": "say:once"}]}});
        let tasks: HashSet<String> = std::thread::scope(|scope| {
            let copies = [(); 3].map(|()| scope.spawn(|| sent(&world, &body)));
            copies.map(|copy| copy.join().unwrap()).into()
        });
        assert_eq!(tasks.len(), 1, "{id} became {tasks:?}");
    }
}

#[test]
fn a_message_that_says_nothing_is_refused_and_holds_nobody() {
    let world = World::with_dummy();
    for content in ["", "  ", "\u{0}\u{3}"] {
        let (status, answer) = world.call("POST", "/message", &json!({"content": content}));
        assert_eq!(status, 400, "{content:?}");
        assert!(answer["error"].as_str().unwrap().contains("empty"));
    }
    // Typed by hand it is a turn nobody sees; the task behind it must still have its own.
    let id = sent(&world, &json!({"message": "say:still here"}));
    assert_eq!(wait_for_end(&world, &id)["reply"], "still here");
}

#[test]
fn files_are_written_below_the_task_and_named_in_the_message() {
    let world = World::with_dummy();
    let file = json!({"type": "file", "file": {"name": "../notes.txt", "mimeType": "text/plain", "bytes": STANDARD.encode("hello")}});
    let id = sent(
        &world,
        &json!({"message": {"parts": [{"text": "say:see"}, file]}}),
    );
    let task = wait_for_end(&world, &id);
    let path = world
        .home
        .path()
        .join(format!("synapse/tasks/{id}/notes.txt"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "hello");
    assert!(
        task["reply"]
            .as_str()
            .unwrap()
            .contains(path.to_str().unwrap()),
        "{task}"
    );
    let bad = json!({"message": {"parts": [{"file": {"bytes": "%%"}}]}});
    let (status, answer) = world.call("POST", "/tasks/send", &bad);
    assert_eq!(status, 400);
    assert!(
        answer["error"]
            .as_str()
            .unwrap()
            .contains("message.parts[0].file.bytes")
    );
}

#[test]
fn the_plainest_way_to_ask_works() {
    let world = World::with_dummy();
    let body = json!({"content": "say:hello", "priority": 2});
    let (status, answer) = world.call("POST", "/message", &body);
    assert_eq!(
        (status, &answer["status"], &answer["priority"]),
        (200, &json!("sent"), &json!(2))
    );
    let id = answer["task_id"].as_str().unwrap();
    wait_for_end(&world, id);
    let (_, response) = world.call("GET", &format!("/response/{id}"), &Value::Null);
    assert_eq!(
        response,
        json!({"request_id": id, "status": "completed", "response": "hello"})
    );
    assert_eq!(world.call("GET", "/response/nobody", &Value::Null).0, 404);
    for priority in [json!(0), json!(6), json!("x"), json!(1.5)] {
        let body = json!({"content": "say:x", "priority": priority});
        assert_eq!(world.call("POST", "/message", &body).0, 400, "{priority}");
    }
}

#[test]
fn a_canceled_task_is_canceled_when_the_answer_says_so() {
    let world = World::with_dummy();
    let id = sent(&world, &json!({"message": "slow:60"}));
    world.wait_for_state("dummy", "BUSY");
    let (status, answer) = world.call("POST", &format!("/tasks/{id}/cancel"), &json!({}));
    assert_eq!(
        (status, &answer["task"]["status"]["state"]),
        (200, &json!("canceled"))
    );
    assert_eq!(
        world
            .call("POST", &format!("/tasks/{id}/cancel"), &json!({}))
            .0,
        409
    );
    assert_eq!(world.call("POST", "/tasks/none/cancel", &json!({})).0, 404);
}

/// A program that speaks through the channel; each line it reads names what to say.
const SPEAKER: &str = r#"#!/usr/bin/env python3
import base64, json, sys
def say(word):
    text = base64.b64encode(json.dumps(word).encode()).decode()
    sys.stdout.write("\x1b]7710;" + text + "\x1b\\")
while True:
    sys.stdout.write("speaker> "); sys.stdout.flush()
    line = sys.stdin.readline()
    if not line: break
    line = line.strip()
    if line == "file":
        say({"artifact": {"id": "f", "name": "out", "parts": [{"raw": "aGk=", "filename": "o.txt"}], "last": False}})
        say({"artifact": {"id": "f", "append": True, "parts": [{"text": "more"}]}})
        print("this is for the screen only")
    elif line == "message": say({"message": {"parts": [{"text": "directly"}]}})
    elif line == "data": say({"artifact": {"parts": [{"data": {"heard": True}}]}})
    elif line == "reject": say({"reject": "not my trade"})
    elif line == "park": say({"ask": {"prompt": "Which?", "options": ["a", "b"]}})
    elif line == "wait":
        say({"progress": "halfway"})
        say({"ask": {"prompt": "Name?"}})
        print("name: ", end="", flush=True)
        print("hello " + sys.stdin.readline().strip())
    else: print("heard " + line)
"#;

fn speaker(channel: bool) -> World {
    let world = World::new();
    let program = world.home.path().join("speaker.py");
    std::fs::write(&program, SPEAKER).unwrap();
    let program = program.display();
    world.start_profile(
        "speaker",
        &format!("name: speaker\ncommand: [python3, {program}]\nidle_regex: '^speaker> $'\nprompt_template: '{{text}}'\nchannel: {channel}\n"),
    );
    world
}

#[test]
fn a_program_gives_files_messages_and_refusals_through_its_channel() {
    let world = speaker(true);
    let id = sent(&world, &json!({"message": "file"}));
    let task = wait_for_end(&world, &id);
    let parts = &task["artifacts"][0]["parts"];
    assert_eq!(parts[0]["file"]["bytes"], "aGk=", "{task}");
    assert_eq!(parts[1]["text"], "more");
    assert_eq!(
        task["artifacts"].as_array().unwrap().len(),
        1,
        "the screen has nothing to add"
    );
    let id = sent(&world, &json!({"message": "message"}));
    let task = wait_for_end(&world, &id);
    assert_eq!(
        (&task["reply"], &task["source"]),
        (&json!("directly"), &json!("channel"))
    );
    let id = sent(&world, &json!({"message": "data"}));
    let task = wait_for_end(&world, &id);
    assert_eq!(task["artifacts"][0]["type"], "data", "{task}");
    assert_eq!(
        (&task["reply"], &task["source"]),
        (&json!("{\"heard\":true}"), &json!("channel"))
    );
    let printed = world.ok(&["send", "speaker", "data", "--return"]);
    assert_eq!(printed, "{\"heard\":true}\n");
    let id = sent(&world, &json!({"message": "reject"}));
    let task = wait_for_end(&world, &id);
    assert_eq!(task["status"]["state"], "rejected");
    assert_eq!(task["status"]["message"], "not my trade");
}

#[test]
fn a_question_through_the_channel_parks_its_task_and_others_go_on() {
    let world = speaker(true);
    let id = sent(&world, &json!({"message": "park"}));
    let state = |world: &World| {
        world.call("GET", &format!("/tasks/{id}"), &Value::Null).1["task"]["status"].clone()
    };
    world.wait_until("it asks", |world| state(world)["state"] == "input_required");
    assert_eq!(state(&world)["message"]["options"], json!(["a", "b"]));
    let other = sent(&world, &json!({"message": "something else"}));
    assert_eq!(
        wait_for_end(&world, &other)["reply"],
        "heard something else"
    );
    let old = json!({"input": "b", "fingerprint": "0"});
    assert_eq!(
        world.call("POST", &format!("/tasks/{id}/input"), &old).0,
        409
    );
    let (status, answer) = world.call(
        "POST",
        &format!("/tasks/{id}/input"),
        &json!({"input": "b"}),
    );
    assert_eq!((status, &answer["status"]), (200, &json!("input_provided")));
    assert_eq!(wait_for_end(&world, &id)["reply"], "heard b");
}

#[test]
fn a_program_that_waits_for_a_line_is_typed_the_answer() {
    let world = speaker(true);
    let id = sent(&world, &json!({"message": "wait"}));
    let path = format!("/tasks/{id}");
    world.wait_until("it asks", |world| {
        world.call("GET", &path, &Value::Null).1["task"]["status"]["state"] == "input_required"
    });
    assert_eq!(
        world
            .call("POST", &format!("{path}/input"), &json!({"input": "Ada"}))
            .0,
        200
    );
    let task = wait_for_end(&world, &id);
    assert_eq!(task["status"]["state"], "completed");
    assert!(
        task["reply"].as_str().unwrap().contains("hello Ada"),
        "{task}"
    );
}

#[test]
fn a_program_whose_profile_does_not_allow_it_has_no_channel() {
    let world = speaker(false);
    let id = sent(&world, &json!({"message": "reject"}));
    let task = wait_for_end(&world, &id);
    assert_eq!(task["status"]["state"], "completed", "{task}");
}

#[test]
fn a_reply_ends_at_the_marker_its_program_was_told_to_write() {
    let world = World::new();
    let script = "while read -rp '> ' line; do echo \"you said $line\"; echo '[RESPONSE_END]'; sleep 60; done";
    world.start_profile(
        "marked",
        &format!("name: marked\ncommand: [bash, -c, {script:?}]\nidle_regex: '^> $'\nprompt_template: '{{text}}'\nresponse_end: '[RESPONSE_END]'\n"),
    );
    let answer = world.json(&["send", "marked", "hi", "--return", "--json"]);
    assert_eq!(
        (&answer["reply"], &answer["source"]),
        (&json!("you said hi"), &json!("marker")),
        "{answer}"
    );
}

#[test]
fn a_program_that_falls_silent_has_answered_with_what_it_shows() {
    let world = World::new();
    world.start_profile(
        "silent",
        "name: silent\nextends: dummy\nresponse_timeout: 0.5\n",
    );
    let answer = world.json(&["send", "silent", "long:2 60", "--return", "--json"]);
    assert_eq!(
        (&answer["state"], &answer["reply"], &answer["source"]),
        (
            &json!("completed"),
            &json!("line 1 of 2"),
            &json!("timeout")
        ),
        "{answer}"
    );
    // It still runs, so the next message waits, and its reply is its own.
    assert_eq!(world.state("silent"), "BUSY");
    world.ok(&["interrupt", "silent"]);
    let answer = world.json(&["send", "silent", "say:hi", "--return", "--json"]);
    assert_eq!(
        (&answer["reply"], &answer["source"]),
        (&json!("hi"), &json!("screen")),
        "{answer}"
    );
}

#[test]
fn turns_at_the_keyboard_are_kept_apart_from_tasks() {
    let world = World::with_dummy();
    world.wait_for_state("dummy", "IDLE");
    world.ok(&["keys", "dummy", "s", "a", "y", ":", "h", "i", "Enter"]);
    world.wait_until("the turn is kept", |world| {
        let (_, metrics) = world.raw_call("GET", "/metrics", "", &Value::Null);
        metrics.contains("synapse_tasks_ended_total{state=\"completed\"} 1")
    });
    assert_eq!(
        world.json(&["tasks", "dummy", "--json"])["tasks"],
        json!([])
    );
}

#[test]
fn a_program_that_ends_in_the_middle_of_a_task_leaves_that_task_only() {
    let world = World::with_dummy();
    world.ok(&["send", "dummy", "slow:60"]);
    world.wait_for_task("slow:60", "working");
    world.ok(&["stop", "dummy"]);
    let store = world.home.path().join("synapse/synapse.db");
    let all = Filter {
        keyboard: true,
        ..Filter::default()
    };
    let kept = Reader::open(store).unwrap().page(&all).unwrap();
    let states = kept.tasks.iter().map(|kept| kept.task.state().name());
    assert_eq!(states.collect::<Vec<_>>(), ["canceled"]);
}

#[test]
fn an_interrupt_needs_no_body() {
    let world = World::with_dummy();
    let head = format!(
        "POST /interrupt HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}",
        world.token()
    );
    let (status, body) = world.http(&head, "");
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("\"sent\":null"), "{body}");
    let (status, _) = world.call("POST", "/interrupt", &json!({"key": "nonsense"}));
    assert_eq!(status, 400);
}

#[test]
fn every_route_at_the_root_is_described() {
    const ITSELF: [&str; 4] = ["/openapi.json", "/docs", "/docs/page.js", "/docs/page.css"];
    let world = World::with_dummy();
    let (status, api) = world.call("GET", "/openapi.json", &Value::Null);
    assert_eq!(status, 200);
    let sources = [
        include_str!("../../src/http.rs"),
        include_str!("../../src/http/a2a.rs"),
    ];
    let routes = sources.iter().flat_map(|source| {
        let routes = source.split(".route(").skip(1);
        routes.map(|rest| rest.split('"').nth(1).unwrap())
    });
    let routes: Vec<&str> = routes.collect();
    assert!(routes.len() > 25, "{routes:?}");
    for route in routes {
        // The current dialects have a description of their own.
        let is_ours = !ITSELF.contains(&route) && !route.starts_with("/a2a") && route != "/";
        assert!(
            !is_ours || api["paths"][route].is_object(),
            "{route} is not described"
        );
    }
}

/// A program that reads lines, and the answer to a question as a single key.
const KEY_READER: &str = r#"
while printf 'toy> ' && read -r line; do
  printf '\033[?25lGo on?\n❯ 1. Yes\n  2. No\n\nEsc to cancel'
  while IFS= read -rsn1 key; do case $key in [12]) break ;; esac; done
  printf '\033[?25h\033[2J\033[Hsaid: %s\n' "$key"
done
"#;

#[test]
fn a_key_that_answers_a_question_is_not_the_beginning_of_a_line() {
    let world = World::new();
    let script = world.home.path().join("toy.sh");
    std::fs::write(&script, KEY_READER).unwrap();
    let yaml = format!(
        "name: toy\ncommand: [bash, '{}']\nidle_regex: '^toy> $'\nprompt_template: '{{text}}'\n",
        script.display()
    );
    world.start_profile("toy", &yaml);
    world.wait_for_state("toy", "IDLE");
    for message in ["first", "second"] {
        world.ok(&["send", "toy", message]);
        world.wait_for_state("toy", "INPUT_REQUIRED");
        world.ok(&["keys", "toy", "2"]);
        world.wait_for_task(message, "completed");
    }
}
