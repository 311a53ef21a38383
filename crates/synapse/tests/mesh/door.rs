//! Who gets in, and what they may do there.

use crate::machines::{Machine, free_port};

#[test]
fn a_role_is_what_a_machine_may_do_and_each_machine_can_lower_it() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "view");
    desk.start("codex");
    laptop.wait_for_agent("codex@desk");
    laptop.ok(&["status", "codex@desk"]);
    for command in [
        &["send", "codex@desk", "no"][..],
        &["answer", "codex@desk", "1"],
        &["interrupt", "codex@desk"],
        &["keys", "codex@desk", "x"],
    ] {
        let (_, said) = laptop.fails(command);
        assert!(said.contains("has the role 'view'"), "{command:?}: {said}");
    }
    desk.ok(&["mesh", "role", "laptop", "answer"]);
    laptop.wait_until("the role is known", |world| {
        world.run(&["send", "codex@desk", "yes"]).status.success()
    });
    let (_, said) = laptop.fails(&["keys", "codex@desk", "x"]);
    assert!(said.contains("needs 'control'"), "{said}");

    // The machine that began the mesh may do everything, except where a machine says otherwise.
    let server = desk.join_with(
        "server",
        "send",
        "mesh:\n  allow: send\n  machines:\n    laptop: view\n",
    );
    server.start("claude");
    desk.wait_for_agent("claude@server");
    laptop.wait_for_agent("claude@server");
    assert_eq!(
        desk.ok(&["send", "claude@server", "a", "--return"]),
        "ok: a\n"
    );
    let (_, said) = desk.fails(&["keys", "claude@server", "x"]);
    assert!(said.contains("has the role 'send'"), "{said}");
    let (_, said) = laptop.fails(&["send", "claude@server", "b"]);
    assert!(said.contains("has the role 'view'"), "{said}");
}

#[test]
fn a_machine_that_was_revoked_is_cut_off_at_once() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "control");
    desk.start("codex");
    laptop.wait_for_agent("codex@desk");
    laptop.ok(&["status", "codex@desk"]);
    desk.ok(&["mesh", "revoke", "laptop"]);
    // Whether it knows already or not, nothing of it is taken.
    laptop.run(&["send", "codex@desk", "still?"]);
    assert_eq!(
        desk.json(&["tasks", "--json"])["tasks"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
    laptop.wait_until("it knows", |world| {
        let told = world.run(&["mesh", "status"]);
        let said = String::from_utf8_lossy(&told.stderr).into_owned();
        !told.status.success() && (said.contains("revoked") || said.contains("let this machine in"))
    });
    let (_, said) = laptop.fails(&["send", "codex@desk", "and now?"]);
    assert!(said.contains("revoked"), "{said}");
    assert!(desk.sees("laptop").is_null());
}

#[test]
fn a_machine_that_lies_about_its_name_is_nobody() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "control");
    let server = desk.join("server", "control");
    desk.start("codex");
    laptop.start("mine");
    server.start("theirs");
    desk.wait_for_agent("theirs@server");
    laptop.wait_for_agent("codex@desk");
    server.wait_for_agent("codex@desk");
    laptop.stop_bridge();
    let file = laptop.home.path().join("synapse/mesh/mesh.json");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\"laptop\""), "{text}");
    std::fs::write(&file, text.replace("\"laptop\"", "\"server\"")).unwrap();
    laptop.run(&["mesh", "up"]);
    // Neither its messages are taken nor what it says of itself.
    laptop.run(&["send", "codex@desk", "from the server", "--expires", "1s"]);
    server.ok(&["send", "codex@desk", "really", "--return"]);
    let tasks = desk.json(&["tasks", "--json"]);
    let senders = tasks["tasks"].as_array().unwrap().iter();
    let senders: Vec<_> = senders.map(|task| &task["sender"]).collect();
    assert_eq!(senders, ["user@server"], "{tasks}");
    let seen = desk.sees("server");
    assert_eq!(seen["agents"][0]["handle"], "theirs", "{seen}");
    std::fs::write(&file, text).unwrap();
}

#[test]
fn an_invitation_is_good_once() {
    let desk = Machine::begin("desk");
    let words = desk.invitation("laptop", "send");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (laptop, thief) = (Machine::new(), Machine::new());
    laptop.ok(&words);
    let (_, said) = thief.fails(&words);
    assert!(said.contains("does not know this invitation"), "{said}");
    // A name is one machine's.
    let (_, said) = desk.fails(&["mesh", "invite", "laptop"]);
    assert!(said.contains("a machine called laptop already"), "{said}");
    let (_, said) = laptop.fails(&["mesh", "invite", "other"]);
    assert!(said.contains("only desk invites"), "{said}");
}

#[test]
fn a_stranger_gets_nowhere() {
    let desk = Machine::begin("desk");
    let words = desk.invitation("other", "send");
    let (url, secret) = (words[2].clone(), words[4].clone());
    let stranger = Machine::new();
    let (_, said) = stranger.fails(&["mesh", "join", &url]);
    assert!(said.contains("certificate"), "{said}");
    // A server that is not the one that the invitation means.
    let other_server = format!("{}AAAAAAAA", &secret[..secret.len() - 8]);
    let (_, said) = stranger.fails(&["mesh", "join", &url, "--invite", &other_server]);
    assert!(
        said.contains("has another certificate than this mesh"),
        "{said}"
    );
    // A secret that nobody gave out.
    let guessed = format!("AAAAAAAAAAAAAAAA{}", &secret[16..]);
    let (_, said) = stranger.fails(&["mesh", "join", &url, "--invite", &guessed]);
    assert!(!said.is_empty(), "{said}");
    let (_, said) = stranger.fails(&["mesh", "join", &url, "--invite", "short"]);
    assert!(said.contains("not an invitation"), "{said}");
    let nobody = format!("nats://127.0.0.1:{}", free_port());
    let (_, said) = stranger.fails(&["mesh", "join", &nobody]);
    assert!(said.contains("does not answer"), "{said}");
    let (_, said) = stranger.fails(&["mesh", "join", "http://x"]);
    assert!(said.contains("not the address of a NATS server"), "{said}");
    let (_, said) = stranger.fails(&["mesh", "status"]);
    assert!(said.contains("in no mesh"), "{said}");
}
