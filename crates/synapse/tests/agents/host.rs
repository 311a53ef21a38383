//! Agents in the background, as a user runs them: the built binary, the dummy agent, real PTYs.

use crate::world::{World, is_gone};
use serde_json::Value;

#[test]
fn a_message_comes_back_word_for_word() {
    let world = World::with_dummy();
    assert_eq!(
        world.ok(&["send", "dummy", "say:hello  world", "--return"]),
        "hello  world\n"
    );
    let answer = world.json(&["send", "@DUMMY", "code:python", "--return", "--json"]);
    assert_eq!(
        (&answer["state"], &answer["source"]),
        (&"completed".into(), &"screen".into())
    );
    assert!(
        answer["reply"]
            .as_str()
            .unwrap()
            .contains("```python\ndef greet"),
        "{answer}"
    );
    let kinds: Vec<&str> = answer["task"]["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["text", "code", "text"]);
    assert_eq!(answer["task"]["message"]["parts"][0]["text"], "code:python");
}

#[test]
fn a_question_is_answered_and_the_task_goes_on() {
    let world = World::with_dummy();
    let asked = world.run(&["send", "dummy", "ask:yn Really?", "--return"]);
    assert_eq!(
        asked.status.code(),
        Some(4),
        "your own task waits for an answer"
    );
    assert!(String::from_utf8_lossy(&asked.stderr).contains("Really? (y/n):"));
    let status = world.json(&["status", "dummy", "--json"]);
    assert_eq!(status["status"], "INPUT_REQUIRED");
    assert_eq!(status["prompt"]["options"][0]["label"], "y");

    let stale = world.run(&[
        "answer",
        "dummy",
        "yes",
        "--fingerprint",
        "0000000000000000",
    ]);
    assert_eq!(stale.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&stale.stderr).contains("the question has changed"));
    assert_eq!(
        world.state("dummy"),
        "INPUT_REQUIRED",
        "a refused answer types nothing"
    );

    world.ok(&["answer", "dummy", "yes"]);
    world.wait_for_task("ask:yn Really?", "completed");
    let late = world.run(&["answer", "dummy", "yes"]);
    assert!(String::from_utf8_lossy(&late.stderr).contains("not asking anything"));
}

#[test]
fn nothing_is_typed_into_a_question() {
    let world = World::with_dummy();
    world.run(&["send", "dummy", "ask:yn Sure?", "--return"]);
    let queued = world.run(&["send", "dummy", "say:yes"]);
    assert!(queued.status.success());
    assert!(String::from_utf8_lossy(&queued.stderr).contains("asking something"));
    let screen = world.ok(&["screen", "dummy"]);
    assert!(screen.trim_end().ends_with("Sure? (y/n):"), "{screen}");
    assert_eq!(world.task_state("say:yes"), "submitted");
    world.ok(&["answer", "dummy", "no"]);
    world.wait_for_task("say:yes", "completed");
}

#[test]
fn an_interrupt_is_confirmed_and_needless_ones_send_nothing() {
    let world = World::with_dummy();
    world.ok(&["send", "dummy", "say:ready", "--return"]);
    let idle = world.json(&["interrupt", "dummy", "--json"]);
    assert_eq!(
        (&idle["sent"], &idle["was"]),
        (&Value::Null, &"IDLE".into())
    );
    world.ok(&["send", "dummy", "slow:60"]);
    world.wait_for_state("dummy", "BUSY");
    let receipt = world.json(&["interrupt", "dummy", "--json"]);
    assert_eq!(
        (&receipt["sent"], &receipt["now"]),
        (&"C-c".into(), &"IDLE".into())
    );
    world.wait_for_task("slow:60", "failed");
}

#[test]
fn urgent_tasks_go_first_and_the_most_urgent_interrupts() {
    let world = World::with_dummy();
    world.ok(&["send", "dummy", "slow:60"]);
    world.wait_for_state("dummy", "BUSY");
    world.ok(&["send", "dummy", "say:later"]);
    assert_eq!(
        world.ok(&["send", "dummy", "say:now", "--priority", "5", "--return"]),
        "now\n"
    );
    assert_eq!(world.task_state("slow:60"), "canceled");
    world.wait_for_task("say:later", "completed");
}

#[test]
fn a_waiting_task_is_canceled_without_a_key() {
    let world = World::with_dummy();
    world.ok(&["send", "dummy", "slow:60"]);
    world.wait_for_state("dummy", "BUSY");
    let id = world.ok(&["send", "dummy", "say:never"]);
    world.ok(&["cancel", id.trim()]);
    assert_eq!(world.task_state("say:never"), "canceled");
    assert_eq!(world.state("dummy"), "BUSY");
    let running = world.json(&["tasks", "dummy", "--json"])["tasks"][1]["id"].clone();
    world.ok(&["cancel", running.as_str().unwrap()]);
    world.wait_for_task("slow:60", "canceled");
}

