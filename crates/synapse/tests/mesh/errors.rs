//! What people are told when something is wrong.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use crate::machines::{Machine, Server, free_port};

#[test]
fn a_server_without_jetstream_is_told_so() {
    let server = Server::start(&[]);
    let machine = Machine::new();
    let (_, said) = machine.fails(&["mesh", "join", &server.url()]);
    assert!(said.contains("has JetStream switched off"), "{said}");
}

#[test]
fn a_server_that_is_too_old_is_told_so() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("nats://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let info =
                r#"{"server_id":"x","version":"2.8.4","jetstream":true,"max_payload":1048576}"#;
            let _ = write!(stream, "INFO {info}\r\n");
            let _ = stream.read(&mut [0; 64]);
        }
    });
    let machine = Machine::new();
    let (_, said) = machine.fails(&["mesh", "join", &url]);
    assert!(
        said.contains("is nats-server 2.8.4; 2.9 or later is needed"),
        "{said}"
    );
}

#[test]
fn more_messages_than_are_kept_are_refused_and_those_that_are_kept_arrive() {
    let desk = Machine::configured("desk", "mesh: {outbox_limit: 2}\n");
    let laptop = desk.join("laptop", "send");
    laptop.start("codex");
    desk.wait_for_agent("codex@laptop");
    laptop.stop_bridge();
    desk.wait_for_machine("laptop", false);
    desk.ok(&["send", "codex@laptop", "one"]);
    desk.ok(&["send", "codex@laptop", "two"]);
    let (_, said) = desk.fails(&["send", "codex@laptop", "three"]);
    assert!(
        said.contains("2 messages wait for other machines already"),
        "{said}"
    );
    laptop.ok(&["mesh", "up"]);
    laptop.wait_until("both have arrived", |world| {
        let tasks = world.json(&["tasks", "--json"]);
        tasks["tasks"].as_array().unwrap().len() == 2
    });
}

#[test]
fn two_machines_cannot_have_one_name() {
    let desk = Machine::new();
    let port = free_port().to_string();
    let up = [
        "mesh",
        "up",
        "--name",
        "desk",
        "--listen",
        "127.0.0.1",
        "--port",
        &port,
    ];
    let line = desk.ok(&up);
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let laptop = Machine::new();
    let (_, said) = laptop.fails(&[&words[..], &["--name", "desk"]].concat());
    assert!(said.contains("another machine called desk"), "{said}");
    // The invitation is not used up by that.
    laptop.ok(&[&words[..], &["--name", "laptop"]].concat());
    desk.wait_for_machine("laptop", true);
}

#[test]
fn the_address_that_others_are_told_can_be_changed() {
    let desk = Machine::begin("desk");
    let line = desk.ok(&["mesh", "up", "--address", "localhost"]);
    assert!(line.contains("nats://localhost:"), "{line}");
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let laptop = Machine::new();
    laptop.ok(&[&words[..], &["--name", "laptop"]].concat());
    desk.wait_for_machine("laptop", true);
    let words = desk.invitation("server", "send");
    assert!(words[2].starts_with("nats://localhost:"), "{words:?}");
    let (_, said) = laptop.fails(&["mesh", "up", "--address", "localhost"]);
    assert!(said.contains("not on this machine"), "{said}");
}
