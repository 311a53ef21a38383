//! Rules that answer questions: only what a person allowed, never in secret, never for ever.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::browser::{Browser, Desk, Hub};

const RULES: &str = "/api/auto-answer/rules";

/// A program that asks as Claude does before it runs what it is told.
const TOY: &str = r#"
while printf 'toy> ' && read -r line; do
  printf '\033[2J\033[H'
  printf '─%.0s' $(seq "$(stty size </dev/tty | cut -d' ' -f2)")
  printf '\n Bash command\n\n'
  printf '%b\n' "$line" | sed 's/^/   /'
  printf '   \033[38;2;153;153;153mRun cargo clean first\033[39m\n\n Do you want to proceed?\n'
  printf ' ❯ 1. Yes\n   2. No\n\n Esc to cancel\033[?25l'
  while IFS= read -rsn1 key; do
    case $key in 1) answer=yes ;; 2) answer=no ;; $'\003') answer=stopped ;; *) continue ;; esac
    break
  done
  printf '\033[?25h\033[2J\033[Hok: %s\n' "$answer"
done
"#;

/// A rule for one command.
fn rule() -> Value {
    json!({ "agent": "toy", "kind": "permission", "contains": "cargo clean", "choose": "Yes" })
}

/// A desk with such a program, ready.
fn with_toy() -> Desk {
    let desk = Desk::new();
    let script = desk.world.home.path().join("toy.sh");
    std::fs::write(&script, TOY).unwrap();
    let yaml = format!(
        "name: toy\ncommand: [bash, {}]\nidle_regex: '^toy> $'\nprompt_template: '{{text}}'\nrecord: claude\n\
         interrupt_key: ctrl-c\nasking: {{ by_digit: true }}\n",
        script.display()
    );
    desk.world.start_profile("toy", &yaml);
    desk.browser
        .wait_for("/api/agents/toy", "it appears", |seen| {
            seen["agent"].is_object()
        });
    desk.browser.wait_for_status("toy", "idle");
    desk
}

fn switch_on(desk: &Desk) {
    let on = json!({ "enabled": true });
    let view = desk.browser.post("/api/auto-answer", &on).ok();
    assert_eq!(view["enabled"], true);
}

/// A desk with an agent, a rule, and rules switched on.
fn desk() -> Desk {
    let desk = with_toy();
    let made = desk.browser.post(RULES, &rule());
    assert_eq!(made.status, 201);
    made.ok();
    switch_on(&desk);
    desk
}

fn reply(desk: &Desk, task: &Value) -> String {
    let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    let done = desk.browser.wait_for(&path, "it is done", |seen| {
        seen["task"]["status"]["state"] == "completed"
    });
    done["task"]["reply"].as_str().unwrap().to_owned()
}