#[test]
fn a_program_that_dies_fails_its_task_and_leaves_nothing() {
    let world = World::with_dummy();
    let answer = world.run(&["send", "dummy", "crash", "--return", "--json"]);
    assert_eq!(answer.status.code(), Some(1));
    world.wait_until("the agent is gone", |w| {
        w.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .is_empty()
    });
    let gone = world.run(&["status", "dummy"]);
    assert_eq!(gone.status.code(), Some(3), "no such agent");
}

#[test]
fn stop_leaves_no_process_and_no_entry() {
    let world = World::with_dummy();
    let pid = world.entry()["pid"].as_u64().unwrap();
    world.ok(&["stop", "dummy"]);
    assert!(
        is_gone(&pid.to_string()),
        "the host is gone when stop returns"
    );
    assert_eq!(
        world.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
}

#[test]
fn a_program_at_rest_is_asked_to_leave_with_its_own_keys() {
    let world = World::new();
    let [script, said] = ["rest.py", "said"].map(|name| world.home.path().join(name));
    let lines = format!(
        "try:\n    while True: input('rest> ')\nexcept EOFError:\n    open({said:?}, 'w').write('bye')\n"
    );
    std::fs::write(&script, lines).unwrap();
    let yaml = format!(
        "name: rest\ncommand: [python3, -u, {}]\nidle_regex: '^rest> $'\n",
        script.display()
    );
    world.start_profile("rest", &yaml);
    world.wait_for_state("rest", "IDLE");
    world.ok(&["stop", "rest"]);
    assert_eq!(std::fs::read_to_string(&said).unwrap(), "bye");
}

#[test]
fn a_program_that_ends_with_much_that_it_never_read_ends_its_host() {
    let world = World::new();
    let go = world.home.path().join("go");
    let yaml = format!(
        "name: deaf\ncommand: [sh, -c, \"stty raw -echo; printf '> '; until [ -e '{}' ]; do sleep 0.1; done\"]\nidle_regex: '^> $'\n",
        go.display()
    );
    world.start_profile("deaf", &yaml);
    world.wait_for_state("deaf", "IDLE");
    let pid = world.entry_of("deaf")["pid"].to_string();
    world.ok(&["send", "deaf", &"a line that nobody reads\n".repeat(4_000)]);
    world.wait_until("it is typed", |world| {
        world.json(&["status", "deaf", "--json"])["queue"] == 0
    });
    std::fs::write(&go, "").unwrap();
    world.wait_until("the host has ended", |_| is_gone(&pid));
}

#[test]
fn a_killed_host_takes_its_program_along_and_its_entry_is_swept() {
    let world = World::with_dummy();
    let pid = world.entry()["pid"].as_u64().unwrap();
    let children =
        std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    world.kill_host();
    world.wait_until("the entry is swept", |w| {
        w.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .is_empty()
    });
    for child in children.split_whitespace() {
        world.wait_until("its program is gone", |_| is_gone(child));
    }
}

#[test]
fn what_cannot_be_started_says_why() {
    let world = World::new();
    let profile = world.home.path().join("nothing.yaml");
    std::fs::write(
        &profile,
        "name: nothing\ncommand: no-such-program-anywhere\n",
    )
    .unwrap();
    let dying = world.home.path().join("dying.yaml");
    std::fs::write(
        &dying,
        "name: dying\ncommand: [sh, -c, 'echo unknown option --frob; exit 64']\n",
    )
    .unwrap();
    for (args, said) in [
        (
            vec!["start", dying.to_str().unwrap(), "--port", "0"],
            "code 64:\nunknown option --frob",
        ),
        (
            vec!["start", profile.to_str().unwrap(), "--port", "0"],
            "not found",
        ),
        (vec!["start", "nobody"], "no profile 'nobody'"),
        (
            vec!["start", "dummy", "--cwd", "/no/such/dir"],
            "working directory",
        ),
    ] {
        let output = world.run(&args);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && error.contains(said),
            "{args:?} said {error}"
        );
    }
    assert_eq!(
        world.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
}

#[test]
fn a_second_agent_of_a_kind_gets_a_name_of_its_own() {
    let world = World::with_dummy();
    assert!(
        world
            .ok(&["start", "dummy", "--port", "0"])
            .starts_with("dummy-2 ")
    );
    assert!(
        world
            .ok(&["start", "dummy", "--port", "0", "--name", "reviewer"])
            .starts_with("reviewer ")
    );
    let taken = world.run(&["start", "dummy", "--port", "0", "--name", "reviewer"]);
    assert!(!taken.status.success());
    let nearest = world.run(&["send", "reviwer", "hi"]);
    assert_eq!(nearest.status.code(), Some(3));
    assert!(
        String::from_utf8_lossy(&nearest.stderr).contains("reviewer"),
        "the nearest name is given"
    );
}

#[test]
fn a_stream_can_be_taken_up_again_where_it_broke() {
    let world = World::with_dummy();
    let id = world.json(&["send", "dummy", "say:one", "--return", "--json"])["task_id"].clone();
    let id = id.as_str().unwrap().to_owned();
    let bearer = format!("Authorization: Bearer {}", world.token());
    let head = format!("GET /tasks/{id}/subscribe HTTP/1.1\r\nHost: localhost\r\n{bearer}");
    let (_, whole) = world.http(&head, "");
    let (_, rest) = world.http(&format!("{head}\r\nLast-Event-ID: 2"), "");
    assert!(whole.contains("\"state\":\"submitted\"") && whole.contains("\"state\":\"completed\""));
    assert!(!rest.contains("\"state\":\"submitted\"") && rest.contains("\"state\":\"completed\""));
    assert!(rest.contains("id: 3"), "{rest}");
}

#[test]
fn a_reply_streams_while_it_appears_and_the_end_is_the_whole() {
    let world = World::with_dummy();
    world.ok(&["send", "dummy", "say:ready", "--return"]);
    let id = world.ok(&["send", "dummy", "slow:2"]);
    let events = world.ok(&["task", id.trim(), "--follow", "--json"]);
    let artifacts: Vec<Value> = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["event"] == "artifact")
        .map(|event| event["data"].clone())
        .collect();
    let grew = artifacts
        .iter()
        .filter(|a| a["append"] == true && a["lastChunk"].is_null())
        .count();
    assert!(
        grew > 2,
        "forty words in two seconds come in pieces: {events}"
    );
    let last = artifacts.iter().rfind(|a| a["append"] == false).unwrap();
    let whole = last["artifact"]["parts"][0]["text"].as_str().unwrap();
    assert_eq!(whole.split_whitespace().count(), 40, "{whole}");
}

