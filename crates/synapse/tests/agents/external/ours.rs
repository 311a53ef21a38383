//! Two homes of ours: an agent of one is an external agent of the other.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::world::World;

/// A home with an agent that asks everybody for its token, and one that knows it as `peer`.
fn neighbours() -> (World, World) {
    let (there, here) = (World::configured("auth: token\n"), World::new());
    here.discover(&there, "peer");
    (there, here)
}

fn file(world: &World, name: &str) -> std::path::PathBuf {
    world.home.path().join("a2a/external").join(name)
}

#[test]
fn a_message_to_a_neighbour_comes_back_word_for_word() {
    let (_there, here) = neighbours();
    assert_eq!(
        here.ok(&["external", "send", "peer", "say:hello  world", "--return"]),
        "hello  world\n"
    );
    assert_eq!(
        here.ok(&["send", "@PEER", "say:again", "--return"]),
        "again\n"
    );
    let answer = here.json(&["send", "peer", "code:python", "--return", "--json"]);
    assert_eq!(answer["state"], "completed");
    assert!(
        answer["reply"]
            .as_str()
            .unwrap()
            .contains("```python\ndef greet"),
        "{answer}"
    );
    assert_eq!(answer["task"]["id"], answer["task_id"]);
    let id = here.ok(&["send", "peer", "say:later"]);
    assert!(!id.trim().is_empty());
    let sent = here.json(&["send", "peer", "say:later", "--json"]);
    assert!(sent["task"]["id"].is_string(), "{sent}");
}

#[test]
fn what_is_kept_has_the_public_fields_and_a_private_token() {
    let (there, here) = neighbours();
    let kept: Value =
        serde_json::from_slice(&std::fs::read(file(&here, "peer.json")).unwrap()).unwrap();
    for field in [
        "name",
        "url",
        "description",
        "capabilities",
        "skills",
        "alias",
        "added_at",
        "last_seen",
    ] {
        assert!(kept.get(field).is_some(), "{field} is missing: {kept}");
    }
    assert_eq!(kept["alias"], "peer");
    assert!(
        !kept.to_string().contains(&there.token()),
        "the token is not in it"
    );
    let token = file(&here, "peer.token");
    assert_eq!(
        std::fs::metadata(&token).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(std::fs::read_to_string(&token).unwrap(), there.token());

    assert_eq!(
        here.json(&["external", "list", "--json"])["agents"][0]["alias"],
        "peer"
    );
    assert!(here.ok(&["external", "list"]).starts_with("peer "));
    assert!(
        here.ok(&["external", "show", "Peer"])
            .contains("token      yes")
    );
    let before = here.json(&["external", "show", "peer", "--json"])["last_seen"].clone();
    here.ok(&["send", "peer", "say:x", "--return"]);
    assert_ne!(
        here.json(&["external", "show", "peer", "--json"])["last_seen"],
        before
    );
    here.ok(&["external", "remove", "peer"]);
    assert!(!token.exists() && !file(&here, "peer.json").exists());
    assert_eq!(
        here.run(&["external", "show", "peer"]).status.code(),
        Some(3)
    );
}

#[test]
fn whoever_is_not_let_in_is_told_so() {
    let there = World::configured("auth: token\n");
    let here = World::new();
    let url = there.entry()["endpoint"].as_str().unwrap().to_owned();
    assert!(
        here.ok(&["external", "discover", &url])
            .starts_with("dummy "),
        "anybody may read the card"
    );
    let refused = here.run(&["send", "dummy", "say:x", "--return"]);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{error}");
    assert!(error.contains("who are you?"), "{error}");
    let object = here.run(&["send", "dummy", "say:x", "--return", "--json"]);
    let object: Value = serde_json::from_slice(&object.stdout).unwrap();
    assert_eq!(
        (&object["state"], &object["task_id"]),
        (&json!("failed"), &Value::Null)
    );
}

#[test]
fn a_question_of_a_neighbour_is_a_question() {
    let (there, here) = neighbours();
    let asked = here.run(&["send", "peer", "ask:yn Really?", "--return", "--json"]);
    assert_eq!(asked.status.code(), Some(4));
    let asked: Value = serde_json::from_slice(&asked.stdout).unwrap();
    assert_eq!(asked["state"], "input_required");
    assert!(
        asked["task"]["status"]["message"]["prompt"]
            .as_str()
            .unwrap()
            .contains("Really?"),
        "{asked}"
    );
    let task = asked["task_id"].as_str().unwrap();
    here.ok(&["external", "send", "peer", "yes", "--task", task]);
    there.wait_for_task("ask:yn Really?", "completed");
}

#[test]
fn a_wait_that_takes_too_long_ends_and_the_task_goes_on() {
    let (there, here) = neighbours();
    there.ok(&["send", "dummy", "say:ready", "--return"]);
    let late = here.run(&["send", "peer", "slow:60", "--return", "--timeout", "1"]);
    assert_eq!(late.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&late.stderr).contains("goes on"));
    assert_eq!(there.task_state("slow:60"), "working");
}

