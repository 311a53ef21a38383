//! What others of the same machine can do.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::chown;
use std::path::Path;

use crate::world::{World, is_gone};

/// Far longer than anything here takes.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);

/// Opens connections that begin a request and do not end it.
fn slow_connections(world: &World, count: usize) -> Vec<TcpStream> {
    let port = u16::try_from(world.entry()["port"].as_u64().unwrap()).unwrap();
    let half = |_| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream
            .write_all(b"GET /status HTTP/1.1\r\nHost: loc")
            .ok()?;
        Some(stream)
    };
    (0..count).filter_map(half).collect()
}

#[test]
fn slow_connections_do_not_keep_the_owner_out() {
    for (settings, count) in [("", 1_200), ("limits: {connections: 40}\n", 100)] {
        let world = World::configured(settings);
        let mut slow = slow_connections(&world, count);
        assert!(
            slow.len() * 2 > count,
            "only {} could be opened",
            slow.len()
        );
        // Not one try is refused, however long they wait.
        for _ in 0..5 {
            world.ok(&["status", "dummy"]);
        }
        // Those who have shown nothing for longest are gone.
        let first = slow.first_mut().unwrap();
        first.set_read_timeout(Some(PATIENCE)).unwrap();
        let closed = first.read(&mut [0; 16]);
        assert!(
            matches!(closed, Ok(0))
                || closed.is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock)
        );
    }
}

/// Kills a host as a crash would, and waits until the kernel has let go of its lock.
fn crash(world: &World) {
    let pid = world.entry()["pid"].to_string();
    let killed = std::process::Command::new("kill")
        .args(["-9", &pid])
        .status();
    assert!(killed.unwrap().success());
    world.wait_until("its host is gone", |_| is_gone(&pid));
}

#[test]
fn the_lasting_token_is_the_same_after_a_clean_end_and_another_after_a_crash() {
    let world = World::with_dummy();
    let again = || {
        world.ok(&["start", "dummy", "--port", "0"]);
        world.token()
    };
    let launch = || std::fs::read_to_string(world.launch_token_file()).unwrap();
    let (first, first_launch) = (world.token(), launch());
    assert_ne!(first, first_launch);
    world.ok(&["stop", "dummy"]);
    assert_eq!(again(), first);
    assert_ne!(launch(), first_launch);
    assert!(!world.ok(&["doctor"]).contains("replaced"));

    crash(&world);
    let second = again();
    assert_ne!(second, first);
    let said = world.ok(&["doctor"]);
    assert!(said.contains("its token was replaced"), "{said}");
    // Who has the old one is not let in.
    let head = |token: &str| {
        format!("GET /status HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}")
    };
    assert_eq!(world.http(&head(&first), "").0, 401);
    assert_eq!(world.http(&head(&second), "").0, 200);
    world.ok(&["stop", "dummy"]);
    assert_eq!(again(), second);
}

#[test]
fn commands_show_the_token_of_this_run_and_no_file_that_an_entry_names() {
    let world = World::with_dummy();
    let entry = world.entry();
    let file = world.home.path().join(format!(
        "a2a/registry/{}.json",
        entry["agent_id"].as_str().unwrap()
    ));
    let secret = world.home.path().join("secret");
    std::fs::write(&secret, "not-for-anybody").unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let text = std::fs::read_to_string(&file).unwrap();
    let other = text.replace(&entry["port"].to_string(), &port).replace(
        entry["token_path"].as_str().unwrap(),
        secret.to_str().unwrap(),
    );
    std::fs::write(&file, other).unwrap();
    let asking = world
        .command(&["status", "dummy"])
        .stderr(std::process::Stdio::null())
        .spawn();
    let mut asking = asking.unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    let mut said = [0; 4_096];
    let length = stream.read(&mut said).unwrap();
    drop(stream);
    asking.wait().unwrap();
    std::fs::write(&file, &text).unwrap();
    let said = String::from_utf8_lossy(&said[..length]).into_owned();
    let launch = std::fs::read_to_string(world.launch_token_file()).unwrap();
    assert!(said.contains(&launch), "{said}");
    assert!(!said.contains(&world.token()) && !said.contains("not-for-anybody"));
}

