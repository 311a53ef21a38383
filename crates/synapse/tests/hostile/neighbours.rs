//! What others of the same machine can do.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

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