#[test]
fn a_certificate_is_believed_only_if_its_authority_is() {
    let (there, here) = (World::new(), World::new());
    if !there.make_certificate() {
        eprintln!("SKIPPED: openssl makes no certificate here");
        return;
    }
    let [cert, key] = ["cert.pem", "key.pem"].map(|name| there.home.path().join(name));
    there.configure(&format!(
        "tls: {{cert: {}, key: {}}}\n",
        cert.display(),
        key.display()
    ));
    there.ok(&["start", "dummy", "--port", "0"]);
    let port = there.entry()["port"].as_u64().unwrap();
    let url = format!("https://localhost:{port}");
    let refused = here.run(&["external", "discover", &url]);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && error.contains("certificate"),
        "{error}"
    );
    here.configure(&format!("ca_file: {}\n", cert.display()));
    assert!(
        here.ok(&["external", "discover", &url])
            .starts_with("dummy ")
    );
    // The name in the certificate counts, not only who signed it.
    let other = here.run(&["external", "discover", &format!("https://127.0.0.1:{port}")]);
    assert!(!other.status.success());
}

#[test]
fn a_name_of_this_machine_comes_first() {
    let (there, here) = neighbours();
    here.ok(&["start", "dummy", "--port", "0", "--name", "peer"]);
    here.ok(&["send", "peer", "say:here", "--return"]);
    assert_eq!(
        there.json(&["tasks", "dummy", "--json"])["tasks"],
        json!([])
    );
    here.ok(&["external", "send", "peer", "say:there", "--return"]);
    assert_eq!(there.task_state("say:there"), "completed");
    let nobody = here.run(&["send", "per", "x"]);
    assert_eq!(nobody.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&nobody.stderr).contains("peer"));
}

#[test]
fn an_agent_finds_and_reaches_others_for_those_who_ask_it() {
    let (there, here) = neighbours();
    here.ok(&["start", "dummy", "--port", "0", "--name", "front"]);
    let url = there.entry()["endpoint"].clone();
    let (status, found) = here.call(
        "POST",
        "/external/discover",
        &json!({ "url": url, "alias": "second", "token": there.token() }),
    );
    assert_eq!(status, 200, "{found}");
    assert_eq!((&found["alias"], &found["url"]), (&json!("second"), &url));
    assert!(found.get("token_file").is_none() && found.get("interface").is_none());

    let (_, known) = here.call("GET", "/external/agents", &Value::Null);
    let aliases: Vec<&str> = known["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["alias"].as_str().unwrap())
        .collect();
    assert_eq!(aliases, ["peer", "second"]);

    let through = |body: &Value| here.call("POST", "/external/agents/second/send", body);
    let (status, sent) = through(&json!({ "message": "say:one" }));
    assert!(status == 200 && sent["task"]["id"].is_string(), "{sent}");
    let parts = json!({ "role": "user", "parts": [{ "type": "text", "text": "say:two" }] });
    let (_, done) = through(&json!({ "message": parts, "wait_for_completion": true }));
    assert_eq!(
        (&done["task"]["status"]["state"], &done["task"]["reply"]),
        (&json!("completed"), &json!("two"))
    );
    assert_eq!(done["task"]["artifacts"][0]["parts"][0]["text"], "two");

    for (body, wanted) in [
        (json!({}), 400),
        (json!({ "message": 7 }), 400),
        (json!({ "message": "x", "timeout": -1 }), 400),
    ] {
        assert_eq!(through(&body).0, wanted, "{body}");
    }
    let (status, gone) = here.call("DELETE", "/external/agents/second", &Value::Null);
    assert_eq!((status, &gone["status"]), (200, &json!("removed")));
    for (method, path) in [
        ("DELETE", "/external/agents/second"),
        ("GET", "/external/agents/second"),
    ] {
        assert_eq!(here.call(method, path, &Value::Null).0, 404, "{method}");
    }
    assert_eq!(
        here.call(
            "POST",
            "/external/agents/nobody/send",
            &json!({ "message": "x" })
        )
        .0,
        404
    );
    for (body, wanted) in [
        (json!({ "url": "nonsense" }), 400),
        (json!({ "url": "file:///etc/passwd" }), 400),
        (json!({ "url": url, "alias": "a/b" }), 400),
        (json!({ "url": url, "token": "two words" }), 400),
        (json!({ "url": "http://127.0.0.1:1" }), 502),
        (json!({ "url": "http://169.254.169.254" }), 403),
    ] {
        let (status, answer) = here.call("POST", "/external/discover", &body);
        assert_eq!(status, wanted, "{body}: {answer}");
        assert!(answer["error"].is_string());
    }
}
