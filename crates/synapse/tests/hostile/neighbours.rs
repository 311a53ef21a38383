//! What others of the same machine can do.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::chown;
use std::path::Path;

use crate::world::World;

#[test]
fn slow_connections_do_not_keep_the_owner_out() {
    let world = World::with_dummy();
    let port = u16::try_from(world.entry()["port"].as_u64().unwrap()).unwrap();
    let half = |_| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream
            .write_all(b"GET /status HTTP/1.1\r\nHost: loc")
            .ok()?;
        Some(stream)
    };
    let mut slow: Vec<TcpStream> = (0..1_200).filter_map(half).collect();
    assert!(slow.len() > 600, "only {} could be opened", slow.len());
    // Those that are turned away are told, and the others are gone when their time is up.
    world.wait_until("the owner is let in", |world| {
        world.run(&["status", "dummy"]).status.success()
    });
    let mut said = String::new();
    let last = slow.last_mut().unwrap();
    let _ = last.read_to_string(&mut said);
    assert!(said.is_empty() || said.contains("503"), "{said}");
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
            world.json(&["list", "--json"]),
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