#[test]
fn a_program_that_will_not_end_is_ended_all_the_same() {
    let world = World::with_dummy();
    world.ok(&["send", "dummy", "hang"]);
    world.wait_for_state("dummy", "BUSY");
    let pid = world.entry()["pid"].as_u64().unwrap().to_string();
    world.ok(&["stop", "dummy"]);
    assert!(is_gone(&pid));
    assert_eq!(
        world.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
}

#[test]
fn a_flood_of_output_drowns_nobody() {
    let world = World::new();
    let profile = world.home.path().join("flood.yaml");
    let flood = "yes a line of output | head -c 30000000; echo; echo over; cat";
    std::fs::write(
        &profile,
        format!("name: flood\ncommand: [sh, -c, \"{flood}\"]\n"),
    )
    .unwrap();
    world.ok(&["start", profile.to_str().unwrap(), "--port", "0"]);
    assert_eq!(
        world.json(&["status", "flood", "--json"])["queue"],
        0,
        "it answers meanwhile"
    );
    world.wait_until("all of it was painted", |w| {
        w.ok(&["screen", "flood"]).trim_end().ends_with("over")
    });
}

#[test]
fn a_profile_that_comes_with_a_project_is_used_only_after_a_look() {
    let world = World::new();
    let folder = world.home.path().join(".synapse/profiles");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("ours.yaml");
    std::fs::write(&file, "name: ours\nextends: dummy\n").unwrap();
    let refused = world.run(&["start", "ours", "--port", "0"]);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && error.contains("synapse profile trust"),
        "{error}"
    );
    let said = world.ok(&["profile", "trust", file.to_str().unwrap()]);
    assert!(said.contains("it runs: synapse dummy-agent"), "{said}");
    assert!(
        world
            .ok(&["start", "ours", "--port", "0"])
            .starts_with("ours ")
    );
    // What was agreed to is what it said, not where it lies.
    std::fs::write(&file, "name: ours\nextends: dummy\nargs: [--evil]\n").unwrap();
    assert!(
        !world
            .run(&["start", "ours", "--port", "0"])
            .status
            .success()
    );
}

#[test]
fn an_answer_is_no_part_of_the_next_message() {
    let world = World::with_dummy();
    for question in ["ask:pick red|green", "ask:yn Sure?", "select:one|two"] {
        let asked = world.run(&["send", "dummy", question, "--return"]);
        assert_eq!(asked.status.code(), Some(4), "{question}");
        let answer = match question {
            "ask:yn Sure?" => "yes",
            "select:one|two" => "two",
            _ => "green",
        };
        world.ok(&["answer", "dummy", answer]);
        let next = world.ok(&["send", "dummy", "say:next", "--return"]);
        assert_eq!(next, "next\n", "after {question}");
    }
}