#[test]
fn a_rule_answers_and_everybody_can_see_it() {
    let desk = desk();
    let mut socket = desk.browser.socket("/api/ws");
    let task = desk.send("toy", "cargo clean");
    let closed = socket.wait_for("it is answered", |said| said["type"] == "prompt.closed");
    let view = desk.browser.get("/api/auto-answer").ok();
    let rule = &view["rules"][0];
    assert_eq!(closed["answer"]["rule"], rule["id"], "{closed}");
    assert_eq!(rule["by"], "a device");
    assert!(reply(&desk, &task).ends_with("ok: yes"));
    let view = desk
        .browser
        .wait_for("/api/auto-answer", "it is noted", |seen| {
            seen["used"].as_array().unwrap().len() == 1
        });
    let used = &view["used"][0];
    assert_eq!(
        (&used["handle"], &used["rule"]),
        (&json!("toy"), &rule["id"])
    );
    assert!(
        used["question"]
            .as_str()
            .unwrap()
            .contains("Do you want to proceed?"),
        "{used}"
    );
    let file = desk.world.home.path().join("synapse/auto-answer.json");
    let mode = std::fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn it_is_off_until_somebody_turns_it_on_and_a_removed_rule_is_gone() {
    let desk = with_toy();
    let view = desk.browser.get("/api/auto-answer").ok();
    assert_eq!(
        (&view["enabled"], &view["rules"]),
        (&json!(false), &json!([]))
    );
    let made = desk.browser.post(RULES, &rule()).ok();
    let asked = desk.send("toy", "cargo clean");
    desk.browser.wait_for_status("toy", "waiting");
    switch_on(&desk);
    let agent = desk.browser.get("/api/agents/toy").ok()["agent"].clone();
    let prompt = &agent["prompt"];
    let path = format!(
        "/api/agents/toy/prompt/{}/answer",
        prompt["id"].as_str().unwrap()
    );
    let no = json!({ "value": "no", "fingerprint": prompt["fingerprint"] });
    desk.browser.post(&path, &no).ok();
    assert!(
        reply(&desk, &asked).ends_with("ok: no"),
        "rules are for what is asked from then on"
    );
    let path = format!("{RULES}/{}", made["rule"]["id"].as_str().unwrap());
    desk.browser.delete(&path).ok();
    desk.browser.delete(&path).refused(404, "no_such_rule");
    desk.send("toy", "cargo clean");
    desk.browser.wait_for_status("toy", "waiting");
    assert_eq!(desk.browser.get("/api/auto-answer").ok()["used"], json!([]));
}

#[test]
fn whatever_is_not_the_command_of_the_rule_is_left_to_a_person() {
    let desk = desk();
    for (command, why) in [
        (r"cargo clean\nrm -rf ~/work", "longer than what was seen"),
        ("rm -rf ~ cargo clean", "a shell would interpret"),
        ("rm -rf / cargo clean", "no rule names"),
        ("./evil-cargo clean", "no rule names"),
        ("rm -rf /", "no rule names"),
        ("cargo clean; rm -rf /", "';'"),
        ("LD_PRELOAD=./evil.so cargo clean", "sets a variable"),
    ] {
        let asked = desk.send("toy", command);
        let agent = desk.browser.wait_for_status("toy", "waiting");
        // A rule would have answered with the reading that opened the question.
        let view = desk.browser.get("/api/auto-answer").ok();
        assert_eq!(view["used"], json!([]), "{command}");
        let said = view["left"][agent["id"].as_str().unwrap()].as_str();
        assert!(said.unwrap().contains(why), "{command}: {view}");
        let path = format!("/api/tasks/{}/input", asked["id"].as_str().unwrap());
        let no = json!({ "input": "no", "fingerprint": agent["prompt"]["fingerprint"] });
        desk.browser.post(&path, &no).ok();
        let said = reply(&desk, &asked);
        assert!(said.ends_with("ok: no"), "{said:?}");
    }
}

#[test]
fn questions_that_are_about_no_command_are_left_to_a_person() {
    let desk = Desk::with_dummy();
    for (kind, words) in [("confirmation", "Clear the cache"), ("selection", "Yes")] {
        let wish = json!({ "profile": "dummy", "kind": kind, "contains": words, "choose": "Yes" });
        desk.browser.post(RULES, &wish).ok();
    }
    switch_on(&desk);
    desk.world
        .ok(&["send", "dummy", "say:Clear the cache was green", "--return"]);
    for question in [
        "ask:password",
        "ask:yn Delete all data?",
        "ask:yn Clear the cache?",
        "ask:pick Clear|Yes",
    ] {
        let asked = desk.send("dummy", question);
        desk.browser.wait_for_status("dummy", "waiting");
        let view = desk.browser.get("/api/auto-answer").ok();
        assert_eq!(view["used"], json!([]), "{question}");
        let path = format!("/api/tasks/{}/cancel", asked["id"].as_str().unwrap());
        desk.browser.press(&path).ok();
        desk.browser.wait_for_status("dummy", "idle");
    }
}

#[test]
fn who_waits_for_a_reply_is_not_told_of_a_question_that_a_rule_answers() {
    let desk = desk();
    let sent = desk.world.run(&["send", "toy", "cargo clean", "--return"]);
    let said = String::from_utf8_lossy(&sent.stdout);
    assert_eq!(sent.status.code(), Some(0), "{said}");
    assert!(said.ends_with("ok: yes\n"), "{said}");
    let asked = desk.world.run(&["send", "toy", "make", "--return"]);
    assert_eq!(asked.status.code(), Some(4), "nobody answers that");
}

#[test]
fn after_ten_in_a_row_a_person_has_to_look() {
    let desk = desk();
    // Other agents' messages break no row.
    let peer = desk.world.home.path().join("peer");
    std::fs::create_dir(&peer).unwrap();
    desk.start("peer", &peer);
    let ask = json!({ "text": "cargo clean", "from": "peer" });
    let send = || desk.browser.post("/api/agents/toy/send", &ask).ok()["task"].clone();
    for _ in 0..10 {
        let task = send();
        let said = reply(&desk, &task);
        assert!(said.ends_with("ok: yes"), "{said:?}");
    }
    let last = send();
    let agent = desk.browser.wait_for_status("toy", "waiting");
    let view = desk.browser.get("/api/auto-answer").ok();
    assert_eq!(view["resting"], json!([agent["id"]]));
    assert_eq!(view["used"].as_array().unwrap().len(), 10);
    let path = format!("/api/tasks/{}/input", last["id"].as_str().unwrap());
    let answer = json!({ "input": "no", "fingerprint": agent["prompt"]["fingerprint"] });
    desk.browser.post(&path, &answer).ok();
    assert!(reply(&desk, &last).ends_with("ok: no"));
    assert_eq!(
        desk.browser.get("/api/auto-answer").ok()["resting"],
        json!([])
    );
    let again = send();
    assert!(
        reply(&desk, &again).ends_with("ok: yes"),
        "a person has looked"
    );
}

#[test]
fn a_bad_rule_is_refused_and_says_what_would_be_right() {
    let desk = with_toy();
    for (field, value, says) in [
        ("agent", json!(null), "'profile' or 'agent'"),
        ("profile", json!("nobody"), "no profile 'nobody'"),
        (
            "kind",
            json!("password"),
            "permission, confirmation or selection",
        ),
        ("contains", json!("  "), "it is empty"),
        ("contains", json!("make; rm"), "';'"),
        ("choose", json!(""), "cannot be empty"),
    ] {
        let mut wish = rule();
        wish[field] = value;
        let refused = desk.browser.post(RULES, &wish).refused(400, "bad_rule");
        assert!(
            refused["error"].as_str().unwrap().contains(says),
            "{refused}"
        );
    }
    let mut odd = rule();
    odd["regex"] = json!(".*");
    desk.browser.post(RULES, &odd).refused(400, "bad_request");
    desk.browser
        .post(RULES, &json!({}))
        .refused(400, "bad_request");
    let odd = json!({ "enabled": "yes" });
    desk.browser
        .post("/api/auto-answer", &odd)
        .refused(400, "bad_request");
}

#[test]
fn a_device_that_may_only_look_changes_no_rule() {
    let desk = desk();
    let link = desk.world.ok(&["web", "login", "--read-only"]);
    let phone = Browser::with_link(link.trim());
    let view = phone.get("/api/auto-answer").ok();
    assert_eq!(view["rules"].as_array().unwrap().len(), 1);
    phone.post(RULES, &rule()).refused(403, "read_only");
    let off = json!({ "enabled": false });
    phone
        .post("/api/auto-answer", &off)
        .refused(403, "read_only");
    let path = format!("{RULES}/{}", view["rules"][0]["id"].as_str().unwrap());
    phone.delete(&path).refused(403, "read_only");
}

#[test]
fn rules_outlive_the_hub_and_a_broken_file_is_kept_and_named() {
    let mut desk = desk();
    let before = desk.browser.get("/api/auto-answer").ok();
    assert_eq!(desk.hub.interrupt(), 0);
    let hub = Hub::start(&desk.world, &["--port", "0"]);
    let browser = Browser::open(&hub);
    assert_eq!(browser.get("/api/auto-answer").ok(), before);
    drop(hub);
    let file = desk.world.home.path().join("synapse/auto-answer.json");
    std::fs::write(&file, "{").unwrap();
    let mut command = desk.world.command(&["web", "--port", "0"]);
    let failed = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(
        !failed.status.success() && said.contains("auto-answer.json cannot be understood"),
        "{said}"
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{");
}
