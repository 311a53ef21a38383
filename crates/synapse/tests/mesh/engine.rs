//! The server dies in the middle.

use std::collections::BTreeMap;

use crate::machines::{Machine, kill};

/// How many messages are sent while the server is killed. `make soak` sends more.
const SENDS: usize = 60;

#[test]
fn a_server_that_is_killed_while_messages_are_sent_loses_none_and_doubles_none() {
    let desk = Machine::configured("desk", "queue_limit: 1000\n");
    let laptop = desk.join_with("laptop", "send", "queue_limit: 1000\n");
    laptop.start("codex");
    desk.wait_for_agent("codex@laptop");
    let sends: usize = std::env::var("MESH_SENDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(SENDS);
    let mut acknowledged = Vec::new();
    for number in 0..sends {
        if number % (sends / 3) == sends / 6 {
            kill("-KILL", &desk.engine());
        }
        let text = format!("n{number}");
        if desk
            .run(&["send", "codex@laptop", &text, "--no-return"])
            .status
            .success()
        {
            acknowledged.push(text);
        }
    }
    assert!(
        acknowledged.len() > sends / 2,
        "only {} were acknowledged",
        acknowledged.len()
    );
    let received = || {
        let tasks = laptop.json(&["tasks", "codex", "-n", "5000", "--json"]);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for task in tasks["tasks"].as_array().unwrap() {
            let text = task["message"]["parts"][0]["text"].as_str().unwrap();
            *counts.entry(text.to_owned()).or_default() += 1;
        }
        counts
    };
    laptop.wait_until("all that were acknowledged have arrived", |_| {
        let received = received();
        acknowledged.iter().all(|text| received.contains_key(text))
    });
    let doubled: Vec<_> = received()
        .into_iter()
        .filter(|(_, count)| *count > 1)
        .collect();
    assert!(doubled.is_empty(), "{doubled:?}");
    // Watchers live again: an agent that starts now is seen.
    laptop.start("late");
    desk.wait_for_agent("late@laptop");
}
