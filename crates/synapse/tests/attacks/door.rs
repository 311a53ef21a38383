//! The door of an agent's HTTP: every refusal, as a stranger meets it, and that friends are not in the way of it.

mod reach;

use std::cell::RefCell;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::world::World;
use serde_json::Value;

const LOCAL: &str = "Host: localhost";
const JSON: &str = "Content-Type: application/json";
const TOKEN_ONLY: &str = "auth: token\n";

fn bearer(world: &World) -> String {
    format!("Authorization: Bearer {}", world.token())
}

/// What an answer says is wrong; it must be JSON.
fn error(answer: &str) -> String {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(
        head.to_lowercase()
            .contains("content-type: application/json"),
        "{answer}"
    );
    let body: Value = serde_json::from_str(body).unwrap();
    body["error"].as_str().unwrap().to_owned()
}

fn refused(world: &World, head: &str, body: &str, status: u16, reason: &str) {
    let (said, answer) = world.http(head, body);
    assert_eq!(said, status, "{head}\n{answer}");
    let error = error(&answer);
    assert!(error.contains(reason), "{head}\n{error}");
}

fn served(world: &World, head: &str) {
    let (status, answer) = world.http(head, "");
    assert_eq!(status, 200, "{head}\n{answer}");
}

#[test]
fn the_same_user_needs_no_token() {
    let world = World::with_dummy();
    served(&world, &format!("GET /status HTTP/1.1\r\n{LOCAL}"));
    let mode = std::fs::metadata(world.entry()["token_path"].as_str().unwrap());
    assert_eq!(mode.unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_foreign_host_is_refused() {
    let world = World::with_dummy();
    for host in ["evil.example", "localhost.evil.example", "10.1.2.3", ""] {
        let head = format!("GET /status HTTP/1.1\r\nHost: {host}");
        refused(&world, &head, "", 421, "not served here");
        // Not even what anybody may read: a name that was bent to this machine is an attack.
        let head = format!("GET /healthz HTTP/1.1\r\nHost: {host}");
        refused(&world, &head, "", 421, "not served here");
    }
    refused(&world, "GET /status HTTP/1.1", "", 400, "one Host");
    let twice = format!("GET /status HTTP/1.1\r\n{LOCAL}\r\nHost: evil.example");
    refused(&world, &twice, "", 400, "one Host");
}

#[test]
fn a_configured_name_is_served_to_whoever_has_the_token() {
    let world = World::configured("host_names: [box.lan]\n");
    let head = "GET /status HTTP/1.1\r\nHost: BOX.lan:8100";
    refused(&world, head, "", 401, "who are you?");
    served(&world, &format!("{head}\r\n{}", bearer(&world)));
}

#[test]
fn a_page_of_another_origin_is_refused() {
    let world = World::with_dummy();
    let head = format!("POST /tasks/send HTTP/1.1\r\n{LOCAL}:8100\r\n{JSON}");
    for origin in ["https://evil.example", "http://localhost:3000", "null"] {
        let head = format!("{head}\r\nOrigin: {origin}\r\n{}", bearer(&world));
        refused(
            &world,
            &head,
            r#"{"message":"say:x"}"#,
            403,
            "may not drive",
        );
    }
    let picture = format!("GET /status HTTP/1.1\r\n{LOCAL}\r\nSec-Fetch-Site: cross-site");
    refused(&world, &picture, "", 403, "may not drive");
    assert_eq!(
        world.json(&["tasks", "dummy", "--json"])["tasks"],
        serde_json::json!([])
    );
    served(
        &world,
        &format!("GET /status HTTP/1.1\r\n{LOCAL}:8100\r\nOrigin: http://localhost:8100"),
    );
}

#[test]
fn a_web_socket_from_another_origin_is_refused() {
    let world = World::with_dummy();
    let upgrade = format!(
        "GET /terminal HTTP/1.1\r\n{LOCAL}:8100\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    );
    let mut socket = world.connect();
    write!(socket, "{upgrade}\r\nOrigin: https://evil.example\r\n\r\n").unwrap();
    assert!(head(&mut socket).starts_with("HTTP/1.1 403"));
    let mut socket = world.connect();
    write!(socket, "{upgrade}\r\nOrigin: http://localhost:8100\r\n\r\n").unwrap();
    assert!(head(&mut socket).starts_with("HTTP/1.1 101"));
}

#[test]
fn what_is_not_json_is_refused() {
    let world = World::with_dummy();
    for kind in [
        "Content-Type: text/plain",
        "Content-Type: application/x-www-form-urlencoded",
        "X-Nothing: said",
    ] {
        let head = format!("POST /tasks/send HTTP/1.1\r\n{LOCAL}\r\n{kind}");
        refused(
            &world,
            &head,
            r#"{"message":"say:x"}"#,
            415,
            "application/json",
        );
    }
    let (status, answer) = world.http(
        &format!("POST /a2a HTTP/1.1\r\n{LOCAL}\r\nContent-Type: text/plain"),
        "{}",
    );
    assert_eq!(status, 415);
    assert!(
        answer.contains("-32005"),
        "JSON-RPC has a code for it: {answer}"
    );
    let cancel = format!("POST /tasks/none/cancel HTTP/1.1\r\n{LOCAL}");
    refused(&world, &cancel, "", 404, "no task");
}

#[test]
fn a_missing_or_wrong_token_is_refused() {
    let world = World::configured(TOKEN_ONLY);
    let head = format!("GET /status HTTP/1.1\r\n{LOCAL}");
    refused(&world, &head, "", 401, "Authorization: Bearer");
    refused(
        &world,
        &format!("{head}\r\nAuthorization: Bearer wrong"),
        "",
        401,
        "not the agent's token",
    );
    let address = format!("GET /status?token={} HTTP/1.1\r\n{LOCAL}", world.token());
    refused(&world, &address, "", 401, "who are you?");
    served(&world, &format!("{head}\r\n{}", bearer(&world)));
    let (_, answer) = world.http(&head, "");
    assert!(answer.to_lowercase().contains("www-authenticate: bearer"));
    assert!(!answer.contains(&world.token()));
    assert_eq!(world.state("dummy"), "IDLE", "our own commands show it");
}

#[test]
fn a_proxy_is_not_the_caller() {
    let world = World::with_dummy();
    let head = format!("GET /status HTTP/1.1\r\n{LOCAL}\r\nX-Forwarded-For: 203.0.113.9");
    refused(&world, &head, "", 401, "who are you?");
    served(&world, &format!("{head}\r\n{}", bearer(&world)));
}

#[test]
fn anybody_may_read_the_card_and_nothing_else() {
    let world = World::configured(TOKEN_ONLY);
    served(&world, &format!("GET /healthz HTTP/1.1\r\n{LOCAL}"));
    let (status, card) = world.http(
        &format!("GET /.well-known/agent.json HTTP/1.1\r\n{LOCAL}"),
        "",
    );
    assert!(status == 200 && card.contains("\"name\""), "{card}");
    for path in ["/screen", "/tasks", "/terminal", "/nothing"] {
        let head = format!("GET {path} HTTP/1.1\r\n{LOCAL}");
        refused(&world, &head, "", 401, "who are you?");
    }
    let posted = format!("POST /.well-known/agent.json HTTP/1.1\r\n{LOCAL}");
    refused(&world, &posted, "", 401, "who are you?");
}

#[test]
fn a_refusal_of_the_router_is_json_too() {
    let world = World::with_dummy();
    let wrong_method = format!("DELETE /status HTTP/1.1\r\n{LOCAL}");
    refused(&world, &wrong_method, "", 405, "Allow");
    let no_field = format!("POST /tasks/send HTTP/1.1\r\n{LOCAL}\r\n{JSON}");
    refused(&world, &no_field, "{}", 400, "message");
    refused(&world, &no_field, "{", 400, "");
}

#[test]
fn a_body_too_large_is_refused() {
    let world = World::with_dummy();
    let mib = " ".repeat(1 << 20);
    let keys = format!("POST /keys HTTP/1.1\r\n{LOCAL}\r\n{JSON}");
    refused(&world, &keys, &format!("{mib}{{}}"), 413, "at most 1 MiB");
    // A message may come with files.
    let send = format!("POST /tasks/send HTTP/1.1\r\n{LOCAL}\r\n{JSON}");
    refused(&world, &send, &format!("{mib}{mib}{{}}"), 400, "message");
    let too_much = format!("{send}\r\nContent-Length: 24117249\r\nExpect: 100-continue");
    let mut stream = world.connect();
    write!(stream, "{too_much}\r\n\r\n").unwrap();
    assert!(head(&mut stream).starts_with("HTTP/1.1 413"));
    // One that does not say how large it is.
    let mut stream = world.connect();
    write!(stream, "{keys}\r\nTransfer-Encoding: chunked\r\n\r\n").unwrap();
    let chunk = format!("{:x}\r\n{}\r\n", 64 << 10, " ".repeat(64 << 10));
    stream.write_all(chunk.repeat(17).as_bytes()).unwrap();
    stream.write_all(b"0\r\n\r\n").unwrap();
    assert!(head(&mut stream).starts_with("HTTP/1.1 413"));
}

#[test]
fn who_dawdles_is_cut_off_and_a_stream_is_not() {
    let world = World::configured("limits: {header_timeout: 0.4}\n");
    world.ok(&["send", "dummy", "say:ready", "--return"]);
    let id = world.ok(&["send", "dummy", "slow:3"]);
    let mut stream = world.connect();
    let head = format!(
        "GET /tasks/{}/subscribe HTTP/1.1\r\n{LOCAL}\r\nConnection: close\r\n\r\n",
        id.trim()
    );
    stream.write_all(head.as_bytes()).unwrap();

    let mut slow = world.connect();
    slow.write_all(b"GET /status HTTP/1.1\r\nHost: loc")
        .unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(
        !answer.contains("200"),
        "half a request is not answered: {answer}"
    );
    let mut idle = world.connect();
    write!(idle, "GET /healthz HTTP/1.1\r\n{LOCAL}\r\n\r\n").unwrap();
    let mut answer = String::new();
    idle.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("200"), "answered, then cut: {answer}");

    let mut events = String::new();
    stream.read_to_string(&mut events).unwrap();
    assert!(events.contains("\"state\":\"completed\""), "{events}");
}

#[test]
fn one_connection_too_many_is_told_so() {
    let world = World::configured("limits: {connections: 3}\n");
    let port = u16::try_from(world.entry()["port"].as_u64().unwrap()).unwrap();
    let ask = format!("GET /status HTTP/1.1\r\n{LOCAL}\r\n\r\n");
    let connect = || {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(ask.as_bytes()).unwrap();
        (head(&mut stream), stream)
    };
    // The connection of the command above may not be closed yet.
    let held = RefCell::new(Vec::new());
    world.wait_until("three are connected", |_| {
        let (answer, stream) = connect();
        if answer.starts_with("HTTP/1.1 200") {
            held.borrow_mut().push(stream);
        }
        held.borrow().len() == 3
    });
    let (answer, mut stream) = connect();
    let mut body = String::new();
    stream.read_to_string(&mut body).unwrap();
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(
        error(&format!("{answer}{body}")).contains("limits.connections"),
        "{body}"
    );
    let refused = world.run(&["status", "dummy"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("too many connections: 3 are open"), "{said}");
    drop(held);
    world.wait_until("there is room again", |_| {
        connect().0.starts_with("HTTP/1.1 200")
    });
}

#[test]
fn other_users_of_this_machine_are_refused_and_may_read_the_card() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: needs root, to be another user");
        return;
    }
    let world = World::with_dummy();
    let port = world.entry()["port"].as_u64().unwrap();
    let (status, answer) = as_user(65_534, port, "/status");
    assert_eq!(status, 401, "{answer}");
    assert!(error(&answer).contains("who are you?"));
    assert_eq!(as_user(65_534, port, "/.well-known/agent.json").0, 200);
    assert_eq!(as_user(65_534, port, "/healthz").0, 200);
    assert_eq!(as_user(0, port, "/status").0, 200, "the owner");
}

#[test]
fn a_users_agent_lets_in_the_user_and_root() {
    const OWNER: u32 = 54_321;
    let program = assert_cmd::cargo::cargo_bin!("synapse");
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: needs root, to be another user");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    std::os::unix::fs::chown(home.path(), Some(OWNER), Some(OWNER)).unwrap();
    let synapse = |args: &[&str]| {
        let mut command = as_user_command(OWNER);
        command.arg(program).args(args).current_dir(home.path());
        command.env("SYNAPSE_HOME", home.path().join("synapse"));
        command.env("A2A_HOME", home.path().join("a2a"));
        command.output().unwrap()
    };
    if !synapse(&["--version"]).status.success() {
        eprintln!("SKIPPED: another user cannot run {}", program.display());
        return;
    }
    let started = synapse(&["start", "dummy", "--port", "0"]);
    assert!(
        started.status.success(),
        "{}",
        String::from_utf8_lossy(&started.stderr)
    );
    let listed: Value = serde_json::from_slice(&synapse(&["list", "--json"]).stdout).unwrap();
    let port = listed["agents"][0]["port"].as_u64().unwrap();
    let statuses = [OWNER, 0, OWNER + 1].map(|user| as_user(user, port, "/status").0);
    synapse(&["stop", "--all"]);
    assert_eq!(statuses, [200, 200, 401], "the owner, root, somebody else");
}

/// The head of an answer whose connection stays open.
fn head(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
        text.extend(byte);
    }
    String::from_utf8(text).unwrap()
}

fn as_user_command(user: u32) -> Command {
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={user}"), format!("--regid={user}")]);
    command.arg("--clear-groups");
    command
}

/// A GET by a user of this machine: status and answer.
fn as_user(user: u32, port: u64, path: &str) -> (u16, String) {
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port}; \
         printf 'GET {path} HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3"
    );
    let output = as_user_command(user)
        .args(["bash", "-c", &script])
        .output()
        .unwrap();
    let answer = String::from_utf8(output.stdout).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer)
}