#[test]
fn a_registry_that_is_removed_is_made_anew() {
    let world = World::with_dummy();
    let entry = world.entry();
    let registry = world.home.path().join("a2a/registry");
    for _ in 0..2 {
        // The agent may be back before all is gone.
        let _ = std::fs::remove_dir_all(&registry);
        world.wait_until("the agent is back", |world| {
            world.json(&["list", "--json"])["agents"][0]["agent_id"] == entry["agent_id"]
        });
    }
    world.wait_for_state("dummy", "IDLE");
    // It gives its place back as ever.
    world.ok(&["stop", "dummy"]);
    let left: Vec<_> = std::fs::read_dir(&registry).unwrap().flatten().collect();
    assert!(left.len() <= 1, "{left:?}");
}

#[test]
fn the_token_of_one_agent_does_not_open_another_of_its_user() {
    let world = World::with_dummy();
    let token = world.token();
    let port = world.entry()["port"].clone();
    let there = World::with_dummy();
    let url = there.entry()["endpoint"].clone();
    let call = |path: &str, body: serde_json::Value| {
        let (head, body) = (
            format!(
                "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
                 Content-Type: application/json"
            ),
            body.to_string(),
        );
        world.http(&head, &body)
    };
    let found = call(
        "/external/discover",
        serde_json::json!({ "url": url, "alias": "other" }),
    );
    assert_eq!(found.0, 200, "anybody may read its card: {}", found.1);
    let sent = call(
        "/external/agents/other/send",
        serde_json::json!({ "message": "say:hello" }),
    );
    assert!(sent.0 >= 400, "{}", sent.1);
    assert_eq!(
        there.json(&["tasks", "dummy", "--json"])["tasks"],
        serde_json::json!([])
    );
    // The user's own command may.
    world.ok(&["external", "send", "other", "say:hello"]);
}

#[test]
fn what_somebody_else_puts_into_the_registry_does_not_count() {
    let world = World::with_dummy();
    let entry = world.entry();
    let id = entry["agent_id"].as_str().unwrap();
    let registry = world.home.path().join("a2a/registry");
    let file = |end: &str| registry.join(format!("{id}.{end}"));
    // Only root can give files away.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    for end in ["json", "lock"] {
        let give = |user: u32| chown::<&Path>(&file(end), Some(user), None).unwrap();
        give(65_534);
        assert_eq!(
            world.json(&["list", "--json"])["agents"],
            serde_json::json!([]),
            "{end}"
        );
        give(0);
        assert_eq!(world.entry()["agent_id"], id);
    }
}

#[test]
fn a_token_is_shown_to_no_other_user() {
    // Only root can be somebody else.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let world = World::with_dummy();
    let entry = world.entry();
    let port = entry["port"].to_string();
    let said = world.home.path().join("said");
    std::fs::write(&said, "").unwrap();
    chown::<&Path>(&said, Some(65_534), None).unwrap();
    chown::<&Path>(world.home.path(), Some(65_534), None).unwrap();
    let entry_file = world.home.path().join(format!(
        "a2a/registry/{}.json",
        entry["agent_id"].as_str().unwrap()
    ));
    let text = std::fs::read_to_string(&entry_file).unwrap();
    let script = format!(
        "import os, socket\nos.setuid(65534)\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()\n\
         print(s.getsockname()[1], flush=True)\nwhile True:\n  c, _ = s.accept()\n  c.settimeout(20)\n  \
         data = c.recv(4096)\n  open({said:?}, 'ab').write(data + b'.')\n  c.close()\n"
    );
    let mut thief = std::process::Command::new("python3")
        .args(["-c", &script])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = std::io::BufReader::new(thief.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    std::fs::write(&entry_file, text.replace(&port, line.trim())).unwrap();
    let output = world.run(&["status", "dummy"]);
    std::fs::write(&entry_file, &text).unwrap();
    thief.kill().unwrap();
    thief.wait().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && error.contains("not a process of yours"),
        "{error}"
    );
    // A dot for each connection, and nothing else.
    let said = std::fs::read_to_string(&said).unwrap();
    assert_eq!(said.trim_matches('.'), "");
}
