//! Faults that take long: `make soak` runs these, with the oldest and the newest server.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::machines::{Machine, Server, free_port};

/// The way to the server, which can be cut: nothing goes through, and nobody is told.
struct Way {
    address: SocketAddr,
    is_cut: Arc<AtomicBool>,
}

impl Way {
    fn to(port: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let is_cut = Arc::new(AtomicBool::new(false));
        let (cut, server) = (Arc::clone(&is_cut), format!("127.0.0.1:{port}"));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let Ok(server) = TcpStream::connect(&server) else {
                    continue;
                };
                let back = (server.try_clone().unwrap(), stream.try_clone().unwrap());
                for (from, to) in [(stream, server), back] {
                    let cut = Arc::clone(&cut);
                    std::thread::spawn(move || carry(from, to, &cut));
                }
            }
        });
        Self { address, is_cut }
    }
}

/// Carries bytes one way. What is on the way when it is cut is lost, and the connection with it.
fn carry(mut from: TcpStream, mut to: TcpStream, cut: &AtomicBool) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if cut.load(Ordering::SeqCst) {
            while cut.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(20));
            }
            break;
        }
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

fn texts(machine: &Machine) -> Vec<String> {
    let tasks = machine.json(&["tasks", "-n", "1000", "--json"]);
    let tasks = tasks["tasks"].as_array().unwrap().iter().rev();
    let text = |task: &serde_json::Value| {
        task["message"]["parts"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    tasks.map(text).collect()
}

#[test]
#[ignore = "it takes most of a minute; make soak runs it"]
fn a_machine_whose_network_is_cut_for_half_a_minute_is_away_and_comes_back() {
    let desk = Machine::begin("desk");
    let mut words = desk.invitation("laptop", "send");
    let way = Way::to(words[2].rsplit(':').next().unwrap());
    words[2] = format!("nats://{}", way.address);
    let laptop = Machine::new();
    laptop.ok(&words.iter().map(String::as_str).collect::<Vec<_>>());
    laptop.start("codex");
    desk.start("claude");
    desk.wait_for_agent("codex@laptop");
    laptop.wait_for_agent("claude@desk");
    way.is_cut.store(true, Ordering::SeqCst);
    let cut = Instant::now();
    // While nobody knows yet, a message is handed over or kept; either way it arrives once.
    desk.ok(&["send", "codex@laptop", "one"]);
    desk.wait_for_machine("laptop", false);
    println!("away after {:?}", cut.elapsed());
    desk.ok(&["send", "codex@laptop", "two"]);
    laptop.wait_for_machine("desk", false);
    laptop.ok(&["send", "claude@desk", "back"]);
    std::thread::sleep(Duration::from_secs(30).saturating_sub(cut.elapsed()));
    way.is_cut.store(false, Ordering::SeqCst);
    let back = Instant::now();
    desk.wait_for_machine("laptop", true);
    println!("back after {:?}", back.elapsed());
    laptop.wait_until("what was kept has arrived", |_| texts(&laptop).len() >= 2);
    desk.wait_until("what it kept has arrived", |_| !texts(&desk).is_empty());
    println!("all delivered after {:?}", back.elapsed());
    let reply = desk.ok(&["send", "codex@laptop", "three", "--return"]);
    assert_eq!(reply, "ok: three\n");
    assert_eq!(texts(&laptop), ["one", "two", "three"]);
    assert_eq!(texts(&desk), ["back"]);
}

#[test]
#[ignore = "it takes most of a minute; make soak runs it"]
fn a_cluster_that_loses_each_of_its_servers_in_turn_loses_no_message() {
    let stores = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let (ports, routes) = ([(); 3].map(|()| free_port()), [(); 3].map(|()| free_port()));
    let routes = routes.map(|port| format!("nats://127.0.0.1:{port}"));
    let start = |n: usize| {
        let (store, name, all) = (stores[n].path(), format!("n{n}"), routes.join(","));
        let args = [
            "-js",
            "-sd",
            store.to_str().unwrap(),
            "-n",
            &name,
            "--cluster_name",
            "syn",
            "-cluster",
            &routes[n],
            "-routes",
            &all,
        ];
        Server::start_on(ports[n], &args)
    };
    let mut servers = [0, 1, 2].map(start);
    let urls: Vec<String> = servers.iter().map(Server::url).collect();
    let desk = Machine::new();
    desk.configure("mesh: {replicas: 3}\nqueue_limit: 1000\n");
    desk.ok(&["mesh", "join", &urls.join(","), "--name", "desk"]);
    desk.wait_until("the cluster has elected", |world| {
        world.run(&["mesh", "status"]).status.success()
    });
    let laptop = desk.join_with("laptop", "send", "queue_limit: 1000\n");
    laptop.start("codex");
    desk.wait_for_agent("codex@laptop");
    let mut sent = Vec::new();
    // Whichever leads, it is killed once.
    for (n, server) in servers.iter_mut().enumerate() {
        server.kill();
        let killed = Instant::now();
        for part in 0..10 {
            let text = format!("{n}-{part}");
            desk.ok(&["send", "codex@laptop", &text, "--no-return"]);
            sent.push(text);
        }
        let name = format!("late{n}");
        laptop.start(&name);
        desk.wait_for_agent(&format!("{name}@laptop"));
        println!(
            "server {n} killed: all sent, and a new agent seen, after {:?}",
            killed.elapsed()
        );
        *server = start(n);
    }
    laptop.wait_until("all have arrived", |_| texts(&laptop).len() >= sent.len());
    assert_eq!(texts(&laptop), sent, "in order, once");
}
