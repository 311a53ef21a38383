//! A host that is killed loses nothing it has acknowledged: tasks are found again, the open ones failed
//! with a reason, and whoever watched gets exactly the rest.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::world::World;
use serde_json::{Value, json};

/// How many tasks are acknowledged before the host is killed.
const ENOUGH: usize = 1_000;

/// Sends tasks over one connection until it breaks; the names of those that were acknowledged.
fn send_until_it_breaks(port: u16, token: &str, acknowledged: &AtomicUsize) -> Vec<String> {
    let mut ids = Vec::new();
    let mut stream = BufReader::new(TcpStream::connect(("127.0.0.1", port)).unwrap());
    let body = json!({"message": "say:hello"}).to_string();
    let request = format!(
        "POST /tasks/send HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    while stream.get_mut().write_all(request.as_bytes()).is_ok() {
        let Some((status, answer)) = read_answer(&mut stream) else {
            break;
        };
        if status == 200 {
            ids.push(answer["task"]["id"].as_str().unwrap().to_owned());
            acknowledged.fetch_add(1, Ordering::SeqCst);
        }
    }
    ids
}

/// One whole answer; nothing if the connection broke in it.
fn read_answer(stream: &mut BufReader<TcpStream>) -> Option<(u16, Value)> {
    let mut line = String::new();
    stream.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let mut length = 0;
    loop {
        let mut header = String::new();
        stream
            .read_line(&mut header)
            .ok()
            .filter(|read| *read > 0)?;
        let header = header.to_lowercase();
        if header.trim().is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((status, serde_json::from_slice(&body).ok()?))
}

#[test]
fn nothing_acknowledged_is_lost_when_the_host_is_killed() {
    let world = World::new();
    let config = world.home.path().join("synapse/config.yaml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(&config, "queue_limit: 10000\n").unwrap();
    world.ok(&["start", "dummy", "--port", "0"]);
    let entry = world.entry();
    let port = u16::try_from(entry["port"].as_u64().unwrap()).unwrap();
    let token = world.token();

    let acknowledged = AtomicUsize::new(0);
    let ids: Vec<String> = std::thread::scope(|scope| {
        let senders: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| send_until_it_breaks(port, &token, &acknowledged)))
            .collect();
        world.wait_until("enough tasks are acknowledged", |_| {
            acknowledged.load(Ordering::SeqCst) >= ENOUGH
        });
        world.kill_host();
        senders
            .into_iter()
            .flat_map(|sender| sender.join().unwrap())
            .collect()
    });
    assert!(ids.len() >= ENOUGH);

    // Any command finds out and says why.
    let shown = world.json(&["task", &ids[ids.len() - 1], "--json"]);
    assert_eq!(shown["status"]["error"]["code"], "HOST_CRASHED", "{shown}");
    let store = world.home.path().join("synapse/synapse.db");
    let reader = synapse_store::Reader::open(&store).unwrap();
    for id in &ids {
        let kept = reader
            .task(&synapse_a2a::id::TaskId::new(id.as_str()))
            .unwrap();
        let kept = kept.unwrap_or_else(|| panic!("the task {id} was acknowledged and is lost"));
        assert!(
            kept.task.state().is_final(),
            "{id} is {}",
            kept.task.state()
        );
        // Folding them again proves that none is missing in between.
        let folded = synapse_a2a::task::Task::fold(kept.events).unwrap();
        assert_eq!(folded, kept.task);
    }

    // The same agent, started again, takes up every stream where it broke off.
    world.ok(&["start", "dummy", "--port", "0"]);
    let path = format!("/tasks/{}/subscribe", ids[0]);
    let (status, whole) = world.raw_call("GET", &path, "", &Value::Null);
    assert_eq!(status, 200);
    let frames: Vec<&str> = whole.split("id: ").skip(1).collect();
    let more = "\r\nLast-Event-ID: 1";
    let (_, rest) = world.raw_call("GET", &path, more, &Value::Null);
    let left: Vec<&str> = rest.split("id: ").skip(1).collect();
    assert_eq!(left, frames[1..]);
}
