//! Where an agent listens, by which names and with which certificate, and what it refuses to be.

use std::io::{Read as _, Write as _};
use std::process::Command;

use super::{LOCAL, bearer, refused, served};
use crate::world::World;

#[test]
fn an_agent_open_to_all_does_not_start() {
    let world = World::new();
    world.configure("auth: none\n");
    let output = world.run(&["start", "dummy", "--port", "0", "--listen", "0.0.0.0"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && error.contains("auth"),
        "{error}"
    );
    assert_eq!(
        world.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
    world.ok(&["start", "dummy", "--port", "0"]);
    served(&world, &format!("GET /status HTTP/1.1\r\n{LOCAL}"));
}

#[test]
fn a_setting_that_nobody_knows_is_told() {
    let world = World::new();
    world.configure("host_name: [box.lan]\n");
    let started = world.run(&["start", "dummy", "--port", "0"]);
    let error = String::from_utf8_lossy(&started.stderr);
    assert!(
        started.status.success() && error.contains("the nearest is 'host_names'"),
        "{error}"
    );
}

#[test]
fn an_agent_listens_where_it_is_told_and_says_where_others_find_it() {
    let world = World::new();
    let url = "https://agents.example/dummy";
    world.ok(&[
        "start",
        "dummy",
        "--port",
        "0",
        "--listen",
        "0.0.0.0",
        "--public-url",
        url,
    ]);
    assert!(
        world.entry()["endpoint"]
            .as_str()
            .unwrap()
            .starts_with("http://127.0.0.1:")
    );
    assert_eq!(world.state("dummy"), "IDLE", "our own commands find it");
    let card = "GET /.well-known/agent.json HTTP/1.1\r\nHost: agents.example";
    let (status, answer) = world.http(card, "");
    assert!(status == 200 && answer.contains(url), "{answer}");
    let status = "GET /status HTTP/1.1\r\nHost: agents.example";
    refused(&world, status, "", 401, "who are you?");
    served(
        &world,
        &format!(
            "{status}\r\nOrigin: https://agents.example\r\n{}",
            bearer(&world)
        ),
    );
    for odd in ["nonsense", "ftp://x"] {
        let output = world.run(&["start", "dummy", "--public-url", odd]);
        assert_eq!(
            output.status.code(),
            Some(2),
            "a wrong address is a usage error"
        );
    }
}

#[test]
fn tls_is_spoken_with_a_certificate_and_local_clients_may_do_without() {
    let world = World::new();
    let folder = world.home.path().to_owned();
    let (cert, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    if !world.make_certificate() {
        eprintln!("SKIPPED: openssl makes no certificate here");
        return;
    }
    world.configure(&format!(
        "tls: {{cert: {}, key: {}}}\n",
        cert.display(),
        key.display()
    ));
    world.ok(&["start", "dummy", "--port", "0"]);
    let port = world.entry()["port"].as_u64().unwrap();
    let mut client = Command::new("openssl")
        .args([
            "s_client",
            "-quiet",
            "-verify_return_error",
            "-verify_hostname",
            "localhost",
        ])
        .args(["-connect", &format!("127.0.0.1:{port}"), "-CAfile"])
        .arg(&cert)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut asks = client.stdin.take().unwrap();
    write!(
        asks,
        "GET /healthz HTTP/1.1\r\n{LOCAL}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    client
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut answer)
        .unwrap();
    drop(asks);
    client.wait().unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(world.state("dummy"), "IDLE");

    world.ok(&["stop", "--all"]);
    world.configure(&format!(
        "tls: {{cert: {}, key: /no/key}}\n",
        cert.display()
    ));
    let output = world.run(&["start", "dummy", "--port", "0"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && error.contains("/no/key"),
        "{error}"
    );
}
