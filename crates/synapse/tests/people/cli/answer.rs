//! `synapse answer`: by agent and by task, and what it says of the question.

use crate::world::World;

fn asked(message: &str) -> (World, String) {
    let world = World::with_dummy();
    let id = world.ok(&["send", "dummy", message]).trim().to_owned();
    world.wait_for_state("dummy", "INPUT_REQUIRED");
    (world, id)
}

#[test]
fn says_that_the_question_went_away() {
    let (world, id) = asked("ask:yn Really?");
    let said = world.ok(&["answer", "dummy", "yes"]);
    assert!(said.starts_with("answered; the agent is "), "{said}");
    let next = format!(
        "; synapse task {} --follow shows what came of it\n",
        &id[id.len() - 8..]
    );
    assert!(said.ends_with(&next), "{said}");
    world.wait_for_task("ask:yn Really?", "completed");
}

#[test]
fn the_reply_to_an_answer_is_waited_for_as_send_waits_for_it() {
    let (world, id) = asked("ask:yn Really?");
    let replied = world.ok(&["answer", "dummy", "yes", "--return"]);
    assert_eq!(replied, "ok: yes\n");
    let nothing = world.run(&["answer", "dummy", "yes", "--return"]);
    assert_eq!(nothing.status.code(), Some(1));
    let error = String::from_utf8_lossy(&nothing.stderr).into_owned();
    assert!(error.contains("is at no task"), "{error}");
    let again = world.ok(&["send", "dummy", "ask:pick red|green"]);
    assert_ne!(again.trim(), id);
    world.wait_for_state("dummy", "INPUT_REQUIRED");
    let report = world.json(&["answer", again.trim(), "2", "--return", "--json"]);
    assert_eq!(report["task_id"], again.trim());
    assert_eq!(report["state"], "completed");
    assert!(report["reply"].is_string(), "{report}");
}

#[test]
fn a_task_is_named_by_either_end_of_its_name() {
    let (world, id) = asked("ask:pick red|green");
    let said = world.ok(&["answer", &id[id.len() - 8..], "green"]);
    assert!(said.starts_with("answered"), "{said}");
    let (world, id) = asked("ask:pick red|green");
    world.ok(&["answer", &id, "1"]);
    let nobody = world.run(&["answer", "0000-0000", "1"]);
    assert_eq!(nobody.status.code(), Some(3));
    let error = String::from_utf8_lossy(&nobody.stderr).into_owned();
    assert!(error.contains("there is no task 0000-0000"), "{error}");
}

#[test]
fn what_is_no_option_is_refused_with_those_there_are() {
    let (world, _) = asked("ask:pick red|green");
    let output = world.run(&["answer", "dummy", "9"]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("red (1), green (2)"), "{error}");
}

#[test]
fn an_answer_that_ends_the_program_says_so() {
    let world = World::new();
    let script = "read -p 'Overwrite? [y/N] ' answer; exit 3";
    world.ok(&[
        "start", "--name", "it", "--port", "0", "--", "bash", "-c", script,
    ]);
    world.wait_for_state("it", "INPUT_REQUIRED");
    let refused = world.run(&["answer", "it", "maybe later"]);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(error.contains("none of the options"), "{error}");
    let said = world.ok(&["answer", "it", "no"]);
    assert_eq!(said, "answered; the program has ended\n");
}

#[test]
fn a_question_that_stays_is_not_called_answered() {
    let world = World::new();
    let profile = world.home.path().join("stubborn.yaml");
    let script = "printf 'Continue? (y/n): '; while IFS= read -rs word; do :; done";
    let text = format!("name: stubborn\ncommand: [bash, -c, \"{script}\"]\n");
    std::fs::write(&profile, text).unwrap();
    world.ok(&["start", profile.to_str().unwrap(), "--port", "0"]);
    world.wait_for_state("stubborn", "INPUT_REQUIRED");
    let output = world.run(&["answer", "stubborn", "yes"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("the question is still there"), "{error}");
}

#[test]
fn a_changed_question_is_refused_and_shown() {
    let (world, id) = asked("ask:yn Really?");
    for whom in ["dummy", &id] {
        let stale = world.run(&["answer", whom, "yes", "--fingerprint", "0000000000000000"]);
        assert_eq!(stale.status.code(), Some(1));
        let error = String::from_utf8_lossy(&stale.stderr).into_owned();
        for part in ["has changed", "Really? (y/n):", "y  y", "fingerprint "] {
            assert!(error.contains(part), "{error}");
        }
    }
    assert_eq!(world.state("dummy"), "INPUT_REQUIRED");
}
