//! Messages to machines that are away.

use std::io::{BufRead as _, BufReader, Write as _};

use crate::machines::Machine;

#[test]
fn messages_wait_for_a_machine_and_arrive_in_order_once() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "send");
    laptop.start("codex");
    desk.wait_for_agent("codex@laptop");
    // It goes away on purpose, which is known at once.
    laptop.stop_bridge();
    desk.wait_for_machine("laptop", false);
    let list = desk.ok(&["list", "--mesh"]);
    assert!(list.contains("away, seen"), "{list}");
    let words = ["one", "two", "three", "four"];
    let ids = words.map(|word| desk.ok(&["send", "codex@laptop", word]).trim().to_owned());
    let expired = desk.ok(&["send", "codex@laptop", "late", "--expires", "1ms"]);
    desk.ok(&["cancel", &ids[2]]);
    let kept = desk.json(&["mesh", "messages", "--json"]);
    let states = |told: &serde_json::Value| -> Vec<(String, String)> {
        let all = told["messages"].as_array().unwrap().iter();
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        all.map(|kept| (text(&kept["text"]), text(&kept["state"])))
            .collect()
    };
    assert!(
        states(&kept).contains(&("one".to_owned(), "kept".to_owned())),
        "{kept}"
    );
    assert!(!expired.trim().is_empty());

    laptop.ok(&["mesh", "up"]);
    laptop.wait_until("all have arrived", |world| {
        world.json(&["tasks", "--json"])["tasks"]
            .as_array()
            .unwrap()
            .len()
            >= 3
    });
    laptop.wait_for_task("four", "completed");
    let tasks = laptop.json(&["tasks", "--json"]);
    let mut said: Vec<&str> = tasks["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["message"]["parts"][0]["text"].as_str().unwrap())
        .collect();
    said.reverse();
    assert_eq!(said, ["one", "two", "four"]);
    desk.wait_until("it is known that they arrived", |world| {
        let told = world.json(&["mesh", "messages", "--json"]);
        let states = states(&told);
        let is = |text: &str, state: &str| states.contains(&(text.to_owned(), state.to_owned()));
        is("one", "delivered") && is("three", "canceled") && is("late", "expired")
    });
}

#[test]
fn a_message_that_was_canceled_is_not_delivered_although_others_are_on_their_way() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "send");
    laptop.start("codex");
    desk.wait_for_agent("codex@laptop");
    laptop.stop_bridge();
    desk.wait_for_machine("laptop", false);
    let ids =
        ["one", "two", "three"].map(|word| desk.ok(&["send", "codex@laptop", word, "--no-return"]));
    // The agent answers nothing, so the first one is on its way for as long as this takes.
    let host = laptop.json(&["list", "--json"])["agents"][0]["pid"].to_string();
    crate::machines::kill("-STOP", &host);
    laptop.ok(&["mesh", "up"]);
    desk.wait_for_machine("laptop", true);
    desk.ok(&["cancel", ids[1].trim()]);
    crate::machines::kill("-CONT", &host);
    laptop.wait_until("the last has arrived", |world| {
        let tasks = world.json(&["tasks", "--json"]);
        tasks.to_string().contains("three")
    });
    let tasks = laptop.json(&["tasks", "--json"]);
    let texts = tasks["tasks"].as_array().unwrap().iter();
    let texts: Vec<_> = texts
        .map(|task| &task["message"]["parts"][0]["text"])
        .collect();
    assert_eq!(texts, ["three", "one"], "{tasks}");
}

#[test]
fn a_bridge_that_is_killed_and_started_again_loses_nothing() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "send");
    laptop.start("codex");
    desk.wait_for_agent("codex@laptop");
    laptop.stop_bridge();
    desk.wait_for_machine("laptop", false);
    desk.ok(&["send", "codex@laptop", "kept"]);
    // The sender's own bridge dies with the message in its store.
    let pid = desk.bridge();
    crate::machines::kill("-KILL", &pid);
    desk.wait_until("it is gone", |_| crate::world::is_gone(&pid));
    let (_, said) = desk.fails(&["send", "codex@laptop", "lost"]);
    assert!(said.contains("mesh is not up"), "{said}");
    desk.ok(&["mesh", "up"]);
    laptop.ok(&["mesh", "up"]);
    laptop.wait_until("it arrives", |world| {
        world.json(&["tasks", "--json"])["tasks"]
            .as_array()
            .unwrap()
            .len()
            == 1
    });
}

#[test]
fn what_waits_for_a_machine_that_is_revoked_is_not_for_another_of_that_name() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "send");
    laptop.stop_bridge();
    desk.wait_for_machine("laptop", false);
    desk.ok(&["send", "codex@laptop", "for you alone"]);
    desk.ok(&["mesh", "revoke", "laptop"]);
    desk.wait_until("it waits no more", |world| {
        let told = world.json(&["mesh", "messages", "--json"]);
        let message = &told["messages"][0];
        message["state"] == "refused" && message["reason"] == "laptop is no more in the mesh"
    });
    // The bridge of the old one is gone, so nobody is left to leave for it.
    let other = desk.join("laptop", "send");
    other.start("codex");
    desk.wait_for_agent("codex@laptop");
    let reply = desk.ok(&["send", "codex@laptop", "hello", "--return"]);
    assert_eq!(reply, "ok: hello\n");
    let tasks = other.json(&["tasks", "--json"]);
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 1, "{tasks}");
}

#[test]
fn the_tools_of_an_agent_leave_messages_too() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "send");
    laptop.start("codex");
    desk.wait_for_agent("codex@laptop");
    laptop.stop_bridge();
    desk.wait_for_machine("laptop", false);
    let call = |id: u8, method: &str, params: serde_json::Value| {
        serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
            .to_string()
    };
    let hello = serde_json::json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
    });
    let send = serde_json::json!({
        "name": "send_message", "arguments": { "agent": "codex@laptop", "message": "later" },
    });
    let mut mcp = desk
        .command(&["mcp"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = mcp.stdin.take().unwrap();
    let mut lines = BufReader::new(mcp.stdout.take().unwrap()).lines();
    writeln!(input, "{}", call(1, "initialize", hello)).unwrap();
    lines.next().unwrap().unwrap();
    writeln!(
        input,
        r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#
    )
    .unwrap();
    writeln!(input, "{}", call(2, "tools/call", send)).unwrap();
    let said = lines.next().unwrap().unwrap();
    assert!(
        said.contains("kept") && said.contains("laptop is away"),
        "{said}"
    );
    drop(input);
    mcp.wait().unwrap();
    laptop.ok(&["mesh", "up"]);
    laptop.wait_for_task("later", "completed");
}
